//! Processes that go on together or not at all, and which of all devices each of them has.

use crate::device::Device;
use crate::device::links::links;
use crate::distributed::nccl::Nccl;
use crate::distributed::team::{Member, Team};
use crate::lists::distinct;
use crate::protocol::{Failure, FailureCause, Result};
use crate::store::{DeviceLinks, HostLinks};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::rc::Rc;

/// Gathers what every process has, by rank; a failure of one is a failure of all.
///
/// # Errors
/// The first failure, or that another process is lost.
pub fn all_gather<T: Serialize + DeserializeOwned>(team: &Team, own: Result<T>) -> Result<Vec<T>> {
    // A process that knows that another is lost can reach nobody.
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

/// Returns `own` once every process has come this far; a failure of one is a failure of all.
///
/// # Errors
/// As in [`all_gather`].
pub fn barrier<T>(team: &Team, own: Result<T>) -> Result<T> {
    all_gather(team, own.as_ref().map(|_| ()).map_err(Clone::clone))?;
    own
}

/// Ends all processes where this one cannot go on in the middle of their common work. A process that is alone has only failed.
pub fn give_up(team: &Team, failure: Failure) -> Failure {
    if team.is_alone() {
        return failure;
    }
    team.abort();
    lost(format!("{} cannot go on: {}", team.this_member(), failure.message))
}

/// The failure that processes cannot go on.
pub fn lost(problem: impl fmt::Display) -> Failure {
    Failure::new(FailureCause::MemberLost, problem)
}

/// The first failure, with its process unless all have the same one. Where there are several processes, one that loses its device ends all.
fn first_failure<T>(members: &[Member], all: &[Result<T>]) -> Option<Failure> {
    let (rank, first) = all.iter().enumerate().find_map(|(rank, one)| Some((rank, one.as_ref().err()?)))?;
    let is_common = all.iter().all(|one| one.as_ref().err() == Some(first));
    let member = members.get(rank).filter(|_| !is_common);
    let message = member.map_or(first.message.clone(), |member| format!("{member}: {}", first.message));
    let ends_all = members.len() > 1 && first.cause == FailureCause::DeviceLost;
    Some(Failure { message, cause: if ends_all { FailureCause::MemberLost } else { first.cause } })
}

/// How many devices each process has, by rank, and how they solve together; the latter is None for a process that is alone with at most one
/// GPU. The first process of each host asks what connects the GPUs there.
///
/// # Errors
/// When a process is lost.
pub fn share_devices(team: &Team, devices: &[Rc<dyn Device>]) -> Result<(Vec<usize>, Option<DeviceLinks>)> {
    let gpu = |device: &Rc<dyn Device>| (!device.info().emulated).then(|| device.info().uuid.clone());
    let all: Vec<Vec<Option<String>>> = all_gather(team, Ok(devices.iter().map(gpu).collect()))?;
    let shares = all.iter().map(Vec::len).collect();
    let gpus = all.iter().flatten().flatten().count();
    if team.is_alone() && gpus < 2 {
        return Ok((shares, None));
    }
    let together = DeviceLinks {
        processes: team.members().len(),
        launcher: team.launch().map(|launch| launch.launcher.to_string()),
        nccl: (gpus > 1).then(|| Nccl::find().ok().map(|nccl| nccl.version())).flatten(),
        transports: Vec::new(),
        hosts: all_gather(team, Ok(links_of_host(team, &all)))?.into_iter().flatten().collect(),
    };
    Ok((shares, Some(together)))
}

/// What connects the GPUs of this host, by the UUIDs of each process's GPUs. The first process of the host reports it for all.
fn links_of_host(team: &Team, all: &[Vec<Option<String>>]) -> Option<HostLinks> {
    let host = &team.this_member().host;
    let of_host = team.members().iter().zip(all).filter(|(member, _)| member.host == *host);
    let gpus = distinct(of_host.flat_map(|(_, uuids)| uuids.iter().flatten().cloned()));
    let is_first = team.launch().is_none_or(|launch| launch.local_rank == 0);
    (is_first && gpus.len() > 1).then(|| {
        let names: Vec<&str> = gpus.iter().map(String::as_str).collect();
        HostLinks { host: host.clone(), links: links(&names), gpus }
    })
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
