//! What a report and a terminal show of an experiment: figures and tables as data.

use super::file::{ConfigError, ExperimentFile, Source, meant, several};
use super::{NamedGraph, defaults_of};
use repro_base::lists::is_default;
use repro_base::text::hides;
use repro_base::{Parameters, Scope};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// One figure or table: which quantity of which cells stands against what.
///
/// Each machine that measured a part of it gets a panel in a figure, and columns in a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FigureSpec {
    /// Unique within the experiment; a part of file names and of addresses: lower-case letters, digits and hyphens.
    pub id: String,
    pub kind: FigureKind,
    /// What is shown, without a full stop; true whatever the numbers are.
    pub title: String,
    /// One sentence that a reader needs besides; true whatever the numbers are.
    pub caption: String,
    /// What the horizontal axis shows, or what the rows of bars, dots and tables stand for. Only tables may have several.
    #[serde(deserialize_with = "several")]
    pub x: Vec<Dimension>,
    /// What is shown. Only tables may have several, each with columns of its own.
    #[serde(deserialize_with = "several")]
    pub y: Vec<Quantity>,
    /// What tells lines, bars or columns apart: if left out, the variant, or nothing where x has the variant or the implementation.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "several")]
    pub series: Vec<Dimension>,
    /// The cells that are shown: those with one of these values in each dimension that is named.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub only: BTreeMap<Dimension, Values>,
    /// What a ratio compares with: the same cell, but with these values. Parameters that only one of the two has may differ.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub over: BTreeMap<Dimension, DimensionValue>,
    /// The clocks whose seconds are used: `kernel` unless given.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "several")]
    pub clock: Vec<Scope>,
    /// Whether the paper's table that the experiment reproduces, and what follows from it, is shown in addition.
    #[serde(default, skip_serializing_if = "is_default")]
    pub published: bool,
    /// The scale of an axis, where it is not the usual one for what the axis shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_scale: Option<AxisScale>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y_scale: Option<AxisScale>,
    /// Whether the front page of a report shows it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub front: bool,
}

/// How it is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FigureKind {
    /// A line a series over two axes.
    #[default]
    Lines,
    /// A row for each x, with a bar for each series; bars of parts of a whole are stacked end to end.
    Bars,
    /// A row for each series, and in it a dot for each x, the smallest x at the top.
    Dots,
    /// Numbers.
    Table,
}

/// What a cell, or a part of it, is told apart by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", expecting = "expected the name of a dimension, or a list of them")]
pub enum Dimension {
    N,
    Implementation,
    /// The implementation with those parameters in which columns of the experiment differ and that no other dimension of the figure has.
    Variant,
    /// The graph's name.
    Graph,
    /// The type of its distances.
    Element,
    /// Edges for each vertex of its graph, where the generator fixes their number.
    EdgesPerVertex,
    Clock,
    /// One kernel of a solve.
    Kernel,
    /// How many blocks of the kernel that does nearly all tasks fit on one multiprocessor, as it was compiled.
    ResidentBlocks,
    /// A parameter of implementations.
    #[serde(untagged)]
    Parameter(String),
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        // As files have it.
        self.serialize(f)
    }
}

/// A place along a dimension.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum DimensionValue {
    Number(u64),
    Text(String),
}

/// One value, or any of several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Values(#[serde(deserialize_with = "several")] pub Vec<DimensionValue>);

