//! The claims of the papers whose needs a run meets, as it says them when it ends, and those of which it has a part.

use crate::judge::{ClaimResult, ClaimRow, NoVerdictReason, evaluate};
use crate::lists::grouped;
use crate::published::{EvidenceKind, is_beside, published_papers};
use crate::report;
use crate::results::StoredRun;
use repro_base::terminal::{Error, terminal_width, wrapped};
use unicode_width::UnicodeWidthStr;

/// What a run alone says of the claims, each with its result on the machine of the run.
pub struct ClaimSummary {
    /// Those that it decides.
    pub claims: Vec<ClaimRow>,
    /// Those of which it has some of the cells that they need.
    pub in_part: Vec<ClaimRow>,
    /// How many of the first that it decides are of the project's own papers.
    own: usize,
    /// How many claims those papers have, and papers beside them: no total mixes the two.
    of: [usize; 2],
    /// The run's, as a shell takes it.
    folder: String,
}

impl ClaimSummary {
    /// # Errors
    /// When the papers' files cannot be read.
    pub fn by(run: &StoredRun) -> Result<Self, Error> {
        let papers = published_papers()?;
        let machine = run.environment().map_or("unknown", |environment| environment.model());
        let all = evaluate(&papers, &[(machine, &[run])], &[]);
        let beside = |claim: &ClaimRow| is_beside(&papers, &claim.paper);
        let of = |beside_them| {
            all.iter().filter(|claim| claim.evidence.is_some() && beside(claim) == beside_them).count()
        };
        let of = [of(false), of(true)];
        let is_decided = |claim: &ClaimRow| claim.results.iter().any(|result| result.verdict.is_decided());
        // Papers that stand beside come last.
        let (claims, others): (Vec<ClaimRow>, Vec<ClaimRow>) = all.into_iter().partition(is_decided);
        let own = claims.iter().filter(|claim| !beside(claim)).count();
        let has_part = |claim: &ClaimRow| claim.results.iter().any(|one| has_part(one.lack.as_ref()));
        let in_part = others.into_iter().filter(has_part).collect();
        let folder = repro_base::text::quoted(&run.folder.display().to_string());
        Ok(Self { claims, in_part, own, of, folder })
    }

    /// A line a claim under what its verdict rests on, and one line for those of which the run has a part; empty where it has
    /// nothing of any.
    pub fn text(&self) -> String {
        let mut text = self.tally().map_or(String::new(), |tally| format!("\n{tally}\n"));
        for kind in EvidenceKind::ALL {
            let of_kind = self.claims.iter().filter(|claim| claim.evidence == Some(kind));
            let line = |(claim, result)| {
                let (words, figures) = (report::statement(claim), report::figures(claim, result));
                format!("{}{words}: {figures}", beginning(claim, result))
            };
            let lines: Vec<String> = of_kind.flat_map(decided_results).map(line).collect();
            if !lines.is_empty() {
                text += &format!("{}\n{}\n", heading(kind), lines.join("\n"));
            }
        }
        text + &*self.parts()
    }

    /// How many claims have which verdict, and apart from them how many of papers beside have one. None where it decides none.
    pub fn tally(&self) -> Option<String> {
        let (own, beside) = self.claims.split_at(self.own);
        let verdicts = own.iter().flat_map(|claim| &claim.results).map(|result| result.verdict);
        let counted = grouped(verdicts.filter(|verdict| verdict.is_decided()).map(|verdict| (verdict, ())));
        let tally = counted.iter().map(|(verdict, of_it)| format!("{} {verdict}", of_it.len()));
        let tally: Vec<String> = tally.collect();
        let mut tallied = format!("{} of {} claims", own.len(), self.of[0]);
        if !own.is_empty() {
            tallied += &format!(": {}", tally.join(", "));
        }
        if !beside.is_empty() {
            tallied += &format!("; apart from them {} of {}", beside.len(), self.of[1]);
        }
        (!self.claims.is_empty()).then(|| format!("This run decides {tallied}."))
    }

    /// [`Self::tally`] and the claims, those that papers stand or fall with first, in at most `most` lines of this width.
    pub fn short(&self, most: usize, width: u16) -> Vec<String> {
        let mut lines: Vec<String> = self.tally().iter().flat_map(|tally| lines_of(tally, width)).collect();
        let (headlines, others): (Vec<_>, Vec<_>) = self.claims.iter().partition(|claim| claim.headline);
        let results = headlines.into_iter().chain(others).flat_map(decided_results);
        let results = results.map(|(claim, result)| in_few_lines(claim, result, width)).collect();
        lines.extend(at_most(results, most.saturating_sub(lines.len()), |more| format!("  and {more} more")));
        lines
    }

    /// What it has of other claims: `kappa-traffic (3 of 19)`.
    fn parts(&self) -> String {
        let part = |claim: &ClaimRow| {
            let lack = claim.results.iter().find_map(|result| result.lack.as_ref());
            match lack {
                Some(NoVerdictReason::Needs { met, of, .. }) => format!("{} ({met} of {of})", claim.id),
                _ => claim.id.clone(),
            }
        };
        let Some(first) = self.in_part.first() else { return String::new() };
        let all: Vec<String> = self.in_part.iter().map(part).collect();
        let line = format!(
            "It has a part of what these need: {}. `repro claims {} --runs {}` says what the first lacks.",
            all.join(", "),
            first.id,
            self.folder
        );
        format!("\n{}\n", wrapped(&line, terminal_width(), "  "))
    }
}

