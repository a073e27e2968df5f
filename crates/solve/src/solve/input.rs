//! What was read.

use super::SolveArgs;
use super::json::JsonNumber;
use super::shown::{Line, counted, grouped, number};
use crate::graph::ElementType;
use serde::Serialize;
use shortest_paths::read::{EdgeListForm, Format, Loaded, Numbering, Reason, StoredGraph};
use shortest_paths::{DroppedArcs, Element, Graph};
use std::path::PathBuf;

/// The graph, what it does without, and the type of its weights with the reason.
#[derive(Serialize)]
pub(super) struct GraphDescription {
    file: PathBuf,
    format: Format,
    packing: &'static str,
    /// None of other formats.
    edge_list: Option<EdgeListForm>,
    vertices: Numbering,
    pub n: usize,
    arcs: usize,
    /// None where no weight is negative.
    most_negative_weight: Option<JsonNumber>,
    /// In magnitude.
    largest_weight: JsonNumber,
    left_out: DroppedArcs,
    /// Entries of a matrix beside its diagonal that are 0, taken for arcs unasked.
    zeros_as_arcs: Option<usize>,
    pub element: ElementType,
    element_because: Reason,
}

impl GraphDescription {
    pub fn new<T: Element>(args: &SolveArgs, loaded: &Loaded<T>, reason: Reason) -> Self {
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

    /// What to say of zeros in a matrix, which are arcs here and mostly none where the matrix was made.
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

    pub fn lines(&self) -> Vec<Line> {
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
