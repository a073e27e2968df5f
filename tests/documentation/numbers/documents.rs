//! The documents, sentence by sentence.

use super::{
    Committed, DEPTHS, MACHINES, Prose, SIZES, UNROLLED_SIZES, counted, ends, in_words, percent, percents,
};
use crate::common::stored::STRUCTURE;
use crate::documentation::answers::{ceilings, rate, run, short};
use crate::documentation::artifact::{claims, deciders};
use crate::documentation::{root, text_of};
use repro::judge::Verdict;
use repro::published::published_papers;
use repro::results::SummaryRow;
use repro::store::{CountRow, ImplementationRecord};
use repro::timing::Scope;
use repro_base::CellId;
use repro_base::terminal::Exit;
use std::collections::BTreeSet;

const RUST: &str = env!("CARGO_PKG_RUST_VERSION");

#[test]
fn the_readme_says_what_the_committed_runs_show() {
    let (all, mut readme) = (Committed::open(), Prose::of("README.md"));
    for no_result in [
        "## Two commands",
        "between every two of n vertices of a graph, in n³ steps",
        "`repro track table1 --against OLD_BINARY` times two builds in turn.",
        "MIT or Apache-2.0.",
    ] {
        readme.says(no_result);
    }
    let [papers, claims, ..] = counted();
    readme.says(format!("repeats the measurements of {} papers", in_words(papers)));
    readme.says(format!("for each of {claims} claims."));
    readme.says(format!("You need Rust {RUST};"));
    all.assert_verdict("blocks-hide-latency", Verdict::Reproduced);
    let [least, most] = percents(all.measured("warps-hide-latency").map(|(value, _)| value - 1.0));
    readme.says(format!("running several blocks on a multiprocessor still hides latency, beyond the warps of then by {least} to {most}%."));
    let [least, most] = ends(all.measured("staged-over-kk").map(|(value, _)| value));
    let [from, to] = ends(all.measured("staged-over-kk").map(|(_, n)| n.unwrap() as f64));
    let published = all.published("staged-over-kk", "high");
    readme.says(format!("Staged Load is {least:.1} to {most:.1} times as fast as Katz & Kider for n from {from} to {to}, not {published} times."));
    let limits = all.run("h200/limits");
    let staged = CellId::new("staged-load", 16384, "", "");
    let counted = limits.results.extra.counters.iter().filter(|row| row.cell == staged);
    let counted: u64 = counted.map(|row| row.dram_bytes).sum();
    let own = all.run("h200/table1").results.facts.any("staged-load").unwrap().bytes_per_task;
    readme.says(format!(
        "At n = 16384 it asks for {} GB/s of an H200's memory, of which {} reach it by the GPU's counters; a copy moves {}.",
        short(own * rate("h200/table1", "staged-load", 16384, "", ""), 3),
        short(counted as f64 / limits.cell(&staged).time(Scope::Kernel).unwrap().value / 1e9, 3),
        short(all.shown("memcpy"), 3),
    ));
    let gain = all.gain_of_two_phases();
    let [slower, less] = [all.slower_two_phases(1024)[1], all.printed_grid(&UNROLLED_SIZES)].map(percent);
    readme.says(format!("two phases, with all else equal, take up to {slower}% more time at n = 1024, and at most {:.1}% less. With one block a multiprocessor, as printed, they take up to {less}% less than with two.", 100.0 * (1.0 - 1.0 / gain)));
    let [many, also] = all.best_kappa("", &DEPTHS).map(percent);
    assert_eq!(many, also, "1,024 threads");
    assert_eq!(all.best_kappa("", &[32]), all.best_kappa("", &DEPTHS), "the best depth is the whole tile");
    let [least, most] = all.best_kappa("rest-threads=64;", &DEPTHS).map(percent);
    let [in_stages, also] = MACHINES.map(|machine| percent(all.swept(machine)));
    assert_eq!(in_stages, also, "1,024 threads, in stages");
    readme.says(format!("updating several tiles together still takes less time: {in_stages}% (`kappa-sweep`), {many}% without stages, {least} to {most}% with 64 threads a block in place of 1,024."));
    // Readings below the true time; what is above it is the copy that follows.
    let readings = all.measured("unsynced-is-wrong");
    let readings = readings.filter(|(value, n)| *value < 1.0 && n.unwrap() >= 2048);
    let [least, most] = percents(readings.map(|(value, _)| value));
    readme.says(format!("with a launch a k, a clock that does not wait for the GPU reads {least} to {most}% of the true time from n = 2048 on: 1 - 1024/n."));
    let peers = all.run("h200/peers");
    let rows = || peers.results.summary.iter().filter(|row| row.median_s.is_some());
    let is_own = |row: &&SummaryRow| row.implementation == "register-blocked" && row.graph == "dense";
    for row in rows().filter(|row| row.implementation != "register-blocked") {
        let own = rows().find(|one| is_own(one) && one.n == row.n).unwrap();
        assert!(row.median_s > own.median_s, "{} is faster at n = {}", row.implementation, row.n);
    }
    let rates =
        ["", "stored=0"].map(|params| rate("h200/frontier-variants", "register-blocked", 32768, params, ""));
    let [_, limit] = ceilings("h200/frontier-variants");
    let ([reordered, compiled], shares) =
        (rates.map(|rate| short(rate, 3)), rates.map(|rate| percent(rate / limit)));
    readme.says(format!("The fastest kernel, [`register-blocked`](docs/register-blocked.md), does {reordered} billion steps a second reordered, {compiled} as compiled (`f32`, n = 32768): {} and {}% of the [hardware's limit](docs/measuring.md#ceilings).", shares[0], shares[1]));
    let four = short(rate("h200-x4/scaling-large", "distributed-blocked", 131_072, "devices=4", "m=16n"), 3);
    readme.says(format!("[Four GPUs](docs/several-gpus.md) do {four} as compiled at n = 131072."));
    readme.end();
}

