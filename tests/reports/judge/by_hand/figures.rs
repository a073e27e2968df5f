//! The figure of a comparison and its interval, from samples and counts.
//! What a figure is held against, and what becomes of the claim.

use super::{
    PAIR, assert_close, assert_within, figures, judged_as, judged_by, of_one, of_two, seconds, timed, unmet,
    value, values,
};
use crate::common::stored::{OCCUPANCY, SHAPES, STRUCTURE, TABLE1, WAITS};
use crate::reports::judge::{edited, ended, open};
use repro::judge::Verdict::{Ambiguous, Differs, Exceeds, InPart, NotComparable, NotMeasured, Reproduced};
use repro::judge::{MissingReason, Perturbation, Unit, Verdict};
use repro::results::StoredRun;
use repro::store::{CounterRow, Status};
use repro::timing::{Estimate, LoadLatency, assumed_noise};
use repro_base::CellId;

#[test]
fn an_interval_has_the_noise_of_its_cells_and_all_of_few_samples_and_more_where_its_halves_differ() {
    let run = timed(WAITS, |row| if row.implementation == "cpu-naive" { 6.0 } else { 2.0 });
    for n in [512, 1024] {
        let wide = of_one(n) * (1.0 + assumed_noise(false, n).1 / 2.0);
        let ratio = figures(&run, &format!("pairs = [[\"global-memory\", \"cpu-naive\"]], sizes = [{n}]"));
        assert_within(ratio[0], 3.0, wide);
    }
    let test = value("seconds", "staged-load", "1024");
    let three = edited(&timed(TABLE1, |row| [1.0, 1.3, 1.1][row.sample % 3]), |row| row.sample < 3);
    assert_close(figures(&three, &test)[0], 1.1, 1.0 / of_one(1024), 1.3 * of_one(1024));
    let unsteady = timed(TABLE1, |row| if row.sample % 2 == 0 { 1.0 } else { 1.2 });
    let unsteady = edited(&unsteady, |row| row.sample < 6);
    assert_close(figures(&unsteady, &test)[0], 1.1, 1.0 / 1.1, 1.2 * 1.1);
}

#[test]
fn every_relation_is_what_it_says_it_is() {
    let run = timed(TABLE1, seconds);
    let two = "[\"staged-load\", \"katz-kider\"]";
    let three =
        format!("[{two}, [\"staged-load\", \"optimized-blocked\"], [\"staged-load\", \"cpu-naive\"]]");
    let rounded = (2.07 * of_two(4096) * 1e6).round() / 1e6;
    let all = "\"katz-kider\", \"staged-load\"";
    let of = |relation: &str, with: &str, series: &str, sizes: &str| {
        format!("relation = \"{relation}\", {with}, series = [{series}], sizes = [{sizes}]")
    };
    for (test, expected) in [
        (format!("pairs = [{two}], sizes = [2048, 1024, 1024]"), vec![2.0, 4.0]),
        (
            format!("pairs = [{two}], sizes = [{{ from = 1024, to = 4096, step = 1024 }}]"),
            vec![2.0, 4.0, 6.0, 8.0],
        ),
        (format!("pairs = [{two}], sizes = [1024, 2048], combine = \"mean\""), vec![3.0]),
        (format!("pairs = {three}, sizes = [1024], combine = \"second-largest\""), vec![rounded]),
        (
            format!("pairs = [{two}], sizes = [1024], clock = \"total\", over_clock = \"kernel\""),
            vec![0.666667],
        ),
        (format!("pairs = [{two}], sizes = [1024], clock = \"total\""), vec![2.0]),
        (of("clocks", "clock = \"total\", over_clock = \"kernel\"", "\"staged-load\"", "1024"), vec![3.0]),
        (of("doubled", "power = 3", "\"katz-kider\"", "1024"), vec![0.25]),
        (of("largest", "power = 3", "\"katz-kider\"", "1024, 2048, 4096"), vec![16.0, 4.0]),
        (of("across-series", "power = 0", &format!("{all}, \"optimized-blocked\""), "1024"), vec![3.8]),
        (value("tasks-a-second", "optimized-blocked", "1024"), vec![282_563_637.894_737]),
    ] {
        assert_eq!(values(&run, &test), expected, "{test}");
    }
    for test in [format!("pairs = [{two}], sizes = [1024]"), of("across-series", "power = 0", all, "1024")] {
        assert_within(figures(&run, &test)[0], 2.0, of_two(1024));
    }
    let rate = value("tasks-a-second", "katz-kider", "1024");
    assert_within(figures(&run, &rate)[0], 1024f64.powi(3) / 2.0, of_one(1024));
    let mean = format!("pairs = [{two}], sizes = [1024, 2048], combine = \"mean\", at_least = 0");
    assert_eq!(judged_by(&run, &mean).points[0].at.n, None);
    // Of a mean that lacks one of its sizes there is none.
    let part = edited(&run, |row| row.n != 2048 || row.implementation != "cpu-naive");
    for combine in ["mean", "second-largest"] {
        let test = format!("pairs = {three}, sizes = [1024, 2048], combine = \"{combine}\", at_least = 0");
        assert_eq!(judged_by(&part, &test).verdict, NotMeasured, "{combine}");
    }
}

