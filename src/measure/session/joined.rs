//! What joins the devices of all processes that answer together.

use super::Session;
use crate::cluster::Member;
use crate::device::cuda::nccl::Nccl;
use crate::device::links::links;
use crate::lists::distinct;
use crate::measure::member::launched;
use crate::measure::protocol::{Failure, FailureCause};
use crate::store::{HostLinks, Together};

impl Session {
    /// Tells every process how many devices each has, and says how they solve together; none of a process that is alone with at most one
    /// GPU. The first process of each host asks what joins the GPUs there.
    ///
    /// # Errors
    /// When two processes have the same GPU, or one is lost.
    pub(super) fn share_devices(&mut self) -> Result<Option<Together>, Failure> {
        let infos = self.devices.iter().map(|device| device.info());
        let own: Vec<String> = infos.filter(|info| !info.emulated).map(|info| info.uuid.clone()).collect();
        let all: Vec<(usize, Vec<String>)> = self.of_all(Ok((self.devices.len(), own)))?;
        self.shares = all.iter().map(|(count, _)| *count).collect();
        let gpus = all.iter().map(|(_, uuids)| uuids.len()).sum::<usize>();
        if self.group.is_none() && gpus < 2 {
            return Ok(None);
        }
        let group = self.group();
        check_own(group.members(), &all)?;
        let own = group.own();
        let of_host = group.members().iter().zip(&all).filter(|(member, _)| member.host == own.host);
        let uuids = distinct(of_host.flat_map(|(_, (_, uuids))| uuids.clone()));
        let hosts = if own.local_rank == 0 && uuids.len() > 1 {
            let names: Vec<&str> = uuids.iter().map(String::as_str).collect();
            let links = links(&names);
            vec![HostLinks { host: own.host.clone(), gpus: uuids, links }]
        } else {
            Vec::new()
        };
        // Only processes that a launcher started are watched.
        let launch = self.watched.as_ref().and_then(|_| launched().ok().flatten());
        Ok(Some(Together {
            processes: group.members().len(),
            launcher: launch.map(|launch| launch.launcher.to_string()),
            nccl: (gpus > 1).then(|| Nccl::find().ok().map(|nccl| nccl.version())).flatten(),
            transports: Vec::new(),
            hosts,
        }))
    }
}

/// Whether each process has GPUs of its own, by the UUIDs of those that it has. Emulated devices have none.
fn check_own(members: &[Member], all: &[(usize, Vec<String>)]) -> Result<(), Failure> {
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
        let told = check([&["a"], &["b", "c"], &["c"]]).unwrap_err();
        assert!(
            told.starts_with("rank 1 on node and rank 2 on node have the same GPU, c: start no"),
            "{told}"
        );
    }
}
