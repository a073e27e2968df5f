//! The processes that answer together.

use crate::cluster::{Processes, Work};
use repro_protocol::{Failure, FailureCause, Result};
use repro_solvers::{Alone, Group, GroupError, Member};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Duration;

/// How long the loss of another process may take to be known, which explains most failures of a solve.
const TIME_TO_EXPLAIN: Duration = Duration::from_secs(3);

/// The processes that a launcher started to answer as one, all of which are asked the same; or one process that is alone.
pub struct Team {
    group: Arc<dyn Group>,
    /// The group as a launcher started it, if one did: who makes no progress in a solve is lost to the others.
    processes: Option<Arc<Processes>>,
    /// How many devices each of them has, by rank.
    pub(super) shares: Vec<usize>,
}

impl Default for Team {
    /// A process that is alone.
    fn default() -> Self {
        Self { group: Alone::shared().clone(), processes: None, shares: Vec::new() }
    }
}

impl Team {
    /// All processes that a launcher started.
    pub fn of(processes: Arc<Processes>) -> Self {
        Self { group: processes.clone(), processes: Some(processes), shares: Vec::new() }
    }

    pub fn is_alone(&self) -> bool {
        self.processes.is_none()
    }

    /// The group as solvers see it.
    pub fn group(&self) -> &Arc<dyn Group> {
        &self.group
    }

    /// All processes, by rank.
    pub fn members(&self) -> &[Member] {
        self.group.members()
    }

    /// This process.
    pub fn own(&self) -> &Member {
        self.group.own()
    }

    /// Whether this process does what is done once for all.
    pub fn is_first(&self) -> bool {
        self.own().rank == 0
    }

    /// What this process has, once every process has it: a failure of one is one of all.
    ///
    /// # Errors
    /// The first failure, or that another process is lost.
    pub fn barrier<T>(&self, own: Result<T>) -> Result<T> {
        self.all_gather(own.as_ref().map(|_| ()).map_err(Clone::clone))?;
        own
    }

    /// What the first process has, once every process has something; a failure of one is one of all.
    ///
    /// # Errors
    /// As of [`Team::barrier`].
    pub fn broadcast_root<T: Serialize + DeserializeOwned>(&self, own: Result<T>) -> Result<T> {
        let nobody = || Failure::other("no process answered");
        self.all_gather(own)?.into_iter().next().ok_or_else(nobody)
    }

    /// What every process has, by rank; a failure of one is one of all.
    ///
    /// # Errors
    /// As of [`Team::barrier`].
    pub fn all_gather<T: Serialize + DeserializeOwned>(&self, own: Result<T>) -> Result<Vec<T>> {
        let own = serde_json::to_vec(&own).map_err(Failure::other)?;
        let all = self.group.exchange(&own).map_err(lost)?;
        let all: Vec<Result<T>> = all
            .iter()
            .map(|one| serde_json::from_slice(one).map_err(Failure::other))
            .collect::<Result<_>>()?;
        match first_failure(self.members(), &all) {
            Some(failure) => Err(failure),
            None => all.into_iter().collect(),
        }
    }

    /// Ends the processes of which this one cannot go on in the middle of what all do together. Alone it has failed, and nothing else.
    pub(super) fn give_up(&self, failure: Failure) -> Failure {
        let Some(processes) = &self.processes else { return failure };
        let explained = processes.check_within(TIME_TO_EXPLAIN);
        lost(
            explained
                .err()
                .unwrap_or_else(|| processes.fail(&format!("it cannot go on: {}", failure.message))),
        )
    }

    /// Has the others see that this process works on what has this name, until that is dropped.
    pub(super) fn work(&self, name: &str) -> Option<Work<'_>> {
        self.processes.as_ref().map(|processes| processes.work(name))
    }

    /// How long a process may make no progress in a solve while others wait for it.
    pub(super) fn set_stall(&self, limit: Duration) {
        if let Some(processes) = &self.processes {
            processes.set_stall(limit);
        }
    }
}

/// Processes that cannot go on.
fn lost(error: GroupError) -> Failure {
    Failure::new(FailureCause::MemberLost, error)
}

/// The first failure, with the process that it is of unless all have the same.
fn first_failure<T>(members: &[Member], all: &[Result<T>]) -> Option<Failure> {
    let (rank, first) = all.iter().enumerate().find_map(|(rank, one)| Some((rank, one.as_ref().err()?)))?;
    let is_common = all.iter().all(|one| one.as_ref().err() == Some(first));
    let member = members.get(rank).filter(|_| !is_common);
    let message = member.map_or(first.message.clone(), |member| format!("{member}: {}", first.message));
    Some(Failure { message, ..*first })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_of_one_process_is_one_of_all_and_named_unless_all_have_it() {
        let member = |rank, host: &str| Member { rank, host: host.into(), local_rank: 0, local_size: 1 };
        let failed = |message: &str| Err(Failure::new(FailureCause::OutOfMemory, message));
        let reported = |all: [Result<()>; 2]| {
            let failure = first_failure(&[member(0, "a"), member(1, "b")], &all).unwrap();
            (failure.cause, failure.message)
        };
        let one = reported([Ok(()), failed("no room")]);
        assert_eq!(one, (FailureCause::OutOfMemory, "rank 1 on b: no room".into()));
        assert_eq!(reported([failed("no room"), failed("no room")]).1, "no room");
    }
}
