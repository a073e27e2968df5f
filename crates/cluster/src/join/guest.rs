//! All but rank 0: look for it until it answers.

use super::{JoinError, Joined, TIME_TO_GREET, greeting, host_of, ports, version, with_limits};
use crate::hosts;
use crate::launch::Launch;
use crate::messages::{self, Greeting, Hello, MAGIC, Seat, Welcome};
use crate::settings::Settings;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::thread;
use std::time::{Duration, Instant};

/// Between two rounds over the ports.
const PAUSE: Duration = Duration::from_millis(50);
/// For a host to take a connection.
const TIME_TO_CONNECT: Duration = Duration::from_secs(2);
/// For rank 0 to greet. It does so as soon as somebody connects; another server may wait for ever.
const TIME_TO_BE_GREETED: Duration = Duration::from_secs(1);

/// Why a port is not that of rank 0.
enum Obstacle {
    /// Nobody listens there, or no host has this name.
    Closed(io::Error),
    /// Something else listens there.
    Stranger,
    OtherJob,
    Taken,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Closed(error) => write!(f, "{error}"),
            Self::Stranger => f.write_str("not repro"),
            Self::OtherJob => f.write_str("another job"),
            Self::Taken => f.write_str("another process came there as the same rank"),
        }
    }
}

impl Obstacle {
    /// How much it explains. Of a port that says several things, the one that explains most is told: at its end rank 0
    /// takes connections that it never greets, which then look like those of a stranger.
    fn weight(&self) -> u8 {
        match self {
            Self::Closed(_) => 0,
            Self::Stranger => 1,
            Self::OtherJob => 2,
            Self::Taken => 3,
        }
    }
}

enum Attempt {
    Obstacle(Obstacle),
    Joined(Box<Joined>),
}

impl From<Obstacle> for Attempt {
    fn from(obstacle: Obstacle) -> Self {
        Self::Obstacle(obstacle)
    }
}

pub fn come(launch: &Launch, settings: &Settings) -> Result<Joined, JoinError> {
    let own = greeting(launch, settings);
    let until = Instant::now() + settings.join;
    let mut obstacles = BTreeMap::new();
    loop {
        for port in ports(launch) {
            match try_port(launch, settings, &own, port)? {
                Attempt::Joined(joined) => return Ok(*joined),
                Attempt::Obstacle(obstacle) => note(&mut obstacles, port, obstacle),
            }
            if Instant::now() >= until {
                return Err(no_answer(launch, settings, &obstacles));
            }
        }
        thread::sleep(PAUSE);
    }
}

fn note(obstacles: &mut BTreeMap<u16, Obstacle>, port: u16, obstacle: Obstacle) {
    if obstacles.get(&port).is_none_or(|known| known.weight() <= obstacle.weight()) {
        obstacles.insert(port, obstacle);
    }
}

fn no_answer(launch: &Launch, settings: &Settings, obstacles: &BTreeMap<u16, Obstacle>) -> JoinError {
    let open = obstacles.iter().filter(|(_, obstacle)| !matches!(obstacle, Obstacle::Closed(_)));
    let open: Vec<String> = open.map(|(port, obstacle)| format!("port {port}: {obstacle}")).collect();
    let closed = || obstacles.values().next().map(Obstacle::to_string).unwrap_or_default();
    JoinError::NoAnswer {
        rank: launch.rank,
        address: launch.address.clone(),
        first: *ports(launch).start(),
        last: *ports(launch).end(),
        seconds: settings.join,
        last_seen: if open.is_empty() { closed() } else { open.join(", ") },
    }
}

fn try_port(launch: &Launch, settings: &Settings, own: &Greeting, port: u16) -> Result<Attempt, JoinError> {
    // Every time: a name may become known only when its host is ready.
    let addresses = match (launch.address.as_str(), port).to_socket_addrs() {
        Ok(addresses) => addresses,
        Err(error) => return Ok(Obstacle::Closed(error).into()),
    };
    let mut attempt = Obstacle::Closed(io::ErrorKind::NotFound.into()).into();
    for address in addresses {
        attempt = match TcpStream::connect_timeout(&address, TIME_TO_CONNECT) {
            Ok(connection) => talk(launch, settings, own, connection, address)?,
            Err(error) => Obstacle::Closed(error).into(),
        };
        if matches!(attempt, Attempt::Joined(_)) {
            break;
        }
    }
    Ok(attempt)
}

