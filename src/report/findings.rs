//! What matters most, as values computed from claims and records.

use crate::claims::{ClaimResult, ClaimRow, Comparison, Contender, Evidence, Measurements, RowKind, Verdict};
use crate::graph::ElementType;
use crate::results::SummaryRow;
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
        /// How many could be compared.
        compared: usize,
        held: usize,
        in_part: usize,
        /// Of those between GPU implementations, the claim that is furthest off: its paper and id.
        furthest: Option<(String, String)>,
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
        .iter()
        .flat_map(|run| run.run.results.summary.iter().map(move |row| (run, row)))
        .filter(|(run, row)| run.run.manifest.experiment.element_of(&row.graph) == ElementType::F32);
    let needs_gpu = |run: &Measurements, row: &SummaryRow| run.run.is_on_device(&row.implementation);
    let of = |on_gpu: bool| {
        let rows =
            all.clone().filter(|(run, row)| needs_gpu(run, row) == on_gpu && row.tasks_per_s.is_some());
        rows.max_by(|a, b| a.1.tasks_per_s.unwrap_or(0.0).total_cmp(&b.1.tasks_per_s.unwrap_or(0.0)))
    };
    let (run, row) = of(true).or_else(|| of(false))?;
    let tasks_per_s = row.tasks_per_s?;
    let on_gpu = needs_gpu(run, row);
    let ceiling = match on_gpu {
        true => run
            .ceilings()
            .zip(run.run.device())
            .and_then(|(ceilings, device)| ceilings.tasks_per_s(ElementType::F32, &device.info, None)),
        false => run.run.environment().and_then(|environment| environment.ceilings.cpu_tasks_per_s),
    };
    let devices = run.run.results.facts.devices_sharing((&row.implementation, &row.params));
    Some(Fastest {
        implementation: Contender::with(&row.implementation, &row.params),
        n: row.n,
        tasks_per_s,
        devices,
        on_gpu,
        share_of_ceiling: ceiling.map(|ceiling| tasks_per_s / devices as f64 / ceiling),
    })
}

/// What became of a row on a machine, where something was compared.
fn decided<'a>(machine: &str, claim: &'a ClaimRow) -> Option<&'a ClaimResult> {
    claim.results.iter().find(|result| result.machine == machine).filter(|result| result.verdict.is_decided())
}

fn ratios(evidence: &Evidence, claims: &[ClaimRow]) -> Option<What> {
    let ratios = claims.iter().filter(|claim| claim.kind == RowKind::Ratio);
    let compared: Vec<(&ClaimRow, &ClaimResult)> =
        ratios.filter_map(|claim| Some((claim, decided(&evidence.machine, claim)?))).collect();
    let with = |verdict| compared.iter().filter(|(_, result)| result.verdict == verdict).count();
    // A ratio over one core says as much of the host as of the GPU.
    let between_kernels = compared.iter().filter(|(_, result)| !is_over_cpu(evidence, result));
    let off = between_kernels.filter(|(_, result)| result.verdict == Verdict::Differs);
    let off = off.filter_map(|(claim, result)| Some((*claim, result.effect?.log_ratio.abs())));
    let furthest = off.max_by(|a, b| a.1.total_cmp(&b.1));
    (!compared.is_empty()).then(|| What::Ratios {
        compared: compared.len(),
        held: with(Verdict::Reproduced),
        in_part: with(Verdict::InPart),
        furthest: furthest.map(|(claim, _)| (claim.paper.clone(), claim.id.clone())),
    })
}

/// Where times on all cores say more of who else used them than of the program.
fn hosts(evidence: &Evidence) -> Vec<What> {
    let of_run = |run: &Measurements| {
        let slower = run.run.host_findings().into_iter().filter_map(|finding| match finding {
            HostFinding::AllCoresSlower { cell, all_cores_s, one_core_s } => {
                Some(What::AllCoresSlower { run: run.name(), n: cell.n, all_cores_s, one_core_s })
            }
            _ => None,
        });
        slower.collect::<Vec<_>>()
    };
    evidence.runs().iter().flat_map(of_run).collect()
}

fn is_over_cpu(evidence: &Evidence, result: &ClaimResult) -> bool {
    match &result.comparison {
        Some(
            Comparison::Seconds { slower, .. }
            | Comparison::MeanSeconds { slower, .. }
            | Comparison::SecondsUnder { slower, .. },
        ) => !evidence.is_on_device(&slower.implementation),
        _ => false,
    }
}
