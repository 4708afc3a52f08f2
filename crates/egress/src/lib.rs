//! Restricts the network of a program to a list of destinations.
//!
//! The program runs in a network namespace of its own, where only loopback exists. Listeners in
//! that namespace are handed to this process, which accepts their connections and opens the ones to
//! the world, if the list allows them. So there is nothing for the program to reach but these
//! listeners:
//!
//! - an HTTP proxy, which [`proxy_variables`] announce to the program,
//! - each loopback destination of the list, forwarded to the same address of the machine, for
//!   programs that do not use proxies, such as database clients.
//!
//! Names are resolved here, after they were found in the list: a program cannot send data in the
//! names it looks up.

mod destinations;
mod listeners;
mod proxy;
mod relay;
mod request;

pub use catalog::{Host, HostPort, NetworkAccess};
pub use destinations::refuse_own_port;
pub use listeners::{listen_addresses, proxy_variables};
pub use proxy::EgressProxy;
