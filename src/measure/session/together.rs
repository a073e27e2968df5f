//! Several processes that answer as one.

use super::{Session, no_graph};
use crate::cluster::{Group, GroupError, Member};
use crate::measure::in_parts::{Concluded, Found, remove_kept};
use crate::measure::protocol::{Counted, Failure, FailureCause, Reply, Sampled};
use crate::store::{Environment, FurtherDevice, FurtherHost};
use crate::timing::Seconds;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// An answer with what a process found of a result that is in parts.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Answered {
    reply: Reply,
    found: Option<Found>,
}

impl Session {
    /// What this process has, once every process has it: a failure of one is one of all.
    pub(super) fn once_all_have<T>(&self, own: Result<T, Failure>) -> Result<T, Failure> {
        once_all_have(&**self.group(), own)
    }

    /// What every process has, by rank; a failure of one is one of all.
    pub(super) fn of_all<T: Serialize + DeserializeOwned>(
        &self,
        own: Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        of_all(&**self.group(), own)
    }

    /// What the first process decides.
    pub(super) fn as_first_decides(&self, own: bool) -> Result<bool, Failure> {
        Ok(exchange(&**self.group(), &own)?.first().copied().unwrap_or(own))
    }

    /// The answer of all processes; of one that is alone, its own.
    pub(super) fn answer_together(&mut self, reply: Reply) -> Reply {
        let own = Answered { reply, found: self.found.take() };
        let merged = exchange(&**self.group(), &own).map(|all| merged(self.group().members(), all));
        match merged {
            Err(failure) => Reply::Failed(failure),
            Ok(Answered { reply: failed @ Reply::Failed(_), .. }) => failed,
            Ok(Answered { reply, found: None }) => reply,
            Ok(Answered { reply, found: Some(found) }) => {
                self.conclude(reply, found).unwrap_or_else(Reply::Failed)
            }
        }
    }

    /// The reply with what is known of the whole result. Once that is right nobody goes on from the state of its solve, and one process
    /// removes it.
    fn conclude(&mut self, mut reply: Reply, found: Found) -> Result<Reply, Failure> {
        let concluded = self.in_parts.as_mut().ok_or_else(no_graph)?.conclude(found)?;
        let is_first = self.group().own().rank == 0;
        let note = concluded.kept.as_deref().filter(|_| is_first).and_then(remove_kept);
        add_conclusion(&mut reply, concluded, note);
        Ok(reply)
    }
}

fn add_conclusion(reply: &mut Reply, concluded: Concluded, note: Option<String>) {
    let Concluded { verification, digest, .. } = concluded;
    match reply {
        Reply::Sampled(sampled) => {
            (sampled.verification, sampled.digest) = (verification, digest);
            sampled.notes.extend(note);
        }
        Reply::Counted(counted) => {
            (counted.verification, counted.digest) = (verification, digest);
            counted.notes.extend(note);
        }
        _ => {}
    }
}

/// What this process has, once every process has it: a failure of one is one of all.
pub fn once_all_have<T>(group: &dyn Group, own: Result<T, Failure>) -> Result<T, Failure> {
    of_all(group, own.as_ref().map(|_| ()).map_err(Clone::clone))?;
    own
}

/// What every process has, by rank; a failure of one is one of all.
pub fn of_all<T: Serialize + DeserializeOwned>(
    group: &dyn Group,
    own: Result<T, Failure>,
) -> Result<Vec<T>, Failure> {
    let all: Vec<Result<T, Failure>> = exchange(group, &own)?;
    let failures: Vec<Option<Failure>> = all.iter().map(|one| one.as_ref().err().cloned()).collect();
    match first_failure(group.members(), &failures) {
        Some(failure) => Err(failure),
        None => all.into_iter().collect(),
    }
}

/// What every process of the group has, by rank.
fn exchange<T: Serialize + DeserializeOwned>(group: &dyn Group, own: &T) -> Result<Vec<T>, Failure> {
    let unreadable = |error: serde_json::Error| Failure::new(FailureCause::Other, error);
    let own = serde_json::to_vec(own).map_err(unreadable)?;
    let all = group.exchange(&own).map_err(lost)?;
    all.iter().map(|one| serde_json::from_slice(one).map_err(unreadable)).collect()
}

