//! What solves on several GPUs need: NCCL, and links between the GPUs.

use super::findings::{Findings, Need};
use crate::device::cuda::nccl::{NCCL_VARIABLE, Nccl};
use crate::device::links::{Link, links};

/// Adds NCCL, and for several GPUs with these UUIDs what joins them.
pub fn add(report: &mut Findings, uuids: &[String]) {
    match Nccl::find() {
        Ok(nccl) => report
            .found("NCCL", format!("{}: {} (from {})", nccl.version(), nccl.path().display(), nccl.origin())),
        // Nobody misses it who has no use for it and did not name it.
        Err(_) if uuids.len() < 2 && std::env::var_os(NCCL_VARIABLE).is_none() => {
            report.found("NCCL", "not found; only solves on several GPUs need it".to_string());
        }
        Err(error) => report.missing("NCCL", Need::Nccl, &error.message),
    }
    if uuids.len() > 1 {
        let uuids: Vec<&str> = uuids.iter().map(String::as_str).collect();
        report.found("GPU links", joined(&links(&uuids)));
    }
}

/// One phrase where all pairs are joined alike, otherwise one for each pair.
fn joined(links: &[Link]) -> String {
    match links {
        [] => "unknown, since NVML does not answer".to_string(),
        [first, rest @ ..] if rest.iter().all(|link| link.kind == first.kind) => {
            format!("{} between every two", first.kind)
        }
        _ => {
            let pair = |link: &Link| format!("cuda:{} and cuda:{}: {}", link.a, link.b, link.kind);
            links.iter().map(pair).collect::<Vec<_>>().join("; ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::links::LinkKind;

    #[test]
    fn pairs_are_named_where_they_are_not_joined_alike() {
        let link = |a, b, links| Link { a, b, kind: LinkKind::NvLink { links } };
        assert_eq!(joined(&[]), "unknown, since NVML does not answer");
        assert_eq!(joined(&[link(0, 1, 18), link(0, 2, 18), link(1, 2, 18)]), "18 NVLinks between every two");
        let unlike = [link(0, 1, 4), Link { a: 0, b: 2, kind: LinkKind::Unknown }];
        assert_eq!(joined(&unlike), "cuda:0 and cuda:1: 4 NVLinks; cuda:0 and cuda:2: unknown");
    }

    #[test]
    fn what_several_gpus_lack_is_named_with_what_it_is_for() {
        let mut report = Findings::default();
        report.missing("NCCL", Need::Nccl, "no NCCL (libnccl.so.2) found: install it");
        let text = report.text(super::super::Ready::Cpu, &[], &[]);
        assert!(
            text.ends_with(
                "  1. to solve on several GPUs together: no NCCL (libnccl.so.2) found: install it\n"
            )
        );
    }
}
