//! All but rank 0: look for it until it answers.

use super::{JoinError, Joined, TIME_TO_GREET, key, permitted, ports, version};
use crate::cluster::deadline::Deadline;
use crate::cluster::hosts;
use crate::cluster::launch::Launch;
use crate::cluster::messages::{self, Hello, Seat, Welcome};
use crate::cluster::proof::{self, Challenges, Key, canonical};
use crate::cluster::proven_listener::bind;
use crate::cluster::settings::Settings;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// Between two rounds over the ports.
const PAUSE: Duration = Duration::from_millis(50);
/// For a host to take a connection.
const TIME_TO_CONNECT: Duration = Duration::from_secs(2);
/// For rank 0 to greet. It does so as soon as somebody connects; another server may wait for ever.
const TIME_TO_BE_GREETED: Duration = Duration::from_secs(1);
/// For its proof as well. A whole round over ports that outsiders have, who greet and then are silent, takes less than the usual time to
/// join.
const TIME_TO_BE_PROVEN: Duration = Duration::from_secs(2);

/// Why a port is not that of rank 0.
enum Obstacle {
    /// Nobody listens there, or no host has this name.
    Closed(io::Error),
    /// Something else listens there.
    NotRepro,
    /// What listens there does not know the key of this start.
    Unproven,
    Taken,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Closed(error) => write!(f, "{error}"),
            Self::NotRepro => f.write_str("not repro, or an older version"),
            Self::Unproven => f.write_str("another job, or one with another secret"),
            Self::Taken => f.write_str("another process came there as the same rank"),
        }
    }
}

impl Obstacle {
    /// How much it explains. Of a port that says several things, the one that explains most is reported: at its end rank 0
    /// takes connections that it never greets, which then look like those of an outsider.
    fn weight(&self) -> u8 {
        match self {
            Self::Closed(_) => 0,
            Self::NotRepro => 1,
            Self::Unproven => 2,
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

/// What this process needs in every attempt.
struct Guest<'a> {
    launch: &'a Launch,
    settings: &'a Settings,
    key: Key,
    challenges: Challenges,
}

pub fn come(launch: &Launch, settings: &Settings) -> Result<Joined, JoinError> {
    let challenges = Challenges::new().map_err(JoinError::NoRandom)?;
    let guest = Guest { launch, settings, key: key(launch), challenges };
    let until = Instant::now() + settings.join;
    let mut obstacles = BTreeMap::new();
    loop {
        for port in ports(launch) {
            match guest.try_port(port)? {
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

impl Guest<'_> {
    fn try_port(&self, port: u16) -> Result<Attempt, JoinError> {
        // Every time: a name may become known only when its host is ready.
        let addresses = match permitted(self.launch, port) {
            Ok(addresses) => addresses,
            Err(JoinError::NoSuchHost { error, .. }) => return Ok(Obstacle::Closed(error).into()),
            Err(error) => return Err(error),
        };
        let mut attempt = Obstacle::Closed(io::ErrorKind::NotFound.into()).into();
        for address in addresses {
            attempt = match TcpStream::connect_timeout(&address, TIME_TO_CONNECT) {
                Ok(connection) => self.talk(connection, address)?,
                Err(error) => Obstacle::Closed(error).into(),
            };
            if matches!(attempt, Attempt::Joined(_)) {
                break;
            }
        }
        Ok(attempt)
    }

    fn talk(&self, connection: TcpStream, address: SocketAddr) -> Result<Attempt, JoinError> {
        let Self { launch, settings, key, challenges } = self;
        let begun = Instant::now();
        let nodelay = connection.set_nodelay(true);
        let greeted = nodelay.and_then(|()| proof::greeted(&connection, begun + TIME_TO_BE_GREETED));
        let Ok(challenge) = greeted else { return Ok(Obstacle::NotRepro.into()) };
        let until = begun + TIME_TO_BE_PROVEN;
        if proof::prove(&connection, key, launch.rank, challenge, challenges.next(), until).is_err() {
            return Ok(Obstacle::Unproven.into());
        }
        let until = Instant::now() + TIME_TO_GREET;
        let links = listen(&connection).map_err(JoinError::NoListener)?;
        let port = links.local_addr().map_err(JoinError::NoListener)?.port();
        let lost = |error| JoinError::HeadLost { rank: launch.rank, address, error };
        let (local_rank, local_size) = (launch.local_rank, launch.local_size);
        let hello = Hello { version: version(settings), host: hosts::own(), local_rank, local_size, port };
        messages::write(&mut Deadline::new(&connection, until), &hello).map_err(lost)?;
        // Rank 0 reports when its time is over, which began when it did.
        let until = Instant::now() + settings.join + TIME_TO_GREET;
        match messages::read(&mut Deadline::new(&connection, until)).map_err(lost)? {
            Welcome::Taken => Ok(Obstacle::Taken.into()),
            Welcome::Over { reason } => Err(JoinError::Over(reason)),
            Welcome::Complete { token, seats } => {
                let joined = joined(launch, key.of_links(&token), &seats, connection, links);
                joined
                    .map_or(Err(JoinError::BadList(address)), |joined| Ok(Attempt::Joined(Box::new(joined))))
            }
        }
    }
}

/// Where other members find this one: at the address by which it found rank 0, and at no other.
fn listen(connection: &TcpStream) -> io::Result<TcpListener> {
    let mut own = connection.local_addr()?;
    own.set_port(0);
    bind(own)
}

fn joined(
    launch: &Launch,
    link_key: Key,
    seats: &[Seat],
    connection: TcpStream,
    links: TcpListener,
) -> Option<Joined> {
    let in_order = seats.iter().enumerate().all(|(rank, seat)| seat.rank == rank);
    if seats.len() != launch.size || !in_order {
        return None;
    }
    let mut addresses: Vec<SocketAddr> = seats.iter().map(|seat| seat.address).collect();
    // Rank 0 may listen at all addresses of its host, where it was told to.
    addresses[0].set_ip(canonical(connection.peer_addr().ok()?).ip());
    Some(Joined {
        own: launch.rank,
        members: seats.iter().map(Seat::member).collect(),
        link_key,
        control: std::iter::once(Some(connection)).chain((1..seats.len()).map(|_| None)).collect(),
        addresses,
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
        for obstacle in [closed(), Obstacle::Taken, Obstacle::NotRepro, closed()] {
            note(&mut obstacles, 1, obstacle);
        }
        assert!(matches!(obstacles[&1], Obstacle::Taken));
    }
}
