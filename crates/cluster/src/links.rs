//! Links that carry the callers' bytes from one member to another: one connection for each direction, made when first used, with a
//! thread at both ends. So no member waits for another to read, and two that send each other much do not block each other.

use crate::frame::{self, Kind};
use crate::group::GroupError;
use crate::messages::{self, Control, LinkFrom};
use crate::shared::{Event, Shared, lock};
use crate::watch::{broken_with, reason};
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// For a host to take a link, and for whoever made one to say who it is.
const TIME_TO_LINK: Duration = Duration::from_secs(5);

type Outgoing = (Kind, Arc<Vec<u8>>);

/// The links of a process.
pub struct Links {
    shared: Arc<Shared>,
    token: u64,
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
        token: u64,
        addresses: Vec<SocketAddr>,
        listener: Option<TcpListener>,
    ) -> io::Result<Self> {
        let is_open = Arc::new(AtomicBool::new(true));
        let mut own = None;
        if let Some(listener) = listener {
            own = Some(listener.local_addr()?);
            let (shared, is_open) = (shared.clone(), is_open.clone());
            thread::spawn(move || accept(&shared, token, &listener, &is_open));
        }
        let writers = Mutex::new((0..shared.size()).map(|_| None).collect());
        Ok(Self { shared: shared.clone(), token, addresses, writers, own, is_open })
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
            let (shared, address) = (self.shared.clone(), self.addresses[to]);
            let first = LinkFrom { token: self.token, rank: shared.own };
            thread::spawn(move || {
                if let Err(error) = write(address, first, &outgoing) {
                    report_broken(&shared, to, &error);
                }
            });
            sender
        });
        // A thread that has ended has reported why.
        let _ = writer.send((kind, bytes));
        Ok(())
    }

    /// Where this member waits for links, and what they begin with.
    #[cfg(test)]
    pub fn of(&self, rank: usize) -> (SocketAddr, u64) {
        (self.addresses[rank], self.token)
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

fn write(address: SocketAddr, first: LinkFrom, outgoing: &Receiver<Outgoing>) -> io::Result<()> {
    let mut link = TcpStream::connect_timeout(&address, TIME_TO_LINK)?;
    link.set_nodelay(true)?;
    messages::write(&mut link, &first)?;
    for (kind, bytes) in outgoing {
        frame::write(&mut link, kind, &bytes)?;
    }
    Ok(())
}

fn accept(shared: &Arc<Shared>, token: u64, listener: &TcpListener, is_open: &AtomicBool) {
    for link in listener.incoming() {
        if !is_open.load(Ordering::Relaxed) {
            return;
        }
        match link {
            Ok(link) => {
                let shared = shared.clone();
                thread::spawn(move || read(&shared, token, link));
            }
            // Out of descriptors, say: whoever has no link soon reports it.
            Err(_) => thread::sleep(Duration::from_millis(50)),
        }
    }
}

fn read(shared: &Shared, token: u64, mut link: TcpStream) {
    let first =
        link.set_read_timeout(Some(TIME_TO_LINK)).and_then(|()| messages::read::<LinkFrom>(&mut link));
    let Ok(LinkFrom { token: given, rank }) = first else { return };
    // A stranger, or a process of a group that this host had before.
    if given != token || rank >= shared.size() || link.set_read_timeout(None).is_err() {
        return;
    }
    loop {
        match frame::read(&mut link) {
            Ok((Kind::Control, _)) => {}
            Ok((Kind::NoMoreRequests, _)) => shared.change(|state| state.no_more_requests = true),
            Ok((kind, bytes)) => shared.change(|state| state.inbox(rank, kind).push_back(bytes)),
            Err(error) => return report_broken(shared, rank, &error),
        }
    }
}
