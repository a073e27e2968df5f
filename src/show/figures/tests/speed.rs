//! Times and rates against n, with ceilings, jumps and published values.

use super::*;
use repro_types::CellId;

#[test]
fn every_reference_run_has_the_figures_that_its_records_have_data_for() {
    let ids = |name: &str| -> Vec<String> {
        of_run(&reference(name), &papers()).into_iter().map(|plot| plot.id).collect()
    };
    assert_eq!(ids("table1"), ["seconds", "tasks-per-second", "bandwidth", "speedups", "speedups-cpu"]);
    assert_eq!(ids("shared-memory-steps"), ["seconds", "tasks-per-second", "bandwidth", "speedups"]);
    let sweep = ["", "-seconds", "-tasks-per-second", "-bandwidth"].map(|what| format!("sweep-kappa{what}"));
    assert_eq!(ids("kappa-sweep"), [&sweep[..], &["procedures-kappa".to_string()]].concat());
    assert_eq!(ids("frontier"), ["tasks-per-second"]);
    assert_eq!(ids("occupancy"), ["baselines", "tasks-per-second"]);
    assert_eq!(ids("ablation"), ["steps", "tasks-per-second", "speedups", "bank-conflicts", "traffic"]);
    assert_eq!(
        ids("timers"),
        [
            "clock-shares-global-memory",
            "clocks-global-memory",
            "clock-speedups-global-memory",
            "clock-shares-staged-load",
            "clocks-staged-load",
            "clock-speedups-staged-load",
            "tasks-per-second",
            "ratio-shared-buffer-global-memory",
            "copies"
        ]
    );
}

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
fn ceilings_are_those_of_the_run_and_what_is_above_the_copy_bandwidth_is_said() {
    let run = reference(SINGLE_SAMPLES);
    let device = run.environment().unwrap().ceilings.device.unwrap();
    let rates = plot(SINGLE_SAMPLES, "tasks-per-second");
    let at: Vec<f64> = lines(&rates).guides.iter().map(|guide| guide.at).collect();
    let copy = device.copy_gbs * 1e9;
    assert_eq!(at[..3], [device.add_min_tasks_per_s, copy / 16.0, copy / 0.5]);
    assert_eq!(at.len(), 5);
    let bandwidth = plot(SINGLE_SAMPLES, "bandwidth");
    assert_eq!(lines(&bandwidth).guides[0].at, device.copy_gbs);
    assert!(bandwidth.caption.contains("harish-narayanan at n = 2048 to 17408"), "{}", bandwidth.caption);
    assert!(lines(&bandwidth).series.iter().all(|series| !series.name.starts_with("cpu")));
}

#[test]
fn types_of_distances_have_lines_and_limits_of_their_own() {
    let plot = plot("frontier", "tasks-per-second");
    let names: Vec<&str> = lines(&plot).series.iter().map(|one| one.name.as_str()).collect();
    let fastest = ["register-blocked, i32", "register-blocked, u16"];
    assert_eq!(names, [&["staged-plain-order", "staged-load", "register-blocked"][..], &fastest].concat());
    let run = reference("frontier");
    for (name, graph) in [("register-blocked", ""), (fastest[0], "i32"), (fastest[1], "u16")] {
        let last = series(&plot, name).points.last().unwrap();
        let is_own = |row: &&crate::results::SummaryRow| {
            row.implementation == "register-blocked" && row.n == 16_384 && row.graph == graph
        };
        assert_eq!(Some(last.y), run.results.summary.iter().find(is_own).unwrap().tasks_per_s, "{name}");
    }
    let labels: Vec<&str> = lines(&plot).guides.iter().map(|guide| guide.label.as_str()).collect();
    assert_eq!(labels.len(), 4, "{labels:?}");
    assert!(labels[1].starts_with("f32, ") && labels[3].ends_with(": 50200 × 10⁹ tasks/s"), "{labels:?}");
    assert!(plot.title.contains("75% of what issue slots allow"), "{}", plot.title);
}

#[test]
fn a_ceiling_far_above_lines_that_are_almost_flat_is_words_and_no_line() {
    let run = StoredRun::open(&PathBuf::from("results/reference/h200/dense-steps")).unwrap();
    let plots = of_run(&run, &papers());
    let plot = plots.iter().find(|plot| plot.id == "tasks-per-second").unwrap();
    let most = lines(plot).series.iter().flat_map(|one| &one.points).map(|point| point.y).fold(0.0, f64::max);
    assert!(lines(plot).guides.iter().all(|guide| guide.at <= 8.0 * most), "{:?}", lines(plot).guides);
    let add_min = run.environment().unwrap().ceilings.device.unwrap().add_min_tasks_per_s;
    assert!(add_min > 8.0 * most && plot.caption.contains("Not drawn, since"), "{}", plot.caption);
    let scene = scene_of(plot, Layout::Narrow);
    for tick in ["3000", "4000", "280", "300"] {
        assert!(scene.texts().any(|text| text.text == tick), "no tick at {tick}");
    }
    let mark = series(plot, "n = 4224: a step?");
    let line = series(plot, "global-memory").points.iter().find(|point| point.x == 4224.0).unwrap();
    assert_eq!(mark.points.iter().map(|point| (point.x, point.y)).collect::<Vec<_>>(), [(4224.0, line.y)]);
}

#[test]
fn what_was_swept_in_several_ways_and_not_in_the_usual_one_is_drawn_in_seconds() {
    let run = StoredRun::open(&PathBuf::from("results/reference/h200/residency")).unwrap();
    let plots = of_run(&run, &papers());
    let plot = plots.iter().find(|plot| plot.id == "sweep-padding-kib-seconds").unwrap();
    assert_eq!(plot.shows, "staged-bank-conflicts: seconds by resident blocks, n = 8192");
    let median = |params: &str| {
        let cell = CellId::new("staged-bank-conflicts", 8192, params, "");
        run.row(&cell).unwrap().median_s.unwrap()
    };
    for way in ["cyclic=0", "cyclic=1"] {
        for (blocks, padding) in [(16.0, 12), (8.0, 26), (1.0, 226)] {
            let point = series(plot, way).points.iter().rfind(|point| point.x == blocks).unwrap();
            assert_eq!(point.y, median(&format!("{way};padding-kib={padding}")), "{way}, {blocks}");
        }
    }
}

#[test]
fn what_was_swept_in_more_ways_than_lines_can_be_told_apart_has_no_figure_in_seconds() {
    let run = StoredRun::open(&PathBuf::from("results/reference/h200/stage-depth")).unwrap();
    assert!(of_run(&run, &papers()).iter().all(|plot| plot.id != "sweep-kappa-seconds"));
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
fn a_point_has_the_published_value_of_the_same_cell() {
    let seconds = plot("table1", "seconds");
    let at = |plot: &Plot, name: &str, n: f64| {
        *series(plot, name).points.iter().find(|point| point.x == n).unwrap()
    };
    let published = at(&seconds, "cpu-naive", 4096.0).facts.published.unwrap();
    assert_eq!((published.low, published.high), (145.2, Some(145.2)));
    let rate = at(&plot("table1", "tasks-per-second"), "cpu-naive", 4096.0).facts.published.unwrap();
    assert!((rate.low - 4096f64.powi(3) / 145.2).abs() < 1.0);
    let over = plot("timers", "clock-speedups-global-memory");
    let states = |name: &str| series(&over, name).points.iter().any(|point| point.facts.published.is_some());
    assert!(states("events, with both copies (total)") != states("host, not synchronized (host-unsynced)"));
}
