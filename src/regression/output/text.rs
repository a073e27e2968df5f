//! A comparison in words and tables.

use crate::lists::{count_of, distinct, grouped};
use crate::regression::{
    CellComparison, CellKind, Comparison, ERROR, EXCLUDED, Ending, Figures, KindLimits, LEAST_RUNS,
    LEAST_SAMPLES, LEAST_THRESHOLD, NoisyReason, RunPair, RunSummary, Verdict,
};
use crate::report::text::{Grid, decimals, digits, percent, ratio, ratio_with_interval};
use crate::store::short_commit;
use crate::timing::Estimate;

/// For a terminal of `width` columns, or as wide as need be: what is compared, the outcome first, then what is compared, the cells that changed,
/// how they were decided. Cells that took as long as before are listed only where `all` are wanted, and counted otherwise.
pub fn terminal(comparison: &Comparison, all: bool, width: Option<u16>) -> String {
    let mut text = format!("{}\n", outcome(comparison));
    for line in &comparison.advice {
        text += &format!("NOISY: {line}\n");
    }
    text += "\n";
    for line in runs(comparison).into_iter().chain(comparison.notes.clone()) {
        text += &format!("{line}\n");
    }
    let is_compared = |cell: &CellComparison| !is_folded(cell) && (all || !looks_the_same(cell));
    if comparison.cells.iter().any(is_compared) {
        text += &format!("\n{}\n", grid(comparison, is_compared, false).terminal(width));
    }
    let left_out = |verdict: Verdict| {
        let count =
            comparison.cells.iter().filter(|cell| cell.verdict == verdict && looks_the_same(cell)).count();
        (count > 0).then(|| format!("{count} {verdict}"))
    };
    let left_out: Vec<String> = [Verdict::Same, Verdict::Noisy].into_iter().filter_map(left_out).collect();
    if !all && !left_out.is_empty() {
        text += &format!(
            "Not listed, with a ratio within {} or SAME: {}; --all lists them.\n",
            percent(LEAST_THRESHOLD),
            left_out.join(", ")
        );
    }
    // Below the table: in a column of it they would leave a narrow terminal no room for anything else.
    for line in reasons(comparison) {
        text += &format!("{line}\n");
    }
    for line in folded(comparison).into_iter().chain(method(comparison)) {
        text += &format!("{line}\n");
    }
    text
}

/// For a pull request: the outcome first, then what is not SAME, and the rest folded away.
pub fn markdown(comparison: &Comparison) -> String {
    let mut text = format!("**{}**\n\n", outcome(comparison));
    for line in &comparison.advice {
        text += &format!("- NOISY: {}\n", escaped(line));
    }
    text += "\n";
    let is_told =
        |cell: &CellComparison| !is_folded(cell) && !matches!(cell.verdict, Verdict::Same | Verdict::Noisy);
    if comparison.cells.iter().any(is_told) {
        text += &format!("{}\n", grid(comparison, is_told, true).markdown());
    }
    text += "<details><summary>All cells, and how they were decided</summary>\n\n";
    text += &format!("{}\n", grid(comparison, |cell| !is_folded(cell), true).markdown());
    let notes = comparison.notes.clone();
    for line in runs(comparison).into_iter().chain(notes).chain(folded(comparison)).chain(method(comparison))
    {
        text += &format!("- {}\n", escaped(&line));
    }
    text + "\n</details>\n"
}

/// No line of ours has a tag.
fn escaped(line: &str) -> String {
    line.replace('<', "&lt;")
}

/// Why cells are what they are, a line for all that have one reason. The advice has those that are NOISY for want of runs or
/// samples.
fn reasons(comparison: &Comparison) -> Vec<String> {
    let is_advised = |cell: &CellComparison| cell.why.is_some_and(|why| why != NoisyReason::Other);
    let with_reason = comparison.cells.iter().filter(|cell| !cell.reason.is_empty() && !is_advised(cell));
    let by_reason = grouped(with_reason.map(|one| ((one.verdict, &one.reason), one.cell.to_string())));
    let lines = by_reason.into_iter();
    lines.map(|((verdict, reason), cells)| format!("{verdict}: {reason}: {}.", cells.join(", "))).collect()
}

