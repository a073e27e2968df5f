//! What was read, in words.

use super::shown::{Line, counted, number, quantity};
use crate::graph::ElementType;
use shortest_paths::read::{Format, Loaded, Names, Packing, Reason, Stored};
use shortest_paths::{Graph, Weight};
use std::path::Path;

/// The graph, what it does without, and the type of its weights with the reason.
pub(super) fn describe<T: Weight>(path: &Path, loaded: &Loaded<T>, reason: &Reason) -> Vec<Line> {
    let (m, facts) = match &loaded.graph {
        Stored::Arcs(arcs) => (arcs.m(), Graph::facts(arcs)),
        Stored::Matrix(matrix) => (Graph::m(matrix), Graph::facts(matrix)),
    };
    let n = loaded.n();
    let from = match loaded.names {
        Names::FromZero => " from 0",
        Names::FromOne => " from 1",
        Names::Given(_) => " with names",
    };
    let packed = match loaded.packing {
        Packing::Plain => String::new(),
        packing => format!(", {packing}"),
    };
    let mut lines = vec![Line::new(
        "graph",
        format!(
            "{} ({}{packed}): {}{from}, {}, {}",
            path.display(),
            format_name(loaded.format),
            quantity(n, "vertex", "vertices"),
            quantity(m, "arc", "arcs"),
            weights(facts.range.largest, facts.least)
        ),
    )];
    let dropped = loaded.dropped;
    let left_out = [
        (
            dropped.duplicates,
            "duplicate arc (the least weight stays)",
            "duplicate arcs (the least weight stays)",
        ),
        (dropped.self_loops, "arc from a vertex to itself", "arcs from a vertex to itself"),
        (dropped.absent, "arc of infinite weight", "arcs of infinite weight"),
    ];
    let left_out: Vec<String> = left_out
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| counted(count, one, many))
        .collect();
    if !left_out.is_empty() {
        lines.push(Line::new("left out", left_out.join(", ")));
    }
    lines.push(Line::new("type", format!("{}: {}", T::TYPE, because(T::TYPE, reason))));
    lines
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

fn weights(largest: f64, least: f64) -> String {
    if least < 0.0 {
        format!("weights from {} up, at most {} in magnitude", number(least), number(largest))
    } else {
        format!("weights up to {}", number(largest))
    }
}

fn because(element: ElementType, reason: &Reason) -> String {
    match reason {
        Reason::Asked => "asked for".to_string(),
        Reason::StoredAsF32 => "the file's own type".to_string(),
        Reason::Integers { longest } => {
            format!("all weights are integers, and no path is longer than {}", number(*longest))
        }
        Reason::ExactInF32 { longest } => {
            format!(
                "f32 holds every weight and every sum of them, for no path is longer than {}",
                number(*longest)
            )
        }
        Reason::RoundedInF32 { longest, fractions: true } => {
            format!("a path may be as long as {}, whose fractions f32 would round", number(*longest))
        }
        Reason::RoundedInF32 { longest, fractions: false } => format!(
            "a path may be as long as {}, i32 holds up to {}, and f32 would round",
            number(*longest),
            number(ElementType::I32.most())
        ),
        Reason::NotInF32 { weight } => format!("f32 does not hold the weight {weight}, and {element} does"),
    }
}
