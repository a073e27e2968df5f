//! The experiment file: its schema, and errors that name file, line, key and what was expected.

mod cells;
mod figures;
pub mod graphs;
mod usual;

pub use cells::{CellsFile, MOST_CELLS};
pub use figures::{
    AxisScale, Dimension, DimensionValue, FigureKind, FigureSpec, PublishedMarks, Quantity, Values,
};
pub use graphs::{EmulatedFile, GraphFile, GraphSource, NamedGraph, usual_order};

use crate::plan::variant::implementation_named;
use repro_base::text::hides;
use repro_timing::{Clocks, SamplingRule};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;
use thiserror::Error;

/// What is wrong with an experiment or with the options that override it.
#[derive(Debug, Error, PartialEq)]
pub enum ConfigError {
    #[error("unknown experiment '{name}': {known}; or name the path of a TOML file")]
    UnknownExperiment { name: String, known: String },
    #[error("cannot read {}: {problem}", path.display())]
    Unreadable { path: PathBuf, problem: String },
    #[error("{file}:{line}: {key}: {problem}")]
    Wrong { file: String, line: usize, key: String, problem: String },
    /// It stands on no line.
    #[error("{file}: {key} is missing: an experiment has at least title, [graph] and [[cells]]")]
    Missing { file: String, key: String },
    #[error("{option}: {problem}")]
    Option { option: &'static str, problem: String },
    /// A built-in experiment that brings implementations along, where their files are not.
    #[error(
        "{name} runs implementations from files next to it ({file}): run it in a clone of the repository"
    )]
    NeedsClone { name: String, title: String, file: String },
    /// A file that the experiment names cannot be had, or is wrong.
    #[error("{file}:{line}: with: {problem}")]
    With { file: String, line: usize, problem: String },
}

/// What is wrong with an option.
pub fn wrong_option(option: &'static str, problem: impl Into<String>) -> ConfigError {
    ConfigError::Option { option, problem: problem.into() }
}

/// Limits on time and memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Untimed solves of a cell before its first sample, until this many seconds have passed.
    pub warm_up_s: f64,
    /// A sample that has not ended after this many seconds is stopped.
    pub sample_s: f64,
    /// A cell that only `--full` asks for is left out when one sample would take longer than this.
    pub full_cell_s: f64,
    /// Up to this n the whole result is compared with the CPU's; above it, rows from sampled sources are.
    pub whole_reference_n: usize,
    /// How many rows.
    pub reference_rows: usize,
}

/// Solves of a cell one after another on the device, after its samples: so many at least, and for so long at least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RepeatRule {
    pub solves: u64,
    pub seconds: f64,
}

/// Where a report shows an experiment: what `[report]` of its file says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReportPlace {
    /// Its place in the story of the papers. Experiments without one come after those, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<u32>,
    /// Experiments whose stored runs are shown with those of this one: it took them over, or they are a part of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub takes_over: Vec<String>,
}

/// What a report needs of an experiment file. It names no implementation, so that files beside it need not be there.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ExperimentDisplay {
    pub title: String,
    pub paper: Option<String>,
    #[serde(default)]
    pub report: ReportPlace,
    #[serde(default)]
    pub figures: Vec<FigureSpec>,
    #[serde(deserialize_with = "graphs::one_or_several")]
    graph: Vec<GraphFile>,
    /// Its name, which comes from the file's name.
    #[serde(skip)]
    pub name: String,
}

impl ExperimentDisplay {
    /// Of the file `text`. None where that is none.
    pub fn parse(name: &str, text: &str) -> Option<Self> {
        Some(Self { name: name.to_string(), ..toml::from_str(text).ok()? })
    }

    /// The graphs of the experiment.
    pub fn graphs(&self) -> Vec<NamedGraph> {
        graphs::all(&self.graph, None)
    }
}

