//! What matters most, as values computed from claims and records.

use crate::graph::ElementType;
use crate::judge::{ClaimResult, ClaimRow, Evidence, Verdict};
use crate::published::{ClaimKind, Contender};
use crate::results::{StoredRun, SummaryRow};
use crate::show::subjects::seconds::allowed;
use crate::store::HostFinding;

/// Something that stands out on one machine.
pub struct Finding {
    /// The machine's label.
    pub machine: String,
    pub what: What,
}

pub enum What {
    /// The highest rate of a GPU implementation, or of any where there is no GPU.
    Fastest(Fastest),
    /// How the stated speed-ups came out.
    Ratios {
        /// How many there are.
        stated: usize,
        /// How many came out with each verdict, in the order of verdicts, without those that none has.
        by_verdict: Vec<(Verdict, usize)>,
        /// How many of those reproduced hold a bound on one side.
        one_sided: usize,
    },
    /// In a run, all cores of the host took longer than one.
    AllCoresSlower { run: String, n: usize, all_cores_s: f64, one_core_s: f64 },
}

pub struct Fastest {
    pub implementation: Contender,
    pub n: usize,
    pub tasks_per_s: f64,
    /// That together have this rate.
    pub devices: usize,
    pub on_gpu: bool,
    /// Of a GPU, or each of several: of the highest rate that its instructions allow, measured in registers or by its issue slots. Of a CPU: of the
    /// add + min rate of all cores. Both of the same run.
    pub share_of_ceiling: Option<f64>,
    /// Whether the ceiling, of a CPU, may be too low: others used the host in that run, or it was passed.
    pub is_ceiling_low: bool,
}

/// Of each machine: how fast its fastest implementation is, what became of the stated ratios, and where its host was too busy.
pub fn findings(machines: &[Evidence], claims: &[ClaimRow]) -> Vec<Finding> {
    let of_machine = |evidence: &Evidence| {
        let machine = evidence.machine.clone();
        let first = [fastest(evidence).map(What::Fastest), ratios(evidence, claims)];
        let all = first.into_iter().flatten().chain(hosts(evidence));
        all.map(|what| Finding { machine: machine.clone(), what }).collect::<Vec<_>>()
    };
    machines.iter().flat_map(of_machine).collect()
}

fn fastest(evidence: &Evidence) -> Option<Fastest> {
    let all = evidence
        .runs()
        .flat_map(|run| run.results.summary.iter().map(move |row| (run, row)))
        .filter(|(run, row)| run.manifest.experiment.element_of(&row.graph) == ElementType::F32);
    let all: Vec<(&StoredRun, &SummaryRow)> = all.collect();
    let needs_gpu = |run: &StoredRun, row: &SummaryRow| run.is_on_device(&row.implementation);
    let of = |on_gpu: bool| {
        let rows = all.iter().filter(|(run, row)| needs_gpu(run, row) == on_gpu && row.tasks_per_s.is_some());
        rows.max_by(|a, b| a.1.tasks_per_s.unwrap_or(0.0).total_cmp(&b.1.tasks_per_s.unwrap_or(0.0)))
    };
    let (run, row) = of(true).or_else(|| of(false))?;
    let tasks_per_s = row.tasks_per_s?;
    let on_gpu = needs_gpu(run, row);
    let ceiling = match on_gpu {
        true => allowed(run, ElementType::F32),
        false => run.environment().and_then(|environment| environment.ceilings.cpu_tasks_per_s),
    };
    let devices = run.results.facts.devices_sharing((&row.implementation, &row.params));
    Some(Fastest {
        implementation: Contender::with(&row.implementation, row.params.parse().unwrap_or_default()),
        n: row.n,
        tasks_per_s,
        devices,
        on_gpu,
        share_of_ceiling: ceiling.map(|ceiling| tasks_per_s / devices as f64 / ceiling),
        is_ceiling_low: !on_gpu && (ceiling < Some(tasks_per_s) || !run.host_findings().is_empty()),
    })
}

fn ratios(evidence: &Evidence, claims: &[ClaimRow]) -> Option<What> {
    let ratios = claims.iter().filter(|claim| claim.kind == ClaimKind::Ratio);
    let result = |claim: &ClaimRow| claim.results.iter().find(|one| one.machine == evidence.machine).cloned();
    let all: Vec<(&ClaimRow, ClaimResult)> =
        ratios.filter_map(|claim| Some((claim, result(claim)?))).collect();
    let with = |verdict: Verdict| (verdict, all.iter().filter(|(_, one)| one.verdict == verdict).count());
    all.iter().any(|(_, result)| result.verdict.is_decided()).then(|| What::Ratios {
        stated: all.len(),
        one_sided: all.iter().filter(|(_, one)| one.is_one_sided()).count(),
        by_verdict: Verdict::ALL.map(with).into_iter().filter(|(_, count)| *count > 0).collect(),
    })
}

/// Where times on all cores say more of who else used them than of the program.
fn hosts(evidence: &Evidence) -> Vec<What> {
    let of_run = |run: &StoredRun| {
        let slower = run.host_findings().into_iter().filter_map(|finding| match finding {
            HostFinding::AllCoresSlower { cell, all_cores_s, one_core_s } => {
                Some(What::AllCoresSlower { run: run.name(), n: cell.n, all_cores_s, one_core_s })
            }
            _ => None,
        });
        slower.collect::<Vec<_>>()
    };
    evidence.runs().flat_map(of_run).collect()
}
