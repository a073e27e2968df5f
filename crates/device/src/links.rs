//! How the GPUs of a host are joined to each other, through NVML.

use crate::telemetry::start;
use nvml_wrapper::Nvml;
use nvml_wrapper::enum_wrappers::device::{P2pCapabilitiesIndex, P2pStatus, TopologyLevel};
use serde::{Deserialize, Serialize};
use std::fmt;

/// More NVLinks than a GPU has: those of Blackwell have 18. Asking for a link that is not there costs a microsecond.
const MOST_LINKS: u32 = 36;

/// What joins two GPUs of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The index of one in the list.
    pub a: usize,
    /// The index of the other, the greater one.
    pub b: usize,
    #[serde(flatten)]
    pub kind: LinkKind,
}

/// The fastest way between two GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum LinkKind {
    /// So many active NVLinks, from one to the other or from each to the switches between them.
    #[serde(rename = "nvlink")]
    NvLink { links: u32 },
    /// PCI Express alone; the level is the nearest that the two have in common.
    Pcie { level: PcieLevel },
    /// Not known to NVML.
    Unknown,
}

/// What two GPUs without NVLink have in common, the nearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PcieLevel {
    Board,
    Switch,
    Switches,
    HostBridge,
    NumaNode,
    System,
}

impl fmt::Display for LinkKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let level = match self {
            Self::NvLink { links: 1 } => return f.write_str("1 NVLink"),
            Self::NvLink { links } => return write!(f, "{links} NVLinks"),
            Self::Unknown => return f.write_str("unknown"),
            Self::Pcie { level } => match level {
                PcieLevel::Board => "same board",
                PcieLevel::Switch => "same switch",
                PcieLevel::Switches => "several switches",
                PcieLevel::HostBridge => "same host bridge",
                PcieLevel::NumaNode => "same NUMA node",
                PcieLevel::System => "different NUMA nodes",
            },
        };
        write!(f, "PCIe, {level}")
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} to {}: {}", self.a, self.b, self.kind)
    }
}

/// What joins the GPUs of a list: one phrase where all pairs are joined alike, otherwise one for each pair. A GPU is called by its number
/// after `name`. None where nothing is known.
pub fn summary(links: &[Link], name: &str) -> Option<String> {
    let [first, rest @ ..] = links else { return None };
    if rest.iter().all(|link| link.kind == first.kind) {
        return Some(format!("{} between every two", first.kind));
    }
    let pair = |link: &Link| format!("{name}{} and {name}{}: {}", link.a, link.b, link.kind);
    Some(links.iter().map(pair).collect::<Vec<_>>().join("; "))
}

/// What joins each pair of the GPUs with these UUIDs, all of this host. Empty where there is no NVML; a pair that NVML cannot tell of is
/// [`LinkKind::Unknown`].
pub fn links(uuids: &[&str]) -> Vec<Link> {
    let Ok(nvml) = start() else { return Vec::new() };
    let gpus: Vec<Option<Gpu>> = uuids.iter().map(|uuid| Gpu::ask(&nvml, uuid)).collect();
    let pairs = (0..uuids.len()).flat_map(|a| (a + 1..uuids.len()).map(move |b| (a, b)));
    pairs
        .map(|(a, b)| {
            let seen = gpus[a].as_ref().zip(gpus[b].as_ref()).map(|(a, b)| a.seen_with(b));
            Link { a, b, kind: seen.map_or(LinkKind::Unknown, NvmlLink::kind) }
        })
        .collect()
}

/// A GPU and where its active NVLinks lead.
struct Gpu<'nvml> {
    nvml: &'nvml Nvml,
    uuid: &'nvml str,
    device: nvml_wrapper::Device<'nvml>,
    address: Option<String>,
    /// The PCI address at the other end of each active link, where it is known.
    remotes: Vec<Option<String>>,
}

impl<'nvml> Gpu<'nvml> {
    fn ask(nvml: &'nvml Nvml, uuid: &'nvml str) -> Option<Self> {
        let device = nvml.device_by_uuid(uuid).ok()?;
        let remotes = (0..MOST_LINKS)
            .map(|link| device.link_wrapper_for(link))
            .filter(|link| link.is_active().unwrap_or(false))
            .map(|link| link.remote_pci_info().ok().map(|info| info.bus_id))
            .collect();
        let address = device.pci_info().ok().map(|info| info.bus_id);
        Some(Self { nvml, uuid, device, address, remotes })
    }

