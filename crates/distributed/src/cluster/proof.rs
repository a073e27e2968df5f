//! How two processes prove to each other that they know the same secret, before either reads or sends anything else.
//!
//! | from | what | bytes |
//! |---|---|---:|
//! | who listens | [`MAGIC`], a challenge | 8 + 32 |
//! | who connects | a challenge of its own, its rank, its proof | 32 + 8 + 32 |
//! | who listens | its proof | 32 |
//!
//! Challenges are random and used once. A proof is the keyed BLAKE3 hash of the side that gives it, both challenges, the rank, and the
//! address and port of the one who listens. So a proof is of no use in another connection, to the other side, with another rank, or to
//! one who listens elsewhere and passes everything on. Whoever connects proves first: one who does not know the secret gets a challenge
//! and nothing else.

use crate::cluster::deadline::Deadline;
use crate::cluster::frame;
use crate::cluster::secret::Secret;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// What a process that listens writes first: nothing else begins so. The last byte is the version of this handshake.
pub const MAGIC: [u8; 8] = *b"REPROGR2";
/// The length of what one who connects has to write before anything else.
pub const ANSWER: usize = size_of::<Random>() + size_of::<u64>() + size_of::<Random>();
const CHALLENGE: usize = MAGIC.len() + size_of::<Random>();

/// Bytes that are never used twice, and that nobody knows before they are sent.
pub type Random = [u8; 32];

/// What is known to the processes of a start, or to members of a group.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(blake3::Hash);

impl Key {
    /// That of a start. The job is part of it: two starts with one secret do not mix, and nobody has to be told its name.
    pub fn of_start(secret: Option<&Secret>, job: &str) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("repro 2026-11-24 processes of one start");
        let secret = secret.map_or([0; 32], Secret::bytes);
        hasher.update(&secret).update(job.as_bytes());
        Self(hasher.finalize())
    }

    /// That of the links between members of a group of this start. `token` is different in every group.
    pub fn of_links(&self, token: &Random) -> Self {
        let mut hasher = blake3::Hasher::new_keyed(self.0.as_bytes());
        hasher.update(b"links").update(token);
        Self(hasher.finalize())
    }
}

/// Makes challenges.
pub struct Challenges {
    seed: Random,
    made: AtomicU64,
}

impl Challenges {
    /// # Errors
    /// When the system has no random bytes.
    pub fn new() -> io::Result<Self> {
        Ok(Self { seed: random()?, made: AtomicU64::new(0) })
    }

    /// The next one. It needs no file, so that it can be had while all descriptors are taken.
    pub fn next(&self) -> Random {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        *blake3::keyed_hash(&self.seed, &number.to_le_bytes()).as_bytes()
    }
}

/// Random bytes of the system.
///
/// # Errors
/// When it has none.
pub fn random() -> io::Result<Random> {
    #[cfg(unix)]
    {
        let mut bytes = [0; 32];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(bytes)
    }
    #[cfg(not(unix))]
    Err(io::ErrorKind::Unsupported.into())
}

#[derive(Clone, Copy)]
enum Side {
    Listens = 1,
    Connects = 2,
}

/// What both sides know when they have to prove something.
struct Handshake {
    of_listener: Random,
    of_caller: Random,
    rank: u64,
    /// Where the one who listens was found.
    address: SocketAddr,
}

impl Handshake {
    fn proof(&self, key: &Key, side: Side) -> blake3::Hash {
        let address = match self.address.ip() {
            IpAddr::V4(address) => address.to_ipv6_mapped(),
            IpAddr::V6(address) => address,
        };
        // All parts have fixed lengths, so that no two handshakes have the same bytes.
        let mut hasher = blake3::Hasher::new_keyed(key.0.as_bytes());
        hasher.update(&[side as u8]).update(&self.of_listener).update(&self.of_caller);
        hasher.update(&self.rank.to_le_bytes());
        hasher.update(&address.octets()).update(&self.address.port().to_le_bytes());
        hasher.finalize()
    }
}

/// What one who listens writes first.
pub fn greeting(challenge: &Random) -> [u8; CHALLENGE] {
    let mut bytes = [0; CHALLENGE];
    bytes[..MAGIC.len()].copy_from_slice(&MAGIC);
    bytes[MAGIC.len()..].copy_from_slice(challenge);
    bytes
}

/// The rank of one who answered the challenge, and the proof that it gets in return. None when it does not know the key. `address` is
/// where it connected to.
pub fn check(
    key: &Key,
    challenge: &Random,
    address: SocketAddr,
    answer: &[u8; ANSWER],
) -> Option<(usize, Random)> {
    let (of_caller, rest) = answer.split_first_chunk()?;
    let (rank, proof) = rest.split_first_chunk()?;
    let rank = u64::from_le_bytes(*rank);
    let handshake = Handshake { of_listener: *challenge, of_caller: *of_caller, rank, address };
    // Hashes are compared in a time that does not depend on where they differ.
    let is_right = handshake.proof(key, Side::Connects) == blake3::Hash::from_bytes(proof.try_into().ok()?);
    let own = *handshake.proof(key, Side::Listens).as_bytes();
    is_right.then_some((usize::try_from(rank).ok()?, own))
}

/// Reads what one who listens writes first, and returns its challenge.
///
/// # Errors
/// When it is something else, or does not come in time.
pub fn greeted(connection: &TcpStream, until: Instant) -> io::Result<Random> {
    let mut bytes = [0; CHALLENGE];
    Deadline::new(connection, until).read_exact(&mut bytes)?;
    let (magic, challenge) = bytes.split_at(MAGIC.len());
    if magic != MAGIC {
        return Err(frame::invalid("what listens there is no process of this program".into()));
    }
    challenge.try_into().map_err(|_| io::ErrorKind::InvalidData.into())
}

/// Proves to the one who listens that this process knows the key and has this rank, and has it do the same.
///
/// # Errors
/// When it does not know the key, or does not answer in time.
pub fn prove(
    connection: &TcpStream,
    key: &Key,
    rank: usize,
    of_listener: Random,
    of_caller: Random,
    until: Instant,
) -> io::Result<()> {
    let handshake =
        Handshake { of_listener, of_caller, rank: rank as u64, address: canonical(connection.peer_addr()?) };
    let mut answer = Vec::with_capacity(ANSWER);
    answer.extend(of_caller);
    answer.extend(handshake.rank.to_le_bytes());
    answer.extend(handshake.proof(key, Side::Connects).as_bytes());
    let mut connection = Deadline::new(connection, until);
    connection.write_all(&answer)?;
    let mut theirs = [0; 32];
    connection.read_exact(&mut theirs)?;
    if handshake.proof(key, Side::Listens) == blake3::Hash::from_bytes(theirs) {
        Ok(())
    } else {
        Err(frame::invalid("what listens there does not know the secret of this start".into()))
    }
}

/// An address in the form that both sides of a connection have it in.
pub fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

#[cfg(test)]
mod tests;