#[test]
fn bytes_a_second_and_those_beside_a_copy_are_what_a_kernel_asks_for() {
    let mut run = timed(TABLE1, |_| 1.0);
    run.manifest.environment.as_mut().unwrap().ceilings.device.as_mut().unwrap().copy_gbs = 100.0;
    let facts = run.results.facts.any("staged-load").unwrap();
    // Not what the paper once takes for them.
    assert_ne!(Some(facts.bytes_per_task), facts.bytes_per_task_paper);
    let gigabytes = 1024f64.powi(3) * 1e-9 * facts.bytes_per_task;
    for figure in ["gigabytes-a-second", "share-of-copy"] {
        assert_within(figures(&run, &value(figure, "staged-load", "1024"))[0], gigabytes, of_one(1024));
    }
    // Tiles of half the side move twice as much a task.
    let tiles = "[\"katz-kider-1024 tile=32\", \"katz-kider-1024 tile=16\"]";
    let test = format!("figure = \"gigabytes-a-second\", pairs = [{tiles}], sizes = [4096]");
    assert_eq!(values(&timed(SHAPES, |_| 1.0), &test), [2.0]);
}

fn on_graphs() -> StoredRun {
    timed(OCCUPANCY, |row| match row.graph.as_str() {
        "m=6n" => 2.0,
        "m=60n" => 1.0,
        _ => 6.0,
    })
}

#[test]
fn a_figure_is_of_the_graphs_that_are_asked_for_and_of_those_that_both_solved() {
    let run = on_graphs();
    let test = value("seconds", "two-phase", "1024");
    for (graphs, seconds) in
        [("", 3.0), (", edges_per_vertex = [600]", 6.0), (", edges_per_vertex = [6, 60]", 1.5)]
    {
        assert_eq!(values(&run, &format!("{test}{graphs}")), [seconds]);
    }
    let across = "relation = \"across-graphs\", series = [\"two-phase\"], sizes = [1024], edges_per_vertex = [60, 6, 600]";
    // Of one cell, whose noise all graphs share.
    assert_within(figures(&run, across)[0], 6.0, 1.0);
    // A graph that was planned and not measured is missing.
    let part = edited(&run, |row| row.graph != "m=6n");
    assert_eq!(judged_by(&part, &format!("{test}, at_least = 0")).verdict, NotMeasured);
    // Katz & Kider were to solve one of the three.
    for pair in ["\"two-phase\", \"katz-kider\"", "\"katz-kider\", \"two-phase\""] {
        assert_eq!(values(&run, &format!("pairs = [[{pair}]], sizes = [1024]")), [1.0]);
    }
}

