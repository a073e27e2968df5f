//! Tasks a second against n from several runs of one machine.

use super::context::kernel_time;
use super::rates::{allowed, limit_line, rate_axis};
use super::source;
use crate::experiment::StoredRun;
use crate::graph::ElementType;
use crate::lists::distinct;
use crate::record::SummaryRow;
use crate::report::plot::{Axis, Chart, Lines, Plot, Point, Series, Stroke, look, rate_text, significant};
use std::collections::BTreeMap;

/// What was measured of one variant of an implementation on graphs of one kind.
pub struct FamilyLine {
    pub element: ElementType,
    pub implementation: String,
    /// Those that are not at their defaults.
    params: String,
    /// What sets its graphs apart from the others.
    graph: Option<String>,
    /// Tasks/s by n, ascending, from medians of scope kernel.
    pub points: Vec<Point>,
}

impl FamilyLine {
    pub fn new(
        element: ElementType,
        implementation: String,
        params: String,
        graph: Option<String>,
        rows: &BTreeMap<usize, &SummaryRow>,
    ) -> Self {
        let point =
            |(&n, row): (&usize, &&SummaryRow)| Some(kernel_time(row)?.rate((n as f64).powi(3)).point(n));
        let points = rows.iter().filter_map(point).collect();
        Self { element, implementation, params, graph, points }
    }

    /// Without its type.
    pub fn name_of_variant(&self) -> String {
        let besides: Vec<&str> = [Some(self.params.as_str()), self.graph.as_deref()]
            .into_iter()
            .flatten()
            .filter(|of| !of.is_empty())
            .collect();
        match besides.is_empty() {
            true => self.implementation.clone(),
            false => format!("{} ({})", self.implementation, besides.join(", ")),
        }
    }

    pub fn name(&self) -> String {
        match self.element {
            ElementType::F32 => self.name_of_variant(),
            element => format!("{}, {element}", self.name_of_variant()),
        }
    }

    fn most(&self) -> f64 {
        self.points.iter().map(|point| point.y).fold(0.0, f64::max)
    }

    fn series(&self) -> Series {
        let besides = [Some(self.params.clone()), self.graph.clone(), Some(self.element.to_string())];
        let is_plain = |of: &String| of.is_empty() || *of == ElementType::F32.to_string();
        let besides = besides.into_iter().flatten().filter(|of| !is_plain(of));
        let label =
            std::iter::once(self.implementation.clone()).chain(besides).collect::<Vec<_>>().join("\n");
        let stroke = match (self.element, self.params.is_empty() && self.graph.is_none()) {
            (ElementType::F32, true) => Stroke::Solid,
            (ElementType::F32, false) => Stroke::Dashed,
            _ => Stroke::Dotted,
        };
        Series { stroke, ..Series::new(&label, self.points.clone(), look(&self.implementation)) }
    }
}

/// Every line of the first type, and of each other the fastest, with what issue slots allow. None where nothing was timed at two sizes.
pub fn rates(lines: &[FamilyLine], runs: &[&StoredRun]) -> Option<Plot> {
    let elements = distinct(lines.iter().map(|line| line.element));
    let first = *elements.first()?;
    let fastest = |element: ElementType| {
        let of_type = lines.iter().filter(move |line| line.element == element);
        of_type.max_by(|a, b| a.most().total_cmp(&b.most()))
    };
    let of_first = lines.iter().filter(|line| line.element == first);
    let drawn: Vec<&FamilyLine> =
        of_first.chain(elements.iter().skip(1).filter_map(|element| fastest(*element))).collect();
    if drawn.iter().all(|line| line.points.len() < 2) {
        return None;
    }
    let mut guides = Vec::new();
    let mut shares = Vec::new();
    for line in elements.iter().filter_map(|element| fastest(*element)) {
        let element = line.element;
        let Some(allowed) = runs.iter().find_map(|run| allowed(run, element)) else { continue };
        guides.push(limit_line(element, allowed));
        let most = rate_text(line.most());
        shares.push(format!("{element} {most}, {}%", significant(line.most() / allowed * 100.0, 2)));
    }
    let shares = match shares.is_empty() {
        true => String::new(),
        false => format!("The most, and what it is of what issue slots allow: {}. ", shares.join("; ")),
    };
    let names: Vec<String> = drawn.iter().map(|line| line.name()).collect();
    Some(Plot {
        id: "tasks-per-second".into(),
        title: "Tasks a second against n, and what issue slots allow".into(),
        caption: format!(
            "{shares}Lines without a type are of {first}; of other types only the fastest is drawn. Grey lines are at the highest clock. \
             A task is one relaxation: n³ a solve."
        ),
        alt: format!(
            "Tasks a second of {} against n, with what issue slots allow as horizontal lines.",
            names.join(", ")
        ),
        source: source::of_runs(runs),
        chart: Chart::Lines(Lines::new(
            Axis::vertices(),
            rate_axis(),
            drawn.iter().map(|line| line.series()).collect(),
            guides,
        )),
    })
}
