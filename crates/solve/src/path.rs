//! The command `path`

mod matrix;
mod report;
mod result;

use crate::named;
use crate::solve::vertices::unknown;
use report::Report;
use repro_terminal::{Error, Exit, output};
use result::{Lengths, ShortestPath, StoredResult};
use shortest_paths::read::{AnyGraph, Names, ReadOptions, StoredGraph as Graphs, read_typed};
use shortest_paths::{Element, Graph, weights_along};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "Examples:
  PROGRAM path all.npy 3 9
      the path from vertex 3 to vertex 9, an arc a line
  PROGRAM path distances.npy Bonn Ulm --graph roads.txt
      the same with the weights of the graph's file

Exit codes:
  0    there is a path, and it is printed
  1    no path leads there
  2    not done: no paths are stored, no such vertex, or wrong arguments";

#[derive(clap::Args)]
#[command(after_help = named(EXAMPLES))]
pub struct Arguments {
    /// The result: the file that was `--out` of `solve --paths ...`
    result: PathBuf,
    /// The vertex where the path begins, by its name in the graph's file
    #[arg(allow_hyphen_values = true)]
    from: String,
    /// The vertex where it ends
    #[arg(allow_hyphen_values = true)]
    to: String,
    /// Take the lengths of arcs from the graph's file, and not from stored distances
    #[arg(long, value_name = "GRAPH")]
    graph: Option<PathBuf>,
    /// The graph was solved with --undirected
    #[arg(long, requires = "graph")]
    undirected: bool,
    /// Print the path as one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints the stored path.
pub fn run(arguments: &Arguments) -> Result<Exit, Error> {
    let stored = StoredResult::open(&arguments.result)?;
    let (names, n) = (stored.names(), stored.n());
    let vertex = |name: &str| {
        let found = names.vertex(name, n);
        found.ok_or_else(|| unknown(&arguments.result.display().to_string(), name, names, n))
    };
    let (from, to) = (vertex(&arguments.from)?, vertex(&arguments.to)?);
    let Some(mut found) = stored.path(from, to)? else {
        output::complain(&format!("no path leads from {} to {}", arguments.from, arguments.to));
        if arguments.json {
            output::print(&output::json(&Report::of([from, to], None, names))?)?;
        }
        return Ok(Exit::Failed);
    };
    if let Some(graph) = &arguments.graph {
        found.lengths = weights(graph, arguments.undirected, &found.vertices, names)?;
        found.is_rounded = false;
    }
    output::print(&if arguments.json {
        output::json(&Report::of([from, to], Some(&found), names))?
    } else {
        shown(&found, names)
    })?;
    if found.lengths == Lengths::None {
        output::complain(
            "lengths of arcs are not stored in this result: --graph GRAPH takes them from the graph's file",
        );
    } else if found.is_rounded {
        output::complain(
            "lengths of arcs are differences of rounded distances: --graph GRAPH takes them from the graph's file",
        );
    }
    Ok(Exit::Success)
}

/// The weights along a path in the graph of a file, which has the same names.
fn weights(file: &Path, undirected: bool, path: &[usize], names: &Names) -> Result<Lengths, Error> {
    let options = ReadOptions { undirected, ..ReadOptions::default() };
    let (typed, _) = read_typed(file, None, &options)?;
    match &typed {
        AnyGraph::F32(loaded) => along(file, &loaded.graph, &loaded.names, path, names),
        AnyGraph::F64(loaded) => along(file, &loaded.graph, &loaded.names, path, names),
        AnyGraph::I32(loaded) => along(file, &loaded.graph, &loaded.names, path, names),
        AnyGraph::U16(loaded) => along(file, &loaded.graph, &loaded.names, path, names),
    }
}

fn along<T: Element>(
    file: &Path,
    graph: &Graphs<T>,
    own: &Names,
    path: &[usize],
    names: &Names,
) -> Result<Lengths, Error> {
    let of = |weights: Vec<T>| Lengths::Arcs(weights.iter().map(|weight| weight.to_f64()).collect());
    match graph {
        Graphs::Arcs(arcs) => in_graph(file, arcs, own, path, names).map(of),
        Graphs::Matrix(matrix) => in_graph(file, matrix, own, path, names).map(of),
    }
}

fn in_graph<T: Element, G: Graph<T>>(
    file: &Path,
    graph: &G,
    own: &Names,
    path: &[usize],
    names: &Names,
) -> Result<Vec<T>, Error> {
    let shown = format!("--graph {}", file.display());
    let same = |&vertex: &usize| {
        let name = names.name(vertex);
        own.vertex(&name, graph.n()).ok_or_else(|| unknown(&shown, &name, own, graph.n()))
    };
    let path: Vec<usize> = path.iter().map(same).collect::<Result<_, _>>()?;
    weights_along(graph, &path).map_err(|error| {
        format!("{shown}: {error}: name the graph that was solved, with --undirected if it was solved so")
            .into()
    })
}

/// An arc a line, with its length and the length so far, and the whole below.
fn shown(found: &ShortestPath, names: &Names) -> String {
    let name = |vertex: &usize| names.name(*vertex).into_owned();
    let lengths = match &found.lengths {
        Lengths::Arcs(lengths) => Some(lengths),
        Lengths::None => None,
    };
    let mut rows = vec![["from", "to", "length", "so far"].map(String::from)];
    let mut sum = 0.0;
    for (at, arc) in found.vertices.windows(2).enumerate() {
        let [length, so_far] = match lengths.and_then(|lengths| lengths.get(at)) {
            Some(length) => {
                sum += length;
                [length.to_string(), sum.to_string()]
            }
            None => ["-".to_string(), "-".to_string()],
        };
        rows.push([name(&arc[0]), name(&arc[1]), length, so_far]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..4).map(width).collect();
    let mut text = String::new();
    if rows.len() > 1 {
        for [from, to, length, so_far] in &rows {
            text += &format!(
                "{from:<one$}  {to:<two$}  {length:>three$}  {so_far:>four$}\n",
                one = widths[0],
                two = widths[1],
                three = widths[2],
                four = widths[3]
            );
        }
    }
    let arcs = found.vertices.len() - 1;
    let total = found.length().map_or(String::new(), |distance| format!(", distance {distance}"));
    format!("{text}{arcs} arc{}{total}\n", if arcs == 1 { "" } else { "s" })
}
