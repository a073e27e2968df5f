//! What a report and a terminal show of an experiment: figures and tables as data.

use super::{ConfigError, ExperimentFile, NamedGraph, Source};
use repro_base::Scope;
use repro_base::lists::{is_default, nearest};
use repro_base::text::hides;
use repro_solvers::Implementation;
use serde::de::value::{SeqAccessDeserializer, StrDeserializer};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// One figure or table: which quantity of which cells stands against what.
///
/// Every machine that measured something of it has a panel of a figure, and columns of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FigureSpec {
    /// Unique within the experiment; a part of file names and of addresses: lower-case letters, digits and hyphens.
    pub id: String,
    #[serde(deserialize_with = "one")]
    pub kind: FigureKind,
    /// What is shown, without a full stop; true whatever the numbers are.
    pub title: String,
    /// One sentence that a reader needs besides; true whatever the numbers are.
    pub caption: String,
    /// What the horizontal axis has, or what the rows of bars, dots and tables are of. Only tables may have several.
    #[serde(deserialize_with = "one_or_several")]
    pub x: Vec<Dimension>,
    /// What is shown. Only tables may have several, each with columns of its own.
    #[serde(deserialize_with = "one_or_several")]
    pub y: Vec<Quantity>,
    /// What tells lines, bars or columns apart: without it the variant, unless x has it or the implementation.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_several")]
    pub series: Vec<Dimension>,
    /// The cells that are shown: of each dimension that is named these values alone.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub only: BTreeMap<Dimension, Values>,
    /// What a ratio is over: the same cell but for these values. Parameters that only one of both has may differ.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub over: BTreeMap<Dimension, DimensionValue>,
    /// The clocks that read it: `kernel` unless it is said.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_several")]
    pub clock: Vec<Scope>,
    /// What of the paper stands beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishedMarks>,
    /// Where an axis is not as is usual for what it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_scale: Option<AxisScale>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y_scale: Option<AxisScale>,
    /// Whether the front page of a report shows it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub front: bool,
}

/// How it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FigureKind {
    /// A line a series over two axes.
    Lines,
    /// A row for each x, with a bar a series; those of parts of a whole stand behind one another.
    Bars,
    /// A row a series, with a dot for each x, from the least above to the largest below.
    Dots,
    /// Numbers.
    Table,
}

/// What a cell, or a part of it, is told apart by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Dimension {
    N,
    Implementation,
    /// The implementation with those parameters in which columns of the experiment differ and that no other dimension of the figure has.
    Variant,
    /// The graph's name.
    Graph,
    /// The type of its distances.
    Element,
    /// Edges for each vertex of its graph, where they are so many by design.
    EdgesPerVertex,
    Clock,
    /// One kernel of a solve.
    Kernel,
    /// Two implementations of which the paper says that one is faster: `a over b`.
    Pair,
    /// Blocks of the kernel that does nearly all tasks which fit on one multiprocessor, as it was compiled.
    ResidentBlocks,
    /// A parameter of implementations.
    Parameter(String),
}

/// The dimensions with names of their own.
const DIMENSIONS: [(&str, Dimension); 10] = [
    ("n", Dimension::N),
    ("implementation", Dimension::Implementation),
    ("variant", Dimension::Variant),
    ("graph", Dimension::Graph),
    ("element", Dimension::Element),
    ("edges-per-vertex", Dimension::EdgesPerVertex),
    ("clock", Dimension::Clock),
    ("kernel", Dimension::Kernel),
    ("pair", Dimension::Pair),
    ("resident-blocks", Dimension::ResidentBlocks),
];

impl From<String> for Dimension {
    fn from(name: String) -> Self {
        let known = DIMENSIONS.iter().find(|(known, _)| *known == name);
        known.map_or(Self::Parameter(name), |(_, dimension)| dimension.clone())
    }
}

impl From<Dimension> for String {
    fn from(dimension: Dimension) -> Self {
        match DIMENSIONS.into_iter().find(|(_, known)| *known == dimension) {
            Some((name, _)) => name.to_string(),
            None => match dimension {
                Dimension::Parameter(name) => name,
                _ => String::new(),
            },
        }
    }
}

/// A place along a dimension.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum DimensionValue {
    Number(u64),
    Text(String),
}

