//! The command `solve`

mod ending;
pub(crate) mod input;
pub(crate) mod labels;
mod output;
mod plan;
mod report;
pub(crate) mod sidecar;
mod store;
mod work;

use crate::device::Selection;
use crate::graph::ElementType;
use crate::named;
use clap::builder::{PathBufValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use ending::PhaseTimer;
use input::GraphDescription;
use output::OutputFiles;
use report::Report;
use repro_base::terminal::{Error, Exit, output::complain, watch_for_interrupts};
use shortest_paths::read::{
    AnyGraph, Format, GraphInput, Numbering, ReadOptions, Reason, ZeroPolicy, read_typed,
};
use shortest_paths::{Algorithm, Element, PathSentinels, Paths};
use sidecar::PathKind;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use strum::VariantNames;
use work::{SolveRequest, solve_and_store};

const EXAMPLES: &str = "Examples:
  PROGRAM solve roads.gr.gz --out distances.npy --sources 1,5,7
      distances from three junctions to all, one row each
  PROGRAM solve graph.mtx --out all.npy --paths predecessor
      all distances and paths; `PROGRAM path all.npy 3 9` prints one of them
  PROGRAM solve friends.txt --undirected --out d.csv --targets @chosen.txt --verify
      a line for each pair with a path, some rows held against the graph's arcs

docs/solve.md describes formats, duplicate arcs, zeros, memory and algorithms.

Exit codes:
  0    done
  1    no distances exist, for the graph has a negative cycle, which is listed;
       or a result was wrong, and is not stored
  2    not done: wrong arguments or input, no room, or no such device
  130  interrupted: nothing is left";

/// Find all shortest paths of a graph of yours, for example `repro solve roads.gr --out distances.npy --sources 1,5`
#[derive(clap::Args)]
#[command(after_help = named(EXAMPLES))]
pub struct SolveArgs {
    /// The graph: DIMACS .gr, Matrix Market .mtx, an edge list, .npy or .npz; plain, or packed with gzip; `-` for standard input
    #[arg(value_parser = PathBufValueParser::new().map(standard_input))]
    graph: PathBuf,
    /// Where the distances go: .npy or .csv. A file of that name is replaced once all is written. `-` is standard
    /// output, which gets a .npy matrix, and standard error all else
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The graph's format, where neither its content nor its name tells
    #[arg(long, value_parser = words::<Format>(&[]))]
    format: Option<Format>,
    /// Every arc of the file is two, there and back
    #[arg(long)]
    undirected: bool,
    /// How an edge list names its vertices; found out from the names if left out
    #[arg(long, value_parser = words::<Numbering>(&["By numbers from 0", "By numbers from 1", "By any words"]))]
    vertices: Option<Numbering>,
    /// What a 0 in a dense matrix means: an arc of weight 0, or, as in matrices of SciPy and NetworkX, none [default: arcs, with a
    /// warning]
    #[arg(long, value_parser = words::<ZeroPolicy>(&[]))]
    zeros: Option<ZeroPolicy>,
    /// Only paths that begin at these vertices, by their names in the file; @FILE has one on each line
    #[arg(long, value_name = "NAME,...|@FILE")]
    sources: Option<String>,
    /// Only paths that end at these vertices
    #[arg(long, value_name = "NAME,...|@FILE")]
    targets: Option<String>,
    /// The type of distances: f32, i32, u16 or f64; chosen by the weights if left out
    #[arg(long = "type", value_name = "TYPE")]
    element: Option<ElementType>,
    /// Where Floyd-Warshall runs: auto, cpu, cuda, cuda:N or emulated. Searches run on the CPU
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = device)]
    device: Selection,
    /// The algorithm; by default the one that is expected to take less time
    #[arg(long, default_value = "auto", value_parser = algorithm())]
    // Under its full path clap takes this for a plain value, which `auto` has too, and not for an optional argument.
    algorithm: std::option::Option<Algorithm>,
    /// Store the paths as well: for each source the vertex before each other one, or for each vertex the next one on the way to each
    #[arg(long, value_name = "KIND", value_parser = words::<PathKind>(&[]))]
    paths: Option<PathKind>,
    /// Where paths go, .npy [default: next to the distances, as NAME.predecessors.npy or NAME.next.npy]
    #[arg(long, value_name = "FILE", requires = "paths")]
    paths_out: Option<PathBuf>,
    /// What stands for no vertex in stored paths: -1, or scipy's -9999
    #[arg(long, default_value = "plain", requires = "paths", value_parser = marks())]
    marks: PathSentinels,
    /// Hold so many rows against the arcs of the graph, and walk every stored path; 0 for no check. Without this option, rows are checked
    /// where that is expected to take less than 5% of the solve
    #[arg(long, value_name = "ROWS", num_args = 0..=1, require_equals = true, default_missing_value = "8")]
    verify: Option<usize>,
    /// Show no progress, and of the result where it is
    #[arg(long, short)]
    quiet: bool,
    /// Print all that is said as one JSON object at the end
    #[arg(long)]
    json: bool,
}

