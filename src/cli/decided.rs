//! The claims of the papers that a run decides, as it says them when it ends.

use super::Error;
use super::width::{terminal_width, wrapped};
use crate::claims::{ClaimRow, Evidence, evaluate};
use crate::published::{EvidenceKind, PublishedPaper, published_papers};
use crate::report;
use crate::results::StoredRun;

/// The claims of which this run decides something, each with its result on the machine of the run.
pub struct Decided {
    papers: Vec<PublishedPaper>,
    pub claims: Vec<ClaimRow>,
    /// Of how many.
    of: usize,
}

impl Decided {
    /// # Errors
    /// When the papers' files cannot be read.
    pub fn by(run: &StoredRun) -> Result<Self, Error> {
        let papers = published_papers()?;
        let is_timed = run.results.summary.iter().any(|row| row.median_s.is_some());
        let timed: &[&StoredRun] = if is_timed { &[run] } else { &[] };
        let counted: &[&StoredRun] = if run.results.counts.is_empty() { &[] } else { &[run] };
        let machine = run.environment().map_or("unknown", |environment| environment.model());
        let mut claims = evaluate(&papers, &[Evidence::new(machine, timed, counted)]);
        let of = claims.iter().filter(|claim| claim.evidence.is_some()).count();
        let is_decided = |claim: &ClaimRow| claim.results.iter().any(|result| result.verdict.is_decided());
        // What follows from arithmetic alone is true before any run.
        let without_runs = evaluate(&papers, &[Evidence::new(machine, &[], &[])]);
        let known = |claim: &ClaimRow| {
            without_runs
                .iter()
                .any(|one| (&one.paper, &one.id) == (&claim.paper, &claim.id) && is_decided(one))
        };
        claims.retain(|claim| is_decided(claim) && !known(claim));
        Ok(Self { papers, claims, of })
    }

    /// A line a claim under what its verdict rests on; empty where nothing is decided.
    pub fn text(&self) -> String {
        if self.claims.is_empty() {
            return String::new();
        }
        let mut text =
            format!("\nThis run decides {} of {} claims of the papers.\n", self.claims.len(), self.of);
        for kind in EvidenceKind::ALL {
            let lines: Vec<String> = self
                .claims
                .iter()
                .filter(|claim| claim.evidence == Some(kind))
                .flat_map(|claim| self.lines(claim))
                .collect();
            if !lines.is_empty() {
                text += &format!("{}\n{}", heading(kind), lines.concat());
            }
        }
        text
    }

    fn lines(&self, claim: &ClaimRow) -> Vec<String> {
        /// As wide as the longest verdict.
        const VERDICT: usize = 12;
        let paper = self.papers.iter().find(|paper| paper.id == claim.paper);
        let paper = paper.map_or(claim.paper.clone(), report::short);
        let published = match report::published(claim) {
            none if none.is_empty() => none,
            published => format!("published {published}, "),
        };
        let line = |result| {
            let here = report::measured(result);
            let line = format!(
                "  {:<VERDICT$} {} ({paper}, {}): {published}here {here}",
                result.verdict.to_string(),
                report::statement(claim),
                claim.place
            );
            let indent = " ".repeat(VERDICT + 3);
            let line = terminal_width().map_or_else(|| line.clone(), |width| wrapped(&line, width, &indent));
            format!("{line}\n")
        };
        claim.results.iter().filter(|result| result.verdict.is_decided()).map(line).collect()
    }
}

/// What verdicts of a kind rest on.
fn heading(kind: EvidenceKind) -> &'static str {
    match kind {
        EvidenceKind::Construction => {
            "By construction: the same on any machine, since the code follows the paper's description."
        }
        EvidenceKind::Order => "Order: which is faster, where they cross, what grows.",
        EvidenceKind::Magnitude => "Magnitude: by how much.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Verdict;
    use std::path::Path;

    fn decided(run: &str) -> Decided {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference").join(run);
        Decided::by(&StoredRun::open(&folder).unwrap()).unwrap()
    }

    #[test]
    fn a_run_on_a_gpu_decides_what_its_cells_bear_on_and_a_line_has_both_figures() {
        let decided = decided("h200/table1");
        let of = |id: &str| decided.claims.iter().find(|claim| claim.id == id);
        let claim = of("opt-over-kk").unwrap();
        assert_eq!(claim.results[0].verdict, Verdict::Differs);
        let text = decided.text().split_whitespace().collect::<Vec<_>>().join(" ");
        let line = "DIFFERS optimized-blocked over katz-kider (Lund & Smith 2010, ";
        assert!(text.contains(line) && text.contains("published 2.1 to 2.3 times, here 3.1"), "{text}");
        assert!(!text.contains("NOT MEASURED"), "{text}");
        // κ is of another experiment.
        assert!(decided.claims.iter().all(|claim| claim.paper != "likhoded-sipeyko-2019"), "{text}");
    }

    #[test]
    fn a_run_that_was_only_counted_decides_by_construction_alone() {
        let decided = decided("emulated/structure");
        assert!(decided.claims.iter().any(|claim| claim.id == "smem-kk"));
        assert!(decided.claims.iter().all(|claim| claim.evidence == Some(EvidenceKind::Construction)));
        assert!(!decided.text().contains("Magnitude"));
    }
}