/// One value or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Values {
    One(DimensionValue),
    Several(Vec<DimensionValue>),
}

impl fmt::Display for DimensionValue {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "{text:?}"),
        }
    }
}

impl Values {
    /// Whether `value` is among them.
    pub fn contains(&self, value: &DimensionValue) -> bool {
        self.all().contains(value)
    }

    fn all(&self) -> &[DimensionValue] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Several(all) => all,
        }
    }
}

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
    /// Seconds of what it is over, over the seconds.
    SpeedUp,
    /// Seconds over those of what it is over.
    RelativeTime,
    /// The seconds that the paper has over those here.
    PublishedOverHere,
    /// Seconds over those of the host's clock that waits, in %.
    ShareOfTrueTime,
    /// Tasks a second over what additions and minima in registers reach, in %.
    ShareOfFloor,
    /// GB/s by the implementation's model over those of a copy that the run measured, in %.
    ShareOfCopy,
    /// By the GPU's counters: GB of a solve to DRAM and to the L2 cache.
    CountedDramGigabytes,
    CountedL2Gigabytes,
    /// Those to DRAM over what the copy that the run measured moves in the same time, in %.
    DramShareOfCopy,
    /// The busiest unit of the multiprocessors under one kernel, in % of its peak.
    MultiprocessorThroughput,
    /// Samples that were compared with the reference and were wrong.
    WrongResults,
    /// Graphs of a batch over the seconds.
    GraphsASecond,
    /// Seconds of one kernel in a solve, with an event before each launch.
    KernelSeconds,
    /// Those over the seconds of all kernels, in %.
    KernelShare,
    /// Launches of kernels in one solve.
    KernelLaunches,
    /// Bytes that kernels load and store by the model of their launches, in GB.
    LoadedGigabytes,
    StoredGigabytes,
    /// Energy of one solve by the GPU's counter, and tasks for each joule.
    Joules,
    TasksAJoule,
    /// Solves one after another, and how many of them came out otherwise than the first.
    RepeatSolves,
    OtherResults,
    /// Seconds on one device over as many times those on several, in %.
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
    /// The most ways that a load from shared memory conflicts in, of 32 banks and of 16.
    WorstLoadSteps32,
    WorstLoadSteps16,
    /// On the paper's GPU: shared memory of a block with what it adds, blocks of a multiprocessor by shared memory alone, and threads in
    /// use, in %.
    SharedBytesOfPaper,
    ResidentBlocksByShared,
    Occupancy,
    /// Launches after which the matrix is none of the plain algorithm's.
    UnlikePlain,
    // What the compiler and the driver say of a kernel.
    Registers,
    SharedBytes,
    LocalBytes,
    Threads,
    ResidentBlocks,
}

/// What of a paper is drawn beside what was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PublishedMarks {
    /// The seconds of the table that the experiment reproduces, and what follows from them.
    Table,
    /// The speed-ups that the paper's text states.
    Text,
}

/// How an axis is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AxisScale {
    Linear,
    Log,
}

impl FigureSpec {
    /// What is shown of every cell by the clock around the launches.
    pub fn new(id: &str, kind: FigureKind, title: &str, caption: &str, x: &Dimension, y: Quantity) -> Self {
        Self {
            id: id.to_string(),
            kind,
            title: title.to_string(),
            caption: caption.to_string(),
            x: vec![x.clone()],
            y: vec![y],
            series: Vec::new(),
            only: BTreeMap::new(),
            over: BTreeMap::new(),
            clock: Vec::new(),
            published: None,
            x_scale: None,
            y_scale: None,
            front: false,
        }
    }

