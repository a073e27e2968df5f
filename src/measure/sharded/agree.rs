//! Processes that go on together or not at all.

use crate::distributed::team::{Member, Team};
use crate::protocol::{Failure, FailureCause, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;

/// What every process has, by rank; a failure of one is one of all.
///
/// # Errors
/// The first failure, or that another process is lost.
pub fn all_gather<T: Serialize + DeserializeOwned>(team: &Team, own: Result<T>) -> Result<Vec<T>> {
    // Whoever knows that one is lost reaches nobody.
    let own = match own {
        Err(failure) if failure.cause == FailureCause::MemberLost => return Err(failure),
        own => own,
    };
    let all = team.gather(own).map_err(lost)?;
    match first_failure(team.members(), &all) {
        Some(failure) => Err(failure),
        None => all.into_iter().collect(),
    }
}

/// What this process has, once every process has it: a failure of one is one of all.
///
/// # Errors
/// As of [`all_gather`].
pub fn barrier<T>(team: &Team, own: Result<T>) -> Result<T> {
    all_gather(team, own.as_ref().map(|_| ()).map_err(Clone::clone))?;
    own
}

/// Ends the processes of which this one cannot go on in the middle of what all do together. Alone it has failed, and nothing else.
pub fn give_up(team: &Team, failure: Failure) -> Failure {
    if team.is_alone() {
        return failure;
    }
    team.abort();
    lost(format!("{} cannot go on: {}", team.own(), failure.message))
}

/// Processes that cannot go on.
pub fn lost(problem: impl fmt::Display) -> Failure {
    Failure::new(FailureCause::MemberLost, problem)
}

/// The first failure, with the process that it is of unless all have the same. No process works without its device.
fn first_failure<T>(members: &[Member], all: &[Result<T>]) -> Option<Failure> {
    let (rank, first) = all.iter().enumerate().find_map(|(rank, one)| Some((rank, one.as_ref().err()?)))?;
    let is_common = all.iter().all(|one| one.as_ref().err() == Some(first));
    let member = members.get(rank).filter(|_| !is_common);
    let message = member.map_or(first.message.clone(), |member| format!("{member}: {}", first.message));
    let ends_all = members.len() > 1 && first.cause == FailureCause::DeviceLost;
    Some(Failure { message, cause: if ends_all { FailureCause::MemberLost } else { first.cause } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_of_one_process_is_one_of_all_and_named_unless_all_have_it() {
        let member = |rank, host: &str| Member { rank, host: host.into() };
        let failed = |cause| Err(Failure::new(cause, "no room"));
        let reported = |all: [Result<()>; 2]| {
            let failure = first_failure(&[member(0, "a"), member(1, "b")], &all).unwrap();
            (failure.cause, failure.message)
        };
        let (full, gone) = (FailureCause::OutOfMemory, FailureCause::DeviceLost);
        assert_eq!(reported([Ok(()), failed(full)]), (full, "rank 1 on b: no room".into()));
        assert_eq!(reported([failed(full), failed(full)]).1, "no room");
        assert_eq!(reported([failed(gone), Ok(())]).0, FailureCause::MemberLost);
    }
}
