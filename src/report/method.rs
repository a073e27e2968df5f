//! How it was measured and decided, what was not run, and how to repeat it.

mod environment;
mod kernels;
mod repeat;

use super::model::{Block, Table, Topic};
use crate::lists::grouped;
use crate::results::{MachineRuns, StoredRun, noise_floors};
use crate::show::Grid;
use crate::store::{Compared, Status, Verification};
use crate::timing::Scope;
use std::collections::BTreeMap;

/// Every part of the method, in the order of the page.
pub fn method(runs: &[StoredRun], machines: &[MachineRuns]) -> Vec<Topic> {
    let topics = [
        rule(),
        noise(machines),
        scopes(),
        sampling(runs),
        verification(runs),
        not_run(runs),
        kernels::topic(runs),
        environment::topic(runs),
        repeat::topic(runs, machines),
    ];
    topics.into_iter().filter(|topic| !topic.blocks.is_empty()).collect()
}

fn text(text: &str) -> Block {
    Block::Text(text.to_string())
}

fn topic(id: &str, title: &str, blocks: Vec<Block>) -> Topic {
    Topic { id: id.to_string(), title: title.to_string(), blocks }
}

/// A table that is not shown where it has no rows.
fn table(id: &str, title: &str, header: &[&str], rows: Vec<Vec<String>>) -> Option<Block> {
    let grid = Grid::new(title, header.iter().map(|title| title.to_string()), rows);
    (!grid.rows.is_empty()).then(|| Block::Table(Table { id: id.to_string(), grid }))
}

/// A table below what explains it; without the table, nothing.
fn explained(id: &str, title: &str, said: Block, table: Option<Block>) -> Topic {
    topic(id, title, table.map_or(Vec::new(), |table| vec![said, table]))
}

fn rule() -> Topic {
    let comparisons = [
        "It holds if the whole interval lies in the range, and differs if none of it does. Where the interval straddles an end of the range, the noise decides.",
    ];
    let verdicts = [
        "REPRODUCED: it holds in every comparison.",
        "IN PART: it holds in some and differs in others. The share of the comparisons and the reason say where.",
        "DIFFERS: it differs in some and holds in none. The reason says on which side.",
        "AMBIGUOUS: it differs in none, and the noise decides some.",
        "NOT MEASURED: something could be measured that would decide it, and no run here has it. The reason names the run or what is not implemented.",
        "NOT COMPARABLE: a figure of another GPU. It is shown beside ours, and what the paper concludes from it is a claim of its own.",
    ];
    let kinds = [
        "By construction: counts and limits that follow from code written to the paper's description. They come out the same on every machine and say that the code is what the paper describes.",
        "Order: which of two is faster, where they cross, what grows, what limits.",
        "Magnitude: by how much.",
    ];
    let list = |items: &[&str]| Block::List(items.iter().map(ToString::to_string).collect());
    topic(
        "rule",
        "How a claim is decided",
        vec![
            text(
                "A claim is turned into a figure that can be measured here and a range that the paper's words allow. A number allows what rounds to it: 1.8 times means 1.75 to 1.85. A range is widened by half the last digit of its finer end, a bound such as over 150 is not. A speed-up over one core is read as a floor, since it says as much of the core as of the GPU. Where a word of the paper became a number of ours, the comparison says which.",
            ),
            text(
                "The measured figure is a ratio of medians, with the widest interval that the intervals of both medians allow, widened by the A/A noise of this machine: between runs for two cells, within runs for two clocks or two graphs of one cell. With fewer than six samples the interval of a median is their range, and of one sample it has no width but the noise. A copy bandwidth lies within what all runs of the machine measured. What is counted is exact. Each n, κ or kernel is one comparison:",
            ),
            list(&comparisons),
            text(
                "A claim is judged by all its comparisons. A stated ratio beside a published table is judged only at the sizes at which the paper's own table bears it out.",
            ),
            list(&verdicts),
            text("Verdicts rest on three kinds of evidence, which are never added up:"),
            list(&kinds),
            text(
                "The effect is the natural logarithm of measured over published, the mean over all comparisons, with the means of the ends of their intervals: comparisons of one machine share their noise. A range stands for its geometric middle, a bound for itself.",
            ),
            text(
                "A claim names every cell that it needs: implementations with all parameters, sizes, clocks, and how many samples. One run has to have all of them; where a cell is missing, skipped, wrong, an estimate or has too few samples, the claim is not measured, and the row says what measures it. Nothing else in a run, and no other run, changes the verdict.",
            ),
            text(
                "Runs of one build on one device that each have all of it are joined: an interval contains those of all. Another build or device of the same model is judged by itself, and stands beside it as agreeing or contradicting; where verdicts contradict, the claim is ambiguous. A cause that a reason names is shown by the runs that it names; one that no run shows is called a guess.",
            ),
            text(
                "Each verdict is reached again with every interval half and twice as wide, with every bound of ours half and one and a half times as far from equality, and with as much of what rounding allows. Where any of that gives another verdict, the row says so.",
            ),
        ],
    )
}