    /// What is wrong with it, with the key that says so.
    fn problem(&self) -> Option<(&'static str, String)> {
        let is_id = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let is_ratio =
            |one: &Quantity| matches!(one, Quantity::SpeedUp | Quantity::RelativeTime | Quantity::Efficiency);
        let ratio = self.y.iter().any(is_ratio);
        let has_pairs = self.x.iter().chain(&self.series).any(|one| *one == Dimension::Pair);
        let texts = [("title", &self.title), ("caption", &self.caption)];
        let empty = texts.into_iter().find(|(_, text)| text.is_empty());
        let hidden = texts.into_iter().find(|(_, text)| text.contains(hides));
        let is_text = |one: &Dimension| {
            !matches!(
                one,
                Dimension::N
                    | Dimension::EdgesPerVertex
                    | Dimension::ResidentBlocks
                    | Dimension::Parameter(_)
            )
        };
        let no_axis = self.kind == FigureKind::Lines && self.x.iter().any(is_text);
        let several = self.kind != FigureKind::Table && (self.x.len() != 1 || self.y.len() != 1);
        Some(if self.id.is_empty() || !self.id.chars().all(is_id) {
            ("id", format!("{:?}: expected lower-case letters, digits and hyphens", self.id))
        } else if let Some((key, _)) = empty {
            (key, format!("{} has an empty {key}: expected one line", self.id))
        } else if let Some((key, text)) = hidden {
            (key, format!("{text:?}: expected one line without control characters"))
        } else if self.x.is_empty() || self.y.is_empty() {
            ("x", format!("{} shows nothing: expected at least one x and one y", self.id))
        } else if several {
            ("kind", format!("{} has several x or y: expected one of each, or kind = \"table\"", self.id))
        } else if no_axis {
            ("x", format!("{} is of names: expected n or a parameter, or kind = \"bars\"", self.id))
        } else if ratio && self.over.is_empty() && !has_pairs {
            ("y", format!("{} is a ratio: expected what it is over, as over = {{ kappa = 1 }}", self.id))
        } else {
            return None;
        })
    }

    /// A dimension or a place along one that no cell of the experiment has, with the key that names it.
    fn unknown(&self, file: &ExperimentFile, places: &Places) -> Option<(&'static str, String)> {
        let is_parameter = |one: &Dimension| matches!(one, Dimension::Parameter(_));
        let given: Vec<String> =
            places.keys().filter(|one| is_parameter(one)).map(|one| one.clone().into()).collect();
        let dimensions: Vec<&str> =
            DIMENSIONS.iter().map(|(name, _)| *name).chain(given.iter().map(String::as_str)).collect();
        let only =
            self.only.iter().flat_map(|(one, values)| values.all().iter().map(move |value| (one, value)));
        let placed = only.map(|pair| ("only", pair)).chain(self.over.iter().map(|pair| ("over", pair)));
        let placed: Vec<_> = placed.collect();
        let listed = [("x", &self.x), ("series", &self.series)].into_iter();
        let listed = listed.flat_map(|(key, all)| all.iter().map(move |one| (key, one)));
        let mut named = listed.chain(placed.iter().map(|(key, (one, _))| (*key, *one)));
        let unknown = named.clone().find(|(_, one)| is_parameter(one) && !places.contains_key(one));
        if let Some((key, one)) = unknown {
            let name = String::from(one.clone());
            let problem = format!("{name} is no dimension of this experiment: {}", meant(&name, &dimensions));
            return Some((key, problem));
        }
        if let Some((key, _)) = named.find(|(_, one)| **one == Dimension::Pair && file.paper.is_none()) {
            return Some((
                key,
                "pair is of what a paper compares: expected paper = in this file".to_string(),
            ));
        }
        let nowhere = |(_, (one, value)): &&(&str, (&Dimension, &DimensionValue))| {
            places.get(one).is_some_and(|known| !known.contains(value))
        };
        let (key, (one, value)) = placed.iter().find(nowhere)?;
        let known = places[one].iter().filter_map(|known| match known {
            // A graph that is alone has no name.
            DimensionValue::Text(known) if !known.is_empty() => Some(known.as_str()),
            _ => None,
        });
        let known: Vec<&str> = known.collect();
        let name = String::from((*one).clone());
        let problem = format!("no cell of this experiment has {name} = {value}");
        Some(match value {
            DimensionValue::Text(text) if !known.is_empty() => {
                (key, format!("{problem}: {}", meant(text, &known)))
            }
            _ => (key, problem),
        })
    }

    /// What of a paper is asked for that the experiment names none of.
    fn unpublished(&self, file: &ExperimentFile) -> Option<(&'static str, String)> {
        let lacking = match self.published? {
            PublishedMarks::Table if file.table.is_none() => ("table", "table"),
            PublishedMarks::Text if file.paper.is_none() => ("text", "paper"),
            _ => return None,
        };
        let (marks, key) = lacking;
        Some(("published", format!("\"{marks}\" shows nothing: expected {key} = in this file")))
    }
}

