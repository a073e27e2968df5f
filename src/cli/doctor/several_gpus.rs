//! What solves on several GPUs need: NCCL, and links between the GPUs.

use super::findings::{Findings, Need};
use crate::device::links::{links, summary};
use crate::distributed::nccl::{NCCL_VARIABLE, Nccl};

/// Adds NCCL, and for several GPUs with these UUIDs what joins them.
pub fn add(report: &mut Findings, uuids: &[String]) {
    match Nccl::find() {
        Ok(nccl) => report
            .found("NCCL", format!("{}: {} (from {})", nccl.version(), nccl.path().display(), nccl.origin())),
        // Nobody misses it who has no use for it and did not name it.
        Err(_) if uuids.len() < 2 && repro_base::files::variable(NCCL_VARIABLE).is_none() => {
            report.found("NCCL", "not found; only solves on several GPUs need it".to_string());
        }
        Err(error) => report.missing("NCCL", Need::Nccl, &error.message),
    }
    if uuids.len() > 1 {
        let uuids: Vec<&str> = uuids.iter().map(String::as_str).collect();
        let joined = summary(&links(&uuids), "cuda:");
        report
            .found("GPU links", joined.unwrap_or_else(|| "unknown, since NVML does not answer".to_string()));
    }
}