/// Whether a cell is SAME, or is NOISY with a ratio within 1%.
fn looks_the_same(cell: &CellComparison) -> bool {
    let near = |ratio: Estimate| ratio.value.max(1.0 / ratio.value) <= 1.0 + LEAST_THRESHOLD;
    let is_plain = !matches!(cell.why, Some(NoisyReason::Other | NoisyReason::Clocks));
    cell.verdict == Verdict::Same
        || cell.verdict == Verdict::Noisy && is_plain && cell.seconds.is_some_and(near)
}

/// Whether all there is to print of a cell is that one side alone has it.
fn is_folded(cell: &CellComparison) -> bool {
    matches!(cell.verdict, Verdict::Gone | Verdict::New) && cell.reason.is_empty()
}

/// The cells that one side alone has, a line a verdict.
fn folded(comparison: &Comparison) -> Vec<String> {
    let line = |(verdict, side): (Verdict, &str)| {
        let cells = comparison.cells.iter().filter(|cell| cell.verdict == verdict && is_folded(cell));
        let named = grouped(cells.map(|CellComparison { cell, .. }| {
            let parts = [&*cell.implementation, &cell.params, &cell.graph];
            let parts = parts.into_iter().filter(|part| !part.is_empty());
            (parts.collect::<Vec<_>>().join(" "), cell.n.to_string())
        }));
        let listed: Vec<String> =
            named.iter().map(|(name, sizes)| format!("{name} n = {}", sizes.join(", "))).collect();
        (!listed.is_empty()).then(|| format!("{verdict}, in {side} alone: {}.", listed.join("; ")))
    };
    [(Verdict::Gone, "BASE"), (Verdict::New, "NEW")].into_iter().filter_map(line).collect()
}

fn runs(comparison: &Comparison) -> Vec<String> {
    let one = |run: &RunSummary| {
        let commit = short_commit(&run.commit);
        let date = run.started.get(..16).unwrap_or_default().replace('T', " ");
        format!("{} ({date}, commit {commit})", run.name)
    };
    let pair = |RunPair { base, new }: &RunPair| {
        let on = new.gpu.as_ref().or(new.host.as_ref()).map_or(String::new(), |on| format!(", on {on}"));
        format!("{}: BASE {}, NEW {}{on}", new.experiment, one(base), one(new))
    };
    comparison.runs.iter().map(pair).collect()
}

/// The rule, with its numbers of this comparison.
fn method(comparison: &Comparison) -> Vec<String> {
    let mut lines = vec![format!(
        "Ratios of medians, scope {}, with bootstrap intervals of nominally {}% ({} over all cells). SLOWER, FASTER: the whole interval is beyond the threshold. SAME: it is not, and by the interval no change of {}; how far runs of one build lie apart, up to the noise floor, comes on top. NOISY: neither, or fewer than {LEAST_SAMPLES} samples on a side.",
        comparison.scope,
        decimals(comparison.confidence * 100.0),
        percent(1.0 - ERROR),
        percent(comparison.kinds.first().map_or(EXCLUDED, |kind| kind.limits.excluded)),
    )];
    lines.extend(distinct(comparison.kinds.iter().map(|kind| threshold(comparison, kind))));
    lines
}

/// The threshold of a kind of cell, and what it comes from.
fn threshold(comparison: &Comparison, kind: &KindLimits) -> String {
    let KindLimits { floor, limits, paired, .. } = kind;
    let of = if *paired { "pair" } else { "run" };
    let from = match floor.is_known {
        true => format!("twice what most cells of {} of one build lie apart", count_of(floor.runs, of)),
        false => format!("the default, as not {LEAST_RUNS} {of}s of one build are known but {}", floor.runs),
    };
    let apart = format!("; the noise floor is {}", percent(floor.share));
    let which = match limits.threshold {
        floor_itself if floor_itself <= floor.share => ", the noise floor".to_string(),
        least if least <= LEAST_THRESHOLD => format!(", the least{apart}"),
        _ => format!(", as asked for{apart}"),
    };
    let named = cells(comparison, kind.kind, &kind.experiment);
    format!("Threshold of {named}: {}{which}: {from}.", percent(limits.threshold))
}