/// An experiment file as it is written.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExperimentFile {
    pub title: String,
    /// The paper and table that it reproduces.
    pub paper: Option<String>,
    pub table: Option<String>,
    /// Files of implementations that it brings along, relative to its own.
    #[serde(default)]
    pub with: Vec<String>,
    /// `[graph]`, or a `[[graph]]` for each kind of graph.
    #[serde(deserialize_with = "graphs::one_or_several")]
    pub graph: Vec<GraphFile>,
    #[serde(default = "usual::sampling", deserialize_with = "usual::read_sampling")]
    pub sampling: SamplingRule,
    #[serde(default = "usual::limits", with = "usual::LimitsFile")]
    pub limits: Limits,
    /// Clocks other than the usual ones.
    #[serde(default)]
    pub clocks: Clocks,
    /// Solves of each cell that are made one after another, if any.
    pub repeats: Option<RepeatRule>,
    #[serde(default)]
    pub emulated: EmulatedFile,
    /// Whether no memory holds a whole matrix: each device has a part of it, which is made, solved and verified there.
    #[serde(default)]
    pub sharded: bool,
    /// Where a report shows it.
    #[serde(default)]
    pub report: ReportPlace,
    /// The figures and tables that are made of it. Without any there are seconds and rates by what varies.
    #[serde(default)]
    pub figures: Vec<FigureSpec>,
    pub cells: Vec<CellsFile>,
    /// Its name, which comes from the file's name.
    #[serde(skip)]
    pub name: String,
}

impl ExperimentFile {
    /// Reads `text`, which `file` holds, and checks what its types cannot.
    ///
    /// # Errors
    /// The first thing wrong, with its line and key.
    pub fn parse(name: &str, file: &str, text: &str) -> Result<Self, ConfigError> {
        let source = Source { file, text };
        let mut parsed: Self = toml::from_str(text).map_err(|error| source.unreadable(&error))?;
        parsed.name = name.to_string();
        parsed.check(source)?;
        Ok(parsed)
    }

    fn check(&self, source: Source) -> Result<(), ConfigError> {
        // Finite, since records are JSON, which has no infinity.
        let is_time = |seconds: f64| seconds >= 0.0 && seconds.is_finite();
        let (rule, limits) = (&self.sampling, &self.limits);
        let is_limit = is_time(limits.sample_s) && limits.sample_s > 0.0;
        source.require(rule.min_samples >= 1, "min_samples", "expected at least 1")?;
        let is_range = rule.max_samples >= rule.min_samples;
        source.require(is_range, "max_samples", "expected at least min_samples")?;
        source.require(is_time(rule.precision), "precision", "expected 0 or more")?;
        source.require(is_time(rule.budget_s), "budget_s", "expected 0 or more seconds")?;
        source.require(is_limit, "sample_s", "expected more than 0 seconds")?;
        source.require(is_time(limits.warm_up_s), "warm_up_s", "expected 0 or more seconds")?;
        source.require(is_time(limits.full_cell_s), "full_cell_s", "expected 0 or more seconds")?;
        self.check_graphs(source)?;
        let others = self.clocks != Clocks::default() || self.repeats.is_some();
        let alone =
            "expected neither [clocks] nor [repeats]: a sharded matrix is timed as a whole solve alone";
        source.require(!self.sharded || !others, "sharded", alone)?;
        self.check_texts(source)?;
        let problem = twice(&self.with);
        source.require(problem.is_none(), "with", &problem.unwrap_or_default())?;
        let counted = self.cells.iter().filter_map(|cells| cells.emulated.as_ref()).flatten();
        if let Some(none) = self.emulated.sizes.iter().chain(counted).find(|size| *size.get_ref() == 0) {
            return Err(source.wrong(none.span().start, "n = 0: a graph has at least 1 vertex"));
        }
        let graphs = graphs::all(&self.graph, None);
        self.check_count(source, graphs.len())?;
        self.cells.iter().try_for_each(|cells| check_cells(cells, source, &graphs))?;
        let named = |cells: &CellsFile| implementation_named(cells.implementation.get_ref()).ok();
        let implementations: Vec<_> = self.cells.iter().filter_map(named).collect();
        figures::check(self, &implementations, &graphs, source)
    }

    /// That each graph can be made, and has a name of its own.
    fn check_graphs(&self, source: Source) -> Result<(), ConfigError> {
        source.require(!self.graph.is_empty(), "graph", "expected one or more")?;
        let mut names = BTreeSet::new();
        for (number, graph) in self.graph.iter().enumerate() {
            let wrong = |(key, problem): (&str, &str)| Err(source.wrong_graph(number, key, problem));
            graph.check().or_else(wrong)?;
            let edges = graph.edges_per_vertex.iter().flatten();
            let lists = [("elements", twice(&graph.elements)), ("edges_per_vertex", twice(edges))];
            let problem = lists.iter().find_map(|(key, problem)| Some((*key, problem.as_deref()?)));
            problem.map_or(Ok(()), wrong)?;
            let own = NamedGraph::in_each(&graph.graphs(None), &graph.elements);
            if let Some(known) = own.iter().find(|own| !names.insert(own.name.clone())) {
                let problem =
                    format!("a graph before it is called {:?}, too: expected another name", known.name);
                return Err(source.wrong_graph(number, "name", &problem));
            }
        }
        Ok(())
    }