/// What can be shown of a cell or of one of its kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Seconds of one solve by a clock.
    Seconds,
    /// Tasks of one solve over its seconds.
    TasksASecond,
    /// Tasks a second times the bytes of a task by the implementation's model, in GB/s.
    GigabytesASecond,
    /// Bytes that the kernels of a solve load and store by the model of their launches over the seconds, in GB/s.
    MovedGigabytesASecond,
    /// Bytes to DRAM by the GPU's counters over the seconds, in GB/s.
    CountedGigabytesASecond,
    /// Seconds of the cell that it is compared with, over the seconds.
    SpeedUp,
    /// Seconds over those of the cell that it is compared with.
    RelativeTime,
    /// The paper's seconds over the seconds measured here.
    PublishedOverHere,
    /// Seconds over those by [`Scope::HostSynced`], in %.
    ShareOfTrueTime,
    /// Tasks a second over the ceiling of additions and minima in registers, in %: the floor's time over the seconds.
    ShareOfFloor,
    /// GB/s by the implementation's model over those of a copy that the run measured, in %.
    ShareOfCopy,
    /// By the GPU's counters: GB of a solve to DRAM and to the L2 cache.
    CountedDramGigabytes,
    CountedL2Gigabytes,
    /// Bytes to DRAM over what the copy that the run measured moves in the same time, in %.
    DramShareOfCopy,
    /// The busiest unit of the multiprocessors under one kernel, in % of its peak.
    MultiprocessorThroughput,
    /// Samples that were compared with the reference and were wrong.
    WrongResults,
    /// Graphs of a batch over the seconds.
    GraphsASecond,
    /// Seconds of one kernel in a solve, with an event before each launch.
    KernelSeconds,
    /// Seconds of one kernel over those of all kernels, in %.
    KernelShare,
    /// Launches of kernels in one solve.
    KernelLaunches,
    /// Bytes that kernels load and store by the model of their launches, in GB.
    LoadedGigabytes,
    StoredGigabytes,
    /// Energy of one solve by the GPU's counter, and tasks for each joule.
    Joules,
    TasksAJoule,
    /// Solves made one after another, and how many of them had another result than the first.
    RepeatSolves,
    OtherResults,
    /// Seconds on one device over the seconds on N devices times N, in %.
    Efficiency,
    /// The share of the devices' time in which they wait for a panel, in %.
    Waiting,
    // What the emulated device counts of a kernel.
    Launches,
    Blocks,
    StoredBytesATask,
    GlobalBytesATask,
    SectorBytesATask,
    /// Bytes loaded over bytes of the sectors that they lie in.
    LoadSectorsUsed,
    /// The most ways in which a load from shared memory conflicts, over 32 banks and over 16.
    WorstLoadSteps32,
    WorstLoadSteps16,
    /// On the paper's GPU: shared memory of a block with what that GPU adds, blocks that fit on a multiprocessor by shared memory alone,
    /// and threads in use, in %.
    SharedBytesOfPaper,
    ResidentBlocksByShared,
    Occupancy,
    /// Launches that leave a matrix that the plain algorithm has neither at its start nor after any iteration.
    UnlikePlain,
    // What the compiler and the driver say of a kernel.
    Registers,
    SharedBytes,
    LocalBytes,
    Threads,
    ResidentBlocks,
}

/// How an axis is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AxisScale {
    Linear,
    Log,
}

impl FigureSpec {
    /// What is wrong with the figure, and the key at fault.
    fn problem(&self, file: &ExperimentFile) -> Option<(&'static str, String)> {
        use {Dimension as D, Quantity as Q};
        let Self { id, kind, title, caption, x, y, .. } = self;
        let is_id = !id.is_empty() && id.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '-'));
        let is_ratio = |one: &Quantity| matches!(one, Q::SpeedUp | Q::RelativeTime | Q::Efficiency);
        let is_number =
            |one: &D| matches!(one, D::N | D::EdgesPerVertex | D::ResidentBlocks | D::Parameter(_));
        let lacks = x.is_empty() || y.is_empty();
        let too_many = *kind != FigureKind::Table && (x.len() > 1 || y.len() > 1);
        let empty = |key: &str| format!("{id} has an empty {key}: expected one line");
        let hidden = |text: &str| format!("{text:?}: expected one line without control characters");
        let rules = [
            (!is_id, "id", format!("{id:?}: expected lower-case letters, digits and hyphens")),
            (title.is_empty(), "title", empty("title")),
            (caption.is_empty(), "caption", empty("caption")),
            (title.contains(hides), "title", hidden(title)),
            (caption.contains(hides), "caption", hidden(caption)),
            (lacks, "x", format!("{id} shows nothing: expected at least one x and one y")),
            (too_many, "kind", format!("{id} has several x or y: expected one of each, or kind = \"table\"")),
            (
                *kind == FigureKind::Lines && !x.iter().all(is_number),
                "x",
                format!(
                    "{id} draws lines over names: expected a number such as n or a parameter as x, or kind = \"bars\""
                ),
            ),
            (
                y.iter().any(is_ratio) && self.over.is_empty(),
                "y",
                format!("{id} is a ratio: expected what it compares with, as over = {{ kappa = 1 }}"),
            ),
            (
                self.published && file.table.is_none(),
                "published",
                "true shows nothing: expected the key table in this file".to_string(),
            ),
        ];
        rules.into_iter().find(|(is_broken, ..)| *is_broken).map(|(_, key, problem)| (key, problem))
    }

    /// A dimension, or a value of one, that no cell of the experiment has, with the key that names it.
    fn unknown(&self, places: &Places) -> Option<(&'static str, String)> {
        let only =
            self.only.iter().flat_map(|(one, values)| values.0.iter().map(move |value| ("only", one, value)));
        let placed = || only.clone().chain(self.over.iter().map(|(one, value)| ("over", one, value)));
        let listed = self.x.iter().map(|one| ("x", one)).chain(self.series.iter().map(|one| ("series", one)));
        for (key, one) in listed.chain(placed().map(|(key, one, _)| (key, one))) {
            if matches!(one, Dimension::Parameter(_)) && !places.contains_key(one) {
                let others = [Dimension::Variant, Dimension::Kernel, Dimension::ResidentBlocks];
                let known: Vec<String> = places.keys().chain(&others).map(ToString::to_string).collect();
                let meant = meant(&one.to_string(), &known);
                return Some((key, format!("{one} is no dimension of this experiment: {meant}")));
            }
        }
        let is_nowhere = |(_, one, value): &(&str, &Dimension, &DimensionValue)| {
            places.get(one).is_some_and(|known| !known.contains(value))
        };
        let (key, one, value) = placed().find(is_nowhere)?;
        // As files have it.
        let written = serde_json::to_string(value).unwrap_or_default();
        let problem = format!("no cell of this experiment has {one} = {written}");
        let known = places[one].iter().filter_map(|known| match known {
            // A graph that is alone has no name.
            DimensionValue::Text(known) if !known.is_empty() => Some(known),
            _ => None,
        });
        let known: Vec<&String> = known.collect();
        Some(match value {
            DimensionValue::Text(text) if !known.is_empty() => {
                (key, format!("{problem}: {}", meant(text, &known)))
            }
            _ => (key, problem),
        })
    }
}

