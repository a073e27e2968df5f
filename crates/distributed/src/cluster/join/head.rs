//! Rank 0: listens until all others have come.

use super::{JoinError, Joined, TIME_TO_GREET, key, permitted, ports, version};
use crate::cluster::deadline::Deadline;
use crate::cluster::hosts;
use crate::cluster::launch::Launch;
use crate::cluster::messages::{self, Hello, Seat, Welcome};
use crate::cluster::proof::{canonical, random};
use crate::cluster::proven_listener::{Proven, ProvenListener, bind};
use crate::cluster::settings::Settings;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Between two looks for what members say of themselves.
const POLL: Duration = Duration::from_millis(5);
/// For one who has proven to be a member to say the rest, when the time is over or all have come.
const TIME_TO_FINISH: Duration = Duration::from_millis(200);
/// Between two looks for a name that no host has yet.
const PAUSE: Duration = Duration::from_millis(100);

struct Guest {
    rank: usize,
    hello: Hello,
    connection: TcpStream,
}

pub fn gather(launch: &Launch, settings: &Settings) -> Result<Joined, JoinError> {
    let key = key(launch);
    let mut guests = BTreeMap::new();
    let mut own = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let mut links = None;
    if launch.size > 1 {
        let until = Instant::now() + settings.join;
        let listener = listen(launch, until)?;
        let mut address = listener.local_addr().map_err(JoinError::NoListener)?;
        address.set_port(0);
        let listener_of_links = bind(address).map_err(JoinError::NoListener)?;
        own = listener_of_links.local_addr().map_err(JoinError::NoListener)?;
        links = Some(listener_of_links);
        let listener =
            ProvenListener::new(listener, key.clone(), launch.size).map_err(JoinError::NoListener)?;
        if let Err(error) = await_all(launch, settings, listener, until, &mut guests) {
            let over = Welcome::Over { reason: error.to_string() };
            for guest in guests.values() {
                let _ = send_welcome(&guest.connection, &over);
            }
            return Err(error);
        }
    }
    let token = random().map_err(JoinError::NoRandom)?;
    let seats = seats(launch, own, &guests);
    let complete = Welcome::Complete { token, seats: seats.clone() };
    let mut control = vec![None];
    for guest in guests.into_values() {
        // One that is gone already is lost as any later one.
        let _ = send_welcome(&guest.connection, &complete);
        control.push(Some(guest.connection));
    }
    Ok(Joined {
        own: 0,
        members: seats.iter().map(Seat::member).collect(),
        link_key: key.of_links(&token),
        control,
        addresses: seats.iter().map(|seat| seat.address).collect(),
        links,
    })
}

fn send_welcome(connection: &TcpStream, welcome: &Welcome) -> io::Result<()> {
    messages::write(&mut Deadline::new(connection, Instant::now() + TIME_TO_GREET), welcome)
}

/// The first port of the range that is free, at the address that was named and at no other.
fn listen(launch: &Launch, until: Instant) -> Result<TcpListener, JoinError> {
    let addresses = loop {
        match permitted(launch, 0) {
            // A name may become known only when its host is ready.
            Err(JoinError::NoSuchHost { .. }) if Instant::now() < until => thread::sleep(PAUSE),
            found => break found?,
        }
    };
    let ports = ports(launch);
    let (first, last) = (*ports.start(), *ports.end());
    let mut refusal = None;
    for mut address in addresses.iter().copied() {
        for port in ports.clone() {
            address.set_port(port);
            match bind(address) {
                Ok(listener) => return Ok(listener),
                Err(error) if error.kind() == io::ErrorKind::AddrNotAvailable => break,
                Err(error) => refusal = Some(error),
            }
        }
    }
    Err(match refusal {
        Some(error) => JoinError::NoPort { first, last, error },
        None => JoinError::NotHere {
            name: launch.address.clone(),
            found: addresses.iter().map(SocketAddr::ip).collect(),
        },
    })
}

