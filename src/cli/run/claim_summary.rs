//! What a run prints about claims when it ends: those that it decides, and those of whose needs it meets a part.

use crate::judge::{ClaimResult, ClaimRow, NoVerdictReason, evaluate};
use crate::lists::grouped;
use crate::published::{EvidenceKind, is_beside, published_papers};
use crate::report;
use crate::results::StoredRun;
use repro_base::terminal::{Error, fitted};
use unicode_width::UnicodeWidthStr;

/// What a run alone says of the claims, each with its result on the machine of the run.
pub struct ClaimSummary {
    /// Those that it decides, those of other papers than the four last.
    pub claims: Vec<ClaimRow>,
    /// Those of which it has some of the cells that they need.
    pub in_part: Vec<ClaimRow>,
    /// The number of claims by verdict, in words. `None` where no claim is decided.
    pub tally: Option<String>,
}

impl ClaimSummary {
    /// # Errors
    /// When the papers' files cannot be read.
    pub fn of(run: &StoredRun) -> Result<Self, Error> {
        let papers = published_papers()?;
        let machine = run.environment().map_or("unknown", |environment| environment.model());
        let all = evaluate(papers, &[(machine, &[run])], &[]).into_iter();
        let all = all.filter(|claim| claim.evidence.is_some());
        let (beside, own): (Vec<_>, Vec<_>) = all.partition(|claim| is_beside(papers, &claim.paper));
        let tally = tally(&own, &beside);
        let (claims, others): (Vec<_>, Vec<_>) = own.into_iter().chain(beside).partition(is_decided);
        let in_part = others.into_iter().filter(|claim| part(claim).is_some()).collect();
        Ok(Self { claims, in_part, tally })
    }

    /// One line a claim, grouped by what its verdict rests on, and one line for the claims in part. `folder` is the run's path as a shell
    /// takes it. Empty where there are neither.
    pub fn text(&self, folder: &str) -> String {
        let mut text = self.tally.as_ref().map_or(String::new(), |tally| format!("\n{tally}\n"));
        for kind in EvidenceKind::ALL {
            let of_kind = self.claims.iter().filter(|claim| claim.evidence == Some(kind));
            let words = |(claim, result)| line(claim, result, &report::statement(claim)) + "\n";
            let lines: String = of_kind.flat_map(decided_results).map(words).collect();
            if !lines.is_empty() {
                text += &format!("{}:\n{lines}", report::evidence(kind));
            }
        }
        if let Some(ClaimRow { claim: first, .. }) = self.in_part.first() {
            let all = self.in_part.iter().filter_map(part).collect::<Vec<_>>().join(", ");
            let lack = format!("`repro claims {} --runs {folder}` says what the first lacks.", first.id);
            text += &format!("\nIt has a part of what these need: {all}. {lack}\n");
        }
        text
    }

    /// [`Self::tally`] and the claims, those that papers stand or fall with first, in at most `most` lines of a terminal of this width.
    pub fn short(&self, most: usize, width: u16) -> Vec<String> {
        let (first, others): (Vec<_>, Vec<_>) = self.claims.iter().partition(|claim| claim.headline);
        let results = first.into_iter().chain(others).flat_map(decided_results);
        let results = results.map(|(claim, result)| in_few_words(claim, result, width));
        let all = self.tally.clone().into_iter().chain(results).collect();
        at_most(all, most, width, |more| format!("  and {more} more"))
    }
}

/// How many claims have which verdict, and apart from them how many of papers beside have one: no total mixes the two.
fn tally(own: &[ClaimRow], beside: &[ClaimRow]) -> Option<String> {
    let decided = |all: &[ClaimRow]| all.iter().filter(|claim| is_decided(claim)).count();
    let verdicts = grouped(own.iter().flat_map(decided_results).map(|(_, result)| (result.verdict, ())));
    let verdicts = verdicts.iter().map(|(verdict, all)| format!("{} {verdict}", all.len()));
    let verdicts = verdicts.collect::<Vec<_>>().join(", ");
    let is_counted = |claim: &ClaimRow| claim.evidence == Some(EvidenceKind::Construction);
    let how = if own.iter().filter(|one| is_decided(one)).all(is_counted) { ", by counts alone" } else { "" };
    let mut tally = format!("This run decides {} of {} claims{how}", decided(own), own.len());
    if !verdicts.is_empty() {
        tally += &format!(": {verdicts}");
    }
    if decided(beside) > 0 {
        tally += &format!("; apart from them {} of {}", decided(beside), beside.len());
    }
    (decided(own) + decided(beside) > 0).then(|| tally + ".")
}

