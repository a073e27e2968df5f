//! What matters most, in sentences computed from claims and records.

use super::page::short;
use crate::claims::{ClaimRow, Evidence, RowKind, Verdict};
use crate::experiment::digits;
use crate::graph::ElementType;
use crate::record::{PublishedPaper, SummaryRow, runs_on_device};

/// Of each machine: how fast its fastest implementation is, what became of the stated ratios, and what became of the claims
/// that the papers stand or fall with.
pub fn findings(machines: &[Evidence], claims: &[ClaimRow], papers: &[PublishedPaper]) -> Vec<String> {
    let several = machines.len() > 1;
    machines
        .iter()
        .flat_map(|evidence| {
            let first = [fastest(evidence), ratios(&evidence.machine, claims)];
            let said = first.into_iter().flatten().chain(headlines(&evidence.machine, claims, papers));
            said.map(|said| match several {
                true => format!("{}: {said}", evidence.machine),
                false => said,
            })
            .collect::<Vec<_>>()
        })
        .collect()
}

/// The highest rate of a GPU implementation, or of any where there is no GPU.
fn fastest(evidence: &Evidence) -> Option<String> {
    let all = evidence
        .runs()
        .iter()
        .flat_map(|run| run.run.results.summary.iter().map(move |row| (run, row)))
        .filter(|(run, row)| run.run.manifest.experiment.element_of(&row.graph) == ElementType::F32);
    let needs_gpu = |row: &SummaryRow| runs_on_device(&row.implementation);
    let of = |on_gpu: bool| {
        let rows = all.clone().filter(|(_, row)| needs_gpu(row) == on_gpu && row.tasks_per_s.is_some());
        rows.max_by(|a, b| a.1.tasks_per_s.unwrap_or(0.0).total_cmp(&b.1.tasks_per_s.unwrap_or(0.0)))
    };
    let (run, row) = of(true).or_else(|| of(false))?;
    let rate = row.tasks_per_s?;
    let (what, ceiling) = match needs_gpu(row) {
        true => ("add + min rate of the GPU", run.ceilings().map(|ceilings| ceilings.add_min_tasks_per_s)),
        false => (
            "add + min rate of all cores",
            run.run.environment().and_then(|environment| environment.ceilings.cpu_tasks_per_s),
        ),
    };
    let share = ceiling.map_or(String::new(), |ceiling| {
        format!(", {:.0}% of the {what} that the same run measured in registers", rate / ceiling * 100.0)
    });
    Some(format!(
        "Fastest of what was measured is {} with {} × 10⁹ tasks/s at n = {}{share}.",
        row.implementation,
        digits(rate * 1e-9),
        row.n
    ))
}

/// How the stated speed-ups came out, and which is furthest off.
fn ratios(machine: &str, claims: &[ClaimRow]) -> Option<String> {
    let compared: Vec<(&ClaimRow, Verdict)> = claims
        .iter()
        .filter(|claim| claim.kind == RowKind::Ratio)
        .filter_map(|claim| {
            let result = claim.results.iter().find(|result| result.machine == machine)?;
            (result.verdict != Verdict::NotComparable).then_some((claim, result.verdict))
        })
        .collect();
    let held = compared.iter().filter(|(_, verdict)| *verdict == Verdict::Reproduced).count();
    // By which factor the measured figure leaves the range, the most of all.
    let off = |claim: &ClaimRow| -> Option<f64> {
        let result = claim.results.iter().find(|result| result.machine == machine)?;
        // A ratio over one core says as much of the host as of the GPU.
        if result.compared_as.contains("cpu-") {
            return None;
        }
        let of_point = |point: &crate::claims::Point| {
            let above = point.published.high.map_or(1.0, |high| point.measured.value / high);
            let below = point.published.low.map_or(1.0, |low| low / point.measured.value);
            above.max(below)
        };
        result.points.iter().map(of_point).filter(|off| off.is_finite()).reduce(f64::max)
    };
    let furthest = compared
        .iter()
        .filter(|(_, verdict)| *verdict == Verdict::Differs)
        .filter_map(|(claim, _)| Some((claim, off(claim)?)))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let most = furthest.and_then(|(claim, _)| {
        let result = claim.results.iter().find(|result| result.machine == machine)?;
        Some(format!(
            " Furthest off: {} ({}), published {}, here {}.",
            claim.statement, claim.place, claim.published, result.measured
        ))
    });
    (!compared.is_empty()).then(|| {
        format!(
            "Of {} stated speed-ups that could be compared, {held} came out as published.{}",
            compared.len(),
            most.unwrap_or_default()
        )
    })
}

/// What became of the claims that the papers stand or fall with, one sentence each.
fn headlines(machine: &str, claims: &[ClaimRow], papers: &[PublishedPaper]) -> Vec<String> {
    claims
        .iter()
        .filter(|claim| claim.headline)
        .filter_map(|claim| {
            let paper = papers.iter().find(|paper| paper.id == claim.paper)?;
            let result = claim.results.iter().find(|result| result.machine == machine)?;
            let published = match claim.published.as_str() {
                "" => String::new(),
                published => format!(", published {published}"),
            };
            (result.verdict != Verdict::NotComparable).then(|| {
                let statement = claim.statement.trim_end_matches('.');
                format!("{}: {statement}{published}. {}: {}.", short(paper), result.verdict, result.measured)
            })
        })
        .collect()
}
