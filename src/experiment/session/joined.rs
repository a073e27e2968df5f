//! What joins the devices of all processes that answer together.

use super::super::member::launched;
use super::super::protocol::Failure;
use super::Session;
use crate::device::cuda::nccl::Nccl;
use crate::device::links::links;
use crate::lists::distinct;
use crate::record::{HostLinks, Together};

impl Session {
    /// Tells every process how many devices each has, and says how they solve together; none of a process that is alone with at most one
    /// GPU. The first process of each host asks what joins the GPUs there.
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