/// A group that cannot go on.
pub fn lost(error: GroupError) -> Failure {
    Failure::new(FailureCause::MemberLost, error)
}

/// The first failure, with the process that it is of unless all have the same.
fn first_failure(members: &[Member], failures: &[Option<Failure>]) -> Option<Failure> {
    let (rank, first) =
        failures.iter().enumerate().find_map(|(rank, failure)| Some((rank, failure.clone()?)))?;
    let is_common = failures.iter().all(|failure| failure.as_ref() == Some(&first));
    let member = members.get(rank).filter(|_| !is_common);
    let message = member.map_or(first.message.clone(), |member| format!("{member}: {}", first.message));
    Some(Failure { message, ..first })
}

/// One answer for those of all processes, by rank.
fn merged(members: &[Member], all: Vec<Answered>) -> Answered {
    let failures: Vec<Option<Failure>> = all
        .iter()
        .map(|one| match &one.reply {
            Reply::Failed(failure) => Some(failure.clone()),
            _ => None,
        })
        .collect();
    if let Some(failure) = first_failure(members, &failures) {
        return Answered { reply: Reply::Failed(failure), found: None };
    }
    let found = all.iter().filter_map(|one| one.found.clone()).reduce(Found::and);
    let mut replies = all.into_iter().map(|one| one.reply).zip(members);
    let Some((mut reply, first)) = replies.next() else {
        let failure = Failure::new(FailureCause::Other, "no process answered");
        return Answered { reply: Reply::Failed(failure), found: None };
    };
    for (other, member) in replies {
        join(&mut reply, other, first, member);
    }
    Answered { reply, found }
}

/// Adds what another process answered. What is the same in every process stays as the first has it.
fn join(reply: &mut Reply, other: Reply, first: &Member, member: &Member) {
    match (reply, other) {
        (Reply::Opened(all), Reply::Opened(other)) => {
            all.unusable = all.unusable.take().or(other.unusable);
            join_environments(&mut all.environment, other.environment, first, member);
        }
        (Reply::Sampled(all), Reply::Sampled(other)) => join_samples(all, *other),
        (Reply::Counted(all), Reply::Counted(other)) => join_counts(all, *other),
        _ => {}
    }
}

fn join_environments(all: &mut Environment, other: Environment, first: &Member, member: &Member) {
    let Environment { device, further_devices, host, together, .. } = other;
    let opened = device.map(|device| FurtherDevice { host: member.host.clone(), device });
    if let (Some(all), Some(other)) = (&mut all.together, together) {
        all.hosts.extend(other.hosts);
    }
    all.further_devices.extend(opened.into_iter().chain(further_devices));
    let is_known = member.host == first.host || all.further_hosts.iter().any(|one| one.host == member.host);
    if !is_known {
        all.further_hosts.push(FurtherHost { host: member.host.clone(), info: host });
    }
}

/// A sample took as long as the slowest process.
fn join_samples(all: &mut Sampled, other: Sampled) {
    let longer =
        |(scope, seconds)| (scope, all.seconds.get(scope).map_or(seconds, |of: f64| of.max(seconds)));
    let longest: Seconds = other.seconds.iter().map(longer).collect();
    all.seconds.extend(longest.iter());
    all.devices.extend(other.devices);
    all.notes.extend(other.notes);
}