/// Where the cells of an experiment stand along each dimension of which its file says so.
type Places = BTreeMap<Dimension, BTreeSet<DimensionValue>>;

fn places(file: &ExperimentFile, implementations: &[Arc<Implementation>], graphs: &[NamedGraph]) -> Places {
    let (number, text) = (|n: usize| DimensionValue::Number(n as u64), DimensionValue::Text);
    let timed = file.cells.iter().flat_map(|cells| cells.all_sizes());
    let counted = file.cells.iter().flat_map(|cells| cells.emulated_sizes(&file.emulated.sizes));
    let sizes = timed.chain(counted.map(|size| *size.get_ref()));
    let edges = graphs.iter().filter_map(|graph| graph.source.edges_per_vertex());
    let mut places = Places::from([
        (Dimension::N, sizes.map(number).collect()),
        (Dimension::Implementation, implementations.iter().map(|one| text(one.name.to_string())).collect()),
        (Dimension::Graph, graphs.iter().map(|graph| text(graph.name.clone())).collect()),
        (Dimension::Element, graphs.iter().map(|graph| text(graph.element.to_string())).collect()),
        (Dimension::EdgesPerVertex, edges.map(|edges| DimensionValue::Number(edges.into())).collect()),
        (Dimension::Clock, Scope::ALL.iter().map(|clock| text(clock.to_string())).collect()),
    ]);
    let usual = implementations.iter().flat_map(|one| one.parameters.iter());
    let usual = usual.map(|parameter| (parameter.name, parameter.default));
    let given = file.cells.iter().flat_map(|cells| cells.given());
    let given = given.flat_map(|(name, values)| values.iter().map(move |value| (name, *value)));
    for (name, value) in usual.chain(given) {
        let known = places.entry(Dimension::Parameter(name.to_string())).or_default();
        known.insert(DimensionValue::Number(value.into()));
    }
    places
}

/// That each figure of an experiment with these implementations and graphs can be made, and has a name of its own.
pub(super) fn check(
    file: &ExperimentFile,
    implementations: &[Arc<Implementation>],
    graphs: &[NamedGraph],
    source: Source,
) -> Result<(), ConfigError> {
    let places = places(file, implementations, graphs);
    for (number, figure) in file.figures.iter().enumerate() {
        let earlier = file.figures[..number].iter().any(|one| one.id == figure.id);
        let twice = earlier.then(|| ("id", format!("{} comes twice: give each once", figure.id)));
        let unknown = || figure.unknown(file, &places).or_else(|| figure.unpublished(file));
        if let Some((key, problem)) = twice.or_else(|| figure.problem()).or_else(unknown) {
            return Err(source.wrong_in(&["[[figures]]"], number, key, &problem));
        }
    }
    Ok(())
}

/// What may be meant by `name`, none of `known`: the nearest where one is near, or else all.
fn meant(name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(nearest) => format!("did you mean {nearest}?"),
        None => format!("expected one of {}", known.join(", ")),
    }
}

/// What is wrong with a name, with the nearest that is known in place of all.
#[derive(Debug)]
struct UnknownName(String);

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnknownName {}

impl Error for UnknownName {
    fn custom<T: fmt::Display>(problem: T) -> Self {
        Self(problem.to_string())
    }

    fn unknown_variant(name: &str, known: &'static [&'static str]) -> Self {
        Self(format!("unknown name {name:?}: {}", meant(name, known)))
    }
}

fn named<'de, T: Deserialize<'de>, E: Error>(name: &str) -> Result<T, E> {
    T::deserialize(StrDeserializer::<UnknownName>::new(name)).map_err(E::custom)
}

/// A name.
fn one<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    named(&String::deserialize(deserializer)?)
}

/// A name alone, or a list of them.
fn one_or_several<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    /// An untagged enum would not say which name is unknown.
    struct Names<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Names<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("a name or a list of names")
        }

        fn visit_str<E: Error>(self, name: &str) -> Result<Vec<T>, E> {
            Ok(vec![named(name)?])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, names: A) -> Result<Vec<T>, A::Error> {
            let names: Vec<String> = Vec::deserialize(SeqAccessDeserializer::new(names))?;
            names.iter().map(|name| named(name)).collect()
        }
    }
    deserializer.deserialize_any(Names(PhantomData))
}