#[test]
fn the_page_of_the_artifact_says_what_the_committed_runs_show() {
    let mut artifact = Prose::of("ARTIFACT.md");
    artifact.says("AMBIGUOUS may become a neighbouring verdict and the reverse, since the noise decides.");
    let [papers, claims, beside, others] = counted();
    assert_eq!(beside, 1);
    artifact.says(format!(
        "This page has each of the {claims} claims of the {} papers, and of {others} of one beside them,",
        in_words(papers)
    ));
    artifact.says(format!("You need Linux, Rust {RUST},"));
    artifact.says(format!("a few matrices of {}n² bytes.", size_of::<f32>()));
    // The first that there is a model of.
    let refused = "emulated:0.0".parse::<repro::device::Selection>().unwrap_err().to_string();
    let is_capability = |word: &&str| {
        word.split_once('.').is_some_and(|(major, minor)| major != "0" && minor.parse::<u8>().is_ok())
    };
    let first = refused.split(|c: char| c.is_whitespace() || c == ',').find(is_capability).unwrap();
    artifact.says(format!("NVIDIA GPU of compute capability {first} or newer"));
    let [gpu, emulation, cpu] = [Exit::Success, Exit::Failed, Exit::Inconclusive].map(|exit| exit as u8);
    artifact.says(format!("`repro doctor` ends with {gpu} where GPU runs are possible, {emulation} with only emulation, {cpu} with only the CPU."));
    artifact.says(format!("Expect exit code {gpu}."));
    assert_eq!(deciders(root())[STRUCTURE].minutes, 1);
    let rows = repro::report::claims(&[run(STRUCTURE)], published_papers().unwrap());
    let verdicts = rows.iter().flat_map(|row| &row.results).map(|result| result.verdict);
    let decided: Vec<Verdict> = verdicts.filter(|verdict| verdict.is_decided()).collect();
    assert!(decided.iter().all(|verdict| *verdict == Verdict::Reproduced), "{decided:?}");
    let text = text_of("ARTIFACT.md");
    let decided = decided.len();
    assert!(text.contains(&format!("[ \"$reproduced\" = {decided} ]")), "the last line asks for others");
    artifact.says(format!("are counted on the emulated device in less than a minute. The last line fails unless all {decided} claims whose needs this run meets are REPRODUCED."));
    let named = text.split("for experiment in ").nth(1).unwrap().split(';').next().unwrap();
    let (all, _) = self::claims();
    let headlines = all.iter().filter(|claim| claim.is_headline);
    let needed: BTreeSet<&str> = headlines.filter_map(|claim| claim.run.as_deref()).collect();
    assert_eq!(named.split(' ').collect::<BTreeSet<_>>(), needed);
    artifact.says("These runs decide all that are tested");
    artifact.end();
}

