//! How the devices of one run solve together, as records have it: the processes that have them, what joins the GPUs, and what brings panels from one to
//! another.

use repro_device::links::{Link, summary};
use serde::{Deserialize, Serialize};

/// What several devices of a run have between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceLinks {
    /// Processes that solve together. One of them may have several devices, or none.
    pub processes: usize,
    /// What started them, as `torchrun`; none where one process was started alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launcher: Option<String>,
    /// The version of NCCL that the first process finds; none where it finds none, or has no use for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nccl: Option<String>,
    /// What brought panels from device to device in the cells that were run, each once, as `NCCL 2.28.3`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transports: Vec<String>,
    /// What joins the GPUs of each host that has several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostLinks>,
}

/// What joins the GPUs of one host, by pairs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostLinks {
    /// The name of the host; empty where one process has all devices.
    pub host: String,
    /// The UUIDs of its GPUs. Links number them from 0.
    pub gpus: Vec<String>,
    /// The links between pairs of its GPUs. Empty where NVML does not answer.
    pub links: Vec<Link>,
}

impl DeviceLinks {
    /// One process, of which nothing else is known.
    pub fn alone() -> Self {
        Self { processes: 1, ..Self::default() }
    }

    /// Adds a transport, and returns whether it is new.
    pub fn add_transport(&mut self, transport: &str) -> bool {
        let is_new = !self.transports.iter().any(|known| known == transport);
        if is_new {
            self.transports.push(transport.to_string());
        }
        is_new
    }

    /// The facts that are known, as names and values.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let launcher = self.launcher.as_ref().map(|launcher| format!(", started by {launcher}"));
        let several = self.hosts.len() > 1;
        let of_host = |one: &HostLinks| {
            let joined = summary(&one.links, "GPU ")?;
            Some(if several { format!("{}: {joined}", one.host) } else { joined })
        };
        let links: Vec<String> = self.hosts.iter().filter_map(of_host).collect();
        let facts = [
            ("processes", format!("{}{}", self.processes, launcher.unwrap_or_default())),
            ("panels brought by", self.transports.join(", ")),
            ("NCCL", self.nccl.clone().unwrap_or_default()),
            ("GPUs joined by", links.join("; ")),
        ];
        facts.into_iter().filter(|(_, value)| !value.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use repro_device::links::LinkKind;

    #[test]
    fn what_is_known_is_named_and_hosts_where_there_are_several() {
        let mut together = DeviceLinks::alone();
        assert_eq!(together.facts(), [("processes", "1".to_string())]);
        assert!(together.add_transport("NCCL 2.28.3") && !together.add_transport("NCCL 2.28.3"));
        let links = vec![Link { a: 0, b: 1, kind: LinkKind::NvLink { links: 18 } }];
        let gpus = vec!["GPU-0".to_string(), "GPU-1".to_string()];
        together.hosts.push(HostLinks { host: "node0".into(), gpus, links });
        (together.processes, together.launcher) = (4, Some("srun".into()));
        let joined =
            |together: &DeviceLinks| together.facts().into_iter().map(|(_, value)| value).collect::<Vec<_>>();
        assert_eq!(joined(&together), ["4, started by srun", "NCCL 2.28.3", "18 NVLinks between every two"]);
        together.hosts.push(HostLinks { host: "node1".into(), ..together.hosts[0].clone() });
        let links = joined(&together).pop().unwrap();
        assert_eq!(links, "node0: 18 NVLinks between every two; node1: 18 NVLinks between every two");
        let text = serde_json::to_string(&together).unwrap();
        assert_eq!(serde_json::from_str::<DeviceLinks>(&text).unwrap(), together);
    }
}
