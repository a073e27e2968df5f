//! Links that carry the callers' bytes from one member to another: one connection for each direction, made when first used, with a
//! thread at both ends. So no member waits for another to read, and two that send each other much do not block each other.

use crate::cluster::frame::{self, Kind};
use crate::cluster::messages::Control;
use crate::cluster::proof::{self, Key};
use crate::cluster::proven_listener::{Proven, ProvenListener};
use crate::cluster::shared::{Event, Shared, lock};
use crate::cluster::watch::{broken_with, reason};
use repro_solvers::GroupError;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// For a host to take a link.
const TIME_TO_LINK: Duration = Duration::from_secs(5);
/// For both ends to prove who they are. It is longer than a member may be silent, which is noticed elsewhere.
const TIME_TO_PROVE: Duration = Duration::from_secs(30);
/// Until one whose link was closed before it was proven makes another: the other end may have had too many outsiders.
const PAUSE: Duration = Duration::from_millis(20);

type Outgoing = (Kind, Arc<Vec<u8>>);

/// The links of a process.
pub struct Links {
    shared: Arc<Shared>,
    key: Key,
    /// Where the members wait for links, by rank.
    addresses: Vec<SocketAddr>,
    /// To the threads that write, by rank.
    writers: Mutex<Vec<Option<Sender<Outgoing>>>>,
    /// Where this one waits, and whether it still does.
    own: Option<SocketAddr>,
    is_open: Arc<AtomicBool>,
}

impl Links {
    pub fn new(
        shared: &Arc<Shared>,
        key: Key,
        addresses: Vec<SocketAddr>,
        listener: Option<TcpListener>,
    ) -> io::Result<Self> {
        let is_open = Arc::new(AtomicBool::new(true));
        let mut own = None;
        if let Some(listener) = listener {
            own = Some(listener.local_addr()?);
            let listener = ProvenListener::new(listener, key.clone(), shared.size())?;
            let (shared, is_open) = (shared.clone(), is_open.clone());
            thread::spawn(move || accept(&shared, listener, &is_open));
        }
        let writers = Mutex::new((0..shared.size()).map(|_| None).collect());
        Ok(Self { shared: shared.clone(), key, addresses, writers, own, is_open })
    }

    /// Queues bytes for this member.
    ///
    /// # Errors
    /// When there is no such member, or the bytes are more than it would take.
    pub fn post(&self, to: usize, kind: Kind, bytes: Arc<Vec<u8>>) -> Result<(), GroupError> {
        if to >= self.shared.size() {
            let size = self.shared.size();
            let message = format!("there is no rank {to} in a group of {size}: this is a defect of repro");
            return Err(GroupError(message));
        }
        if bytes.len() as u64 > kind.most_bytes() {
            let message =
                format!("{} bytes are more than the {} of one message", bytes.len(), kind.most_bytes());
            return Err(GroupError(message));
        }
        if to == self.shared.own {
            self.shared.change(|state| state.inbox(to, kind).push_back(bytes.to_vec()));
            return Ok(());
        }
        let mut writers = lock(&self.writers);
        let writer = writers[to].get_or_insert_with(|| {
            let (sender, outgoing) = mpsc::channel();
            let (shared, address, key) = (self.shared.clone(), self.addresses[to], self.key.clone());
            thread::spawn(move || {
                if let Err(error) = write(&shared, address, &key, &outgoing) {
                    report_broken(&shared, to, &error);
                }
            });
            sender
        });
        // A thread that has ended has reported why.
        let _ = writer.send((kind, bytes));
        Ok(())
    }

    /// Where this member waits for links, and what they are proven by.
    #[cfg(test)]
    pub fn of(&self, rank: usize) -> (SocketAddr, Key) {
        (self.addresses[rank], self.key.clone())
    }

    /// Takes no more links and closes the own ones when what is queued has been sent.
    pub fn close(&self) {
        for writer in lock(&self.writers).iter_mut() {
            *writer = None;
        }
        if self.is_open.swap(false, Ordering::Relaxed)
            && let Some(mut own) = self.own
        {
            if own.ip().is_unspecified() {
                own.set_ip(if own.is_ipv4() {
                    std::net::Ipv4Addr::LOCALHOST.into()
                } else {
                    std::net::Ipv6Addr::LOCALHOST.into()
                });
            }
            // The thread that waits for links looks up.
            let _ = TcpStream::connect_timeout(&own, TIME_TO_LINK);
        }
    }
}

/// Reports that a link with this member ended, unless the group has.
fn report_broken(shared: &Shared, rank: usize, error: &io::Error) {
    if shared.has_ended() {
        return;
    }
    let reason = reason(error);
    if shared.own == 0 {
        let reason = broken_with(&shared.members[0], &reason);
        let _ = shared.events.send(Event::Broken { rank, reason });
    } else {
        shared.write_to(0, &Control::Broken { rank, reason });
    }
}

fn write(shared: &Shared, address: SocketAddr, key: &Key, outgoing: &Receiver<Outgoing>) -> io::Result<()> {
    let mut link = connect(shared, address, key)?;
    for (kind, bytes) in outgoing {
        frame::write(&mut link, kind, &bytes)?;
    }
    Ok(())
}

/// A link whose two ends have proven to each other that they are members.
fn connect(shared: &Shared, address: SocketAddr, key: &Key) -> io::Result<TcpStream> {
    let until = Instant::now() + TIME_TO_PROVE;
    loop {
        let link = TcpStream::connect_timeout(&address, TIME_TO_LINK)?;
        match prove(&link, key, shared.own, until) {
            Ok(()) => return Ok(link),
            Err(error) if Instant::now() >= until || shared.has_ended() => return Err(error),
            Err(_) => thread::sleep(PAUSE),
        }
    }
}

fn prove(link: &TcpStream, key: &Key, rank: usize, until: Instant) -> io::Result<()> {
    link.set_nodelay(true)?;
    let challenge = proof::greeted(link, until)?;
    proof::prove(link, key, rank, challenge, proof::random()?, until)?;
    link.set_read_timeout(None)?;
    link.set_write_timeout(None)
}

fn accept(shared: &Arc<Shared>, mut listener: ProvenListener, is_open: &AtomicBool) {
    while is_open.load(Ordering::Relaxed) {
        for Proven { connection, rank } in listener.turn(None) {
            let shared = shared.clone();
            if rank < shared.size() {
                thread::spawn(move || read(&shared, rank, connection));
            }
        }
    }
}

fn read(shared: &Shared, rank: usize, mut link: TcpStream) {
    loop {
        match frame::read(&mut link) {
            Ok((Kind::Control, _)) => {}
            Ok((Kind::NoMoreRequests, _)) => shared.change(|state| state.no_more_requests = true),
            Ok((kind, bytes)) => shared.change(|state| state.inbox(rank, kind).push_back(bytes)),
            Err(error) => return report_broken(shared, rank, &error),
        }
    }
}