    /// That what tables and pages show is text of one line.
    fn check_texts(&self, source: Source) -> Result<(), ConfigError> {
        let texts =
            [("title", Some(&self.title)), ("paper", self.paper.as_ref()), ("table", self.table.as_ref())];
        for (key, text) in texts.into_iter().filter_map(|(key, text)| Some((key, text?))) {
            let problem = format!("{text:?}: expected one line without control characters");
            source.require(!text.contains(hides), key, &problem)?;
        }
        let problem =
            format!("the file is called {:?}: expected one line without control characters", self.name);
        source.require(!self.name.contains(hides), "title", &problem)
    }

    /// That there are not too many cells, before anything is made for each of them.
    fn check_count(&self, source: Source, graphs: usize) -> Result<(), ConfigError> {
        let mut count = 0_usize;
        for cells in &self.cells {
            let mut sizes = cells.emulated_sizes(&self.emulated.sizes).len();
            for size in &cells.sizes {
                let all = size.get_ref().all();
                sizes += all.map_err(|problem| source.wrong(size.span().start, &problem))?.len();
            }
            let sets = cells.parameter_set_count();
            count = count.saturating_add(sizes.max(1).saturating_mul(sets).saturating_mul(graphs));
            if count > MOST_CELLS {
                let parameters = cells.parameters.as_ref().map(|given| given.span().start);
                let at = parameters.unwrap_or(cells.implementation.span().start);
                let problem = format!(
                    "{sizes} sizes x {sets} sets of parameters x {graphs} graphs bring the experiment to {count} cells, more than \
                     {MOST_CELLS}: give fewer of one, or make several experiments"
                );
                return Err(source.wrong(at, &problem));
            }
        }
        Ok(())
    }
}

/// That one of `all` is in it twice, where one is.
fn twice(all: impl IntoIterator<Item: ToString>) -> Option<String> {
    let mut known = BTreeSet::new();
    let one = all.into_iter().map(|one| one.to_string()).find(|one| !known.insert(one.clone()))?;
    Some(format!("{one} comes twice: give each once"))
}

/// That its implementation is known, its graphs are among the experiment's, and its parameters go with its sizes.
fn check_cells(cells: &CellsFile, source: Source, graphs: &[NamedGraph]) -> Result<(), ConfigError> {
    let name = cells.implementation.get_ref();
    let at = cells.implementation.span().start;
    let found = implementation_named(name).map_err(|problem| source.wrong(at, &problem))?;
    let known: Vec<&str> = graphs.iter().map(|graph| graph.name.as_str()).collect();
    if let Some(names) = &cells.graphs
        && let Some(name) = names.get_ref().iter().find(|name| !known.contains(&name.as_str()))
    {
        let problem = format!("unknown graph '{name}': expected one of {}", known.join(", "));
        return Err(source.wrong(names.span().start, &problem));
    }
    if let Some((names, problem)) =
        cells.graphs.as_ref().and_then(|names| Some((names, twice(names.get_ref())?)))
    {
        return Err(source.wrong(names.span().start, &problem));
    }
    if let Some(problem) = twice(cells.all_sizes()) {
        return Err(source.wrong(cells.sizes[0].span().start, &problem));
    }
    let at = cells.parameters.as_ref().map_or(0, |given| given.span().start);
    if let Some(problem) = cells.given().find_map(|(_, values)| twice(values)) {
        return Err(source.wrong(at, &problem));
    }
    for given in cells.parameter_sets() {
        found.check(&given).map_err(|problem| source.wrong(at, &problem))?;
        for n in cells.all_sizes() {
            let misfit = |problem: String| format!("{given} cannot be run: {problem}");
            found.fits(n, &given).map_err(|problem| source.wrong(at, &misfit(problem)))?;
        }
    }
    Ok(())
}

/// The text of an experiment file and its name, for errors that name where it is wrong.
#[derive(Clone, Copy)]
struct Source<'a> {
    file: &'a str,
    text: &'a str,
}

/// The key that a line assigns, or the table that it opens.
fn key_of(line: &str) -> &str {
    line.split('=').next().unwrap_or_default().trim()
}