/// A parser of the words of a type, with their meanings for the help where a word does not say it.
fn words<T>(meanings: &[&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = strum::ParseError> + VariantNames + Clone + Send + Sync + 'static,
{
    let word = |(at, word): (usize, &&'static str)| PossibleValue::new(*word).help(meanings.get(at).copied());
    let words = T::VARIANTS.iter().enumerate().map(word);
    PossibleValuesParser::new(words).try_map(|word| word.parse::<T>())
}

/// A parser of algorithms, for which `auto` gives None.
fn algorithm() -> impl TypedValueParser<Value = Option<Algorithm>> {
    PossibleValuesParser::new(["auto"].iter().chain(Algorithm::VARIANTS)).map(|word| word.parse().ok())
}

fn marks() -> impl TypedValueParser<Value = PathSentinels> {
    let named = |word: String| PathSentinels::NAMED.into_iter().find(|(name, _)| *name == word);
    let words = PathSentinels::NAMED.map(|(name, _)| name);
    PossibleValuesParser::new(words).map(move |word| named(word).map(|(_, marks)| marks).unwrap_or_default())
}

/// `/dev/stdin` for `-`; other paths stay.
fn standard_input(given: PathBuf) -> PathBuf {
    if given == Path::new("-") { PathBuf::from("/dev/stdin") } else { given }
}

/// Parses where to solve, and refuses several devices.
fn device(text: &str) -> Result<Selection, String> {
    match text.parse::<Selection>() {
        Ok(Selection::CudaAll) => {
            Err("one device solves a graph: choose cuda, or cuda:N for the one numbered N".into())
        }
        Ok(selection) => Ok(selection),
        Err(error) => Err(error.to_string().replace(" cuda:all,", "")),
    }
}

impl SolveArgs {
    /// The files that it will write, each with the option that names it.
    pub fn written(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let out = self.out_file().map(|file| ("--out", file));
        out.into_iter().chain(self.paths_out.as_deref().map(|file| ("--paths-out", file)))
    }

    /// The file of the distances; none for standard output.
    fn out_file(&self) -> Option<&Path> {
        Some(&*self.out).filter(|out| *out != Path::new("-"))
    }

    fn read_options(&self) -> ReadOptions {
        ReadOptions {
            format: self.format,
            undirected: self.undirected,
            numbering: self.vertices,
            zeros: self.zeros.unwrap_or_default(),
        }
    }

    fn paths(&self) -> Paths {
        match self.paths {
            None => Paths::No,
            Some(PathKind::Predecessor) => Paths::Predecessors(self.marks),
            Some(PathKind::Next) => Paths::Next(self.marks),
        }
    }
}

/// Solves the graph, stores the result, and shows what was done.
pub fn run(args: &SolveArgs) -> Result<Exit, Error> {
    let mut timer = PhaseTimer::start();
    if args.paths == Some(PathKind::Next) && (args.sources.is_some() || args.targets.is_some()) {
        return Err("--paths next leads from vertex to vertex and needs them all: leave out --sources and --targets, or choose \
                    --paths predecessor"
            .into());
    }
    let files = OutputFiles::of(args)?;
    // Reads before signals are caught: the graph may come from a pipe that nobody writes to, where a signal must end the program. Nothing
    // is on the disk yet.
    let (typed, reason) = match read_typed(&args.graph, args.element, &args.read_options()) {
        Ok(read) => read,
        Err(error) => return ending::without_graph(error, args),
    };
    timer.lap("read");
    let interrupted = watch_for_interrupts()?;
    match typed {
        AnyGraph::F32(loaded) => solve(args, loaded, reason, &files, &interrupted, &mut timer),
        AnyGraph::F64(loaded) => solve(args, loaded, reason, &files, &interrupted, &mut timer),
        AnyGraph::I32(loaded) => solve(args, loaded, reason, &files, &interrupted, &mut timer),
        AnyGraph::U16(loaded) => solve(args, loaded, reason, &files, &interrupted, &mut timer),
    }
}

fn solve<T: Element>(
    args: &SolveArgs,
    loaded: GraphInput<T>,
    reason: Reason,
    files: &OutputFiles,
    interrupted: &AtomicBool,
    timer: &mut PhaseTimer,
) -> Result<Exit, Error> {
    let described = GraphDescription::new(args, &loaded, reason);
    described.warning().iter().for_each(|warning| complain(warning));
    let GraphInput { graph, names, .. } = loaded;
    let chosen = |option, value: &Option<String>| {
        value.as_ref().map(|value| input::chosen(option, value, &names, described.n)).transpose()
    };
    let (sources, targets) = (chosen("--sources", &args.sources)?, chosen("--targets", &args.targets)?);
    let request = SolveRequest { args, files, graph: described, names, sources, targets, interrupted };
    match solve_and_store(&request, graph, timer) {
        Ok(solved) => {
            Report { solved: Some(&solved), ..Report::new("solved", Some(&request.graph)) }.show(args)?;
            Ok(Exit::Success)
        }
        Err(error) => ending::without_result(error, &request),
    }
}
