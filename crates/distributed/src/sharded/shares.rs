//! Which of all devices each process has.

use super::{Team, launched};
use crate::nccl::Nccl;
use repro_device::links::links;
use repro_device::{Device, DeviceError};
use repro_protocol::{Failure, FailureCause, Result};
use repro_solvers::Member;
use repro_store::{HostLinks, Together};
use repro_types::lists::distinct;
use std::ops::Range;
use std::rc::Rc;

impl Team {
    /// Tells every process how many devices each has, and says how they solve together; none of a process that is alone with at most one
    /// GPU. The first process of each host asks what joins the GPUs there.
    ///
    /// # Errors
    /// When two processes have the same GPU, or one is lost.
    pub fn share_devices(&mut self, devices: &[Rc<dyn Device>]) -> Result<Option<Together>> {
        let infos = devices.iter().map(|device| device.info());
        let own: Vec<String> = infos.filter(|info| !info.emulated).map(|info| info.uuid.clone()).collect();
        let all: Vec<(usize, Vec<String>)> = self.all_gather(Ok((devices.len(), own)))?;
        self.shares = all.iter().map(|(count, _)| *count).collect();
        let gpus = all.iter().map(|(_, uuids)| uuids.len()).sum::<usize>();
        if self.is_alone() && gpus < 2 {
            return Ok(None);
        }
        check_own(self.members(), &all)?;
        let launch = if self.is_alone() { None } else { launched().ok().flatten() };
        Ok(Some(Together {
            processes: self.members().len(),
            launcher: launch.map(|launch| launch.launcher.to_string()),
            nccl: (gpus > 1).then(|| Nccl::find().ok().map(|nccl| nccl.version())).flatten(),
            transports: Vec::new(),
            hosts: self.links_of_host(&all).into_iter().collect(),
        }))
    }

    /// What joins the GPUs of this host, by the UUIDs of those that each process has. The first process there reports it for all.
    fn links_of_host(&self, all: &[(usize, Vec<String>)]) -> Option<HostLinks> {
        let own = self.own();
        let of_host = self.members().iter().zip(all).filter(|(member, _)| member.host == own.host);
        let gpus = distinct(of_host.flat_map(|(_, (_, uuids))| uuids.clone()));
        (own.local_rank == 0 && gpus.len() > 1).then(|| {
            let names: Vec<&str> = gpus.iter().map(String::as_str).collect();
            HostLinks { host: own.host.clone(), links: links(&names), gpus }
        })
    }

    /// Nothing is known any more of the devices that each process has.
    pub fn forget_devices(&mut self) {
        self.shares.clear();
    }

    /// How many devices all processes have.
    pub fn devices(&self) -> usize {
        self.shares.iter().sum()
    }

    /// How many of the devices that a solve needs are of this process.
    ///
    /// # Errors
    /// When all together have too few.
    pub fn share_of(&self, needed: usize) -> Result<usize> {
        own_share(&self.shares, self.own().rank, needed).ok_or_else(|| {
            let problem = format!(
                "needs {needed} devices, and the {} processes have {} in all: start more, or leave this cell out",
                self.shares.len(),
                self.devices()
            );
            Failure::new(FailureCause::TooFewDevices, problem)
        })
    }

    /// Which of the `seen` CUDA devices of this host are of this process: all of one that is alone.
    ///
    /// # Errors
    /// When there are fewer than processes.
    pub fn part_of(&self, seen: usize) -> Result<Range<usize>, DeviceError> {
        if self.is_alone() { Ok(0..seen) } else { part_of(seen, self.own()) }
    }
}

/// How many of `needed` devices the process of this rank gives, where each has so many; none where one has too few. They give equally
/// many, the last ones fewer or none.
fn own_share(shares: &[usize], rank: usize, needed: usize) -> Option<usize> {
    let each = needed.div_ceil(shares.len().max(1));
    let of = |rank: usize| needed.saturating_sub(rank * each).min(each);
    (0..shares.len()).all(|rank| shares[rank] >= of(rank)).then(|| of(rank))
}