/// What rank 0 writes first.
fn greeted(connection: &TcpStream) -> io::Result<Greeting> {
    with_limits(connection, TIME_TO_BE_GREETED)?;
    let mut magic = [0; MAGIC.len()];
    (&*connection).read_exact(&mut magic)?;
    if magic != MAGIC {
        return Err(io::ErrorKind::InvalidData.into());
    }
    messages::read(&mut &*connection)
}

fn talk(
    launch: &Launch,
    settings: &Settings,
    own: &Greeting,
    connection: TcpStream,
    address: SocketAddr,
) -> Result<Attempt, JoinError> {
    let Ok(theirs) = greeted(&connection) else { return Ok(Obstacle::Stranger.into()) };
    if theirs.job != own.job {
        return Ok(Obstacle::OtherJob.into());
    }
    let links = listen(launch, &connection).map_err(JoinError::NoListener)?;
    let port = links.local_addr().map_err(JoinError::NoListener)?.port();
    let lost = |error| JoinError::HeadLost { rank: launch.rank, address, error };
    let (local_rank, local_size) = (launch.local_rank, launch.local_size);
    let hello =
        Hello { greeting: own.clone(), rank: launch.rank, host: hosts::own(), local_rank, local_size, port };
    let host = hello.host.clone();
    messages::write(&mut &connection, &hello).map_err(lost)?;
    if theirs != *own {
        let (theirs, ours) = (version(own), version(&theirs));
        return Err(JoinError::OtherBuild { rank: launch.rank, host, theirs, ours });
    }
    // Rank 0 reports when its time is over, which began when it did.
    connection.set_read_timeout(Some(settings.join + TIME_TO_GREET)).map_err(lost)?;
    match messages::read(&mut &connection).map_err(lost)? {
        Welcome::Taken => Ok(Obstacle::Taken.into()),
        Welcome::Over { reason } => Err(JoinError::Over(reason)),
        Welcome::Complete { token, seats } => {
            let joined = joined(launch, token, &seats, connection, links);
            joined.map_or(Err(JoinError::BadList(address)), |joined| Ok(Attempt::Joined(Box::new(joined))))
        }
    }
}

/// Where other members find this one: on all addresses of the family by which it found rank 0.
fn listen(launch: &Launch, connection: &TcpStream) -> io::Result<TcpListener> {
    let own = connection.local_addr()?.ip();
    let address = match own {
        _ if launch.stays_on_host() => own,
        own if own.is_ipv4() => Ipv4Addr::UNSPECIFIED.into(),
        _ => Ipv6Addr::UNSPECIFIED.into(),
    };
    TcpListener::bind((address, 0))
}

fn joined(
    launch: &Launch,
    token: u64,
    seats: &[Seat],
    connection: TcpStream,
    links: TcpListener,
) -> Option<Joined> {
    let in_order = seats.iter().enumerate().all(|(rank, seat)| seat.rank == rank);
    if seats.len() != launch.size || !in_order {
        return None;
    }
    let head = host_of(&connection).ok()?;
    let address = |seat: &Seat| SocketAddr::new(seat.address.unwrap_or(head), seat.port);
    Some(Joined {
        own: launch.rank,
        members: seats.iter().map(Seat::member).collect(),
        token,
        control: std::iter::once(Some(connection)).chain((1..seats.len()).map(|_| None)).collect(),
        addresses: seats.iter().map(address).collect(),
        links: Some(links),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_explains_most_is_told_of_a_port_whatever_it_says_last() {
        let closed = || Obstacle::Closed(io::ErrorKind::ConnectionRefused.into());
        let mut obstacles = BTreeMap::new();
        for obstacle in [closed(), Obstacle::Taken, Obstacle::Stranger, closed()] {
            note(&mut obstacles, 1, obstacle);
        }
        assert!(matches!(obstacles[&1], Obstacle::Taken));
    }
}