    fn seen_with(&self, other: &Self) -> NvmlLink {
        NvmlLink {
            direct: self
                .remotes
                .iter()
                .filter(|remote| remote.is_some() && **remote == other.address)
                .count(),
            active: self.remotes.len().min(other.remotes.len()),
            reach_by_nvlink: matches!(
                self.device.p2p_status(&other.device, P2pCapabilitiesIndex::NvLink),
                Ok(P2pStatus::Ok)
            ),
            level: self.level_with(other),
        }
    }

    fn level_with(&self, other: &Self) -> Option<TopologyLevel> {
        // The call takes the other device by value, which cannot be cloned: it is looked up again.
        self.device.topology_common_ancestor(other.nvml.device_by_uuid(other.uuid).ok()?).ok()
    }
}

/// What NVML knows about two GPUs.
#[derive(Clone, Copy)]
struct NvmlLink {
    /// NVLinks of one that end at the other.
    direct: usize,
    /// NVLinks that each of them has, wherever they end.
    active: usize,
    /// Whether they reach each other by NVLink, directly or over switches.
    reach_by_nvlink: bool,
    level: Option<TopologyLevel>,
}

impl NvmlLink {
    fn kind(self) -> LinkKind {
        let nvlinks = if self.direct > 0 { self.direct } else { self.active };
        // Links to a switch end at no GPU, and a virtual machine does not see the switches.
        if self.direct > 0 || (self.reach_by_nvlink && nvlinks > 0) {
            return LinkKind::NvLink { links: nvlinks as u32 };
        }
        let level = match self.level {
            Some(TopologyLevel::Internal) => PcieLevel::Board,
            Some(TopologyLevel::Single) => PcieLevel::Switch,
            Some(TopologyLevel::Multiple) => PcieLevel::Switches,
            Some(TopologyLevel::HostBridge) => PcieLevel::HostBridge,
            Some(TopologyLevel::Node) => PcieLevel::NumaNode,
            Some(TopologyLevel::System) => PcieLevel::System,
            None => return LinkKind::Unknown,
        };
        LinkKind::Pcie { level }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NVLinks that lead to the other GPU, that are active, whether they reach each other over NVLinks, and the level of PCIe.
    #[test]
    fn nvlinks_count_where_they_lead_to_the_other_gpu_or_over_switches_and_else_the_way_over_pcie_does() {
        use TopologyLevel::{HostBridge, Internal, Multiple, Node, Single, System};
        for (direct, active, reach_by_nvlink, level, kind) in [
            (0, 18, true, System, "18 NVLinks"),
            (4, 12, true, System, "4 NVLinks"),
            // Of drivers that do not answer whether they reach each other.
            (1, 4, false, System, "1 NVLink"),
            // They lead elsewhere.
            (0, 4, false, System, "PCIe, different NUMA nodes"),
            (0, 0, true, System, "PCIe, different NUMA nodes"),
            (0, 0, false, Internal, "PCIe, same board"),
            (0, 0, false, Single, "PCIe, same switch"),
            (0, 0, false, Multiple, "PCIe, several switches"),
            (0, 0, false, HostBridge, "PCIe, same host bridge"),
            (0, 0, false, Node, "PCIe, same NUMA node"),
        ] {
            assert_eq!(
                NvmlLink { direct, active, reach_by_nvlink, level: Some(level) }.kind().to_string(),
                kind
            );
        }
        let nothing = NvmlLink { direct: 0, active: 0, reach_by_nvlink: false, level: None };
        assert_eq!(nothing.kind(), LinkKind::Unknown);
        assert_eq!(links(&["GPU-none"]), []);
    }

    #[test]
    fn pairs_are_named_where_they_are_not_joined_alike() {
        let link = |a, b, links| Link { a, b, kind: LinkKind::NvLink { links } };
        assert_eq!(summary(&[], "cuda:"), None);
        let alike = summary(&[link(0, 1, 18), link(0, 2, 18), link(1, 2, 18)], "cuda:");
        assert_eq!(alike.as_deref(), Some("18 NVLinks between every two"));
        let unlike = summary(&[link(0, 1, 4), Link { a: 0, b: 2, kind: LinkKind::Unknown }], "cuda:");
        assert_eq!(unlike.as_deref(), Some("cuda:0 and cuda:1: 4 NVLinks; cuda:0 and cuda:2: unknown"));
    }
}