/// The tally and what follows from it, in a line.
pub fn outcome(comparison: &Comparison) -> String {
    let tally: Vec<String> =
        comparison.tally().iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
    let headline = match (comparison.ending, comparison.regressions().count()) {
        (Ending::Slower, 1) => "1 cell became slower or failed".to_string(),
        (Ending::Slower, count) => format!("{count} cells became slower or failed"),
        (Ending::NotSlower, _) => "Nothing became slower".to_string(),
        (Ending::Noisy, _) => "Nothing is seen to be slower, but not all can be seen".to_string(),
    };
    format!("{headline}: {}.", tally.join(", "))
}

/// A kind of cell, as in "GPU cells, n above 2048".
pub fn cells(comparison: &Comparison, kind: CellKind, experiment: &str) -> String {
    let place = if kind.on_gpu { "GPU" } else { "CPU" };
    let which = if kind.small_n { "up to" } else { "above" };
    let size = format!("n {which} {}", CellKind::small_up_to(kind.on_gpu));
    let of = if comparison.runs.len() > 1 { format!(" of {experiment}") } else { String::new() };
    match kind.program {
        Some(scope) => format!("cells of programs on the {place}{of}, {size}, scope {scope}"),
        None => format!("{place} cells{of}, {size}"),
    }
}

fn grid(comparison: &Comparison, is_shown: impl Fn(&CellComparison) -> bool, with_reasons: bool) -> Grid {
    let shown: Vec<&CellComparison> = comparison.cells.iter().filter(|cell| is_shown(cell)).collect();
    let several = comparison.runs.len() > 1;
    let in_cycles = shown.iter().any(|cell| cell.cycles.is_some());
    let has_reasons = with_reasons && shown.iter().any(|cell| !cell.reason.is_empty());
    // Where there is another than that of the title.
    let has_scopes = shown.iter().any(|cell| cell.scope != comparison.scope);
    let columns = [
        ("cell", true),
        ("scope", has_scopes),
        ("", true),
        ("base s", true),
        ("new s", true),
        ("new / base", true),
        ("samples", true),
        ("in cycles", in_cycles),
        ("because", has_reasons),
    ];
    let header: Vec<&str> = columns.iter().filter(|(_, is_shown)| *is_shown).map(|(name, _)| *name).collect();
    let row = |cell: &&CellComparison| {
        let name = match several {
            true => format!("{}: {}", cell.experiment, cell.cell),
            false => cell.cell.to_string(),
        };
        let seconds = |side: Option<Figures>| side.map_or("-".into(), |side| digits(side.seconds.value));
        let samples = |side: Option<Figures>| side.map_or(0, |side| side.samples);
        // Of one sample nothing tells how far it is from another.
        let has_interval = samples(cell.base).min(samples(cell.new)) > 1;
        let of_ratio = |of: Option<Estimate>| match of {
            None => "-".to_string(),
            Some(of) if has_interval => ratio_with_interval(of),
            Some(of) => ratio(of.value),
        };
        let row = [
            name,
            cell.scope.to_string(),
            cell.verdict.to_string(),
            seconds(cell.base),
            seconds(cell.new),
            of_ratio(cell.seconds),
            format!("{} / {}", samples(cell.base), samples(cell.new)),
            of_ratio(cell.cycles),
            cell.reason.clone(),
        ];
        row.into_iter().zip(columns).filter(|(_, (_, is_shown))| *is_shown).map(|(text, _)| text).collect()
    };
    let title = match has_scopes {
        true => "Seconds, medians".to_string(),
        false => format!("Seconds, scope {}, medians", comparison.scope),
    };
    Grid::new(title, header, shown.iter().map(row))
}
