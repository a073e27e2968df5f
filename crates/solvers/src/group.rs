//! A group of processes, as a solver sees it.

use std::fmt;
use std::sync::{Arc, LazyLock};
use thiserror::Error;

/// A process of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its number, from 0 to one less than the group's size.
    pub rank: usize,
    /// The host it runs on.
    pub host: String,
    /// Its number among the members on that host.
    pub local_rank: usize,
    /// How many members run on that host.
    pub local_size: usize,
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "rank {} on {}", self.rank, self.host)
    }
}

/// Why a group cannot go on. The message names the member that was lost, its host and what it did last.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct GroupError(pub String);

/// How far a member is. A member that stays where it is while others wait for it is taken for lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Steps that it has done, counted from when it joined: it only grows.
    pub steps: u64,
    /// Whether the next step waits for another member.
    pub waits: bool,
}

/// Processes that do the same, each with its own devices. All of them call [`Group::exchange`] in the same order.
pub trait Group: Send + Sync {
    /// This process.
    fn own(&self) -> &Member;

    /// All processes, by rank.
    fn members(&self) -> &[Member];

    /// Gives the bytes of all members, by rank, to each. Waits for the last of them.
    ///
    /// # Errors
    /// When a member is lost.
    fn exchange(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, GroupError>;

    /// Sends bytes to another member, which calls [`Group::receive`]. Does not wait for it.
    ///
    /// # Errors
    /// When that member is lost.
    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), GroupError>;

    /// The next bytes of those that this member sent, in the order in which it sent them.
    ///
    /// # Errors
    /// When that member is lost.
    fn receive(&self, from: usize) -> Result<Vec<u8>, GroupError>;

    /// Lets the others know how far this process is.
    fn report(&self, progress: Progress);

    /// Whether all members are still there.
    ///
    /// # Errors
    /// When one is lost.
    fn check(&self) -> Result<(), GroupError>;
}

/// A group of one process.
#[derive(Debug)]
pub struct Alone {
    members: [Member; 1],
}

impl Alone {
    pub const fn new() -> Self {
        Self { members: [Member { rank: 0, host: String::new(), local_rank: 0, local_size: 1 }] }
    }

    /// One for whoever needs no other.
    pub fn shared() -> &'static Arc<dyn Group> {
        static ALONE: LazyLock<Arc<dyn Group>> = LazyLock::new(|| Arc::new(Alone::new()));
        &ALONE
    }
}

impl Default for Alone {
    fn default() -> Self {
        Self::new()
    }
}

fn nobody(rank: usize) -> GroupError {
    GroupError(format!("there is no rank {rank} in a group of one: this is a defect of repro"))
}

impl Group for Alone {
    fn own(&self) -> &Member {
        &self.members[0]
    }

    fn members(&self) -> &[Member] {
        &self.members
    }

    fn exchange(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, GroupError> {
        Ok(vec![own.to_vec()])
    }

    fn send(&self, to: usize, _: &[u8]) -> Result<(), GroupError> {
        Err(nobody(to))
    }

    fn receive(&self, from: usize) -> Result<Vec<u8>, GroupError> {
        Err(nobody(from))
    }

    fn report(&self, _: Progress) {}

    fn check(&self) -> Result<(), GroupError> {
        Ok(())
    }
}