/// Fills `guests`, by rank, until none is absent.
fn await_all(
    launch: &Launch,
    settings: &Settings,
    mut listener: ProvenListener,
    until: Instant,
    guests: &mut BTreeMap<usize, Guest>,
) -> Result<(), JoinError> {
    let (sender, greeted) = mpsc::channel();
    while guests.len() + 1 < launch.size {
        for proven in listener.turn(Some(POLL)) {
            if !(1..launch.size).contains(&proven.rank) {
                continue;
            }
            let sender = sender.clone();
            // It is a member, and yet may be stopped before it goes on, which holds up nobody else.
            let _ = thread::Builder::new().spawn(move || {
                if let Ok(guest) = greet(proven) {
                    let _ = sender.send(guest);
                }
            });
        }
        for guest in greeted.try_iter() {
            admit(guest, settings, guests)?;
        }
        if Instant::now() >= until {
            break;
        }
    }
    drop(sender);
    // Members who came in the last moment hear what became of the start, like all others.
    while let Ok(guest) = greeted.recv_timeout(TIME_TO_FINISH) {
        admit(guest, settings, guests)?;
    }
    if guests.len() + 1 == launch.size {
        return Ok(());
    }
    Err(JoinError::Absent {
        absent: (1..launch.size).filter(|rank| !guests.contains_key(rank)).collect(),
        size: launch.size,
        seconds: settings.join,
        address: listener.local_addr().map_err(JoinError::NoListener)?,
        failures: listener.failures(),
    })
}

/// What a member says of itself.
fn greet(proven: Proven) -> io::Result<Guest> {
    let Proven { connection, rank } = proven;
    let hello = messages::read(&mut Deadline::new(&connection, Instant::now() + TIME_TO_GREET))?;
    Ok(Guest { rank, hello, connection })
}

fn admit(guest: Guest, settings: &Settings, guests: &mut BTreeMap<usize, Guest>) -> Result<(), JoinError> {
    let own = version(settings);
    if guest.hello.version != own {
        let error = JoinError::OtherBuild {
            rank: guest.rank,
            host: guest.hello.host.clone(),
            theirs: guest.hello.version.to_string(),
            ours: own.to_string(),
        };
        let _ = send_welcome(&guest.connection, &Welcome::Over { reason: error.to_string() });
        return Err(error);
    }
    match guests.entry(guest.rank) {
        Entry::Vacant(place) => drop(place.insert(guest)),
        Entry::Occupied(_) => drop(send_welcome(&guest.connection, &Welcome::Taken)),
    }
    Ok(())
}

/// All members by rank. What a launcher did not say of places within hosts follows from the hosts' names.
fn seats(launch: &Launch, own: SocketAddr, guests: &BTreeMap<usize, Guest>) -> Vec<Seat> {
    struct HostSlot<'a> {
        host: &'a str,
        local_rank: Option<usize>,
        local_size: Option<usize>,
        address: SocketAddr,
    }
    let own_host = hosts::own();
    let (local_rank, local_size) = (launch.local_rank, launch.local_size);
    let mut places = vec![HostSlot { host: &own_host, local_rank, local_size, address: own }];
    places.extend(guests.values().map(|guest| {
        let Hello { local_rank, local_size, port, .. } = guest.hello;
        // One that is gone has no address any more, and is found lost.
        let host = guest.connection.peer_addr().map_or(Ipv4Addr::LOCALHOST.into(), |it| canonical(it).ip());
        HostSlot { host: &guest.hello.host, local_rank, local_size, address: SocketAddr::new(host, port) }
    }));
    let of_host = |host: &str, places: &[HostSlot]| places.iter().filter(|place| place.host == host).count();
    let seat = |(rank, place): (usize, &HostSlot)| Seat {
        rank,
        host: place.host.to_string(),
        local_rank: place.local_rank.unwrap_or_else(|| of_host(place.host, &places[..rank])),
        local_size: place.local_size.unwrap_or_else(|| of_host(place.host, &places)),
        address: place.address,
    };
    places.iter().enumerate().map(seat).collect()
}
