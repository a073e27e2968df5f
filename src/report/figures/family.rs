//! Tasks a second against n from several runs of one machine.

use crate::graph::ElementType;
use crate::lists::distinct;
use crate::plot::{Chart, Lines, Mark, Plot, Point, Series, Shape, Stroke, rate_text};
use crate::results::{StoredRun, SummaryRow};
use crate::show::kernel_time;
use crate::show::look;
use crate::show::source;
use crate::show::subjects::seconds::{allowed, limit_line, rate_axis};
use crate::show::words::percent;
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
            |(&n, row): (&usize, &&SummaryRow)| Some(kernel_time(row)?.rate((n as f64).powi(3)).at(n as f64));
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

    /// At default parameters, on complete graphs of positive weights.
    fn is_plain(&self) -> bool {
        self.params.is_empty() && self.graph.is_none()
    }

    /// Each type of distances has its mark and its dashes, and a variant open marks. The label names the implementation where
    /// `with_name`.
    fn series(&self, with_name: bool) -> Series {
        let element = self.element.to_string();
        let besides = [Some(element), Some(self.params.clone()), self.graph.clone()];
        let besides = besides.into_iter().flatten().filter(|of| !of.is_empty());
        let name = with_name.then(|| self.implementation.clone());
        let label = name.into_iter().chain(besides).collect::<Vec<_>>().join("\n");
        let (shape, stroke) = match self.element {
            ElementType::F32 => (Shape::Circle, Stroke::Solid),
            ElementType::I32 => (Shape::Square, Stroke::Dashed),
            _ => (Shape::Diamond, Stroke::Dotted),
        };
        let shape = if with_name { look(&self.implementation).shape } else { shape };
        Series {
            name: self.name(),
            mark: Some(Mark { shape, filled: self.is_plain() }),
            stroke,
            ..Series::new(&label, self.points.clone(), look(&self.implementation))
        }
    }
}

/// The lines that a figure names at its front.
const IN_FRONT: usize = 4;

/// The fastest of `lines` by the highest rate.
fn fastest<'a>(lines: impl Iterator<Item = &'a FamilyLine>) -> Option<&'a FamilyLine> {
    lines.max_by(|a, b| a.most().total_cmp(&b.most()))
}

/// Of each type of distances the fastest line, before them the fastest of the first type at default parameters.
fn in_front(lines: &[FamilyLine]) -> Vec<&FamilyLine> {
    let elements = distinct(lines.iter().map(|line| line.element));
    let of = |element: ElementType| lines.iter().filter(move |line| line.element == element);
    let plain = elements.first().and_then(|first| fastest(of(*first).filter(|line| line.is_plain())));
    let best = |element: &ElementType| {
        fastest(of(*element).filter(|line| line.graph.is_none())).or_else(|| fastest(of(*element)))
    };
    let mut front: Vec<&FamilyLine> = Vec::new();
    for line in plain.into_iter().chain(elements.iter().filter_map(best)) {
        if !front.iter().any(|known| std::ptr::eq(*known, line)) {
            front.push(line);
        }
    }
    front.truncate(IN_FRONT);
    front
}

/// All lines that [`rates`] leaves out, a plot for each type of distances.
pub fn other_rates(lines: &[FamilyLine], runs: &[&StoredRun]) -> Vec<Plot> {
    let front = in_front(lines);
    let others: Vec<&FamilyLine> =
        lines.iter().filter(|line| !front.iter().any(|known| std::ptr::eq(*known, *line))).collect();
    let elements = distinct(others.iter().map(|line| line.element));
    let of = |element: ElementType| -> Vec<&FamilyLine> {
        others.iter().copied().filter(|line| line.element == element).collect()
    };
    elements.into_iter().filter_map(|element| others_of(element, &of(element), runs)).collect()
}

fn others_of(element: ElementType, others: &[&FamilyLine], runs: &[&StoredRun]) -> Option<Plot> {
    if others.iter().all(|line| line.points.len() < 2) {
        return None;
    }
    let best = fastest(others.iter().copied())?;
    let names: Vec<String> = others.iter().map(|line| line.name_of_variant()).collect();
    const SHAPES: [Shape; 4] = [Shape::Up, Shape::Down, Shape::Diamond, Shape::Square];
    let series = others.iter().enumerate().map(|(at, line)| {
        let series = line.series(true);
        // Variants of one implementation have one colour.
        match line.is_plain() {
            true => Series { stroke: Stroke::Solid, ..series },
            false => Series {
                mark: Some(Mark { shape: SHAPES[at % SHAPES.len()], filled: false }),
                stroke: Stroke::Dashed,
                ..series
            },
        }
    });
    Some(Plot {
        id: format!("others-{element}"),
        title: format!("{} does most of these: {}", best.name_of_variant(), rate_text(best.most())),
        shows: format!("Tasks a second by n: other variants, {element}"),
        caption: "Dashed lines with open marks are of other parameters, or of other graphs than a complete one of positive weights."
            .into(),
        alt: format!("Tasks a second against n of {}.", names.join(", ")),
        source: source::of_runs(runs),
        chart: Chart::Lines(Lines::by_n(rate_axis(), series.collect(), Vec::new())),
    })
}

/// The fastest line of each type, and of the first type also that at default parameters, with what issue slots allow. None where
/// nothing was timed at two sizes.
pub fn rates(lines: &[FamilyLine], runs: &[&StoredRun]) -> Option<Plot> {
    let drawn = in_front(lines);
    if drawn.iter().all(|line| line.points.len() < 2) {
        return None;
    }
    let mut guides = Vec::new();
    let mut findings = Vec::new();
    for element in distinct(drawn.iter().map(|line| line.element)) {
        let line = fastest(drawn.iter().copied().filter(|line| line.element == element))?;
        let does = format!("{} does {} in {element}", line.implementation, rate_text(line.most()));
        findings.push(match runs.iter().find_map(|run| allowed(run, element)) {
            Some(allowed) => {
                guides.push(limit_line(element, allowed));
                let share = percent(line.most() / allowed);
                format!("{does}, {share} of what issue slots allow")
            }
            None => does,
        });
    }
    let (title, others) = findings.split_first()?;
    let others = match others.is_empty() {
        true => String::new(),
        false => format!("{}. ", others.join("; ")),
    };
    let implementations = distinct(drawn.iter().map(|line| line.implementation.as_str()));
    let names: Vec<String> = drawn.iter().map(|line| line.name()).collect();
    Some(Plot {
        id: "tasks-per-second".into(),
        title: title.clone(),
        shows: format!(
            "Tasks a second of {} by n, and what issue slots allow",
            implementations.join(" and ")
        ),
        caption: format!(
            "{others}Of each type of distances the fastest variant is drawn, of the first also that at default parameters; open marks are \
             of other parameters. Grey lines are at the highest clock. A task is one relaxation: n³ a solve."
        ),
        alt: format!(
            "Tasks a second of {} against n, with what issue slots allow as horizontal lines.",
            names.join(", ")
        ),
        source: source::of_runs(runs),
        chart: Chart::Lines(Lines::by_n(
            rate_axis(),
            drawn.iter().map(|line| line.series(implementations.len() > 1)).collect(),
            guides,
        )),
    })
}