impl Source<'_> {
    /// What is wrong where it is no experiment. What lacks in the whole of it has no line, and no key on that line is to blame.
    fn unreadable(self, error: &toml::de::Error) -> ConfigError {
        let span = error.span().unwrap_or_default();
        let missing = error.message().strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
        // What lacks in a table is reported with the table's line; the whole file has none.
        match missing.filter(|_| span.is_empty()) {
            Some(key) => ConfigError::Missing { file: self.file.to_string(), key: key.to_string() },
            None => self.wrong(span.start, error.message()),
        }
    }

    fn require(self, holds: bool, key: &str, expected: &str) -> Result<(), ConfigError> {
        let line = self.text.lines().position(|line| key_of(line) == key).unwrap_or(0);
        if holds { Ok(()) } else { Err(self.wrong_line(line, expected)) }
    }

    /// What is wrong with a key of the graph of this number.
    fn wrong_graph(self, number: usize, key: &str, problem: &str) -> ConfigError {
        self.wrong_in(&["[graph]", "[[graph]]", "graph"], number, key, problem)
    }

    /// What is wrong with a key of the table of this number that is called one of `names`: at its line, or else where the table begins.
    fn wrong_in(self, names: &[&str], number: usize, key: &str, problem: &str) -> ConfigError {
        let keys: Vec<&str> = self.text.lines().map(key_of).collect();
        let begins = |line: &usize| names.contains(&keys[*line]);
        let first = (0..keys.len()).filter(begins).nth(number).unwrap_or(0);
        let end = (first + 1..keys.len()).find(begins).unwrap_or(keys.len());
        let line = (first..end).find(|line| keys[*line] == key).unwrap_or(first);
        self.wrong_line(line, problem)
    }

    /// An error at byte `at`.
    fn wrong(self, at: usize, problem: &str) -> ConfigError {
        self.wrong_line(self.text[..at.min(self.text.len())].matches('\n').count(), problem)
    }

    /// An error on a line, counted from 0: its number, and the key that it assigns or the table that it opens.
    fn wrong_line(self, line: usize, problem: &str) -> ConfigError {
        let key = key_of(self.text.lines().nth(line).unwrap_or_default());
        ConfigError::Wrong {
            file: self.file.to_string(),
            line: line + 1,
            key: if key.is_empty() { "file" } else { key }.to_string(),
            problem: problem.trim().replace('\n', "; "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = include_str!("../../../../../experiments/table1.toml");

    fn error_of(text: &str) -> String {
        ExperimentFile::parse("x", "x.toml", text).unwrap_err().to_string()
    }

    #[test]
    fn a_wrong_file_gets_the_line_the_key_and_what_was_expected() {
        let harish = "implementation = \"harish-narayanan\"\n";
        let with = |parameters: &str| format!("{harish}parameters = {{ {parameters} }}\n");
        let ones = vec!["1"; 9_000].join(", ");
        let elements = vec!["\"f32\""; 1001].join(", ");
        let second =
            |name: &str| format!("[[graph]]\nname = \"{name}\"\ndensity = 1.0\nmax_weight = 0\nseed = 1\n");
        let cases: &[(&str, &str, &str)] = &[
            ("seed = 20100225", "sede = 20100225", "x.toml:14: sede: unknown field `sede`, expected one of"),
            ("min_samples = 3", "min_samples = \"three\"", "x.toml:17: min_samples: invalid type: string"),
            (
                "implementation = \"katz-kider\"",
                "implementation = \"katz\"",
                ": implementation: unknown implementation 'katz': did you mean katz-kider?",
            ),
            ("density = 1.0", "density = 1.5", "x.toml:11: density: expected 0 to 1"),
            ("sizes = [1024, ", "sizes = [0, ", ": sizes: n = 0"),
            ("sample_s = 300", "sample_s = inf", ": sample_s: expected more than 0 seconds"),
            ("sample_s = 300", "sample_s = nan", ": sample_s: expected more than 0 seconds"),
            ("implementation = \"cpu-naive\"\n", "", "x.toml:123: [[cells]]: missing field `implementation`"),
            // A list that has something twice.
            (
                "seed = 2",
                &format!("elements = [{elements}]\nseed = 2"),
                ": elements: f32 comes twice: give each once",
            ),
            ("density = 1.0", "edges_per_vertex = [6, 8, 6]", ": edges_per_vertex: 6 comes twice"),
            ("sizes = [1024, ", "sizes = [1024, 1024, ", ": sizes: 1024 comes twice"),
            (harish, &with("padding-kib = [1, 2, 1]"), ": parameters: 1 comes twice"),
            // Parameters that the implementation does not take.
            (harish, &with("block-x = 2048"), "parameter block-x = 2048 of harish-narayanan is out of range"),
            (
                harish,
                &with("block-x = 64, block-y = 64"),
                "requires block_x * block_y <= 1024, not block-x = 64, block-y = 64",
            ),
            // Figures that cannot be made.
            ("id = \"seconds\"", "id = \"table1\"", ": id: table1 comes twice: give each once"),
            (
                "id = \"seconds\"",
                "id = \"Seconds\"",
                ": id: \"Seconds\": expected lower-case letters, digits",
            ),
            ("y = \"speed-up\"", "y = \"speedup\"", ": y: unknown name \"speedup\": did you mean speed-up?"),
            (
                "series = \"pair\"",
                "series = \"kappa\"",
                ": y: speed-ups is a ratio: expected what it is over",
            ),
            ("x = \"n\"", "x = \"kapa\"", ": x: kapa is no dimension of this experiment: "),
            (
                "optimized-blocked\", \"st",
                "opt-blocked\", \"st",
                ": only: no cell of this experiment has implementation = \"opt-blocked\": ",
            ),
            ("x = \"n\"", "x = 1", ": x: invalid type: integer `1`, expected a name or a list of names"),
            (
                "kind = \"dots\"",
                "kind = \"pie\"",
                ": kind: unknown name \"pie\": expected one of lines, bars, dots, table",
            ),
            (
                "y = \"speed-up\"",
                "y = \"speed-up\"\nclock = \"kernal\"",
                ": clock: unknown name \"kernal\": did you mean kernel?",
            ),
            ("title = \"Tasks a second\"", "title = \"\"", ": title: tasks-a-second has an empty title"),
            ("n = [64, 128]", "n = [64, 77]", ": only: no cell of this experiment has n = 77"),
            (
                "published = \"text\"",
                "only = { graph = \"nope\" }",
                ": only: no cell of this experiment has graph = \"nope\"",
            ),
            (
                "published = \"text\"",
                "over = { clock = \"kernal\" }",
                ": over: no cell of this experiment has clock = \"kernal\": did you mean kernel?",
            ),
            (
                "published = \"text\"",
                "only = { block-x = 3 }",
                ": only: no cell of this experiment has block-x = 3",
            ),
            (
                "table = \"table1\"\n",
                "",
                ": published: \"table\" shows nothing: expected table = in this file",
            ),
            ("kind = \"dots\"", "kind = \"dots\"\nshape = 1", ": shape: unknown field `shape`"),
            // More cells than anyone runs, before they are made.
            (harish, &with(&format!("block-x = [{ones}], block-y = [{ones}]")), "x 81000000 sets"),
            // Of several graphs.
            (
                "[graph]\n",
                &format!("{}\n[[graph]]\n", second("a")),
                "x.toml:13: max_weight: expected 1 to 65535",
            ),
            (
                "[graph]\n",
                &format!("{}\n[[graph]]\n", second("").replace("= 0", "= 9")),
                "x.toml:16: [[graph]]: a graph before it is called \"\", too: expected another name",
            ),
            // What tables show is a line of text.
            ("title = \"", "title = \"\\u001b[2J", "title: \"\\u{1b}[2JTable 1"),
            ("title = \"", "title = \"\\u0000", "title: \"\\0Table 1"),
            ("title = \"", "title = \"\\n", "title: \"\\nTable 1"),
            ("title = \"", "title = \"\\u202e", "title: \"\\u{202e}Table 1"),
        ];
        for (from, to, expected) in cases {
            assert!(GOOD.contains(from), "{from}");
            let message = error_of(&GOOD.replacen(from, to, 1));
            assert!(message.contains(expected) && !message.contains(char::is_control), "{message:?}");
        }
        let message = ExperimentFile::parse("a\nb", "x.toml", GOOD).unwrap_err().to_string();
        assert!(message.contains("the file is called \"a\\nb\": expected one line"), "{message}");
        // What lacks in the whole file has no line, and no key is blamed.
        let graph = error_of("title = \"x\"\n[[cells]]\nimplementation = \"cpu-naive\"\nsizes = [8]\n");
        assert!(graph.starts_with("x.toml: graph is missing: "), "{graph}");
        assert!(error_of("").starts_with("x.toml: title is missing: "), "{}", error_of(""));
    }
}
