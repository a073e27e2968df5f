//! What is drawn over something else: speed-ups, sweeps, clocks, baselines.

use super::*;
use crate::show::Context;
use crate::show::subjects::speedups;
use crate::timing::Scope;
use repro_types::CellId;

#[test]
fn speed_ups_stand_beside_the_papers_text_and_table() {
    let plot = plot("table1", "speedups");
    let row = rows(&plot).rows.iter().find(|row| row.label == "staged-load\nover katz-kider").unwrap();
    let band = row.band.as_ref().unwrap();
    assert_eq!((band.low, band.high), (Some(5.0), Some(5.2)));
    let [published, here] = &row.traces[..] else { panic!("{:?}", row.traces) };
    let at = |trace: &Trace| trace.points.iter().find(|point| point.name == "n = 8192").unwrap().x;
    assert!((at(published) - 35.37 / 6.88).abs() < 1e-9);
    assert!((at(here) - 0.2971 / 0.07265).abs() < 0.005);
    assert!(plot.caption.contains("staged-load over katz-kider"), "{}", plot.caption);
    let cpu = self::plot("table1", "speedups-cpu");
    assert_eq!(rows(&cpu).rows[0].band.as_ref().unwrap().high, None);
}

#[test]
fn a_speed_up_by_a_named_clock_is_compared_by_that_clock_alone() {
    let run = reference("timers");
    let papers = papers();
    let plots = speedups::figures(&Context::new(&run, &papers));
    let plot = plots.iter().find(|plot| plot.id == "speedups").unwrap();
    let row = rows(plot).rows.iter().find(|row| row.label.contains("cpu-naive")).unwrap();
    assert_eq!(row.label, "global-memory\nover cpu-naive (total)");
    let point = row.traces[0].points.iter().find(|point| point.name == "n = 1024").unwrap();
    let total = |name: &str| {
        let of = |row: &&crate::results::SummaryRow| row.implementation == name && row.n == 1024;
        run.results.summary.iter().find(of).unwrap().total_s.unwrap()
    };
    assert!((point.x - total("cpu-naive") / total("global-memory")).abs() < 1e-9);
}

#[test]
fn the_sweep_passes_one_at_its_lowest_value_and_shows_other_sizes_and_the_variant() {
    let plot = plot("kappa-sweep", "sweep-kappa");
    let names: Vec<&str> = lines(&plot).series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["n = 4096", "n = 6144", "n = 8192", "n = 8192, spread-lead=1", "n = 16384"]);
    for series in &lines(&plot).series {
        assert_eq!((series.points[0].x, series.points[0].y), (1.0, 1.0));
        assert_eq!(series.thin, !series.name.starts_with("n = 8192"));
    }
    assert_eq!(series(&plot, "n = 8192, spread-lead=1").stroke, Stroke::Dashed);
    let ten = series(&plot, "n = 8192").points.iter().find(|point| point.x == 10.0).unwrap();
    let run = reference("kappa-sweep");
    let seconds = |params: &str| {
        let of = |row: &&crate::results::SummaryRow| row.params == params && row.n == 8192;
        run.results.summary.iter().find(of).unwrap().median_s.unwrap()
    };
    assert!((ten.y - seconds("kappa=10") / seconds("kappa=1")).abs() < 1e-9);
    assert_eq!(lines(&plot).guides[0].at, 1.0);
}

#[test]
fn the_pitfall_shows_every_clock_and_the_speed_up_that_each_would_have_published() {
    let clocks = plot("timers", "clocks-staged-load");
    assert_eq!(lines(&clocks).series.len(), 5);
    let last = |name: &str| series(&clocks, name).points.last().unwrap().y;
    let (truth, lie) =
        (last("host, synchronized (host-synced)"), last("host, not synchronized (host-unsynced)"));
    let run = reference("timers");
    let seconds = |name: &str, n: usize| {
        let of = |row: &&crate::results::SummaryRow| row.implementation == name && row.n == n;
        run.results.summary.iter().find(of).unwrap().median_s.unwrap()
    };
    assert!(lie < 0.05 * truth && (truth / seconds("staged-load", 8192) - 1.0).abs() < 0.02, "{lie} {truth}");
    let speedups = plot("timers", "clock-speedups-global-memory");
    assert!(lines(&speedups).guides.iter().any(|guide| guide.at == 3.3));
    let kernel = series(&speedups, "events (kernel)").points.last().unwrap();
    assert!(
        kernel.x == 2048.0
            && (kernel.y - seconds("cpu-naive", 2048) / seconds("global-memory", 2048)).abs() < 1e-9
    );
}

#[test]
fn baselines_are_over_the_graphs_that_both_were_measured_on_beside_the_published_ratios() {
    let plot = plot("occupancy", "baselines");
    let guides: Vec<f64> = lines(&plot).guides.iter().map(|guide| guide.at).collect();
    assert!(guides.contains(&4.0) && guides.contains(&1.8), "{guides:?}");
    let cpu = series(&plot, "cpu-naive");
    assert_eq!(cpu.points.len(), 3);
    assert!(cpu.points.iter().all(|point| point.low.unwrap() <= point.y && point.y <= point.high.unwrap()));
}

