//! What figures show, held against a second computation: times against n, jumps, speed-ups, sweeps, times of procedures.

use super::*;
use crate::show::Context;
use crate::show::subjects::speedups;

#[test]
fn table_1_shows_all_published_cells_and_every_median_within_its_interval() {
    let (run, papers) = (reference("table1"), papers());
    let plot = plot("table1", "seconds");
    let chart = lines(&plot);
    let table = papers.iter().find(|paper| paper.id == "lund-smith-2010").unwrap().table("table1").unwrap();
    let mut published = 0;
    let mut measured = 0;
    for series in &chart.series {
        let name = series.name.trim_end_matches(", published");
        for point in &series.points {
            let n = point.x as usize;
            if series.name.ends_with("published") {
                published += 1;
                assert_eq!(Some(point.y), table.seconds(name, n), "{name} {n}");
                assert!(
                    point.low.is_none() && !series.mark.unwrap().filled && series.stroke == Stroke::Dotted
                );
            } else {
                measured += 1;
                let row =
                    run.results.summary.iter().find(|row| row.implementation == name && row.n == n).unwrap();
                assert_eq!(Some(point.y), row.median_s);
                assert!(point.low.unwrap() <= point.y && point.y <= point.high.unwrap());
                assert!(series.mark.unwrap().filled && series.stroke == Stroke::Solid);
            }
        }
    }
    assert_eq!(published, 55);
    assert_eq!(measured, run.results.summary.iter().filter(|row| row.median_s.is_some()).count());
    // One colour an implementation.
    for name in table.columns.keys() {
        assert_eq!(series(&plot, name).ink, series(&plot, &format!("{name}, published")).ink);
    }
}

#[test]
fn a_jump_is_marked_where_a_task_takes_twice_as_long_and_its_cause_is_not_guessed() {
    for id in ["seconds", "tasks-per-second"] {
        let plot = plot(SINGLE_SAMPLES, id);
        let jumps: Vec<(&str, f64, f64)> = lines(&plot)
            .series
            .iter()
            .flat_map(|one| one.points.iter().map(|point| (one.name.as_str(), point)))
            .filter_map(|(name, point)| Some((name, point.x, point.facts.jump?)))
            .collect();
        let [(name, n, factor)] = jumps[..] else { panic!("{id}: {jumps:?}") };
        let task = |n: f64, seconds: f64| seconds / n.powi(3);
        let expected = task(5120.0, 65.382695808) / task(4096.0, 13.431134404);
        assert!(
            (name, n) == ("cpu-naive", 5120.0) && (factor - expected).abs() < 1e-9,
            "{name} {n} {factor}"
        );
        assert!(
            plot.caption.contains("2.5 times as long as at n = 4096, each time of one sample"),
            "{}",
            plot.caption
        );
        assert!(plot.caption.contains("recorded neither what others used of the CPU"), "{}", plot.caption);
        assert!(scene_of(&plot, Layout::Wide).texts().any(|text| text.text == "time a task ×2.5"));
    }
}

#[test]
fn the_cause_of_a_jump_is_the_recorded_load_or_another_one() {
    let mut run = reference(SINGLE_SAMPLES);
    let caption = |run: &StoredRun| {
        of_run(run, &papers()).into_iter().find(|plot| plot.id == "seconds").unwrap().caption
    };
    let of_cpu = |row: &&mut SummaryRow| row.implementation == "cpu-naive";
    run.results.summary.iter_mut().filter(of_cpu).for_each(|row| row.others_load = Some(0.002));
    assert!(
        caption(&run).contains("others used at most 0.2% of the CPU's cores, so the cause is another one"),
        "{}",
        caption(&run)
    );
    run.results.summary.iter_mut().filter(of_cpu).for_each(|row| row.others_load = Some(0.6));
    assert!(
        caption(&run).contains("others used up to 60% of the CPU's cores meanwhile"),
        "{}",
        caption(&run)
    );
}

#[test]
fn one_sample_and_an_estimate_are_drawn_unlike_others_and_explained() {
    let texts = |plot: &Plot| -> Vec<String> {
        scene_of(plot, Layout::Wide).texts().map(|text| text.text.clone()).collect()
    };
    let single = plot(SINGLE_SAMPLES, "seconds");
    let cpu = series(&single, "cpu-naive");
    assert!(!cpu.points[0].facts.is_single() && cpu.points[3].facts.is_single());
    assert!(texts(&single).iter().any(|text| text.starts_with("one sample")));
    assert!(!texts(&single).iter().any(|text| text == "≈"));
    let data = draw(&single).data;
    assert!(data.contains("\"k\":[9,3,3,1,1]"), "{data}");
    let estimated = plot("over-cpu", "tasks-per-second");
    let marked = texts(&estimated).iter().filter(|text| *text == "≈").count();
    // In the key and above each of four estimates.
    assert_eq!(marked, 5, "{:?}", texts(&estimated));
    assert!(texts(&plot("kappa-sweep", "sweep-kappa")).iter().all(|text| !text.starts_with("one sample")));
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

#[test]
fn procedures_add_up_to_the_time_of_all_kernels() {
    let run = reference("kappa-sweep");
    let plot = plot("kappa-sweep", "procedures-kappa");
    let chart = rows(&plot);
    assert_eq!(chart.rows.len(), 20);
    for row in &chart.rows {
        let params = row.label.replace("κ = ", "kappa=");
        let times = run.results.kernel_times.iter().filter(|one| one.n == 8192 && one.params == params);
        let total: f64 = times.clone().map(|one| one.seconds).sum();
        assert!((row.bars.last().unwrap().to - total).abs() < 1e-12, "{params}");
        let launches: u64 = times.map(|one| one.launches).sum();
        assert_eq!(row.note, format!("{launches} launches"));
        assert!(row.bars.windows(2).all(|pair| pair[0].to == pair[1].from));
    }
}