fn decided_results(claim: &ClaimRow) -> impl Iterator<Item = (&ClaimRow, &ClaimResult)> {
    claim.results.iter().filter(|result| result.verdict.is_decided()).map(move |result| (claim, result))
}

fn is_decided(claim: &ClaimRow) -> bool {
    decided_results(claim).next().is_some()
}

/// What a run has of another claim: `kappa-traffic (3 of 19)`. None where it has nothing.
fn part(claim: &ClaimRow) -> Option<String> {
    claim.results.iter().find_map(|result| match result.lack {
        Some(NoVerdictReason::Needs { met: met @ 1.., of, .. }) => {
            Some(format!("{} ({met} of {of})", claim.id))
        }
        _ => None,
    })
}

/// `  DIFFERS      staged-over-kk: `, the claim in words and both figures.
fn line(claim: &ClaimRow, result: &ClaimResult, words: &str) -> String {
    /// As wide as a share of a few comparisons beside a verdict.
    const VERDICT: usize = 12;
    let (verdict, figures) = (report::verdict(result), report::figures(claim, result));
    format!("  {verdict:<VERDICT$} {}: {words}: {figures}", claim.id)
}

/// A claim's line, in its short words, if it has any, where the full ones are wider than the terminal.
fn in_few_words(claim: &ClaimRow, result: &ClaimResult, width: u16) -> String {
    let whole = line(claim, result, &report::statement(claim));
    let short = claim.short.as_ref().filter(|_| whole.width() > width.into());
    short.map_or(whole, |words| line(claim, result, words))
}

/// As many texts as fit into `most` lines of a terminal of this width; where some do not fit, the last line is `more(how many)`.
pub fn at_most(texts: Vec<String>, most: usize, width: u16, more: impl Fn(usize) -> String) -> Vec<String> {
    let (mut room, of) = (most, texts.len());
    let mut shown = Vec::new();
    for (at, text) in texts.into_iter().enumerate() {
        let lines = fitted(&text, width).lines().count();
        if lines + usize::from(at + 1 < of) > room {
            shown.push(more(of - at));
            break;
        }
        room -= lines;
        shown.push(text);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Verdict;
    use std::path::Path;

    fn summary(run: &str) -> ClaimSummary {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference").join(run);
        ClaimSummary::of(&StoredRun::open(&folder).unwrap()).unwrap()
    }

    #[test]
    fn a_run_decides_what_its_cells_meet_and_says_what_it_has_a_part_of() {
        let summary = summary("h200-e117a75b/table1");
        let claim = summary.claims.iter().find(|claim| claim.id == "staged-over-kk").unwrap();
        assert_eq!(claim.results[0].verdict, Verdict::Differs);
        let text = summary.text("run");
        let line = "\n  DIFFERS      staged-over-kk: Staged Load is 5 to 5.2 times as fast as Katz & Kider: published 5 to 5.2 times, here 3.6";
        assert!(text.contains(line), "{text}");
        assert!(!text.contains("NOT MEASURED"), "{text}");
        // κ is of another experiment.
        assert!(summary.claims.iter().all(|claim| claim.paper != "likhoded-sipeyko-2019"), "{text}");
        // It has one block of threads of the three.
        assert!(text.contains("kk-over-hn (4 of 12)"), "{text}");
    }

    #[test]
    fn in_few_lines_headlines_come_first() {
        let summary = summary("h200-e117a75b/table1");
        let first = |claim: &&ClaimRow| claim.headline;
        let headlines = summary.claims.iter().filter(first).count();
        assert!(headlines > 0 && headlines < summary.claims.len());
        for width in [80, 100, 1000] {
            let lines = fitted(&summary.short(1000, width).join("\n"), width);
            let lines: Vec<&str> = lines.lines().collect();
            assert!(lines[0].starts_with("This run decides "), "{lines:?}");
            assert!(lines.iter().all(|line| line.width() <= width.into()), "{lines:?}");
            let at = lines.iter().position(|line| line.contains("staged-over-kk")).unwrap();
            assert!(at <= 2 * headlines && lines[at..].concat().contains("here 3.6"), "{lines:?}");
        }
        let all = summary.short(1000, 1000);
        assert_eq!(all.len(), 1 + summary.claims.len());
        let short = summary.short(6, 1000);
        assert_eq!(short[..5], all[..5]);
        assert_eq!(short[5..], [format!("  and {} more", summary.claims.len() - 4)]);
    }
}
