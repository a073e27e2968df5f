//! Checks on what figures show, with the committed reference runs.

use super::*;
use crate::device::Selection;
use crate::experiment::{Overrides, Results, fixtures, load_experiment, resolve};
use crate::record::{DeviceTimeRow, SealCheck, SummaryRow, published_papers};
use crate::report::plot::{
    Chart, Layout, Lines, Rows, Scene, Series, Stroke, Trace, alone, dark_variants, draw, draw_all, png_of,
    scene_of,
};
use std::collections::BTreeSet;
use std::path::PathBuf;

pub(super) fn reference(name: &str) -> StoredRun {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("results/reference/h200").join(name);
    StoredRun::open(&folder).unwrap()
}

const ALL: [&str; 7] =
    ["ablation", "frontier", "kappa-sweep", "occupancy", "shared-memory-steps", "table1", "timers"];

/// Writes every picture of the reference runs to a folder, to look at:
/// `REPRO_FIGURES=folder cargo test --lib figures -- --ignored --nocapture`.
#[test]
#[ignore = "writes pictures for people to look at"]
fn pictures_are_written_where_someone_wants_to_look_at_them() {
    let folder = std::env::var("REPRO_FIGURES").expect("REPRO_FIGURES names the folder for the pictures");
    let folder = PathBuf::from(folder);
    std::fs::create_dir_all(&folder).unwrap();
    for name in ALL {
        for plot in of_run(&reference(name), &papers()) {
            let figure = draw(&plot);
            let stem = format!("{name}-{}", plot.id);
            println!("{stem}\n  {}\n  {}", plot.title, plot.caption);
            std::fs::write(folder.join(format!("{stem}.png")), figure.png).unwrap();
            std::fs::write(folder.join(format!("{stem}.svg")), figure.wide).unwrap();
            std::fs::write(folder.join(format!("{stem}-narrow.png")), png_of(&plot, Layout::Narrow)).unwrap();
        }
    }
    for plot in super::machine::tests::plots() {
        println!("{}\n  {}", plot.id, plot.caption);
        for (layout, name) in [(Layout::Wide, "wide"), (Layout::Narrow, "narrow")] {
            let path = folder.join(format!("machine-{}-{name}.png", plot.id));
            std::fs::write(path, png_of(&plot, layout)).unwrap();
        }
    }
}

pub(super) fn papers() -> Vec<PublishedPaper> {
    published_papers().unwrap()
}

fn plot(run: &str, id: &str) -> Plot {
    let plots = of_run(&reference(run), &papers());
    let ids: Vec<String> = plots.iter().map(|plot| plot.id.clone()).collect();
    plots.into_iter().find(|plot| plot.id == id).unwrap_or_else(|| panic!("{run} has no {id}: {ids:?}"))
}

fn lines(plot: &Plot) -> &Lines {
    match &plot.chart {
        Chart::Lines(chart) => chart,
        _ => panic!("{} is no chart of lines", plot.id),
    }
}

fn rows(plot: &Plot) -> &Rows {
    match &plot.chart {
        Chart::Rows(chart) => chart,
        _ => panic!("{} is no chart of rows", plot.id),
    }
}

fn series<'a>(plot: &'a Plot, name: &str) -> &'a Series {
    lines(plot).series.iter().find(|series| series.name == name).unwrap()
}