#[test]
fn a_kernel_has_its_own_time_of_its_own_cell() {
    let mut run = on_graphs();
    for row in &mut run.results.extra.kernel_times {
        let own = if row.kernel == "phase_two" { 3.0 } else { 1.0 };
        let CellId { n, graph, params, .. } = &row.cell;
        row.of.seconds = own * *n as f64 * graph.len() as f64 * (1.0 + params.len() as f64);
        (row.of.loaded_bytes, row.of.stored_bytes) = (Some(*n as u64), Some(1));
    }
    let test = |figure, of| format!("{}, edges_per_vertex = [60]", value(figure, of, "2048"));
    let of = |figure, of| figures(&run, &test(figure, of))[0];
    assert_within(of("kernel-seconds", "two-phase:phase_two"), 3.0 * 2048.0 * 5.0, of_one(2048));
    assert_eq!(of("kernel-share", "two-phase:phase_two").value.round(), 75.0);
    let slower = of("kernel-seconds", "two-phase:phase_one blocks-per-multiprocessor=1").value;
    assert_eq!(slower.round(), 2048.0 * 5.0 * 28.0);
    assert_eq!(of("moved-bytes", "two-phase").value, 2.0 * 2049.0);
    let unended =
        edited(&run, |row| row.implementation != "two-phase" || ended(row, Status::Skipped, "stopped"));
    for (run, figure, of) in [
        (&unended, "moved-bytes", "two-phase"),
        (&unended, "kernel-seconds", "two-phase:phase_two"),
        (&run, "kernel-seconds", "two-phase:phase_three"),
    ] {
        let found = judged_by(run, &format!("{}, at_least = 0", test(figure, of)));
        assert_eq!(found.verdict, NotMeasured, "{figure}");
    }
}

#[test]
fn a_step_is_growth_past_a_multiple_over_growth_elsewhere_on_both_sides() {
    let run = timed("h200/dense-steps", |row| {
        let bump = match (row.n % 32, row.n) {
            (0, _) => 1.0,
            (_, ..4224) => 1.05,
            (_, 4240) => 1.21,
            _ => 1.15,
        };
        (row.n as f64).powi(3) * bump
    });
    let of = |sizes: &str| {
        let step = "relation = \"step\", series = [\"global-memory\"], at_least = 1";
        judged_by(&run, &format!("{step}, sizes = [{sizes}]"))
    };
    let found = of("4224");
    // 1.21 over the median of 1.05 and 1.15 is 0.1 more, of waves of 132 multiprocessors with 2,048 threads.
    let waves = 4224f64.powi(2) / (132.0 * 2048.0);
    assert!((found.points[0].measured.value / (0.1 * waves) - 1.0).abs() < 1e-9, "{found:?}");
    assert_eq!((found.unit, found.verdict), (Unit::OfAWave, Reproduced));
    assert_eq!(unmet(&of("4224, 4256")), (1, 2, vec![MissingReason::NoMultiple]));
}

#[test]
fn local_memory_is_the_most_of_all_kernels_and_the_emulated_device_has_none_to_tell() {
    let test = "figure = \"local-bytes\", relation = \"value\", series = [\"staged-load\"], exactly = 16";
    let with = |bytes: [u32; 3], emulated: bool| {
        let mut run = open(TABLE1);
        let environment = run.manifest.environment.as_mut().unwrap();
        environment.device.as_mut().unwrap().info.emulated = emulated;
        let records = &mut environment.implementations;
        let record = records.iter_mut().find(|one| one.implementation == "staged-load").unwrap();
        for (kernel, bytes) in record.kernels.iter_mut().zip(bytes) {
            kernel.resources.local_bytes = bytes;
        }
        judged_by(&run, test).verdict
    };
    assert_eq!([[16, 0, 8], [0, 8, 16]].map(|bytes| with(bytes, false)), [Reproduced; 2]);
    assert_eq!([with([0, 0, 0], false), with([16, 0, 8], true)], [Differs, NotMeasured]);
}