/// The devices of one process of several on a host that each see so many.
fn part_of(seen: usize, member: &Member) -> Result<Range<usize>, DeviceError> {
    let processes = member.local_size.max(1);
    match seen / processes {
        _ if seen == 1 => Ok(0..1),
        0 => Err(DeviceError::unavailable(format!(
            "{processes} processes on {} share {seen} CUDA devices: start no more processes on a host than it has devices",
            member.host
        ))),
        each => Ok(member.local_rank * each..(member.local_rank + 1) * each),
    }
}

/// Whether each process has GPUs of its own, by the UUIDs of those that it has. Emulated devices have none.
fn check_own(members: &[Member], all: &[(usize, Vec<String>)]) -> Result<()> {
    let sharing = |uuid: &String| -> Vec<String> {
        let have = members.iter().zip(all).filter(|(_, (_, uuids))| uuids.contains(uuid));
        have.map(|(member, _)| member.to_string()).collect()
    };
    let known = all.iter().flat_map(|(_, uuids)| uuids).filter(|uuid| !uuid.is_empty());
    let mut shared = known.map(|uuid| (uuid, sharing(uuid))).filter(|(_, members)| members.len() > 1);
    shared.next().map_or(Ok(()), |(uuid, members)| {
        let problem = format!(
            "{} have the same GPU, {uuid}: start no more processes on a host than it has GPUs, and let the launcher or --device cuda:all \
             give each its own",
            members.join(" and ")
        );
        Err(Failure::new(FailureCause::Unavailable, problem))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(local_rank: usize, local_size: usize) -> Member {
        Member { rank: local_rank, host: "node".into(), local_rank, local_size }
    }

    #[test]
    fn processes_of_a_host_share_its_devices_evenly_and_keep_one_that_they_were_given_alone() {
        assert_eq!(part_of(4, &member(1, 2)).unwrap(), 2..4);
        assert_eq!(part_of(4, &member(3, 4)).unwrap(), 3..4);
        assert_eq!(part_of(8, &member(0, 1)).unwrap(), 0..8);
        assert_eq!(part_of(1, &member(3, 4)).unwrap(), 0..1);
        let few = part_of(2, &member(2, 3)).unwrap_err().to_string();
        assert!(few.contains("3 processes on node share 2 CUDA devices"), "{few}");
    }

    #[test]
    fn processes_give_equally_many_devices_and_the_last_ones_what_is_left() {
        let given = |shares: &[usize], needed| -> Vec<_> {
            (0..shares.len()).map(|rank| own_share(shares, rank, needed)).collect()
        };
        assert_eq!(given(&[2, 2], 2), [Some(1), Some(1)]);
        assert_eq!(given(&[2, 2], 3), [Some(2), Some(1)]);
        assert_eq!(given(&[1; 4], 2), [Some(1), Some(1), Some(0), Some(0)]);
        assert_eq!(given(&[1; 4], 4), [Some(1); 4]);
        assert_eq!(given(&[1; 4], 5), [None; 4]);
        assert_eq!(given(&[2, 0], 2), [None; 2]);
    }

    #[test]
    fn processes_with_the_same_gpu_are_refused_and_emulated_devices_are_nobodys() {
        let member = |rank| Member { rank, host: "node".into(), local_rank: rank, local_size: 3 };
        let members: Vec<Member> = (0..3).map(member).collect();
        let check = |uuids: [&[&str]; 3]| {
            let all = uuids.map(|uuids| (1, uuids.iter().map(ToString::to_string).collect()));
            check_own(&members, &all).map_err(|failure| failure.message)
        };
        assert_eq!(check([&["a", "b"], &["c"], &[]]), Ok(()));
        assert_eq!(check([&[], &[], &[]]), Ok(()));
        // Drivers that name none say nothing.
        assert_eq!(check([&[""], &[""], &["a"]]), Ok(()));
        let message = check([&["a"], &["b", "c"], &["c"]]).unwrap_err();
        assert!(
            message.starts_with("rank 1 on node and rank 2 on node have the same GPU, c: start no"),
            "{message}"
        );
    }
}