fn noise(machines: &[MachineRuns]) -> Topic {
    let percent = |share: Option<f64>| share.map_or("-".to_string(), |share| format!("{:.2}", share * 100.0));
    let rows = machines.iter().flat_map(|machine| {
        noise_floors(&machine.runs, Scope::Kernel).into_iter().map(|floor| {
            vec![
                machine.label.clone(),
                if floor.on_gpu { "GPU" } else { "CPU" }.to_string(),
                if floor.small { "below 1024" } else { "1024 and up" }.to_string(),
                percent(floor.within_runs),
                floor.cells.to_string(),
                percent(floor.between_runs),
                floor.repeated.to_string(),
            ]
        })
    });
    let header =
        ["machine", "on", "n", "within runs\n%", "cells", "between runs\n%", "cells in\nseveral runs"];
    let table = table("noise-floor", "A/A noise, 95th percentile over cells", &header, rows.collect());
    let [gpu, small_gpu, cpu, small_cpu] = crate::judge::NOISE.map(|noise| (noise * 1000.0).round() / 10.0);
    let said = text(&format!(
        "What medians move by when nothing changes. Within runs: the odd samples of a cell against its even ones. Between runs: the same cell in two runs, which may be on two GPUs of the model. In verdicts a comparison within a run is widened by {gpu}% on a GPU, {small_gpu}% there below n = 1024, {cpu}% on a CPU and {small_cpu}% there below n = 1024, which is more than 95% of the cells of the committed runs show within a run; and by what the odd and even samples of its own cells differ by, where that is more.",
    ));
    explained("noise", "Noise floor", said, table)
}

fn scopes() -> Topic {
    let list = [
        "kernel: CUDA events around all launches of one solve. What is shown where nothing else is said.",
        "device: with the changes of layout before and after.",
        "total: with both copies, page-locked.",
        "host: the host's clock around all of it, synchronized before and after.",
        "cuda-graph: the launches of one solve as one CUDA graph, between two events.",
        "host-synced, host-unsynced: the host's clock around the launches, waiting for the device or not. Without waiting it is no time of any solve: the pitfall.",
        "os-synced: the operating system's clock around what host-synced encloses, of the same solve.",
        "copy-in-pageable, copy-out-pageable: each copy by itself, pageable, by the host's clock.",
        "everything: the host's clock around all launches, both copies, pageable, and allocating and freeing device memory; not loading kernels.",
        "copy-out-unsynced: the copy back that follows the launches of host-unsynced. copy-out-unsynced-loaded: the same while the GPU is kept busy by additions and minima on another queue.",
        "first-load, first-prepare, first-host, first-kernel: loading the kernels, making the buffers on the device, and the first solve in a fresh process, after the context was made.",
    ];
    let intro = text(
        "A time says what its clock enclosed, and only equal scopes are compared. Every sample has the first four; experiments ask for more.",
    );
    topic("scopes", "What a clock enclosed", vec![intro, Block::List(list.map(str::to_string).to_vec())])
}