#[test]
fn a_kernel_that_was_not_launched_has_no_launches_and_nothing_else() {
    let run = open(STRUCTURE);
    let of = |run: &StoredRun, figure: &str, of: &str, allowed: &str| {
        judged_by(run, &format!("{}, {allowed}", value(figure, of, "128"))).verdict
    };
    let mut uncounted = run.clone();
    uncounted.results.extra.counts.clear();
    let mut once = run.clone();
    let rows = once.results.extra.counts.iter_mut();
    rows.filter(|row| row.kernel == "phase_two").for_each(|row| row.counts.launches = 0);
    for (run, figure, contender, allowed, verdict) in [
        (&run, "launches", "two-phase:phase_three", "exactly = 0", Reproduced),
        (&run, "blocks", "two-phase:phase_three", "exactly = 0", Reproduced),
        (&run, "threads", "two-phase:phase_three", "at_least = 0", NotMeasured),
        (&uncounted, "launches", "two-phase:phase_three", "exactly = 0", NotMeasured),
        (&run, "kernels", "two-phase", "exactly = 2", Reproduced),
        (&once, "kernels", "two-phase", "exactly = 2", Differs),
    ] {
        assert_eq!(of(run, figure, contender, allowed), verdict, "{figure} {contender}");
    }
}

#[test]
fn seconds_of_several_kernels_are_added() {
    let run = timed(OCCUPANCY, |_| 1.0);
    let rows = run.results.extra.kernel_times.iter();
    let rows = rows.filter(|row| row.cell.implementation == "katz-kider" && row.cell.n == 4096);
    let own: f64 = rows.filter(|row| row.kernel != "doubly_dependent").map(|row| row.seconds).sum();
    let test = |kernels: &str| value("kernel-seconds", &format!("katz-kider:{kernels}"), "4096");
    let found = figures(&run, &test("independent+singly_dependent"))[0];
    assert!((found.value / own - 1.0).abs() < 1e-9, "{found:?} and {own}");
    let lacks = judged_by(&run, &format!("{}, at_most = 9", test("independent+no_kernel")));
    assert_eq!(lacks.verdict, NotMeasured, "one of them alone is not all");
}

#[test]
fn throughput_by_counters_is_of_one_kernel_and_bytes_are_of_all_of_the_solve() {
    let mut run = open("h100/limits");
    let is_of_cell = |row: &&CounterRow| row.cell.implementation == "katz-kider" && row.cell.n == 8192;
    let rows: Vec<CounterRow> = run.results.extra.counters.iter().filter(is_of_cell).cloned().collect();
    assert_eq!(rows.len(), 3);
    let one = value("multiprocessor-throughput", "katz-kider:doubly_dependent", "8192");
    let row = rows.iter().find(|row| row.kernel == "doubly_dependent").unwrap();
    assert_eq!(figures(&run, &one)[0].value, row.multiprocessor_percent);
    let counted = run.results.extra.counters.iter_mut().find(|one| *one == row).unwrap();
    counted.of.multiprocessor_percent = 13.0;
    (counted.of.multiprocessor_percent_low, counted.of.multiprocessor_percent_high) = (12.0, 15.0);
    // From the least launch to the most, and by what cards are assumed to differ.
    assert_close(figures(&run, &one)[0], 13.0, 12.0 / of_one(8192), 15.0 * of_one(8192));
    // Bytes of a copy are as many as it would move in the same time.
    let sum = |of: fn(&CounterRow) -> u64| rows.iter().map(of).sum::<u64>() as f64;
    let (dram, l2) = (sum(|row| row.dram_bytes), sum(|row| row.l2_bytes));
    let summary = run.results.summary.iter();
    let seconds = summary.clone().find(|row| row.implementation == "katz-kider" && row.n == 8192).unwrap();
    let copied = run.environment().unwrap().ceilings.device.as_ref().unwrap().copy_gbs * 1e9;
    let of_solve = [
        ("counted-dram-bytes", dram),
        ("counted-l2-bytes", l2),
        ("dram-share-of-copy", 100.0 * dram / (seconds.median_s.unwrap() * copied)),
    ]
    .map(|(figure, expected)| (value(figure, "katz-kider", "8192"), expected));
    for (test, expected) in &of_solve {
        let found = figures(&run, test)[0].value;
        assert!((found / expected - 1.0).abs() < 1e-9, "{test}: {found} and {expected}");
    }
    // Without one of its kernels it is no solve.
    run.results.extra.counters.retain(|row| row.kernel != "doubly_dependent");
    for test in of_solve.iter().map(|(test, _)| test).chain([&one]) {
        let without = judged_by(&run, &format!("{test}, at_least = 0"));
        assert_eq!(unmet(&without), (0, 1, vec![MissingReason::NoCounters]), "{test}");
    }
}

