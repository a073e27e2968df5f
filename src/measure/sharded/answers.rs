//! Several processes that answer as one.

use super::ShardedMatrix;
use super::agree::all_gather;
use super::graph::ResultCheck;
use crate::distributed::team::{Member, Team};
use crate::protocol::{Failure, Reply, Result, RightResult, Sampled};
use crate::store::{Environment, FurtherDevice, FurtherHost};
use crate::timing::Seconds;

/// A reply with what a process found of the result in its shards.
type Answered = (Reply, Option<ResultCheck>);

/// The answer of all processes; of one that is alone, its own. What they found of the result of `matrix` is concluded on.
///
/// # Errors
/// The first failure of all processes, or that the result is wrong.
pub fn answer(team: &Team, own: Result<Reply>, mut matrix: Option<&mut ShardedMatrix>) -> Result<Reply> {
    let found = matrix.as_mut().and_then(|matrix| matrix.found.take());
    let all = all_gather(team, own.map(|reply| (reply, found)))?;
    let (mut reply, found) = merged(team.members(), all)?;
    if let (Some(matrix), Some(found)) = (matrix, found) {
        add_conclusion(&mut reply, matrix.conclude(found)?);
    }
    Ok(reply)
}

fn add_conclusion(reply: &mut Reply, result: RightResult) {
    match reply {
        Reply::Sampled(sampled) => sampled.result = result,
        Reply::Counted(counted) => counted.result = result,
        _ => {}
    }
}

/// One answer for those of all processes, by rank.
fn merged(members: &[Member], all: Vec<Answered>) -> Result<Answered> {
    let mut all = all.into_iter().zip(members);
    let ((mut reply, mut found), first) = all.next().ok_or_else(|| Failure::other("no process answered"))?;
    for ((other, of_other), member) in all {
        join(&mut reply, other, first, member);
        found = [found, of_other].into_iter().flatten().reduce(ResultCheck::and);
    }
    Ok((reply, found))
}

/// Adds what another process answered. What is the same in every process stays as the first has it.
fn join(reply: &mut Reply, other: Reply, first: &Member, member: &Member) {
    match (reply, other) {
        (Reply::Opened(all), Reply::Opened(other)) => {
            all.unusable = all.unusable.take().or(other.unusable);
            join_environments(&mut all.environment, other.environment, first, member);
        }
        (Reply::Sampled(all), Reply::Sampled(other)) => join_samples(all, *other),
        (Reply::Counted(all), Reply::Counted(other)) => all.add(other.kernels),
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::emulated::Counts;
    use crate::implementation::DeviceTimes;
    use crate::protocol::{Counted, DeviceSample};
    use crate::store::{Compared, Verification};
    use crate::timing::Scope;

    fn members(hosts: &[&str]) -> Vec<Member> {
        let of = |(rank, host): (usize, &&str)| Member { rank, host: host.to_string() };
        hosts.iter().enumerate().map(of).collect()
    }

    fn sampled(device: usize, seconds: f64, digest: u64) -> Answered {
        let times = DeviceTimes { device, solve: seconds, compute: 0.0, waiting: 0.0, communication: 0.0 };
        let seconds = [(Scope::Kernel, seconds)].into_iter().collect();
        let reply = Reply::Sampled(Box::new(Sampled {
            devices: vec![DeviceSample { host: format!("node{device}"), times }],
            seconds,
            ..Sampled::default()
        }));
        (reply, Some(ResultCheck { digest, compared: Vec::new() }))
    }

    #[test]
    fn a_sample_takes_as_long_as_the_slowest_process_and_has_the_devices_of_all() {
        let all = vec![sampled(0, 2.0, u64::MAX), sampled(1, 3.0, 5), sampled(2, 1.0, 1)];
        let (mut reply, found) = merged(&members(&["a", "b", "b"]), all).unwrap();
        let verification = Verification { how: Compared::Bounds { widest: 0.5 }, rows: Some(3) };
        let result = RightResult { verification, digest: "d".into() };
        add_conclusion(&mut reply, result.clone());
        let Reply::Sampled(sampled) = reply else { panic!("a sample") };
        assert_eq!(sampled.result, result);
        assert_eq!(sampled.seconds.get(Scope::Kernel), Some(3.0));
        let devices: Vec<_> =
            sampled.devices.iter().map(|one| (one.times.device, one.host.as_str())).collect();
        assert_eq!(devices, [(0, "node0"), (1, "node1"), (2, "node2")]);
        assert_eq!(found.unwrap().digest, 5);
    }

    #[test]
    fn counts_of_several_processes_add_up_by_kernel() {
        let counted = |kernel: &str| {
            let counts = Counts { launches: 2, ..Counts::default() };
            let counted = Counted { kernels: vec![(kernel.into(), counts)], ..Counted::default() };
            (Reply::Counted(Box::new(counted)), None)
        };
        let all = vec![counted("a"), counted("b"), counted("a")];
        let (mut reply, _) = merged(&members(&["a", "b", "c"]), all).unwrap();
        let Reply::Counted(all) = &reply else { panic!("counts") };
        let launches: Vec<_> =
            all.kernels.iter().map(|(name, counts)| (&name[..], counts.launches)).collect();
        assert_eq!(launches, [("a", 4), ("b", 2)]);
        let result = RightResult { verification: Verification::EXACT, digest: "d".into() };
        add_conclusion(&mut reply, result);
        let Reply::Counted(counted) = reply else { panic!("counts") };
        assert_eq!(counted.result.digest, "d");
    }
}
