//! Checks on what figures show, with the committed reference runs.

mod drawing;
mod shown;

use super::*;
use crate::device::Selection;
use crate::plan::{Overrides, load_experiment, resolve};
use crate::plot::{Chart, Layout, Lines, Rows, Scene, Series, Stroke, alone, dark_variants, draw, scene_of};
use crate::published::published_papers;
use crate::results::SummaryRow;
use crate::results::fixtures;
use std::collections::BTreeSet;
use std::path::PathBuf;

pub(crate) fn reference(name: &str) -> StoredRun {
    let of_tests = name == SINGLE_SAMPLES;
    let below = if of_tests { "tests/stored" } else { "results/reference/h200" };
    StoredRun::open(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(below).join(name)).unwrap()
}

/// A run of Table 1 with what it leaves blank, whose CPU cells have one sample and jump between two n.
pub(super) const SINGLE_SAMPLES: &str = "single-samples";

const ALL: [&str; 7] =
    ["ablation", "frontier", "kappa-sweep", "occupancy", "shared-memory-steps", "table1", "timers"];

pub(crate) fn papers() -> Vec<PublishedPaper> {
    published_papers().unwrap()
}

fn plot(run: &str, id: &str) -> Plot {
    let plots = of_run(&reference(run), &papers());
    let ids: Vec<String> = plots.iter().map(|plot| plot.id.clone()).collect();
    plots.into_iter().find(|plot| plot.id == id).unwrap_or_else(|| panic!("{run} has no {id}: {ids:?}"))
}

pub(crate) fn lines(plot: &Plot) -> &Lines {
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

/// Texts that leave the picture or cover another.
pub(crate) fn illegible(plot: &Plot, layout: Layout) -> Vec<String> {
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

/// A run of the table's experiment with these rows.
pub(crate) fn fixture(summary: Vec<SummaryRow>) -> StoredRun {
    let file = load_experiment("table1").unwrap();
    let experiment = resolve(&file, &Overrides::default(), Selection::Cpu).unwrap();
    fixtures::run(experiment, summary)
}