#[test]
fn the_latency_of_a_load_is_of_the_machine_and_needs_no_contender() {
    let mut run = open("h100/table1");
    let test = "figure = \"load-latency-of-all-over-one\", relation = \"value\"";
    let device = run.manifest.environment.as_mut().unwrap().ceilings.device.as_mut().unwrap();
    device.chained_load = Some(LoadLatency {
        one_multiprocessor: Estimate { value: 2.0, low: 1.0, high: 4.0 },
        all_multiprocessors: Estimate { value: 8.0, low: 6.0, high: 8.0 },
    });
    assert_close(figures(&run, test)[0], 4.0, 1.5, 8.0);
}

#[test]
fn a_verdict_turns_where_its_noise_its_rounding_and_the_bounds_of_ours_say() {
    use Perturbation::{Noise, Ours, Rounding};
    let run = timed(TABLE1, seconds);
    let two = &format!("{PAIR}, sizes = [1024]");
    let rounded = "pairs = [[\"staged-load\", \"harish-narayanan\"]], sizes = [4096]";
    let of_seconds = &value("seconds", "katz-kider", "1024");
    let least = |factor: f64| format!("at_least = {}", 2.0 / of_two(1024) * factor);
    let most = |factor: f64| format!("at_most = {}", 2.0 * of_two(1024) * factor);
    let number = "value = 2.1\nunit = \"times\"";
    type Turns = &'static [(Perturbation, Verdict)];
    // 6 over 3.8, beside 1.5 and 1.75.
    let larger = "pairs = [[\"optimized-blocked\", \"katz-kider\"]], sizes = [3072]";
    let cases: [(&str, &str, String, Verdict, Turns); 16] = [
        ("value = 1\nunit = \"times\"", larger, String::new(), Differs, &[(Rounding(1.5), Reproduced)]),
        ("", two, "at_least = 1.8, at_most = 2.2".into(), Reproduced, &[]),
        ("", two, "at_least = 2.2, at_most = 3".into(), Differs, &[]),
        ("", two, "at_least = 1, at_most = 1.8".into(), Differs, &[]),
        ("", two, least(1.0005), Ambiguous, &[(Noise(0.5), Reproduced)]),
        ("", two, least(0.9995), Reproduced, &[(Noise(2.0), Ambiguous)]),
        ("", two, most(0.9995), Ambiguous, &[(Noise(0.5), Reproduced)]),
        ("", two, most(1.0005), Reproduced, &[(Noise(2.0), Ambiguous)]),
        ("", two, "at_least = 1.7".into(), Reproduced, &[]),
        ("", two, "at_least = 1.8, ours = true".into(), Reproduced, &[(Ours(1.5), Differs)]),
        // Half of it is from equality: 1.9 and not 2.4.
        ("", two, "at_least = 1.6, ours = true".into(), Reproduced, &[]),
        ("", two, "at_least = 1, at_most = 2.5, ours = true".into(), Reproduced, &[(Ours(0.5), Differs)]),
        ("", of_seconds, "at_least = 1.5, ours = true".into(), Reproduced, &[(Ours(1.5), Differs)]),
        (number, rounded, String::new(), Reproduced, &[(Rounding(0.5), Ambiguous)]),
        (number, two, "exactly = 2.08".into(), Ambiguous, &[(Noise(0.5), Differs)]),
        ("value = 1.7\nunit = \"times\"", two, String::new(), Differs, &[]),
    ];
    for (lines, test, bounds, verdict, flips) in cases {
        let comma = if bounds.is_empty() { "" } else { ", " };
        let found = judged_as(&[&run], lines, &format!("{{ {test}{comma}{bounds} }}"));
        let found = (found.verdict, found.sensitivity.iter().map(|one| (one.change, one.verdict)).collect());
        assert_eq!(found, (verdict, flips.to_vec()), "{lines} {test} {bounds}");
    }
}

