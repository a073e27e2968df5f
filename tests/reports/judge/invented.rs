//! Runs of what claims name to be run, with invented numbers: what a program that works would write, of any speed.

use super::CLAIMS;
use crate::common::stored::{STRUCTURE, TABLE1, reference};
use repro::device::emulated::Counts;
use repro::implementation::PaperFigures;
use repro::plan::{Experiment, Mode, Overrides, PlannedCell, load_experiment, resolve};
use repro::published::{Claim, Contender, PublishedPaper, Test, published_papers};
use repro::results::{StoredRun, fixtures};
use repro::store::{
    CellRow, CountRow, Counters, ImplementationRecord, KernelTime, SampleRow, Status, cells, groups,
};
use repro::timing::{Estimate, ExtraClocks, LoadLatency, Scope};
use repro_base::CellId;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

/// The arguments of `repro run` that some claim names, each once.
pub fn commands() -> BTreeSet<String> {
    let of = |claim: &'static Claim| claim.tests.iter().map(|test| claim.run_of(test).to_string());
    CLAIMS.iter().flat_map(|(_, claim)| of(claim)).collect()
}

/// What these arguments of `repro run` plan.
fn resolved(run: &str) -> Experiment {
    let arguments = ["repro", "run"].into_iter().chain(run.split(' '));
    repro::cli::command().try_get_matches_from(arguments).unwrap_or_else(|error| panic!("{run}: {error}"));
    let mut words = run.split(' ');
    let file = load_experiment(words.next().unwrap()).unwrap();
    let (mut overrides, mut device) = (Overrides::default(), "auto".parse().unwrap());
    while let (Some(option), Some(value)) = (words.next(), words.next()) {
        let numbers = |text: &str| text.split(',').map(|one| one.parse().unwrap()).collect::<Vec<u32>>();
        match option {
            "--device" => device = value.parse().unwrap(),
            "--sizes" => overrides.sizes = Some(numbers(value).into_iter().map(|n| n as usize).collect()),
            "--only" => overrides.only = Some(value.split(',').map(String::from).collect()),
            "--param" => {
                let (name, values) = value.split_once('=').unwrap();
                overrides.parameters.push((name.to_string(), numbers(values)));
            }
            other => panic!("{run}: this test does not know {other}"),
        }
    }
    resolve(&file, &overrides, device).unwrap()
}

/// The papers with the claims and tests alone that need this command.
pub fn papers_of(run: &str) -> Vec<PublishedPaper> {
    let mut papers = published_papers().unwrap().to_vec();
    for paper in &mut papers {
        paper.tables.retain(|table| table.run == run);
        for claim in &mut paper.claims {
            let is_of_it: Vec<bool> = claim.tests.iter().map(|test| claim.run_of(test) == run).collect();
            let mut is_of_it = is_of_it.into_iter();
            claim.tests.retain(|_| is_of_it.next() == Some(true));
        }
        paper.claims.retain(|claim| claim.run.is_some() && !claim.tests.is_empty());
    }
    papers.retain(|paper| !paper.tables.is_empty() || !paper.claims.is_empty());
    papers
}

/// Runs with what a machine is, and without rows, by name.
static BASES: LazyLock<BTreeMap<String, StoredRun>> = LazyLock::new(|| {
    let of = |command: String| {
        let experiment = resolved(&command);
        let own = format!("h200/{}", experiment.name);
        let base = match experiment.device.starts_with("emulated") {
            true => STRUCTURE,
            false if reference(&own).is_dir() => &own,
            false => TABLE1,
        };
        let mut run = super::open(base);
        let columns = experiment
            .columns
            .iter()
            .map(|one| fixtures::record((&one.implementation, &one.parameters.to_string())));
        run.manifest.environment.as_mut().unwrap().implementations.extend(columns);
        run.manifest.experiment = experiment;
        run.results.extra.counts.clear();
        run.results.extra.kernel_times.clear();
        add_resident_blocks(&mut run, &papers_of(&command));
        (command, run.with_samples(Vec::new()))
    };
    commands().into_iter().map(of).collect()
});

