//! Copies bytes between two connections.

use std::{io, time::Duration};

use parking_lot::Mutex;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, timeout_at},
};

const BUFFER_BYTES: usize = 16 * 1024;

/// Copies in both directions until both sides are done, one fails, or neither sent anything for
/// `idle`.
pub(crate) async fn relay(
    mut one: TcpStream,
    mut other: TcpStream,
    idle: Duration,
) -> io::Result<()> {
    // Shared by both directions: a long download is silent in the other one.
    let active = Mutex::new(Instant::now());
    let (one_reader, one_writer) = one.split();
    let (other_reader, other_writer) = other.split();
    tokio::try_join!(
        copy(one_reader, other_writer, &active, idle),
        copy(other_reader, one_writer, &active, idle),
    )?;
    Ok(())
}

async fn copy(
    mut reader: impl AsyncRead + Unpin,
    mut writer: impl AsyncWrite + Unpin,
    active: &Mutex<Instant>,
    idle: Duration,
) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let deadline = *active.lock() + idle;
        let count = match timeout_at(deadline, reader.read(&mut buffer)).await {
            Ok(count) => count?,
            Err(_) if *active.lock() + idle > deadline => continue,
            Err(_) => return Err(io::ErrorKind::TimedOut.into()),
        };
        if count == 0 {
            return writer.shutdown().await;
        }
        *active.lock() = Instant::now();
        timeout_at(Instant::now() + idle, writer.write_all(&buffer[..count])).await??;
    }
}