#[test]
fn every_reference_run_has_the_figures_that_its_records_have_data_for() {
    let ids = |name: &str| -> Vec<String> {
        of_run(&reference(name), &papers()).into_iter().map(|plot| plot.id).collect()
    };
    assert_eq!(ids("table1"), ["seconds", "tasks-per-second", "bandwidth", "speedups", "speedups-cpu"]);
    assert_eq!(ids("shared-memory-steps"), ["seconds", "tasks-per-second", "bandwidth", "speedups"]);
    assert_eq!(ids("kappa-sweep"), ["sweep-kappa", "procedures-kappa"]);
    assert_eq!(ids("frontier"), ["tasks-per-second"]);
    assert_eq!(ids("occupancy"), ["baselines", "tasks-per-second"]);
    assert_eq!(ids("ablation"), ["steps", "tasks-per-second", "speedups", "bank-conflicts", "traffic"]);
    assert_eq!(
        ids("timers"),
        [
            "clocks-global-memory",
            "clock-speedups-global-memory",
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
    let run = reference("table1");
    let device = run.environment().unwrap().ceilings.device.unwrap();
    let rates = plot("table1", "tasks-per-second");
    let at: Vec<f64> = lines(&rates).guides.iter().map(|guide| guide.at).collect();
    let copy = device.copy_gbs * 1e9;
    assert_eq!(at[..3], [device.add_min_tasks_per_s, copy / 16.0, copy / 0.5]);
    assert_eq!(at.len(), 5);
    let bandwidth = plot("table1", "bandwidth");
    assert_eq!(lines(&bandwidth).guides[0].at, device.copy_gbs);
    assert!(bandwidth.caption.contains("harish-narayanan at n = 2048 to 17408"), "{}", bandwidth.caption);
    assert!(lines(&bandwidth).series.iter().all(|series| !series.name.starts_with("cpu")));
}

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
    let plots = speedups::plots(&Context::new(&run, &papers));
    let plot = plots.iter().find(|plot| plot.id == "speedups").unwrap();
    let row = rows(plot).rows.iter().find(|row| row.label.contains("cpu-naive")).unwrap();
    assert_eq!(row.label, "global-memory\nover cpu-naive (total)");
    let point = row.traces[0].points.iter().find(|point| point.name == "n = 1024").unwrap();
    let total = |name: &str| {
        let of = |row: &&crate::record::SummaryRow| row.implementation == name && row.n == 1024;
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
    assert!((ten.y - 0.1441 / 0.1807).abs() < 0.001);
    assert_eq!(lines(&plot).guides[0].at, 1.0);
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
        let is_own = |row: &&crate::record::SummaryRow| {
            row.implementation == "register-blocked" && row.n == 16_384 && row.graph == graph
        };
        assert_eq!(Some(last.y), run.results.summary.iter().find(is_own).unwrap().tasks_per_s, "{name}");
    }
    let labels: Vec<&str> = lines(&plot).guides.iter().map(|guide| guide.label.as_str()).collect();
    assert_eq!(labels.len(), 4, "{labels:?}");
    assert!(labels[1].starts_with("f32, ") && labels[3].ends_with(": 50200 × 10⁹ tasks/s"), "{labels:?}");
    assert!(plot.caption.contains("75% of what its issue slots allow"), "{}", plot.caption);
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

#[test]
fn the_waterfall_leads_from_each_step_to_the_next_and_ends_at_the_last() {
    let run = reference("ablation");
    let plot = plot("ablation", "steps");
    let chart = rows(&plot);
    let labels: Vec<&str> = chart.rows.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(labels, run.manifest.experiment.steps);
    assert!(chart.rows.windows(2).all(|pair| pair[0].bars[0].to == pair[1].bars[0].from));
    let last = &chart.rows.last().unwrap().bars[0];
    let of = |row: &&crate::record::SummaryRow| row.implementation == "staged-load-256" && row.n == 8192;
    assert_eq!(Some(last.to), run.results.summary.iter().find(of).unwrap().median_s);
    assert_eq!(chart.rows[1].bars[0].text, "×1.49");
    assert!(chart.rows[1].note.starts_with('−') && chart.rows[8].note.starts_with('+'));
}

#[test]
fn the_pitfall_shows_every_clock_and_the_speed_up_that_each_would_have_published() {
    let clocks = plot("timers", "clocks-staged-load");
    assert_eq!(lines(&clocks).series.len(), 6);
    let last = |name: &str| series(&clocks, name).points.last().unwrap().y;
    let (truth, lie) =
        (last("host, synchronized (host-synced)"), last("host, not synchronized (host-unsynced)"));
    assert!((lie / truth - 0.0402).abs() < 0.0002, "{}", lie / truth);
    let speedups = plot("timers", "clock-speedups-global-memory");
    assert!(lines(&speedups).guides.iter().any(|guide| guide.at == 3.3));
    let kernel = series(&speedups, "events (kernel)").points.last().unwrap();
    assert!(kernel.x == 2048.0 && (kernel.y - 1.5911 / 0.024612).abs() < 0.05);
}

#[test]
fn conflicts_and_traffic_are_what_was_counted_of_the_main_kernel() {
    let conflicts = plot("ablation", "bank-conflicts");
    let of = |plot: &Plot, name: &str| -> Vec<f64> {
        let row = rows(plot).rows.iter().find(|row| row.label == name).unwrap();
        row.bars.iter().map(|bar| bar.to).collect()
    };
    assert_eq!(of(&conflicts, "staged-plain-order"), [4.0, 1.0]);
    assert_eq!(of(&conflicts, "staged-load"), [1.0, 1.0]);
    assert_eq!(of(&plot("ablation", "traffic"), "staged-row-major"), [0.5, 0.625]);
}

#[test]
fn baselines_are_over_the_graphs_that_both_were_measured_on_beside_the_published_ratios() {
    let plot = plot("occupancy", "baselines");
    let guides: Vec<f64> = lines(&plot).guides.iter().map(|guide| guide.at).collect();
    assert!(guides.contains(&4.0) && guides.contains(&1.8), "{guides:?}");
    let cpu = series(&plot, "cpu-naive");
    assert_eq!(cpu.points.len(), 4);
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
fn a_ceiling_far_above_lines_that_are_almost_flat_is_words_and_no_line() {
    let run = StoredRun::open(&PathBuf::from("results/reference/h200/dense-steps")).unwrap();
    let plots = of_run(&run, &papers());
    let plot = plots.iter().find(|plot| plot.id == "tasks-per-second").unwrap();
    let most = lines(plot).series.iter().flat_map(|one| &one.points).map(|point| point.y).fold(0.0, f64::max);
    assert!(lines(plot).guides.iter().all(|guide| guide.at <= 8.0 * most), "{:?}", lines(plot).guides);
    let add_min = run.environment().unwrap().ceilings.device.unwrap().add_min_tasks_per_s;
    assert!(add_min > 8.0 * most && plot.caption.contains("Not drawn, since"), "{}", plot.caption);
    let scene = scene_of(plot, Layout::Narrow);
    for end in ["2976", "4416"] {
        assert!(scene.texts().any(|text| text.text == end), "no tick at {end}");
    }
}

#[test]
fn all_that_is_drawn_is_finite_named_once_and_has_words() {
    for name in ALL {
        let mut ids = BTreeSet::new();
        for plot in of_run(&reference(name), &papers()) {
            assert!(ids.insert(plot.id.clone()), "{name}: {} comes twice", plot.id);
            let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(plot.id.chars().all(letters));
            assert!(
                !plot.title.is_empty() && plot.caption.ends_with('.') && plot.alt.ends_with('.'),
                "{name} {}",
                plot.id
            );
            for text in [&plot.caption, &plot.alt] {
                assert!(!text.contains("NaN") && !text.contains("inf") && !text.contains("  "), "{text}");
            }
            let values: Vec<f64> = match &plot.chart {
                Chart::Lines(chart) => {
                    let points = chart.series.iter().flat_map(|series| &series.points);
                    points
                        .flat_map(|point| [Some(point.x), Some(point.y), point.low, point.high])
                        .flatten()
                        .collect()
                }
                Chart::Rows(chart) => {
                    let bars = chart.rows.iter().flat_map(|row| &row.bars).flat_map(|bar| [bar.from, bar.to]);
                    let points =
                        chart.rows.iter().flat_map(|row| &row.traces).flat_map(|trace| &trace.points);
                    bars.chain(points.map(|point| point.x)).collect()
                }
                Chart::Heat(_) => panic!("{} is not of one run", plot.id),
            };
            assert!(!values.is_empty() && values.iter().all(|value| value.is_finite()), "{name} {}", plot.id);
        }
    }
}

#[test]
fn no_text_leaves_its_picture_or_covers_another() {
    let mut wrong = Vec::new();
    for name in ALL {
        for plot in of_run(&reference(name), &papers()) {
            for layout in Layout::ALL {
                wrong.extend(illegible(&plot, layout).into_iter().map(|what| format!("{name} {what}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_picture_says_where_it_comes_from_and_no_two_say_the_same() {
    let mut known = BTreeSet::new();
    for folder in std::fs::read_dir("results/reference/h200").unwrap() {
        let run = StoredRun::open(&folder.unwrap().path()).unwrap();
        for plot in of_run(&run, &papers()) {
            let source =
                plot.source.as_ref().unwrap_or_else(|| panic!("{} has no source", plot.id)).to_string();
            let commit = &run.manifest.build.commit[..7];
            for part in [&run.manifest.experiment.name, &run.manifest.started[..10], commit] {
                assert!(source.contains(part), "{source}: {part}");
            }
            let words = (plot.title.clone(), plot.caption.clone(), source);
            assert!(known.insert(words.clone()), "two pictures have these words: {words:?}");
        }
    }
    let of = |run: &str, id: &str| plot(run, id).source.unwrap().to_string();
    let table = of("table1", "tasks-per-second");
    let expected = "NVIDIA H200, Intel(R) Xeon(R) Processor · table1 · n = 1024 to 17408 · ";
    assert!(table.starts_with(expected), "{table}");
    assert!(of("ablation", "steps").contains(" · n = 8192 · "));
    assert!(of("ablation", "traffic").starts_with("emulated CUDA device · ablation · n = "));
}

#[test]
fn a_jump_is_marked_where_a_task_takes_twice_as_long_and_its_cause_is_not_guessed() {
    for id in ["seconds", "tasks-per-second"] {
        let plot = plot("table1", id);
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
    let mut run = reference("table1");
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
    let single = plot("table1", "seconds");
    let cpu = series(&single, "cpu-naive");
    assert!(!cpu.points[0].facts.is_single() && cpu.points[3].facts.is_single());
    assert!(texts(&single).iter().any(|text| text.starts_with("one sample")));
    assert!(!texts(&single).iter().any(|text| text == "≈"));
    let data = draw(&single).data;
    assert!(data.contains("\"k\":[9,3,3,1,1]"), "{data}");
    let estimated = plot("over-cpu", "tasks-per-second");
    let marked = texts(&estimated).iter().filter(|text| *text == "≈").count();
    // In the key and above each of two estimates.
    assert_eq!(marked, 3, "{:?}", texts(&estimated));
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

/// Texts that leave the picture or cover another.
pub(super) fn illegible(plot: &Plot, layout: Layout) -> Vec<String> {
    let scene = scene_of(plot, layout);
    let picture = alone(plot, scene.clone());
    [scene, picture]
        .iter()
        .flat_map(|scene| illegible_in(scene, &format!("{} {layout:?}", plot.id)))
        .collect()
}

fn illegible_in(scene: &Scene, name: &str) -> Vec<String> {
    let frames: Vec<_> = scene.texts().map(|text| (text.frame(), &text.text)).collect();
    assert!(frames.len() > 2);
    let mut wrong = Vec::new();
    for (at, (frame, text)) in frames.iter().enumerate() {
        let what = format!("{name}: '{text}'");
        if !scene.frame().encloses(frame) {
            wrong.push(format!("{what} leaves the picture: {frame:?}"));
        }
        let covered = frames[..at].iter().filter(|(other, _)| frame.grown(-0.5).overlaps(other));
        wrong.extend(covered.map(|(_, covered)| format!("{what} covers '{covered}'")));
    }
    wrong
}

#[test]
fn figures_are_the_same_bytes_from_the_same_records_and_well_formed() {
    let known: BTreeSet<&str> = dark_variants().iter().map(|(light, _)| *light).collect();
    for name in ["ablation", "kappa-sweep"] {
        let run = reference(name);
        for (one, other) in of_run(&run, &papers()).iter().zip(of_run(&run, &papers())) {
            let (a, b) = (draw(one), draw(&other));
            assert!(a.wide == b.wide && a.narrow == b.narrow && a.png == b.png && a.csv == b.csv);
            assert!(a.png.starts_with(b"\x89PNG"));
            assert!(a.csv.lines().count() > 2);
            assert!(a.svg.contains(" role=\"img\" aria-label=\"") && a.svg == b.svg && a.data == b.data);
            for svg in [&a.wide, &a.narrow, &a.svg] {
                assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
                assert!(svg.contains(" viewBox=\"0 0 "));
                let hexes = svg.split('"').filter(|part| part.starts_with('#'));
                for hex in hexes {
                    assert!(known.contains(hex), "{hex} has no dark variant");
                }
            }
        }
    }
}

/// A run of the table's experiment with these rows.
fn fixture(summary: Vec<SummaryRow>) -> StoredRun {
    let file = load_experiment("table1").unwrap();
    let experiment = resolve(&file, &Overrides::default(), Selection::Cpu).unwrap();
    StoredRun {
        folder: PathBuf::new(),
        manifest: fixtures::manifest(experiment),
        samples: Vec::new(),
        results: Results { summary, ..Results::default() },
        parts: 1,
        torn_bytes: 0,
        seal: SealCheck::Sound,
    }
}

#[test]
fn a_run_of_nothing_of_one_cell_or_of_impossible_times_is_drawn_as_far_as_it_goes() {
    let all_drawn = |run: &StoredRun, papers: &[PublishedPaper]| {
        let plots = of_run(run, papers);
        for plot in &plots {
            assert!(!draw(plot).png.is_empty());
            Layout::ALL.iter().for_each(|layout| assert_eq!(illegible(plot, *layout), [""; 0]));
        }
        plots.len()
    };
    let cell = |n| fixtures::measured(fixtures::cell("staged-load", "", n), &[0.5, 1.0, 2.0]);
    assert_eq!(all_drawn(&fixture(Vec::new()), &papers()), 0);
    assert_eq!(all_drawn(&fixture(vec![cell(1024)]), &papers()), 1);
    assert_eq!(all_drawn(&fixture(vec![cell(1024)]), &[]), 0);
    assert!(all_drawn(&fixture(vec![cell(1024), cell(2048)]), &papers()) >= 2);
    let zero = fixtures::measured(fixtures::cell("staged-load", "", 1024), &[0.0, 0.0]);
    let other = fixtures::measured(fixtures::cell("staged-load", "", 2048), &[0.0, 1.0, 1.0]);
    all_drawn(&fixture(vec![zero, other]), &papers());
    let mut run = reference("timers");
    run.results.scopes.clear();
    run.results.summary.iter_mut().for_each(|row| row.median_s = None);
    assert_eq!(all_drawn(&run, &papers()), 0);
}

#[test]
fn a_run_that_was_counted_and_not_timed_shows_what_was_counted_alone() {
    let mut run = reference("ablation");
    run.results.summary.iter_mut().for_each(|row| row.median_s = None);
    let ids: Vec<String> = of_run(&run, &papers()).into_iter().map(|plot| plot.id).collect();
    assert_eq!(ids, ["bank-conflicts", "traffic"]);
}

#[test]
fn many_figures_are_drawn_in_their_order() {
    let plots = of_run(&reference("ablation"), &papers());
    let ids: Vec<String> = draw_all(&plots).into_iter().map(|figure| figure.id).collect();
    assert_eq!(ids, plots.iter().map(|plot| plot.id.clone()).collect::<Vec<_>>());
}

#[test]
fn what_users_name_is_written_as_text_and_never_as_markup() {
    let mut plot = plot("table1", "seconds");
    plot.alt = "\"><script>alert(1)</script>".into();
    let Chart::Lines(chart) = &mut plot.chart else { panic!() };
    chart.series[0].label = Some("<script>&\"".into());
    chart.series[0].short = Some("<script>&\"".into());
    chart.y.title = "<b>".into();
    let figure = draw(&plot);
    for svg in [&figure.wide, &figure.narrow, &figure.svg] {
        assert!(!svg.contains("<script>") && !svg.contains("<b>"));
        assert!(svg.contains("&lt;script&gt;&amp;&quot;"));
    }
    assert!(figure.svg.contains("aria-label=\"&quot;&gt;&lt;script&gt;"));
    assert!(figure.data.contains("\\u003cb>") && !figure.data.contains('<'));
}

#[test]
fn a_trend_is_over_the_cells_that_all_runs_have_relative_to_the_first() {
    let run = |started: &str, cells: &[(&str, usize, f64)]| {
        let rows = cells
            .iter()
            .map(|(name, n, seconds)| fixtures::measured(fixtures::cell(name, "", *n), &[*seconds]));
        let mut run = fixture(rows.collect());
        run.manifest.started = started.into();
        run
    };
    let second = run(
        "2026-01-11T00:00:00Z",
        &[("staged-load", 64, 2.0), ("staged-load", 128, 1.0), ("katz-kider", 64, 9.0)],
    );
    let first = run("2026-01-01T00:00:00Z", &[("staged-load", 64, 1.0), ("staged-load", 128, 8.0)]);
    let plot = trend(&[&second, &first]).unwrap();
    let [series] = &lines(&plot).series[..] else { panic!("{plot:?}") };
    assert_eq!(series.points[0].y, 1.0);
    assert!((series.points[1].y - 0.5).abs() < 1e-12);
    assert_eq!(series.points[1].x - series.points[0].x, 10.0);
    Layout::ALL.iter().for_each(|layout| assert_eq!(illegible(&plot, *layout), [""; 0]));
    assert_eq!(trend(&[&first]), None);
    assert_eq!(trend(&[&first, &fixture(Vec::new())]), None);
    // Of one day, the order: dates would be one.
    let evening = run("2026-01-01T20:00:00Z", &[("staged-load", 64, 1.0), ("staged-load", 128, 8.0)]);
    let plot = trend(&[&first, &evening]).unwrap();
    let places: Vec<f64> = lines(&plot).series[0].points.iter().map(|point| point.x).collect();
    assert_eq!(places, [1.0, 2.0]);
}

#[test]
fn a_run_on_several_devices_shows_efficiency_and_waiting_with_a_line_for_each_n() {
    let cell = |n: usize, devices: usize, seconds: f64| {
        fixtures::measured(
            fixtures::cell("distributed-blocked", &format!("devices={devices}"), n),
            &[seconds, seconds * 1.01, seconds * 1.02],
        )
    };
    let mut run = fixture(vec![
        cell(16_384, 1, 0.27),
        cell(16_384, 4, 0.12),
        cell(65_536, 1, 16.9),
        cell(65_536, 2, 8.6),
        cell(65_536, 4, 4.5),
        cell(131_072, 4, 34.0),
    ]);
    run.manifest.experiment.in_parts = true;
    let times = |device| crate::implementation::DeviceTimes {
        device,
        solve: 4.0,
        compute: 3.9,
        waiting: 0.1,
        communication: 0.2,
    };
    let rows = run.results.summary.iter().flat_map(|row| {
        (0..2).map(|device| DeviceTimeRow::new(&row.cell(), 0, "", &times(device))).collect::<Vec<_>>()
    });
    run.results.devices = rows.collect();
    let plots = of_run(&run, &[]);
    let ids: Vec<&str> = plots.iter().map(|plot| plot.id.as_str()).collect();
    assert_eq!(ids[..2], ["efficiency", "waiting"]);
    assert!(!ids.iter().any(|id| id.starts_with("sweep")), "{ids:?}");
    let Chart::Lines(lines) = &plots[0].chart else { panic!("lines") };
    assert_eq!(
        lines.series.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(),
        ["n = 16384", "n = 65536"]
    );
    assert!(plots[0].caption.contains("At n = 65536 4 devices have 93.9% of"), "{}", plots[0].caption);
    assert!(plots[1].caption.contains("The most is 2.5% of the time"), "{}", plots[1].caption);
    for plot in &plots {
        assert!(!draw(plot).png.is_empty());
        Layout::ALL.iter().for_each(|layout| assert_eq!(illegible(plot, *layout), [""; 0], "{}", plot.id));
    }
}