fn sampling(runs: &[StoredRun]) -> Topic {
    let rows = runs.iter().map(|run| {
        let experiment = &run.manifest.experiment;
        let rule = &experiment.sampling;
        let graphs: Vec<String> =
            experiment.graphs.iter().map(|graph| repeat::graph(&graph.source)).collect();
        vec![
            run.name(),
            format!("{} to {}", rule.min_samples, rule.max_samples),
            format!("{}", rule.precision * 100.0),
            rule.budget_s.to_string(),
            experiment.limits.warm_up_s.to_string(),
            graphs.join("; "),
        ]
    });
    let header = ["run", "samples", "enough at ±\n%", "budget\ns a cell", "warm-up\ns", "graphs"];
    let table = table("sampling-rules", "Sampling", &header, rows.collect());
    let said = text(
        "Cells of one n are interleaved, not run one after another. After untimed warm-up solves a cell is sampled until half the width of its median's 95% interval is small enough, its samples or its seconds are used up; a sample of 5 s and more is taken once. The input is restored before every sample, outside the clock. Medians are shown with the interval between two order statistics that holds the median with 95% confidence (with fewer than six samples: their range). A sample during which the GPU throttled is marked and repeated; one that beats the measured ceilings is flagged and never used.",
    );
    explained("sampling", "Sampling rule", said, table)
}

fn verification(runs: &[StoredRun]) -> Topic {
    let rows = runs.iter().map(|run| {
        // Whole results first.
        let mut ways: BTreeMap<(Option<usize>, String), usize> = BTreeMap::new();
        let mut statuses: BTreeMap<String, usize> = BTreeMap::new();
        // One row a sample: the usual clocks end with `host`, what was counted has `kernel` alone.
        let mut seen = std::collections::BTreeSet::new();
        for row in &run.samples {
            if seen.insert((row.cell(), row.sample)) {
                *statuses.entry(row.status.to_string()).or_default() += 1;
                if let Some(way) = row.verification.filter(|_| row.verified) {
                    *ways.entry((way.rows, verified(way))).or_default() += 1;
                }
            }
        }
        let listed = |all: Vec<String>| if all.is_empty() { "-".to_string() } else { all.join(", ") };
        vec![
            run.name(),
            seen.len().to_string(),
            listed(ways.iter().map(|((_, way), count)| format!("{count} {way}")).collect()),
            listed(statuses.iter().map(|(status, count)| format!("{count} {status}")).collect()),
        ]
    });
    let table = table(
        "verification-counts",
        "Samples by how they were verified and what became of them",
        &["run", "samples", "verified", "status"],
        rows.collect(),
    );
    let said = text(
        "Every sample is verified before its time counts: up to a limit of n the whole result bit for bit against the CPU's (exact), beyond it whole rows against a search that is not Floyd-Warshall (rows). A time without a verified result is no record: a run that holds one is refused.",
    );
    explained("verification", "Verification", said, table)
}

/// How a sample was verified, in words.
fn verified(way: Verification) -> String {
    let how = match way.how {
        Compared::Exact => "exact",
        Compared::Bounds { .. } => "within bounds",
    };
    match (way.how, way.rows) {
        (_, None) => how.to_string(),
        (Compared::Exact, Some(rows)) => format!("by {rows} rows"),
        (_, Some(rows)) => format!("{how}, by {rows} rows"),
    }
}

fn not_run(runs: &[StoredRun]) -> Topic {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for run in runs {
        let lacking =
            run.results.summary.iter().filter(|row| !row.is_timed() && row.status != Status::Counted);
        let reasons = lacking.map(|row| (format!("{}: {}", row.status, row.message), row.cell().to_string()));
        rows.extend(grouped(reasons).into_iter().map(|(reason, cells)| {
            let listed = match cells.len() {
                0..=3 => cells.join("; "),
                count => format!("{}; {} and {} more", cells[0], cells[1], count - 2),
            };
            vec![run.name(), listed, reason]
        }));
    }
    let blocks = match table("not-run-cells", "Cells without a time", &["run", "cells", "why"], rows) {
        Some(table) => vec![table],
        None => vec![text(
            "Every cell that these runs planned has a result. What no run planned is in the claims, as NOT COMPARABLE with what is missing.",
        )],
    };
    topic("not-run", "What was not run, and why", blocks)
}
