//! Processes that a launcher started to solve one problem together, each with devices of its own.
//!
//! The launcher's variables say which *rank* each has ([`Launch`]). Rank 0 puts NCCL's number for their communicator into a file, in a folder
//! that all see; with it the first device of each joins, and small messages go between them ([`Team::broadcast`], [`Team::gather`]).
//!
//! All do the same in the same order. Where one is lost, the others notice by an error of NCCL's or because nothing comes within a limit, and
//! end with one line and code 1; the launcher ends what is left.

mod launch;
mod rendezvous;

use crate::distributed::nccl::Nccl;
pub use launch::{Launch, LaunchError, Launcher};
use rendezvous::ControlConnection;
pub use rendezvous::exit_within;
use repro_device::{Device, DeviceError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

/// How long the processes wait for each other at the start.
pub const TIME_TO_MEET: Duration = Duration::from_secs(60);

/// How long one process may take longer than another for the same: reading a graph, storing a part of the distances.
const LONGEST_LEAD: Duration = Duration::from_secs(1800);

/// A process of a team.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    pub rank: usize,
    /// The name of its host; empty where one process is alone.
    pub host: String,
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "rank {} on {}", self.rank, self.host)
    }
}

/// The processes that solve together, or one that is alone.
pub struct Team {
    rank: usize,
    /// All processes, by rank.
    members: Vec<Member>,
    /// None for a process that is alone.
    together: Option<(Launch, ControlConnection)>,
}

impl Default for Team {
    /// A process that is alone.
    fn default() -> Self {
        Self { rank: 0, members: vec![Member::default()], together: None }
    }
}

impl Team {
    /// Joins all processes of a start, each with its first device, and returns once all have come. They meet in `folder` and wait for each
    /// other as long as `wait`.
    ///
    /// # Errors
    /// When there is no NCCL, the device is none that it takes, or not all come.
    pub fn join(
        launch: Launch,
        folder: &Path,
        device: &Rc<dyn Device>,
        wait: Duration,
    ) -> Result<Self, DeviceError> {
        Self::join_by(&Nccl::open()?, launch, folder, device, wait)
    }

    fn join_by(
        nccl: &Rc<Nccl>,
        launch: Launch,
        folder: &Path,
        device: &Rc<dyn Device>,
        wait: Duration,
    ) -> Result<Self, DeviceError> {
        let control =
            ControlConnection::new(rendezvous::meet(nccl, &launch, folder, &**device, wait)?, device)?;
        let hosts = control.all_gather(own_host().as_bytes(), wait)?;
        let member =
            |(rank, host): (usize, Vec<u8>)| Member { rank, host: String::from_utf8_lossy(&host).into() };
        let members = hosts.into_iter().enumerate().map(member).collect();
        Ok(Self { rank: launch.rank, members, together: Some((launch, control)) })
    }

    pub fn is_alone(&self) -> bool {
        self.together.is_none()
    }

    /// NCCL, by which the processes reach each other, and devices of one process where that is asked for.
    ///
    /// # Errors
    /// When there is none.
    pub fn nccl(&self) -> Result<Rc<Nccl>, DeviceError> {
        self.together.as_ref().map_or_else(Nccl::open, |(_, control)| Ok(control.nccl()))
    }

    /// How this process was started with others.
    pub fn launch(&self) -> Option<&Launch> {
        self.together.as_ref().map(|(launch, _)| launch)
    }

    /// All processes, by rank.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// This process.
    pub fn this_member(&self) -> &Member {
        &self.members[self.rank]
    }

    /// Whether this process does what is done once for all.
    pub fn is_first(&self) -> bool {
        self.rank == 0
    }

    /// Gives every process the bytes of rank 0.
    ///
    /// # Errors
    /// When another process is lost.
    pub fn broadcast(&self, own: &[u8]) -> Result<Vec<u8>, DeviceError> {
        self.broadcast_within(own, LONGEST_LEAD)
    }

    /// As [`Team::broadcast`], where the bytes have to come within `limit`.
    ///
    /// # Errors
    /// When another process is lost, or nothing comes.
    pub fn broadcast_within(&self, own: &[u8], limit: Duration) -> Result<Vec<u8>, DeviceError> {
        match &self.together {
            None => Ok(own.to_vec()),
            Some((_, control)) => control.broadcast(0, own, limit),
        }
    }

    /// Gives every process what all have as `own`, by rank.
    ///
    /// # Errors
    /// When another process is lost.
    pub fn gather<T: Serialize + DeserializeOwned>(&self, own: T) -> Result<Vec<T>, DeviceError> {
        let Some((_, control)) = &self.together else { return Ok(vec![own]) };
        let unreadable =
            |error: serde_json::Error| DeviceError::other(format!("an answer between processes: {error}"));
        let all = control.all_gather(&serde_json::to_vec(&own).map_err(unreadable)?, LONGEST_LEAD)?;
        all.iter().map(|one| serde_json::from_slice(one).map_err(unreadable)).collect()
    }

    /// Waits for no other process any more, not even to leave together. For callers who know that one is lost.
    pub fn abort(&self) {
        if let Some((_, control)) = &self.together {
            control.abort();
        }
    }
}

/// The name of this host.
pub fn own_host() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    if name.is_empty() { "a host without a name".into() } else { name }
}

#[cfg(test)]
mod tests;