/// As wide as a share of a few comparisons beside a verdict.
const VERDICT: usize = 12;
/// Before the further lines of a claim.
const INDENT: usize = 15;

fn decided_results(claim: &ClaimRow) -> impl Iterator<Item = (&ClaimRow, &ClaimResult)> {
    claim.results.iter().filter(|result| result.verdict.is_decided()).map(move |result| (claim, result))
}

/// `  DIFFERS      staged-over-kk: `
fn beginning(claim: &ClaimRow, result: &ClaimResult) -> String {
    format!("  {:<VERDICT$} {}: ", report::verdict(result), claim.id)
}

/// The verdict, the claim in words and both figures; in fewer words where there are some and all of them take more than a line.
fn in_few_lines(claim: &ClaimRow, result: &ClaimResult, width: u16) -> Vec<String> {
    let line =
        |words: &str| format!("{}{words}: {}", beginning(claim, result), report::figures(claim, result));
    let whole = line(&report::statement(claim));
    let short = claim.short.as_ref().filter(|_| whole.width() > width.into());
    let line = short.map_or(whole, |words| line(words));
    wrapped(&line, width, &" ".repeat(INDENT)).lines().map(String::from).collect()
}

/// As many of the entries as `most` lines hold, the last of which says that there are so many more.
pub fn at_most(entries: Vec<Vec<String>>, most: usize, more: impl Fn(usize) -> String) -> Vec<String> {
    let (of, mut lines) = (entries.len(), Vec::new());
    for (at, entry) in entries.into_iter().enumerate() {
        if lines.len() + entry.len() + usize::from(at + 1 < of) > most {
            lines.push(more(of - at));
            break;
        }
        lines.extend(entry);
    }
    lines
}

/// A line in as many as the width takes.
pub fn lines_of(line: &str, width: u16) -> Vec<String> {
    wrapped(line, width, "  ").lines().map(String::from).collect()
}

fn has_part(lack: Option<&NoVerdictReason>) -> bool {
    matches!(lack, Some(NoVerdictReason::Needs { met: 1.., .. }))
}

/// What verdicts of a kind rest on.
fn heading(kind: EvidenceKind) -> &'static str {
    match kind {
        EvidenceKind::Construction => {
            "By construction: the same on any machine, since the code follows the paper's description."
        }
        EvidenceKind::Inspection => "By inspection: whether results are right, and what the compiler made.",
        EvidenceKind::Order => "Order: which is faster, where they cross, what grows.",
        EvidenceKind::Magnitude => "Magnitude: by how much.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Verdict;
    use std::collections::BTreeSet;
    use std::path::Path;

    fn summary(run: &str) -> ClaimSummary {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference").join(run);
        ClaimSummary::by(&StoredRun::open(&folder).unwrap()).unwrap()
    }

    #[test]
    fn a_run_decides_what_its_cells_meet_and_says_what_it_has_a_part_of() {
        let summary = summary("h200/table1");
        let claim = summary.claims.iter().find(|claim| claim.id == "staged-over-kk").unwrap();
        assert_eq!(claim.results[0].verdict, Verdict::Differs);
        let text = summary.text();
        let line = "\n  DIFFERS      staged-over-kk: Staged Load is 5 to 5.2 times as fast as Katz & Kider: published 5 to 5.2 times, here 3.6";
        assert!(text.contains(line), "{text}");
        assert!(!text.contains("NOT MEASURED"), "{text}");
        // κ is of another experiment.
        assert!(summary.claims.iter().all(|claim| claim.paper != "likhoded-sipeyko-2019"), "{text}");
        // It has one block of threads of the three.
        assert!(text.contains("kk-over-hn (4 of 12)"), "{text}");
    }

    #[test]
    fn in_few_lines_headlines_come_first_and_no_word_is_broken() {
        let summary = summary("h200/table1");
        let first = |claim: &&ClaimRow| claim.headline;
        let headlines = summary.claims.iter().filter(first).count();
        assert!(headlines > 0 && headlines < summary.claims.len());
        let shorts = summary.claims.iter().filter_map(|claim| claim.short.clone());
        let whole = shorts.chain([summary.text()]).collect::<Vec<_>>().join(" ");
        let bare = |word: &str| word.trim_end_matches(['…', ':', ';', ',']).to_string();
        let known: BTreeSet<String> = whole.split_whitespace().map(bare).collect();
        for width in [80, 100, 1000] {
            let lines = summary.short(1000, width);
            assert!(lines[0].starts_with("This run decides "), "{lines:?}");
            assert!(lines.iter().all(|line| line.width() <= width.into()), "{lines:?}");
            let at = lines.iter().position(|line| line.contains("staged-over-kk")).unwrap();
            assert!(at <= 2 * headlines && lines[at..].concat().contains("here 3.6"), "{lines:?}");
            let broken = lines
                .iter()
                .flat_map(|line| line.split_whitespace())
                .find(|word| !known.contains(&bare(word)));
            assert_eq!(broken, None, "{lines:?}");
        }
        let all = summary.short(1000, 1000);
        assert_eq!(all.len(), 1 + summary.claims.len());
        let short = summary.short(6, 1000);
        assert_eq!(short[..5], all[..5]);
        assert_eq!(short[5..], [format!("  and {} more", summary.claims.len() - 4)]);
    }
}
