//! The claims of the papers whose needs a run meets, as it says them when it ends, and those of which it has a part.

use crate::judge::{ClaimRow, Evidence, Lack, evaluate};
use crate::lists::grouped;
use crate::published::{EvidenceKind, is_beside, published_papers};
use crate::report;
use crate::results::StoredRun;
use repro_terminal::Error;
use repro_terminal::{terminal_width, wrapped};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What a run alone says of the claims, each with its result on the machine of the run.
pub struct Decided {
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

impl Decided {
    /// # Errors
    /// When the papers' files cannot be read.
    pub fn by(run: &StoredRun) -> Result<Self, Error> {
        let papers = published_papers()?;
        let machine = run.environment().map_or("unknown", |environment| environment.model());
        let all = evaluate(&papers, &[&Evidence::new(machine, &[run], &[])]);
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
        let folder = repro_types::shell::quoted(&run.folder.display().to_string());
        Ok(Self { claims, in_part, own, of, folder })
    }

    /// A line a claim under what its verdict rests on, and one line for those of which the run has a part; empty where it has
    /// nothing of any.
    pub fn text(&self) -> String {
        let mut text = self.tally().map_or(String::new(), |tally| format!("\n{tally}\n"));
        for kind in EvidenceKind::ALL {
            let of_kind = self.claims.iter().filter(|claim| claim.evidence == Some(kind));
            let lines: Vec<String> = of_kind.flat_map(|claim| Self::lines(claim, LEAST_WORDS)).collect();
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

    /// [`Self::tally`] and a claim a line, in at most `most` lines: those that papers stand or fall with first.
    pub fn short(&self, most: usize) -> Vec<String> {
        let (headlines, others): (Vec<_>, Vec<_>) = self.claims.iter().partition(|claim| claim.headline);
        let of_claims = headlines.into_iter().chain(others);
        let mut lines: Vec<String> = of_claims.flat_map(|claim| Self::lines(claim, FEWEST_WORDS)).collect();
        if lines.len() + 1 > most {
            let more = lines.split_off(most.saturating_sub(2)).len();
            lines.push(format!("  and {more} more"));
        }
        self.tally().into_iter().chain(lines).collect()
    }

    /// What it has of other claims: `kappa-traffic (3 of 19)`.
    fn parts(&self) -> String {
        let part = |claim: &ClaimRow| {
            let lack = claim.results.iter().find_map(|result| result.lack.as_ref());
            match lack {
                Some(Lack::Needs { met, of, .. }) => format!("{} ({met} of {of})", claim.id),
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

    /// One line a result: the verdict, the claim, cut to what the terminal has room for, and both figures.
    fn lines(claim: &ClaimRow, least: usize) -> Vec<String> {
        let line = |result| {
            let begin = format!("  {:<VERDICT$} {}: ", report::verdict(result), claim.id);
            let end = report::figures(claim, result);
            let room =
                usize::from(terminal_width()).saturating_sub(begin.width() + end.width() + 2).max(least);
            let statement = report::statement(claim);
            // Of a ratio its id says more than the beginning of its words.
            let words = match &claim.short {
                Some(short) if statement.width() > room => Some(short).filter(|short| short.width() <= room),
                _ => Some(&statement),
            };
            let words = words.map_or(String::new(), |words| format!("{}: ", cut(words, room)));
            format!("{begin}{words}{end}")
        };
        claim.results.iter().filter(|result| result.verdict.is_decided()).map(line).collect()
    }
}

/// As wide as a share of a few comparisons beside a verdict.
const VERDICT: usize = 12;
/// So much of a statement is shown however narrow the terminal is, and where a claim has one line.
const LEAST_WORDS: usize = 30;
const FEWEST_WORDS: usize = 12;

/// `text`, or as much of it as fits and an ellipsis.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_string();
    }
    let mut used = 1;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= width
    };
    let kept: String = text.chars().take_while(fits).collect();
    format!("{}…", kept.trim_end())
}

fn has_part(lack: Option<&Lack>) -> bool {
    matches!(lack, Some(Lack::Needs { met: 1.., .. }))
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
    use std::path::Path;

    fn decided(run: &str) -> Decided {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference").join(run);
        Decided::by(&StoredRun::open(&folder).unwrap()).unwrap()
    }

    #[test]
    fn a_run_on_a_gpu_decides_what_its_cells_meet_and_a_line_has_both_figures() {
        let decided = decided("h200/table1");
        let of = |id: &str| decided.claims.iter().find(|claim| claim.id == id);
        let claim = of("staged-over-kk").unwrap();
        assert_eq!(claim.results[0].verdict, Verdict::Differs);
        let text = decided.text();
        let line = text.lines().find(|line| line.contains("staged-over-kk")).unwrap();
        assert!(
            line.starts_with("  DIFFERS      staged-over-kk: Staged Load over Katz & Kider: published 5 to 5.2 times, here 3.6"),
            "{line}"
        );
        assert!(!text.contains("NOT MEASURED"), "{text}");
        // κ is of another experiment.
        assert!(decided.claims.iter().all(|claim| claim.paper != "likhoded-sipeyko-2019"), "{text}");
    }

    #[test]
    fn what_a_run_has_a_part_of_is_named_in_one_line_with_how_much() {
        let decided = decided("h200/table1");
        let ids: Vec<&str> = decided.in_part.iter().map(|claim| claim.id.as_str()).collect();
        // It has one block of threads of the three.
        assert!(ids.contains(&"kk-over-hn"), "{ids:?}");
        assert!(decided.text().contains("kk-over-hn (4 of 12)"), "{}", decided.text());
    }

    #[test]
    fn in_few_lines_verdicts_are_counted_and_headlines_come_first() {
        let decided = decided("h200/table1");
        let all = decided.short(1000);
        assert_eq!(all.len(), 1 + decided.claims.len());
        assert!(all[0].starts_with("This run decides ") && all[0].contains("DIFFERS"), "{}", all[0]);
        let headlines = decided.claims.iter().filter(|claim| claim.headline).count();
        assert!(headlines > 0 && headlines < decided.claims.len());
        let short = decided.short(6);
        assert_eq!(short[..5], all[..5]);
        assert_eq!(short[5..], [format!("  and {} more", decided.claims.len() - 4)]);
    }

    #[test]
    fn a_statement_is_cut_where_the_terminal_ends() {
        assert_eq!(cut("as it is", 8), "as it is");
        assert_eq!(cut("a longer statement", 9), "a longer…");
        assert_eq!(cut("κ = 1 is κ", 6), "κ = 1…");
    }
}
