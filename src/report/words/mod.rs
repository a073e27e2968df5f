//! The English of verdicts: values become sentences here, as the last step, and no sentence is parsed again.

mod comparison;
mod counts;
mod figure;
pub mod history;
mod machines;
mod place;
mod reason;

pub use comparison::{compared_as, words as contender};
pub use counts::{count_comparison, count_failures, count_tables, not_counted};
pub use figure::measured;
pub use machines::{Agreement, agreement, short_label};
pub use place::{place, published, statement};
pub use reason::{needs_gpu, reason, sensitivity};

use crate::judge::{ClaimResult, ClaimRow, Effect, HoldCount, NoVerdictReason, OWN_NUMBERS, Verdict};
use crate::lists::count_of;
use crate::published::{EvidenceKind, PublishedPaper, is_beside};
use crate::report::text::digits;
pub use crate::report::text::list;

/// How many claims the papers of this project have and, apart from these, how many the other papers have: no total mixes the two.
pub fn count<'a>(papers: &[PublishedPaper], claims: impl Iterator<Item = &'a ClaimRow> + Clone) -> String {
    let of = |beside: bool| {
        let is_of = |claim: &&ClaimRow| claim.evidence.is_some() && is_beside(papers, &claim.paper) == beside;
        let claims = count_of(claims.clone().filter(is_of).count(), "claim");
        let papers = count_of(papers.iter().filter(|paper| paper.beside == beside).count(), "paper");
        format!("{claims} of {papers}")
    };
    match papers.iter().any(|paper| paper.beside) {
        true => format!("{}, and apart from them {}", of(false), of(true)),
        false => of(false),
    }
}

/// The kind of evidence in a word or two.
pub fn evidence(kind: EvidenceKind) -> &'static str {
    match kind {
        EvidenceKind::Construction => "by construction",
        EvidenceKind::Inspection => "by inspection",
        EvidenceKind::Order => "order",
        EvidenceKind::Magnitude => "magnitude",
    }
}

/// The verdict; with the share of comparisons that hold or fail where that is partial, or that were measured where some are missing.
pub fn verdict(of: &ClaimResult) -> String {
    match of.lack {
        Some(NoVerdictReason::Needs { met: met @ 1.., of: all, .. }) => {
            format!("{} ({met} of {all})", of.verdict)
        }
        _ => with_share(of.verdict, of.share),
    }
}

/// The verdict, with the share that holds for IN PART and HOLDS WHERE DECIDED, or the share that fails for FAILS WHERE DECIDED.
fn with_share(verdict: Verdict, share: HoldCount) -> String {
    let some = match verdict {
        Verdict::InPart | Verdict::HoldsWhereDecided => share.held,
        Verdict::FailsWhereDecided => share.failed,
        _ => return verdict.to_string(),
    };
    format!("{verdict} ({some} of {})", share.of)
}

/// What was published and what was measured: `published 5 to 5.2 times, here 3.6 to 4.2 times`. Measured figures of another sort than the
/// published one are kept apart, since the two would be read as one comparison.
pub fn figures(row: &ClaimRow, result: &ClaimResult) -> String {
    let published = published(row);
    let sorts = figure::sorts(row, result).into_iter();
    let (own, others): (Vec<_>, Vec<_>) =
        sorts.partition(|(_, is_published)| *is_published && !published.is_empty());
    let told = |all: &[(String, bool)], before: &str| {
        let all: Vec<&str> = all.iter().map(|(text, _)| text.as_str()).collect();
        (!all.is_empty()).then(|| format!("{before}{}", all.join("; ")))
    };
    // What the paper prints was not measured here.
    let here = if result.machine == OWN_NUMBERS { "they give " } else { "here " };
    let beside = if own.is_empty() { here } else { "beside it " };
    let parts = [told(&own, &format!("published {published}, {here}")), told(&others, beside)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// The figures; or the command that would measure them, or the reason why there are none.
pub fn in_short(row: &ClaimRow, result: &ClaimResult) -> String {
    match (&result.lack, &row.run) {
        (Some(NoVerdictReason::Needs { .. }), Some(run)) => {
            let first = if needs_gpu(row) { "needs a GPU; then: " } else { "" };
            format!("{first}repro run {run}")
        }
        (Some(_), _) if result.shown.is_none() => reason(row, result),
        _ => figures(row, result),
    }
}

/// Follows the number of claims with a verdict: how many of them hold a bound on one side only.
pub fn one_sided(verdict: Verdict, count: usize) -> String {
    match verdict {
        Verdict::Reproduced if count > 0 => format!(" ({count} one-sided)"),
        _ => String::new(),
    }
}

/// In how many of its comparisons a claim holds.
pub fn share(share: HoldCount) -> String {
    format!("holds in {} of {}", share.held, share.of)
}

/// Measured over published, or over our bound where no number is published: as a factor, and as its logarithm with the interval.
pub fn effect(row: &ClaimRow, effect: Effect) -> String {
    let over = if row.unit.is_some() { "what is published" } else { "the bound that is asked for" };
    let Effect { log_ratio, low, high } = effect;
    let ratio = digits(effect.ratio());
    format!("{ratio} times {over}; log-ratio {log_ratio:+.2} [{low:+.2}, {high:+.2}]")
}

/// The text with its first letter in upper case.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}", letters.as_str())
}

/// The text as a sentence: first letter in upper case, and a full stop.
fn sentence(text: &str) -> String {
    format!("{}.", capital(text))
}
