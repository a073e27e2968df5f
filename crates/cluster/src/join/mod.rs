//! How processes find each other: rank 0 listens, the others connect to it, and when all have come it gives each the list of all.

mod guest;
mod head;

use crate::group::Member;
use crate::launch::Launch;
use crate::messages::{Greeting, PROTOCOL};
use crate::settings::Settings;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::ops::RangeInclusive;
use std::time::Duration;
use thiserror::Error;

/// How many ports rank 0 tries, from MASTER_PORT on: torchrun itself and other jobs of the host may have the first.
pub const PORTS: u16 = 16;
/// How long one who connected may take to say who it is.
const TIME_TO_GREET: Duration = Duration::from_secs(5);

/// Why a group does not come about.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JoinError {
    #[error(
        "rank 0 cannot listen on any port from {first} to {last}: {error}; set MASTER_PORT to the first of {PORTS} ports of which one \
         is free"
    )]
    NoPort { first: u16, last: u16, error: io::Error },
    #[error("this process cannot listen for the others: {0}")]
    NoListener(io::Error),
    #[error(
        "{} of {size} did not come within {} s: look whether they were started, and whether their hosts reach {address}:{port}",
        ranks(absent),
        seconds.as_secs_f64()
    )]
    Absent { absent: Vec<usize>, size: usize, seconds: Duration, address: String, port: u16 },
    #[error(
        "rank {rank}: rank 0 did not answer at {address}, ports {first} to {last}, within {} s ({last_seen}): look whether it was \
         started, and whether MASTER_ADDR names its host",
        seconds.as_secs_f64()
    )]
    NoAnswer { rank: usize, address: String, first: u16, last: u16, seconds: Duration, last_seen: String },
    #[error(
        "rank {rank} on {host} is another build than rank 0: {theirs}, and rank 0 {ours}; start the same program on all hosts"
    )]
    OtherBuild { rank: usize, host: String, theirs: String, ours: String },
    /// What rank 0 found.
    #[error("{0}")]
    Over(String),
    #[error("rank {rank}: rank 0 at {address} ended before all members had come: {error}")]
    HeadLost { rank: usize, address: SocketAddr, error: io::Error },
    #[error("rank 0 at {0} sent a list of members that cannot be: this is a defect of repro")]
    BadList(SocketAddr),
}

/// `rank 3`, or `ranks 3, 5 and 6`; of many the first.
fn ranks(ranks: &[usize]) -> String {
    const MOST: usize = 8;
    let words = |ranks: &[usize]| ranks.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    match ranks {
        [one] => format!("rank {one}"),
        [most @ .., last] if ranks.len() <= MOST => format!("ranks {} and {last}", words(most)),
        many => format!(
            "ranks {} and {} more",
            words(&many[..MOST.min(many.len())]),
            many.len().saturating_sub(MOST)
        ),
    }
}

/// A process that knows all others.
pub struct Joined {
    pub own: usize,
    pub members: Vec<Member>,
    /// What links between members begin with.
    pub token: u64,
    /// By rank: on rank 0 to all others, on the others to rank 0.
    pub control: Vec<Option<TcpStream>>,
    /// Where the members wait for links, by rank.
    pub addresses: Vec<SocketAddr>,
    /// Where this one does. None for one that is alone.
    pub links: Option<TcpListener>,
}

/// Waits until all have come.
///
/// # Errors
/// When one does not come in time, or they cannot be a group.
pub fn join(launch: &Launch, settings: &Settings) -> Result<Joined, JoinError> {
    if launch.rank == 0 { head::gather(launch, settings) } else { guest::come(launch, settings) }
}

fn greeting(launch: &Launch, settings: &Settings) -> Greeting {
    Greeting { protocol: PROTOCOL, job: launch.job.clone(), build: settings.build.clone() }
}

/// Build and protocol, as an error shows them.
fn version(greeting: &Greeting) -> String {
    format!("'{}' (protocol {})", greeting.build, greeting.protocol)
}

fn ports(launch: &Launch) -> RangeInclusive<u16> {
    launch.port..=launch.port.saturating_add(PORTS - 1)
}

/// The part of an address that tells hosts apart.
fn host_of(connection: &TcpStream) -> io::Result<IpAddr> {
    Ok(connection.peer_addr()?.ip().to_canonical())
}

fn with_limits(connection: &TcpStream, read: Duration) -> io::Result<()> {
    connection.set_nodelay(true)?;
    connection.set_read_timeout(Some(read))?;
    connection.set_write_timeout(Some(TIME_TO_GREET))
}

#[cfg(test)]
mod tests;