#[test]
fn the_findings_are_what_the_committed_runs_show() {
    let (all, mut findings) = (Committed::open(), Prose::of("docs/findings.md"));
    findings.says("κ rounds are joined; κ = 1 is the classic blocked algorithm.");
    let mut sources = BTreeSet::new();
    let found = MACHINES.map(|machine| {
        let (mut commits, mut gpus) = (BTreeSet::new(), BTreeSet::new());
        for run in all.deciding_runs(machine) {
            let run = all.run(&run);
            commits.insert(run.manifest.build.commit.clone());
            let environment = run.environment().unwrap();
            gpus.extend(environment.device.iter().map(|device| device.info.uuid.clone()));
            let of = environment.implementations.iter();
            // What each kernel takes of a multiprocessor.
            let kernels = |one: &ImplementationRecord| serde_json::to_string(&one.kernels).unwrap();
            let of = of.map(|one| ((one.implementation.clone(), one.params.clone()), kernels(one)));
            sources.extend(of);
        }
        let commits =
            [in_words(commits.len()), if commits.len() == 1 { "commit" } else { "commits" }.to_string()];
        [commits.join(" "), in_words(gpus.len())]
    });
    let kernels: BTreeSet<_> = sources.iter().map(|(name, _)| name).collect();
    assert_eq!(kernels.len(), sources.len(), "kernels differ: {sources:?}");
    let [[one, two], [three, five]] = found;
    findings.says(format!("Verdicts rest on {one} on {two} H200s and {three} on {five} H100s, with kernels of the same registers and shared memory; no ratio is of two GPUs."));
    let counted = all.run("emulated/structure-ablation");
    let conflicts = |name: &str| {
        let is_it = |row: &&CountRow| row.cell.implementation == name && row.kernel == "doubly_dependent";
        let loads = counted.results.extra.counts.iter().find(is_it).unwrap().counts.shared_load;
        [loads.banks_16, loads.banks_32].map(|banks| banks.steps > banks.parts)
    };
    assert_eq!([conflicts("staged-load"), conflicts("staged-plain-order")], [[false, false], [true, false]]);
    all.assert_verdict("cyclic-order-faster", Verdict::Differs);
    findings.says("The cyclic order of k avoids bank conflicts on 16 banks. On today's 32 banks the plain order has none, and is faster (`ablation`).");
    let unrolling = all.gained("optimized-blocked", "katz-kider-shifts");
    let tiles = all.gained("staged-load", "staged-row-major");
    let threads = all.gained("staged-load", "staged-load-256");
    let constant = all.gained("katz-kider-shifts", "katz-kider");
    for (of, over) in [
        ("tile-in-registers-256", "optimized-blocked"),
        ("tile-in-registers", "tile-in-registers-256"),
        ("staged-row-major", "tile-in-registers"),
        ("staged-load", "staged-plain-order"),
        ("staged-load-256", "staged-load"),
    ] {
        let [_, gain] = all.gained(of, over);
        assert!(gain < constant[0], "{of} gains {gain}");
    }
    let [least, most] = constant.map(|times| format!("{times:.1}"));
    assert_eq!(least, most, "a constant tile");
    let ([a, b], [c, d], [e, f]) = (unrolling, tiles, threads);
    findings.says(format!("Unrolling ({a:.1} to {b:.1} times), tiles of 4 x 4 ({c:.1} to {d:.1}), 64 threads in place of 256 ({e:.1} to {f:.1}) and a constant tile in Katz & Kider ({most}) gain most."));
    let [_, resident] = ends(SIZES.iter().flat_map(|n| all.phases(*n)));
    let losses = SIZES.map(|n| 1.0 - ends(all.phases(n))[0]);
    assert!(losses.is_sorted_by(|one, next| one > next), "two phases lose {losses:?}");
    let ([least, most], last) = (all.slower_two_phases(1024).map(percent), all.slower_two_phases(8192)[1]);
    let [resident, printed] = [resident, all.gain_of_two_phases()].map(|gain| 100.0 * (1.0 - 1.0 / gain));
    findings.says(format!("All else equal, two phases take {least} to {most}% more time at n = 1024, up to {:.1}% at 8192, and at most {resident:.1}% less (`phases`); with one block a multiprocessor at most {printed:.1}% (`phases-unrolling`).", 100.0 * last));
    let [least, most] = all.one_block(&[1024, 2048, 3072, 4096]).map(percent);
    findings.says(format!("One block, as Algorithm 3 has it, takes {least} to {most}% less than two up to n = 4096 (`occupancy`)."));
    // The same of both machines.
    let mut sentences = BTreeSet::new();
    for machine in MACHINES {
        let kappas = all.kappas(machine);
        let [time, rest, before] = kappas[&1];
        assert!(kappas.range(2..).all(|(_, of)| of[1] < rest), "{machine}: most tiles take more time");
        let lost = kappas.range(8..=128).map(|(kappa, of)| (of[2] - before) / (kappa - 1) as f64);
        let mut lost: Vec<f64> = lost.collect();
        lost.sort_by(f64::total_cmp);
        let (median, [least, most]) = (lost[lost.len() / 2], ends(lost));
        assert!(0.9 * median < least && most < 1.1 * median, "{machine}: {least} to {most} s a tile");
        let slower = kappas.range(2..).find(|(_, of)| of[0] > time).unwrap().0;
        let last = kappas.range(..slower).next_back().unwrap().0;
        sentences.insert(format!("From κ = 2 to {last} (`kappa-sweep`) all are faster than κ = 1 at n = 8192; κ = {slower} is slower. Most tiles are updated in less time, but the three procedures before take longer, by {:.1} ms a tile.", 1e3 * median));
        for (kappa, stage) in [1, 4, 10, 32].into_iter().flat_map(|k| DEPTHS.map(|s| (k, s))) {
            let [few, many] = ["rest-threads=64;", ""].map(|threads| {
                let params = format!("kappa={kappa};{threads}stage={stage}");
                all.seconds(&format!("{machine}/stage-depth"), "generalized-blocked", &params, "", 8192)
            });
            assert!(few < many, "{machine}: κ = {kappa} with stages of {stage}");
        }
    }
    sentences.into_iter().for_each(|sentence| findings.says(sentence));
    let ([least, most], [many, _]) =
        (all.best_kappa("rest-threads=64;", &DEPTHS).map(percent), all.best_kappa("", &DEPTHS).map(percent));
    findings.says(format!("This is with 1,024 threads; with 64, which are faster, the best of κ = 4, 10 and 32 gains {least} to {most}%, not {many}%, each at its best depth (`stage-depth`)."));
    for (cell, share) in all.ratios("timers", [Scope::HostUnsynced, Scope::HostSynced]) {
        if cell.implementation != "staged-load" && cell.n >= 2048 {
            let expected = 1.0 - 1024.0 / cell.n as f64;
            assert!((share / expected - 1.0).abs() < 0.01, "{cell:?}: {share} for {expected}");
        }
    }
    findings.says("With a launch a k, a clock that does not wait for the GPU reads 1 - 1024/n of the true time from n = 2048 on (`timers`, within 1%).");
    findings.end();
}
