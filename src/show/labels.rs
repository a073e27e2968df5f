//! What columns are called in figures, and what readers must know of their times.

use super::tables::estimates;
use super::words::list;
use super::{Column, Context, look};
use crate::implementation::Parameters;
use crate::plot::{Point, Series, Stroke};
use crate::results::SummaryRow;

impl Context<'_> {
    /// What a column is called beside its line, wide and narrow: its parameters only where the name alone is not enough, or where
    /// they make its times estimates.
    pub fn labels(&self, column: &Column) -> (String, String) {
        let name = &column.implementation;
        let same = self.columns.iter().filter(|other| other.implementation == *name).count();
        let is_estimate = |row: &SummaryRow| {
            (row.implementation.as_str(), row.params.as_str()) == column.variant() && row.iterations.is_some()
        };
        let is_plain = same < 2 && !self.summary.iter().any(is_estimate);
        let params = if same < 2 { column.params.clone() } else { self.telling(column) };
        if is_plain || params.is_empty() {
            return (name.clone(), name.clone());
        }
        (format!("{name}\n{params}"), format!("{name}\n{}", initials(&params)))
    }

    /// The parameters of a column in which the columns of its implementation differ, as records write them.
    fn telling(&self, column: &Column) -> String {
        let parameters = |one: &Column| one.params.parse::<Parameters>().ok();
        let Some(own) = parameters(column) else { return column.params.clone() };
        let others = self.columns.iter().filter(|other| other.implementation == column.implementation);
        let others: Vec<Parameters> = others.filter_map(parameters).collect();
        let value = |of: &Parameters, name: &str| of.iter().find(|(known, _)| *known == name).map(|(_, v)| v);
        let differs = |name: &str| others.iter().any(|other| value(other, name) != value(&own, name));
        own.clone().split(differs).0.to_string()
    }

    /// The measured line of a column, from points that `point` gives.
    pub fn series(&self, column: &Column, point: impl Fn(usize) -> Option<Point>) -> Series {
        let (label, short) = self.labels(column);
        let is_first = self.of(&column.implementation).is_some_and(|first| first.params == column.params);
        let points = self.sizes().into_iter().filter_map(point).collect();
        Series {
            short: Some(short),
            // Another set of parameters is told by its dashes.
            stroke: if is_first { Stroke::Solid } else { Stroke::Dashed },
            ..Series::new(&label, points, look(&column.implementation))
        }
    }

    /// How a column is named in a sentence.
    pub fn name(&self, column: &Column) -> String {
        match self.labels(column).0.split_once('\n') {
            Some((name, params)) => format!("{name} ({params})"),
            None => column.implementation.clone(),
        }
    }

    /// That times are of several graphs; empty when they are of one.
    pub fn about_graphs(&self) -> String {
        let graphs = self.graphs();
        if graphs.len() < 2 {
            return String::new();
        }
        let names: Vec<String> = graphs.iter().map(|graph| graph.to_string()).collect();
        format!(" Where several graphs ({}) were solved, marks are means of their medians.", list(&names))
    }

    /// That programs are in no figure of kernels; empty where there are none.
    pub fn about_programs(&self) -> &'static str {
        match self.summary.iter().any(|row| row.program_s.is_some()) {
            true => " Programs stand in figures and tables of their own: they have no time of scope kernel.",
            false => "",
        }
    }

    /// Which times are estimates, and from what; empty where none are.
    pub fn about_estimates(&self) -> String {
        let told = estimates(self.summary);
        told.iter().map(|(how, cells)| format!(" {} is {how}.", list(cells))).collect()
    }
}

/// `blocks-per-multiprocessor=1` as `b-p-m=1`; short names stay as they are.
fn initials(params: &str) -> String {
    let short = |one: &str| match one.split_once('=') {
        Some((name, value)) if name.len() > 12 => {
            let letters: Vec<String> = name.split('-').map(|word| word.chars().take(1).collect()).collect();
            format!("{}={value}", letters.join("-"))
        }
        _ => one.to_string(),
    };
    params.split(';').map(short).collect::<Vec<_>>().join("\n")
}