fn join_counts(all: &mut Counted, other: Counted) {
    for (kernel, counts) in other.kernels {
        match all.kernels.iter_mut().find(|(known, _)| *known == kernel) {
            Some((_, known)) => *known += counts,
            None => all.kernels.push((kernel, counts)),
        }
    }
    all.notes.extend(other.notes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::emulated::Counts;
    use crate::implementation::DeviceTimes;
    use crate::measure::DeviceSample;
    use crate::store::{Compared, Verification};
    use crate::timing::Scope;

    fn members(hosts: &[&str]) -> Vec<Member> {
        let of = |(rank, host): (usize, &&str)| Member {
            rank,
            host: host.to_string(),
            local_rank: 0,
            local_size: 1,
        };
        hosts.iter().enumerate().map(of).collect()
    }

    fn sampled(device: usize, seconds: f64, digest: u64) -> Answered {
        let times = DeviceTimes { device, solve: seconds, compute: 0.0, waiting: 0.0, communication: 0.0 };
        let reply = Reply::Sampled(Box::new(Sampled {
            seconds: [(Scope::Kernel, seconds)].into_iter().collect(),
            iterations: None,
            verification: Verification { how: Compared::Exact, rows: None },
            digest: String::new(),
            telemetry: None,
            others_load: None,
            devices: vec![DeviceSample { host: format!("node{device}"), times }],
            notes: Vec::new(),
        }));
        Answered { reply, found: Some(Found { digest, compared: Vec::new() }) }
    }

    #[test]
    fn a_sample_takes_as_long_as_the_slowest_process_and_has_the_devices_of_all() {
        let all = vec![sampled(0, 2.0, u64::MAX), sampled(1, 3.0, 5), sampled(2, 1.0, 1)];
        let Answered { reply: Reply::Sampled(sampled), found } = merged(&members(&["a", "b", "b"]), all)
        else {
            panic!("a sample")
        };
        assert_eq!(sampled.seconds.get(Scope::Kernel), Some(3.0));
        let devices: Vec<_> =
            sampled.devices.iter().map(|one| (one.times.device, one.host.as_str())).collect();
        assert_eq!(devices, [(0, "node0"), (1, "node1"), (2, "node2")]);
        assert_eq!(found.unwrap().digest, 5);
    }

    #[test]
    fn a_sample_is_right_with_a_note_where_its_checkpoints_cannot_be_removed() {
        let mut reply = sampled(0, 2.0, 1).reply;
        let verification = Verification { how: Compared::Bounds { widest: 0.5 }, rows: Some(3) };
        let concluded = Concluded { verification, digest: "d".into(), kept: None };
        add_conclusion(&mut reply, concluded, Some("checkpoints cannot be removed".into()));
        let Reply::Sampled(sampled) = reply else { panic!("a sample") };
        assert_eq!((sampled.verification, sampled.digest.as_str()), (verification, "d"));
        assert_eq!(sampled.notes, ["checkpoints cannot be removed"]);
    }

    #[test]
    fn counts_of_several_processes_add_up_by_kernel_with_the_notes_of_all() {
        let counted = |kernel: &str, note: &str| {
            let counts = Counts { launches: 2, ..Counts::default() };
            Counted {
                kernels: vec![(kernel.into(), counts)],
                uncounted: None,
                verification: Verification::EXACT,
                digest: String::new(),
                notes: vec![note.into()],
            }
        };
        let mut all = counted("a", "first");
        join_counts(&mut all, counted("b", "second"));
        join_counts(&mut all, counted("a", "third"));
        let launches: Vec<_> =
            all.kernels.iter().map(|(name, counts)| (&name[..], counts.launches)).collect();
        assert_eq!(launches, [("a", 4), ("b", 2)]);
        let mut reply = Reply::Counted(Box::new(all));
        let concluded = Concluded { verification: Verification::EXACT, digest: "d".into(), kept: None };
        add_conclusion(&mut reply, concluded, Some("last".into()));
        let Reply::Counted(counted) = reply else { panic!("counts") };
        assert_eq!(
            (counted.digest.as_str(), counted.notes.join(" ")),
            ("d", "first second third last".into())
        );
    }

    #[test]
    fn a_failure_of_one_process_is_one_of_all_and_named_unless_all_have_it() {
        let failed = |message: &str| Answered {
            reply: Reply::Failed(Failure::new(FailureCause::OutOfMemory, message)),
            found: None,
        };
        let told = |all| match merged(&members(&["a", "b"]), all).reply {
            Reply::Failed(failure) => (failure.cause, failure.message),
            other => panic!("{other:?}"),
        };
        let one = told(vec![sampled(0, 1.0, 0), failed("no room")]);
        assert_eq!(one, (FailureCause::OutOfMemory, "rank 1 on b: no room".into()));
        assert_eq!(told(vec![failed("no room"), failed("no room")]).1, "no room");
    }
}
