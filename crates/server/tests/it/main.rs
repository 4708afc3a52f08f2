//! The server as a client sees it: raw messages in, raw messages out.

mod approval;
mod calls;
mod camel_case;
mod control;
mod delivery;
mod http;
mod http_fixture;
mod http_tasks;
mod opening;
mod operations_fixture;
mod pipe_client;
mod providers;
mod questions;
mod shutdown;
mod snapshot;
mod subscriptions;
mod tasks;
mod test_server;
mod tools_list;
mod transport;