/// Records as many resident blocks of each contender as a claim needs: another run may have had others.
fn add_resident_blocks(run: &mut StoredRun, papers: &[PublishedPaper]) {
    let Some(environment) = &mut run.manifest.environment else { return };
    let claims = papers.iter().flat_map(|paper| &paper.claims);
    let contenders = claims.flat_map(|claim| &claim.tests).flat_map(Test::contenders);
    for (of, blocks) in contenders.filter_map(|of| Some((of, of.resident?))) {
        let has_kernels = |one: &&ImplementationRecord| !one.kernels.is_empty();
        let mut record = environment.implementations.iter().find(has_kernels).unwrap().clone();
        (record.implementation, record.params) = (of.implementation.clone(), of.parameters.to_string());
        record.defaults = fixtures::record((&record.implementation, &record.params)).defaults;
        record.kernels.truncate(1);
        // The kernel that the paper states the residency of.
        record.kernels[0].paper =
            Some(PaperFigures { shared_bytes: 1_056, resident_blocks: 15, threads: 64 });
        record.kernels[0].resources.resident_blocks = blocks;
        environment.implementations.insert(0, record);
    }
}

/// More than any claim needs.
const MOST_SOLVES: usize = 4;

/// Numbers from 0 to 1 that follow from a seed and from what they are of.
fn chance(seed: u64, of: impl Hash) -> f64 {
    let mut hasher = DefaultHasher::new();
    (seed, of).hash(&mut hasher);
    // The upper bits are as good as any.
    (hasher.finish() >> 11) as f64 / (1u64 << 53) as f64
}

/// How many samples [`invented`] has of this command, or fewer.
pub fn most_rows(command: &str) -> usize {
    let manifest = &BASES[command].manifest;
    MOST_SOLVES * cells(manifest).len() * scopes(manifest.experiment.clocks, true).len()
}

