//! How processes find each other: rank 0 listens, the others connect to it, and when all have come it gives each the list of all.

mod guest;
mod head;

use crate::cluster::launch::{Launch, Launcher};
use crate::cluster::messages::{PROTOCOL, Version};
use crate::cluster::proof::Key;
use crate::cluster::secret::{SECRET, SECRET_FILE};
use crate::cluster::settings::Settings;
use repro_solvers::Member;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::ops::RangeInclusive;
use std::time::Duration;
use thiserror::Error;

/// How many ports rank 0 tries, from MASTER_PORT on: torchrun itself and other jobs of the host may have the first.
pub const PORTS: u16 = 16;
/// How long a proof and all that is said behind it may take.
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
        "rank 0 runs on this host, which has no address {}: set MASTER_ADDR, which is '{name}', to a name or an address of this host",
        addresses(found)
    )]
    NotHere { name: String, found: Vec<IpAddr> },
    #[error(
        "'{name}' is the address of no host ({error}): set MASTER_ADDR to a name or an address by which the others reach rank 0"
    )]
    NoSuchHost { name: String, error: io::Error },
    #[error(
        "other hosts reach '{name}' ({}), and without a secret anybody there could take part: set {SECRET} to the same random value \
         in all processes, from `openssl rand -hex 32`, or {SECRET_FILE} to a file with it that you alone can read; {}",
        addresses(found),
        passed_on(*launcher)
    )]
    NoSecret { name: String, found: Vec<IpAddr>, launcher: Launcher },
    #[error(
        "this process has no random bytes to prove itself with: {0}; look whether it can read /dev/urandom"
    )]
    NoRandom(io::Error),
    #[error(
        "{} of {size} did not come within {} s: look whether they were started, and whether their hosts reach {address}{}{}",
        ranks(absent),
        seconds.as_secs_f64(),
        only_here(address),
        unproven(*failures)
    )]
    Absent { absent: Vec<usize>, size: usize, seconds: Duration, address: SocketAddr, failures: u64 },
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

fn addresses(found: &[IpAddr]) -> String {
    found.iter().map(IpAddr::to_string).collect::<Vec<_>>().join(", ")
}

/// How the variables of a shell come to all processes.
const fn passed_on(launcher: Launcher) -> &'static str {
    match launcher {
        Launcher::Slurm => "`srun --export=ALL` passes variables on",
        Launcher::OpenMpi => "`mpirun -x REPRO_SECRET` passes it on",
        Launcher::Torchrun => "set it on every host before torchrun, which passes it on",
    }
}

fn only_here(address: &SocketAddr) -> &'static str {
    if is_loopback(address.ip()) {
        ", which only this host does: for others, set MASTER_ADDR to an address by which they reach it"
    } else {
        ""
    }
}

fn unproven(failures: u64) -> String {
    if failures == 0 {
        return String::new();
    }
    format!(
        "; {failures} connections did not prove the secret of this start: {SECRET} and {SECRET_FILE} have to give all processes the same"
    )
}

/// A process that knows all others.
pub struct Joined {
    pub own: usize,
    pub members: Vec<Member>,
    /// What links between members are proven by.
    pub link_key: Key,
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

fn version(settings: &Settings) -> Version {
    Version { protocol: PROTOCOL, build: settings.build.clone() }
}

fn key(launch: &Launch) -> Key {
    Key::of_start(launch.secret.as_ref(), &launch.job)
}

/// The addresses at which rank 0 may be: without a secret only those that no other host reaches.
fn permitted(launch: &Launch, port: u16) -> Result<Vec<SocketAddr>, JoinError> {
    let name = || launch.address.clone();
    let found: Vec<SocketAddr> = match (launch.address.as_str(), port).to_socket_addrs() {
        Ok(found) => found.collect(),
        Err(error) => return Err(JoinError::NoSuchHost { name: name(), error }),
    };
    if launch.secret.is_some() {
        return Ok(found);
    }
    let (here, reached): (Vec<_>, Vec<_>) = found.into_iter().partition(|found| is_loopback(found.ip()));
    if here.is_empty() {
        let found = reached.iter().map(SocketAddr::ip).collect();
        return Err(JoinError::NoSecret { name: name(), found, launcher: launch.launcher });
    }
    Ok(here)
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

fn ports(launch: &Launch) -> RangeInclusive<u16> {
    launch.port..=launch.port.saturating_add(PORTS - 1)
}

#[cfg(test)]
mod tests;
