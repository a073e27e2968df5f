//! Describes the graph that was read.
//! Also finds the vertices that the user names.

use super::SolveArgs;
use super::labels::{JsonNumber, LabeledLine, counted, grouped, number};
use crate::graph::ElementType;
use repro_base::terminal::Error;
use serde::Serialize;
use shortest_paths::read::{EdgeListForm, Format, GraphInput, Names, Numbering, Reason, StoredGraph};
use shortest_paths::{DroppedArcs, Element, Graph};
use std::collections::HashMap;
use std::path::PathBuf;

/// The graph, what it does without, and the type of its weights with the reason.
#[derive(Serialize)]
pub(super) struct GraphDescription {
    file: PathBuf,
    format: Format,
    packing: &'static str,
    /// None for other formats.
    edge_list: Option<EdgeListForm>,
    vertices: Numbering,
    pub n: usize,
    arcs: usize,
    /// None where no weight is negative.
    most_negative_weight: Option<JsonNumber>,
    /// The largest magnitude of a weight.
    largest_weight: JsonNumber,
    left_out: DroppedArcs,
    /// Zeros off the diagonal of a matrix that are taken for arcs unasked.
    zeros_as_arcs: Option<usize>,
    pub element: ElementType,
    element_because: Reason,
}

impl GraphDescription {
    pub fn new<T: Element>(args: &SolveArgs, loaded: &GraphInput<T>, reason: Reason) -> Self {
        let (arcs, facts, zeros) = match &loaded.graph {
            StoredGraph::Arcs(arcs) => (arcs.m(), arcs.facts(), 0),
            StoredGraph::Matrix(matrix) => (matrix.m(), matrix.facts(), matrix.survey().zeros),
        };
        Self {
            file: args.graph.clone(),
            format: loaded.format,
            packing: if loaded.gzip { "gzip" } else { "plain" },
            edge_list: loaded.edge_list.clone(),
            vertices: loaded.names.numbering(),
            n: loaded.n(),
            arcs,
            most_negative_weight: (facts.least < 0.0).then_some(JsonNumber(facts.least)),
            largest_weight: JsonNumber(facts.range.largest),
            left_out: loaded.dropped,
            zeros_as_arcs: Some(zeros).filter(|zeros| *zeros > 0 && args.zeros.is_none()),
            element: T::TYPE,
            element_because: reason,
        }
    }

    /// The warning about zeros in a matrix, which are arcs here, and mostly no arcs for the program that made the matrix.
    pub fn warning(&self) -> Option<String> {
        let count = self.zeros_as_arcs?;
        Some(format!(
            "warning: {}: {} of {} entries beside the diagonal {} 0, which is an arc of weight 0: give --zeros absent if 0 is no arc, as in \
             matrices of SciPy and NetworkX, or --zeros arcs if it is one",
            self.file.display(),
            grouped(count as u128),
            grouped(self.n as u128 * (self.n as u128 - 1)),
            if count == 1 { "is" } else { "are" }
        ))
    }

    pub fn lines(&self) -> Vec<LabeledLine> {
        let from = match self.vertices {
            Numbering::FromZero => "from 0",
            Numbering::FromOne => "from 1",
            Numbering::Named => "with names",
        };
        let largest = number(self.largest_weight.0);
        let weights = match self.most_negative_weight {
            Some(JsonNumber(least)) => {
                format!("weights from {} up, at most {largest} in magnitude", number(least))
            }
            None => format!("weights up to {largest}"),
        };
        let packed = if self.packing == "gzip" { ", gzip" } else { "" };
        let graph = format!(
            "{} ({}{packed}): {} {from}, {}, {weights}",
            self.file.display(),
            format_name(self.format),
            counted(self.n, "vertex", "vertices"),
            counted(self.arcs, "arc", "arcs")
        );
        let mut lines = vec![("graph", graph)];
        lines.extend(self.edge_list.as_ref().map(|list| ("read as", understood(list))));
        let DroppedArcs { duplicates, self_loops, absent } = self.left_out;
        let left_out: Vec<_> = [
            (duplicates, "duplicate arc", "duplicate arcs", " (the least weight stays)"),
            (self_loops, "arc", "arcs", " from a vertex to itself"),
            (absent, "weight that stands", "weights that stand", " for no arc"),
        ]
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many, what)| counted(count as usize, one, many) + what)
        .collect();
        if !left_out.is_empty() {
            lines.push(("left out", left_out.join(", ")));
        }
        lines.push(("type", format!("{}: {}", self.element, because(self.element, &self.element_because))));
        lines
    }
}