/// A run of this command on a machine of its own kind.
pub fn invented(command: &str, seed: u64) -> StoredRun {
    let mut run = BASES[command].clone();
    let clocks = run.manifest.experiment.clocks;
    let gpu = run.environment().and_then(|one| one.gpu()).map_or(String::new(), |one| one.info.uuid.clone());
    let of_counters = super::open("h100/limits").results.extra.counters[0].of.clone();
    let (mut samples, mut counts) = (Vec::new(), Vec::new());
    let (mut kernel_times, mut counters) = (Vec::new(), Vec::new());
    let spread = [0.001, 0.01, 0.2][(chance(seed, "spread") * 3.0) as usize];
    let planned = groups(&run.manifest).into_iter().flat_map(|group| group.cells);
    for PlannedCell { id: cell, mode, .. } in planned.filter(|cell| !cell.optional) {
        let is_counted = mode == Mode::Counted;
        let on_device = run.is_on_device(&cell.implementation);
        // Any implementation may be the fastest, and by how much changes with n.
        let speed = |of: &CellId| {
            (3.0 * chance(seed, (&of.implementation, &of.params))).exp() * (0.3 * chance(seed, of)).exp()
        };
        // And one core may be thousands of times as slow as a GPU.
        let core = if on_device { 1.0 } else { (12.0 * chance(seed, "core")).exp() };
        let seconds = 1e-12 * (cell.n as f64).powi(3) * speed(&cell) * core;
        // The fewest that the plan allows.
        let experiment = &run.manifest.experiment;
        let solves = if is_counted {
            experiment.orders as usize
        } else {
            experiment.sampling.min_samples.min(MOST_SOLVES)
        };
        for sample in 0..solves {
            let row = |scope: Scope, seconds: Option<f64>, status| SampleRow {
                scope,
                seconds,
                verified: true,
                ..SampleRow::without_time(&cell, sample, status, "")
            };
            if is_counted {
                samples.push(row(Scope::Kernel, None, Status::Counted));
                continue;
            }
            for scope in scopes(clocks, on_device) {
                let factor = 1.0 + spread * chance(seed, (&cell, scope, sample));
                let beside = (0.2 * chance(seed, (&cell.implementation, scope))).exp();
                samples.push(row(scope, Some(seconds * factor * beside), Status::Ok));
            }
        }
        let kernels = kernels(&cell.implementation);
        for kernel in &kernels {
            let some = |what: &str| 1 + (chance(seed, (&cell.params, kernel, what)) * 4.0) as u64;
            if is_counted {
                let unlike_plain = run.manifest.experiment.between_launches.then(|| some("unlike plain") - 1);
                let row = CountRow::new(&cell, kernel, &counted(some), Some(32768));
                counts.push(CountRow { unlike_plain, ..row });
            } else if clocks.by_kernel {
                let of = KernelTime {
                    kernel: kernel.clone(),
                    launches: 1,
                    seconds: seconds / kernels.len() as f64,
                    loaded_bytes: Some(some("loaded")),
                    stored_bytes: Some(some("stored")),
                };
                kernel_times.push(CellRow { cell: cell.clone(), of });
                let percent = 100.0 * chance(seed, (&cell.params, kernel, "multiprocessor"));
                let of = Counters {
                    kernel: kernel.clone(),
                    gpu: gpu.clone(),
                    dram_bytes: some("dram"),
                    l2_bytes: some("l2"),
                    multiprocessor_percent: percent,
                    multiprocessor_percent_low: percent,
                    multiprocessor_percent_high: percent,
                    ..of_counters.clone()
                };
                counters.push(CellRow { cell: cell.clone(), of });
            }
        }
    }
    (run.results.extra.counts, run.results.extra.kernel_times) = (counts, kernel_times);
    run.results.extra.counters = counters;
    let device = run.manifest.environment.as_mut().and_then(|one| one.ceilings.device.as_mut());
    if let Some(device) = device {
        let seconds = |what: &str| Estimate::exact(1e-6 * chance(seed, what));
        let (one_multiprocessor, all_multiprocessors) = (seconds("one"), seconds("all"));
        device.chained_load = Some(LoadLatency { one_multiprocessor, all_multiprocessors });
    }
    run.with_samples(samples)
}

/// The clocks that claims read, of those that a run with these has.
fn scopes(clocks: ExtraClocks, on_device: bool) -> Vec<Scope> {
    use Scope::{
        CopyInPageable, CopyOutPageable, CopyOutUnsynced, CopyOutUnsyncedLoaded, CudaGraph, Everything,
        HostSynced, HostUnsynced, Kernel, OsSynced, Total,
    };
    let host = [HostSynced, OsSynced, HostUnsynced, CopyOutUnsynced, CopyInPageable, CopyOutPageable];
    let of = |has: bool, scopes: &[Scope]| if has && on_device { scopes.to_vec() } else { Vec::new() };
    [
        vec![Kernel, Total],
        of(clocks.cuda_graph, &[CudaGraph]),
        of(clocks.host, &host),
        of(clocks.everything, &[Everything]),
        of(clocks.loaded, &[CopyOutUnsyncedLoaded]),
    ]
    .concat()
}

/// The kernels of an implementation that claims speak of.
fn kernels(implementation: &str) -> BTreeSet<String> {
    let of = CLAIMS.iter().flat_map(|(_, claim)| &claim.tests).flat_map(Test::contenders);
    let of_it = of.filter(|of| of.implementation == implementation);
    of_it.flat_map(Contender::kernels).map(String::from).collect()
}

fn counted(some: impl Fn(&str) -> u64) -> Counts {
    let mut counts = Counts {
        launches: some("launches"),
        blocks: some("blocks"),
        threads: some("threads") * 256,
        shared_bytes: some("shared") * 4096,
        ..Counts::default()
    };
    (counts.global_load.bytes, counts.global_load.sectors) = (some("bytes") * 64, some("bytes") * 2);
    counts.global_store.bytes = some("stored") * 1024;
    counts.shared_load.banks_16.worst = some("worst");
    counts
}