/// The values that an experiment's cells have in each dimension that its file determines.
type Places = BTreeMap<Dimension, BTreeSet<DimensionValue>>;

fn places(file: &ExperimentFile, graphs: &[NamedGraph]) -> Places {
    let (number, text) = (|n: usize| DimensionValue::Number(n as u64), DimensionValue::Text);
    let timed = file.cells.iter().flat_map(|cells| cells.all_sizes());
    let counted = file.cells.iter().flat_map(|cells| cells.emulated_sizes(&file.emulated.sizes));
    let sizes = timed.chain(counted.map(|size| *size.get_ref()));
    let implementations = || file.cells.iter().map(|cells| cells.implementation.get_ref());
    let edges = graphs.iter().filter_map(|graph| graph.source.edges_per_vertex());
    let mut places = Places::from([
        (Dimension::N, sizes.map(number).collect()),
        (Dimension::Implementation, implementations().cloned().map(text).collect()),
        (Dimension::Graph, graphs.iter().map(|graph| text(graph.name.clone())).collect()),
        (Dimension::Element, graphs.iter().map(|graph| text(graph.element.to_string())).collect()),
        (Dimension::EdgesPerVertex, edges.map(|edges| DimensionValue::Number(edges.into())).collect()),
        (Dimension::Clock, Scope::ALL.iter().map(|clock| text(clock.to_string())).collect()),
    ]);
    let usual: Vec<Parameters> = implementations().map(|name| defaults_of(name)).collect();
    let usual = usual.iter().flat_map(Parameters::iter);
    let given = file.cells.iter().flat_map(|cells| cells.given());
    let given = given.flat_map(|(name, values)| values.iter().map(move |value| (name, *value)));
    for (name, value) in usual.chain(given) {
        let known = places.entry(Dimension::Parameter(name.to_string())).or_default();
        known.insert(DimensionValue::Number(value.into()));
    }
    places
}

/// Checks that each figure of an experiment with these graphs can be made, and that its id is unique.
pub(super) fn check(file: &ExperimentFile, graphs: &[NamedGraph], source: Source) -> Result<(), ConfigError> {
    let places = places(file, graphs);
    for (number, figure) in file.figures.iter().enumerate() {
        let is_earlier = file.figures[..number].iter().any(|one| one.id == figure.id);
        let twice = is_earlier.then(|| ("id", format!("{} comes twice: give each once", figure.id)));
        let problem = twice.or_else(|| figure.problem(file)).or_else(|| figure.unknown(&places));
        if let Some((key, problem)) = problem {
            return Err(source.wrong_in(&["[[figures]]"], number, key, &problem));
        }
    }
    Ok(())
}
