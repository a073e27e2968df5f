//! The command `path`

mod result;

use crate::named;
use crate::solve::input::unknown;
use crate::solve::labels::{JsonNumber, vertex};
use repro_base::terminal::{Error, Exit, output};
use result::{ShortestPath, StoredResult};
use serde_json::{Value, json};
use shortest_paths::read::{Names, ReadOptions, StoredGraph, read};
use shortest_paths::weights_along;
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

/// Print a path between two vertices from a result of `repro solve`
#[derive(clap::Args)]
#[command(after_help = named(EXAMPLES))]
pub struct PathArgs {
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
pub fn run(args: &PathArgs) -> Result<Exit, Error> {
    let stored = StoredResult::open(&args.result)?;
    let (names, n) = (stored.names(), stored.n());
    let find = |name: &str| {
        let found = names.vertex(name, n);
        found.ok_or_else(|| unknown(&args.result.display().to_string(), name, names, n))
    };
    let ends = [find(&args.from)?, find(&args.to)?];
    let mut found = stored.path(ends)?;
    if let (Some(path), Some(graph)) = (&mut found, &args.graph) {
        path.lengths = Some(lengths(graph, args.undirected, &path.vertices, names)?);
        path.is_rounded = false;
    }
    if found.is_none() {
        output::complain(&format!("no path leads from {} to {}", args.from, args.to));
    }
    if args.json {
        output::print(&output::json(&report(ends, found.as_ref(), names))?)?;
    } else if let Some(path) = &found {
        output::print(&table(path, names))?;
    }
    let Some(path) = found else { return Ok(Exit::Failed) };
    let missing = match path.lengths {
        None => "not stored in this result",
        Some(_) if path.is_rounded => "differences of rounded distances",
        Some(_) => return Ok(Exit::Success),
    };
    output::complain(&format!(
        "lengths of arcs are {missing}: --graph GRAPH takes them from the graph's file"
    ));
    Ok(Exit::Success)
}

/// The lengths of a path's arcs in the graph of a file, which has the same names.
fn lengths(file: &Path, undirected: bool, path: &[usize], names: &Names) -> Result<Vec<f64>, Error> {
    let shown = format!("--graph {}", file.display());
    let loaded = read::<f64>(file, &ReadOptions { undirected, ..ReadOptions::default() })?;
    let same = |&vertex: &usize| {
        let name = names.name(vertex);
        let found = loaded.names.vertex(&name, loaded.n());
        found.ok_or_else(|| unknown(&shown, &name, &loaded.names, loaded.n()))
    };
    let path: Vec<usize> = path.iter().map(same).collect::<Result<_, _>>()?;
    let lengths = match &loaded.graph {
        StoredGraph::Arcs(arcs) => weights_along(arcs, &path),
        StoredGraph::Matrix(matrix) => weights_along(matrix, &path),
    };
    lengths.map_err(|error| {
        format!("{shown}: {error}: name the graph that was solved, with --undirected if it was solved so")
            .into()
    })
}

/// An arc a line, with its length and the length so far, and the whole below.
fn table(path: &ShortestPath, names: &Names) -> String {
    let mut rows = vec![["from", "to", "length", "so far"].map(String::from)];
    let mut sum = 0.0;
    for (at, arc) in path.vertices.windows(2).enumerate() {
        let [length, so_far] = match path.lengths.as_ref().and_then(|lengths| lengths.get(at)) {
            Some(length) => {
                sum += length;
                [length.to_string(), sum.to_string()]
            }
            None => ["-".to_string(), "-".to_string()],
        };
        rows.push([names.name(arc[0]).into(), names.name(arc[1]).into(), length, so_far]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let [one, two, three, four] = [0, 1, 2, 3].map(width);
    let line = |[from, to, length, so_far]: &[String; 4]| {
        format!("{from:<one$}  {to:<two$}  {length:>three$}  {so_far:>four$}\n")
    };
    let arcs = rows.len() - 1;
    let lines: String = rows.iter().filter(|_| arcs > 0).map(line).collect();
    let total = path.length().map_or(String::new(), |distance| format!(", distance {distance}"));
    format!("{lines}{arcs} arc{}{total}\n", if arcs == 1 { "" } else { "s" })
}

/// The version of the object's form.
const VERSION: u32 = 1;

/// The path, or that there is none, as an object of JSON.
fn report(ends: [usize; 2], found: Option<&ShortestPath>, names: &Names) -> Value {
    let [from, to] = ends.map(|end| vertex(end, names));
    let path = found.map(|path| path.vertices.iter().map(|&at| vertex(at, names)).collect::<Vec<_>>());
    let lengths = found.and_then(|path| path.lengths.as_ref());
    json!({
        "schema_version": VERSION,
        "from": from,
        "to": to,
        "reachable": found.is_some(),
        // Null where neither the distance nor the weights are known.
        "distance": found.and_then(ShortestPath::length).map(JsonNumber),
        "vertices": path,
        "weights": lengths.map(|lengths| lengths.iter().copied().map(JsonNumber).collect::<Vec<_>>()),
        // Whether weights are differences of rounded distances.
        "weights_rounded": found.is_some_and(|path| path.is_rounded),
    })
}
