//! A listener that hands out only connections whose other end has proven that it knows a key. One thread looks after all others, each of
//! which costs a descriptor and a few hundred bytes, and none longer than five seconds.

use crate::cluster::proof::{self, ANSWER, Challenges, Key, Random, canonical};
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// How long one who connected may take for its whole proof.
const TIME_TO_PROVE: Duration = Duration::from_secs(5);
/// How many may be without a proof at a time, besides as many as there are members. Beyond it the one that came first goes.
const MOST_UNPROVEN: usize = 256;
/// How many are taken before those who are there are heard: members answer at once and shall not be crowded out.
const MOST_AT_ONCE: usize = 32;
/// How many may wait to be taken, where the system allows as many.
#[cfg(unix)]
const LONGEST_QUEUE: i32 = 4096;
/// How long nobody is taken when the system has no descriptors left and none can be freed.
const PAUSE: Duration = Duration::from_millis(50);

/// A listener at this address, with a longer queue than the 128 of the standard library: whoever finds it full is heard a second later at
/// the earliest.
///
/// # Errors
/// As [`TcpListener::bind`].
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    #[cfg(unix)]
    rustix::net::listen(&listener, LONGEST_QUEUE)?;
    Ok(listener)
}

/// One who has proven to know the key.
pub struct Proven {
    pub connection: TcpStream,
    /// Its rank, as it says.
    pub rank: usize,
}

pub struct ProvenListener {
    listener: TcpListener,
    key: Key,
    challenges: Challenges,
    /// In the order in which they came.
    unproven: VecDeque<Unproven>,
    most_unproven: usize,
    failures: u64,
}

struct Unproven {
    connection: TcpStream,
    /// Where it connected to.
    address: SocketAddr,
    challenge: Random,
    answer: [u8; ANSWER],
    filled: usize,
    until: Instant,
}

/// What became of one who had no proof.
enum Heard {
    Nothing,
    Rank(usize),
    Failure,
}

impl ProvenListener {
    /// # Errors
    /// When the listener cannot be used without waiting, or the system has no random bytes.
    pub fn new(listener: TcpListener, key: Key, members: usize) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let (challenges, most_unproven) = (Challenges::new()?, MOST_UNPROVEN + members);
        Ok(Self { listener, key, challenges, unproven: VecDeque::new(), most_unproven, failures: 0 })
    }

    /// # Errors
    /// When the system does not know it.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// How many have gone, or were sent away, without a proof.
    pub fn failures(&self) -> u64 {
        self.failures
    }

    /// Waits until anybody connects or writes, for `limit` at most, and returns those who have proven to know the key since.
    pub fn turn(&mut self, limit: Option<Duration>) -> Vec<Proven> {
        self.wait(limit);
        self.take_new();
        let now = Instant::now();
        let mut proven = Vec::new();
        for mut one in std::mem::take(&mut self.unproven) {
            match one.hear(&self.key) {
                Heard::Rank(rank) => proven.push(Proven { connection: one.connection, rank }),
                Heard::Nothing if now < one.until => self.unproven.push_back(one),
                Heard::Nothing | Heard::Failure => self.failures += 1,
            }
        }
        proven
    }

    fn take_new(&mut self) {
        for _ in 0..MOST_AT_ONCE {
            match self.listener.accept() {
                Ok((connection, _)) => {
                    if self.unproven.len() >= self.most_unproven {
                        self.drop_first();
                    }
                    match Unproven::new(connection, self.challenges.next()) {
                        Ok(one) => self.unproven.push_back(one),
                        Err(_) => self.failures += 1,
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // One that went at once, or there are no descriptors left.
                Err(_) if self.unproven.is_empty() => return std::thread::sleep(PAUSE),
                Err(_) => return self.drop_first(),
            }
        }
    }

    fn drop_first(&mut self) {
        self.unproven.pop_front();
        self.failures += 1;
    }

    #[cfg(unix)]
    fn wait(&self, limit: Option<Duration>) {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let due = self.unproven.front().map(|one| one.until.saturating_duration_since(Instant::now()));
        let limit = [limit, due].into_iter().flatten().min();
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        let connections = self.unproven.iter().map(|one| PollFd::new(&one.connection, PollFlags::IN));
        let mut polled: Vec<PollFd> =
            std::iter::once(PollFd::new(&self.listener, PollFlags::IN)).chain(connections).collect();
        // An error, such as a signal, is a reason to look.
        let _ = poll(&mut polled, limit.as_ref());
    }

    #[cfg(not(unix))]
    fn wait(&self, limit: Option<Duration>) {
        const POLL: Duration = Duration::from_millis(5);
        std::thread::sleep(limit.map_or(POLL, |limit| limit.min(POLL)));
    }
}

impl Unproven {
    fn new(connection: TcpStream, challenge: Random) -> io::Result<Self> {
        connection.set_nonblocking(true)?;
        connection.set_nodelay(true)?;
        let address = canonical(connection.local_addr()?);
        // So few bytes always fit into what a system keeps for a new connection.
        (&connection).write_all(&proof::greeting(&challenge))?;
        let until = Instant::now() + TIME_TO_PROVE;
        Ok(Self { connection, address, challenge, answer: [0; ANSWER], filled: 0, until })
    }

    /// Reads what has arrived, and answers a right proof.
    fn hear(&mut self, key: &Key) -> Heard {
        while self.filled < ANSWER {
            match self.connection.read(&mut self.answer[self.filled..]) {
                Ok(0) => return Heard::Failure,
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Heard::Nothing,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Heard::Failure,
            }
        }
        let Some((rank, own)) = proof::check(key, &self.challenge, self.address, &self.answer) else {
            return Heard::Failure;
        };
        let answered = self.connection.write_all(&own).and_then(|()| self.connection.set_nonblocking(false));
        answered.map_or(Heard::Failure, |()| Heard::Rank(rank))
    }
}
