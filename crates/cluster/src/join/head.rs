//! Rank 0: listens until all others have come.

use super::{JoinError, Joined, TIME_TO_GREET, greeting, host_of, ports, version, with_limits};
use crate::hosts;
use crate::launch::Launch;
use crate::messages::{self, Greeting, Hello, MAGIC, Seat, Welcome};
use crate::settings::Settings;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Between two looks for whoever connects.
const POLL: Duration = Duration::from_millis(5);

struct Guest {
    hello: Hello,
    connection: TcpStream,
}

pub fn gather(launch: &Launch, settings: &Settings) -> Result<Joined, JoinError> {
    let mut guests = BTreeMap::new();
    let mut own_port = 0;
    let mut links = None;
    if launch.size > 1 {
        let (listener, port) = listen(launch)?;
        let address = listener.local_addr().map_err(JoinError::NoListener)?.ip();
        let listener_of_links = TcpListener::bind((address, 0)).map_err(JoinError::NoListener)?;
        own_port = listener_of_links.local_addr().map_err(JoinError::NoListener)?.port();
        links = Some(listener_of_links);
        if let Err(error) = await_all(launch, settings, &listener, port, &mut guests) {
            let over = Welcome::Over { reason: error.to_string() };
            for guest in guests.values() {
                let _ = messages::write(&mut &guest.connection, &over);
            }
            return Err(error);
        }
    }
    let seats = seats(launch, own_port, &guests);
    let token = RandomState::new().hash_one(std::process::id());
    let complete = Welcome::Complete { token, seats: seats.clone() };
    let mut control = vec![None];
    let mut addresses = vec![SocketAddr::from((Ipv4Addr::LOCALHOST, own_port))];
    for (guest, seat) in guests.into_values().zip(&seats[1..]) {
        // One that is gone already is lost as any later one; so is one that has no address any more.
        let _ = messages::write(&mut &guest.connection, &complete);
        let host = host_of(&guest.connection).unwrap_or(Ipv4Addr::LOCALHOST.into());
        addresses.push(SocketAddr::new(host, seat.port));
        control.push(Some(guest.connection));
    }
    Ok(Joined { own: 0, members: seats.iter().map(Seat::member).collect(), token, control, addresses, links })
}

/// The first port of the range that is free, on all addresses of this host unless all members are on it.
fn listen(launch: &Launch) -> Result<(TcpListener, u16), JoinError> {
    let address = if launch.stays_on_host() {
        launch.address.parse().unwrap_or(Ipv4Addr::LOCALHOST.into())
    } else {
        any_address(&launch.address)
    };
    let ports = ports(launch);
    let (first, last) = (*ports.start(), *ports.end());
    let mut refusal = io::Error::from(io::ErrorKind::AddrInUse);
    for port in ports {
        match TcpListener::bind((address, port)) {
            Ok(listener) => return Ok((listener, port)),
            Err(error) => refusal = error,
        }
    }
    Err(JoinError::NoPort { first, last, error: refusal })
}

/// All addresses of this host, of the family by which others know it.
fn any_address(name: &str) -> IpAddr {
    let known: Vec<SocketAddr> = (name, 0).to_socket_addrs().map(Iterator::collect).unwrap_or_default();
    if !known.is_empty() && known.iter().all(SocketAddr::is_ipv6) {
        Ipv6Addr::UNSPECIFIED.into()
    } else {
        Ipv4Addr::UNSPECIFIED.into()
    }
}

/// Fills `guests`, by rank, until none is absent.
fn await_all(
    launch: &Launch,
    settings: &Settings,
    listener: &TcpListener,
    port: u16,
    guests: &mut BTreeMap<usize, Guest>,
) -> Result<(), JoinError> {
    listener.set_nonblocking(true).map_err(JoinError::NoListener)?;
    let own = greeting(launch, settings);
    let until = Instant::now() + settings.join;
    let (sender, greeted) = mpsc::channel();
    while guests.len() + 1 < launch.size {
        // One that connects and goes at once is no reason to stop, nor is a moment without free descriptors.
        if let Ok((connection, _)) = listener.accept() {
            let (own, sender, size) = (own.clone(), sender.clone(), launch.size);
            // Whoever it is may be slow to say so, or say nothing.
            thread::spawn(move || {
                if let Some(guest) = greet(connection, &own, size) {
                    let _ = sender.send(guest);
                }
            });
        } else {
            thread::sleep(POLL);
        }
        for guest in greeted.try_iter() {
            admit(guest, &own, guests)?;
        }
        if Instant::now() >= until {
            return Err(JoinError::Absent {
                absent: (1..launch.size).filter(|rank| !guests.contains_key(rank)).collect(),
                size: launch.size,
                seconds: settings.join,
                address: launch.address.clone(),
                port,
            });
        }
    }
    Ok(())
}

/// Who has connected. None for one that is not of this job.
fn greet(connection: TcpStream, own: &Greeting, size: usize) -> Option<Guest> {
    // Where connections inherit it from their listener.
    connection.set_nonblocking(false).ok()?;
    with_limits(&connection, TIME_TO_GREET).ok()?;
    (&connection).write_all(&MAGIC).ok()?;
    messages::write(&mut &connection, own).ok()?;
    let hello: Hello = messages::read(&mut &connection).ok()?;
    (hello.greeting.job == own.job && (1..size).contains(&hello.rank)).then_some(Guest { hello, connection })
}

fn admit(guest: Guest, own: &Greeting, guests: &mut BTreeMap<usize, Guest>) -> Result<(), JoinError> {
    let hello = &guest.hello;
    if hello.greeting != *own {
        let error = JoinError::OtherBuild {
            rank: hello.rank,
            host: hello.host.clone(),
            theirs: version(&hello.greeting),
            ours: version(own),
        };
        let _ = messages::write(&mut &guest.connection, &Welcome::Over { reason: error.to_string() });
        return Err(error);
    }
    match guests.entry(hello.rank) {
        Entry::Vacant(place) => drop(place.insert(guest)),
        Entry::Occupied(_) => drop(messages::write(&mut &guest.connection, &Welcome::Taken)),
    }
    Ok(())
}

/// All members by rank. What a launcher did not say of places within hosts follows from the hosts' names.
fn seats(launch: &Launch, own_port: u16, guests: &BTreeMap<usize, Guest>) -> Vec<Seat> {
    struct Place<'a> {
        host: &'a str,
        local_rank: Option<usize>,
        local_size: Option<usize>,
        address: Option<IpAddr>,
        port: u16,
    }
    let own_host = hosts::own();
    let (local_rank, local_size) = (launch.local_rank, launch.local_size);
    let mut places = vec![Place { host: &own_host, local_rank, local_size, address: None, port: own_port }];
    places.extend(guests.values().map(|guest| {
        let Hello { local_rank, local_size, port, .. } = guest.hello;
        let address = host_of(&guest.connection).ok().filter(|address| {
            let own = guest.connection.local_addr().map(|own| own.ip().to_canonical());
            !address.is_loopback() && own.ok() != Some(*address)
        });
        Place { host: &guest.hello.host, local_rank, local_size, address, port }
    }));
    let of_host = |host: &str, places: &[Place]| places.iter().filter(|place| place.host == host).count();
    let seat = |(rank, place): (usize, &Place)| Seat {
        rank,
        host: place.host.to_string(),
        local_rank: place.local_rank.unwrap_or_else(|| of_host(place.host, &places[..rank])),
        local_size: place.local_size.unwrap_or_else(|| of_host(place.host, &places)),
        address: place.address,
        port: place.port,
    };
    places.iter().enumerate().map(seat).collect()
}