#[test]
fn baselines_of_several_variants_are_told_apart_and_each_published_value_is_one_line() {
    let folder = |name: &str| StoredRun::open(&PathBuf::from("results/reference/h200").join(name)).unwrap();
    for name in ["phases-unrolling", "residency"] {
        let plots = of_run(&folder(name), &papers());
        let plot = plots.iter().find(|plot| plot.id == "baselines").unwrap();
        let labels: Vec<&String> = lines(plot).guides.iter().map(|guide| &guide.short).collect();
        assert_eq!(labels.iter().collect::<BTreeSet<_>>().len(), labels.len(), "{name}: {labels:?}");
        let names: Vec<&String> = lines(plot).series.iter().map(|one| &one.name).collect();
        assert!(names.len() > 2 && names.iter().collect::<BTreeSet<_>>().len() == names.len(), "{names:?}");
        let named = plot.caption.matches(" as fast as ").count();
        assert!((2..=4).contains(&named), "{}", plot.caption);
        for name in names.iter().filter(|name| name.contains(", ")).take(2) {
            let (implementation, params) = name.split_once(", ").unwrap();
            assert!(plot.caption.contains(&format!("{implementation} ({params})")), "{}", plot.caption);
        }
    }
}

#[test]
fn the_sweep_is_also_in_seconds_tasks_and_bytes_a_second_at_its_own_n() {
    let of = |what: &str| {
        let plot = plot("kappa-sweep", &format!("sweep-kappa-{what}"));
        let series = lines(&plot).series.iter().find(|series| series.name == "n = 8192").unwrap();
        series.points.iter().map(|point| (point.x, point.y)).collect::<Vec<_>>()
    };
    let (seconds, rates, traffic) = (of("seconds"), of("tasks-per-second"), of("bandwidth"));
    assert_eq!((seconds.len(), rates.len(), traffic.len()), (20, 20, 20));
    let run = reference("kappa-sweep");
    for (at, (kappa, seconds)) in seconds.iter().enumerate() {
        assert!((rates[at].1 * seconds / 8192f64.powi(3) - 1.0).abs() < 1e-9, "kappa = {kappa}");
        let params = format!("kappa={kappa}");
        let rows = run.results.kernel_times.iter().filter(|row| row.n == 8192 && row.params == params);
        let bytes: u64 = rows.map(|row| row.loaded_bytes.unwrap() + row.stored_bytes.unwrap()).sum();
        assert!((traffic[at].1 * 1e9 * seconds / bytes as f64 - 1.0).abs() < 1e-9, "kappa = {kappa}");
    }
}

#[test]
fn what_a_clock_reads_without_waiting_is_drawn_over_what_it_reads_after_a_wait() {
    let plot = plot("timers", "clock-shares-global-memory");
    let run = reference("timers");
    let series = &lines(&plot).series[0];
    let point = series.points.iter().find(|point| point.x == 2048.0).unwrap();
    let seconds = |scope| run.cell(&CellId::new("global-memory", 2048, "", "")).time(scope).unwrap().value;
    let share = 100.0 * seconds(Scope::HostUnsynced) / seconds(Scope::HostSynced);
    assert!((point.y - share).abs() < 1e-9 && (point.y - 50.1).abs() < 0.5, "{point:?} and {share}");
}

#[test]
fn unused_shared_memory_is_drawn_as_the_blocks_that_it_leaves_resident() {
    let plot = plot("residency", "sweep-padding-kib");
    let series = lines(&plot).series.iter().find(|series| series.name == "n = 8192").unwrap();
    let xs: Vec<f64> = series.points.iter().map(|point| point.x).collect();
    assert_eq!(xs, [1.0, 2.0, 4.0, 4.0], "{:?}", series.points);
    assert!(plot.title.contains("resident blocks") && series.points[1].y < 0.8, "{}", plot.title);
}

#[test]
fn what_one_change_gains_takes_the_place_of_a_line_for_every_setting() {
    let run = reference("phases");
    let plots = of_run(&run, &papers());
    assert!(plots[0].id == "gains" && plots.iter().all(|plot| plot.id != "tasks-per-second"));
    let names: Vec<&str> = lines(&plots[0]).series.iter().map(|series| series.name.as_str()).collect();
    assert!(names.contains(&"unrolled=1, over 0") && names.contains(&"two-phase, over katz-kider-1024"));
    let seconds = |name: &str, params: &str| {
        let of = |row: &&crate::results::SummaryRow| {
            (row.implementation.as_str(), row.params.as_str(), row.n) == (name, params, 8192)
        };
        run.results.summary.iter().find(of).unwrap().median_s.unwrap()
    };
    let of_phases = series(&plots[0], "two-phase, over katz-kider-1024").points.last().unwrap();
    for params in ["element-loop=0;tile-place=0;unrolled=1", "element-loop=1;tile-place=2;unrolled=0"] {
        let ratio = seconds("katz-kider-1024", params) / seconds("two-phase", params);
        assert!(of_phases.low.unwrap() <= ratio && ratio <= of_phases.high.unwrap(), "{ratio} {of_phases:?}");
    }
    assert!(plots[0].caption.contains("unrolled=1 over 0 1.05 to 2.28"), "{}", plots[0].caption);
    // Where defaults differ, two implementations are not one change apart.
    let crossed = of_run(&reference("phases-unrolling"), &papers());
    assert!(crossed.iter().all(|plot| plot.id != "gains"));
}