#[test]
fn a_floor_is_not_rounded_and_what_may_be_exceeded_is_said_with_the_number() {
    let run = timed(TABLE1, seconds);
    let test = "{ pairs = [[\"staged-load\", \"optimized-blocked\"]], sizes = [2048] }";
    for (number, verdict) in [
        ("value = 4", Reproduced),
        ("value = 4\nbound = \"floor\"", Differs),
        ("value = 4\nbound = \"up-to\"", Reproduced),
        ("value = 3", Differs),
        ("value = 3\nbound = \"floor\"", Exceeds),
        ("value = 3\nbound = \"up-to\"", Exceeds),
        ("low = 3", Reproduced),
        ("low = 4", Differs),
        ("low = 3\nbound = \"floor\"", Exceeds),
        ("low = 3\nhigh = 3.5", Differs),
        ("low = 3\nhigh = 3.95", Reproduced),
        // What rounds to the end that is written with more digits.
        ("low = 4\nhigh = 4.9", Differs),
    ] {
        let found = judged_as(&[&run], &format!("{number}\nunit = \"times\""), test);
        assert_eq!(found.verdict, verdict, "{number}: {found:?}");
    }
}

#[test]
fn a_cause_is_shown_of_whatever_comes_out_otherwise() {
    let run = timed(TABLE1, seconds);
    let of = |number: &str, sizes: &str| {
        let lines = format!("{number}\nunit = \"times\"\ncause = {{ statement = \"because\" }}");
        let found = judged_as(&[&run], &lines, &format!("{{ {PAIR}, sizes = {sizes} }}"));
        (found.verdict, found.cause.is_some())
    };
    assert_eq!(of("value = 2", "[1024]"), (Reproduced, false));
    assert_eq!(of("value = 4", "[1024]"), (Differs, true));
    assert_eq!(of("value = 2", "[1024, 2048]"), (InPart, true));
    assert_eq!(of("value = 1\nbound = \"floor\"", "[1024]"), (Exceeds, true));
}

#[test]
fn a_gpu_is_one_of_the_same_name_with_its_vendor_or_without() {
    let test = format!("{{ {}, own_gpu = true, at_least = 0 }}", value("seconds", "staged-load", "1024"));
    let mut run = timed(TABLE1, seconds);
    for (name, gpu, verdict) in [
        ("NVIDIA H200", "H200", Reproduced),
        ("H200", "H200", Reproduced),
        ("nvidia h200", "NVIDIA H200", Reproduced),
        ("NVIDIA GH200", "H200", NotComparable),
        ("NVIDIA H200 NVL", "H200", NotComparable),
        ("NVIDIA H100", "NVIDIA H200", NotComparable),
        ("NVIDIA H200", "Some GPU", NotComparable),
    ] {
        run.manifest.environment.as_mut().unwrap().device.as_mut().unwrap().info.name = name.to_string();
        let found = judged_as(&[&run], &format!("gpu = \"{gpu}\""), &test);
        assert_eq!(found.verdict, verdict, "{name} for {gpu}");
        assert_eq!(found.shown.is_some(), verdict == NotComparable);
    }
    // One test that is of the own GPU is enough, and what is shown is the first comparison.
    let seconds = format!("{}, at_least = 0", value("seconds", "katz-kider", "1024, 2048"));
    let both = format!("{{ {seconds}, own_gpu = true }}, {{ {seconds} }}");
    let found = judged_as(&[&run], "", &both);
    assert_eq!((found.verdict, found.shown.unwrap().value), (NotComparable, 2.0));
}