/// How an edge list was read.
fn understood(list: &EdgeListForm) -> String {
    let EdgeListForm { separator, heading, weighted, comments, unmentioned } = list;
    let arc = if *weighted { "FROM TO WEIGHT" } else { "FROM TO, each of weight 1," };
    let heading = heading.as_deref().unwrap_or("none");
    let comments = counted(*comments, "comment", "comments");
    let unmentioned = counted(*unmentioned, "vertex", "vertices");
    format!(
        "{arc} with {separator} between; heading: {heading}; {comments}; {unmentioned} that no line mentions"
    )
}

fn format_name(format: Format) -> &'static str {
    match format {
        Format::Dimacs => "DIMACS",
        Format::MatrixMarket => "Matrix Market",
        Format::EdgeList => "edge list",
        Format::Npy => "NumPy array",
        Format::Npz => "NumPy archive",
    }
}

fn because(element: ElementType, reason: &Reason) -> String {
    let integers = number(ElementType::I32.most());
    match *reason {
        Reason::Asked => "asked for".to_string(),
        Reason::StoredAsF32 => "the file's own type".to_string(),
        Reason::Integers { longest } => {
            format!("all weights are integers, and no path is longer than {}", number(longest))
        }
        Reason::ExactInF32 { longest } => format!(
            "f32 holds every weight and every sum of them, for no path is longer than {}",
            number(longest)
        ),
        Reason::RoundedInF32 { longest, fractions: true } => {
            format!("a path may be as long as {}, whose fractions f32 would round", number(longest))
        }
        Reason::RoundedInF32 { longest, fractions: false } => format!(
            "a path may be as long as {}, i32 is used up to {integers}, and f32 would round",
            number(longest)
        ),
        Reason::NotInF32 { weight } => {
            format!("f32 does not hold the weight {}, and {element} does", number(weight))
        }
    }
}

/// The vertices of `--sources` or `--targets`: names with commas between them, or a file with one on each line.
///
/// # Errors
/// The option, the name that is no vertex, and which vertices there are.
pub(super) fn chosen(option: &str, value: &str, names: &Names, n: usize) -> Result<Vec<usize>, Error> {
    let file = value.strip_prefix('@');
    let text = match file {
        Some(path) => std::fs::read_to_string(path)
            .map_err(|error| format!("{option} {value}: {path} cannot be read: {error}"))?,
        None => value.to_string(),
    };
    let listed: Vec<&str> = match file {
        Some(_) => text.lines().map(str::trim).filter(|line| !line.is_empty()).collect(),
        None => text.split(',').map(str::trim).collect(),
    };
    if listed.is_empty() {
        return Err(format!("{option} {value} names no vertex: name at least one").into());
    }
    // A table of the listed names alone, since the graph has many more.
    let mut table: HashMap<&str, Option<usize>> = listed.iter().map(|name| (*name, None)).collect();
    if let Names::Given(given) = names {
        for (vertex, name) in given.iter().enumerate() {
            table.entry(name).and_modify(|place| *place = Some(vertex));
        }
    }
    let find = |name: &&str| match names {
        Names::Given(_) => table.get(name).copied().flatten(),
        _ => names.vertex(name, n),
    };
    listed.iter().map(|name| find(name).ok_or_else(|| unknown(option, name, names, n))).collect()
}

/// The error for a name that no vertex has.
pub(crate) fn unknown(option: &str, name: &str, names: &Names, n: usize) -> Error {
    let first = names.name(0);
    let last = names.name(n.saturating_sub(1));
    let there = match names {
        Names::Given(_) => format!("its {n} vertices have names such as {first} and {last}"),
        _ => format!("its vertices are {first} to {last}"),
    };
    format!("{option}: the graph has no vertex '{name}': {there}").into()
}
