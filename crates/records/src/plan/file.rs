//! The experiment file: its schema, and errors that name file, line, key and what was expected.

use super::figures::{self, FigureSpec};
use super::graphs::{GraphFile, NamedGraph};
use super::limits::{self, Limits, RepeatRule};
use super::{Variant, implementation_named};
use crate::published::{MOST_CELLS, Sizes};
use repro_base::Parameters;
use repro_base::lists::nearest;
use repro_base::text::hides;
use repro_timing::{ExtraClocks, StoppingRule};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use thiserror::Error;
use toml::Spanned;

/// What is wrong with an experiment or with the options that override it.
#[derive(Debug, Error, PartialEq)]
pub enum ConfigError {
    #[error("unknown experiment '{name}': {known}; or name the path of a TOML file")]
    UnknownExperiment { name: String, known: String },
    #[error("cannot read {}: {problem}", path.display())]
    Unreadable { path: PathBuf, problem: String },
    #[error("{file}:{line}: {key}: {problem}")]
    Wrong { file: String, line: usize, key: String, problem: String },
    /// A key is missing at the top level, so there is no line to name.
    #[error("{file}: {key} is missing: an experiment has at least title, [graph] and [[cells]]")]
    Missing { file: String, key: String },
    #[error("{option}: {problem}")]
    Option { option: &'static str, problem: String },
    /// A built-in experiment that runs implementations from files, run where these files are not.
    #[error(
        "{name} runs implementations from files next to it ({file}): run it in a clone of the repository"
    )]
    NeedsClone { name: String, title: String, file: String },
    /// A file that the experiment names cannot be read, or is wrong.
    #[error("{file}:{line}: with: {problem}")]
    With { file: String, line: usize, problem: String },
}

/// The error that `option` of the command line has this problem.
pub fn wrong_option(option: &'static str, problem: impl Into<String>) -> ConfigError {
    ConfigError::Option { option, problem: problem.into() }
}

/// Where a report shows an experiment: what `[report]` of its file says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReportPosition {
    /// Its place in the story of the papers. Experiments without one come after those, by name.
    pub order: Option<u32>,
    /// Experiments whose stored runs are shown with those of this one: it took them over, or they are a part of it.
    pub takes_over: Vec<String>,
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
    pub with: Vec<Spanned<String>>,
    /// `[graph]`, or a `[[graph]]` for each kind of graph.
    #[serde(deserialize_with = "several")]
    pub graph: Vec<GraphFile>,
    #[serde(default = "limits::usual_sampling", deserialize_with = "limits::read_sampling")]
    pub sampling: StoppingRule,
    #[serde(default)]
    pub limits: Limits,
    /// Clocks other than the usual ones.
    #[serde(default)]
    pub clocks: ExtraClocks,
    /// Solves of each cell that are made one after another, if any.
    pub repeats: Option<RepeatRule>,
    #[serde(default)]
    pub emulated: EmulatedFile,
    /// Whether no memory holds a whole matrix: each device has a part of it, which is made, solved and verified there.
    #[serde(default)]
    pub sharded: bool,
    /// Where a report shows it.
    #[serde(default)]
    pub report: ReportPosition,
    /// The figures and tables that are made of it. Without any, seconds and rates by what varies are shown.
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
        let parsed = Self::read(name, source)?;
        parsed.check(source).map(|()| parsed)
    }

    /// Reads the text alone: its implementations, and files beside it, need not be there.
    pub(super) fn read(name: &str, source: Source) -> Result<Self, ConfigError> {
        let parsed = toml::from_str(source.text).map_err(|error| source.unreadable(&error))?;
        Ok(Self { name: name.to_string(), ..parsed })
    }

    /// The graphs of the experiment, drawn with this seed in place of their own.
    pub fn graphs(&self, seed: Option<u64>) -> Vec<NamedGraph> {
        self.graph.iter().flat_map(|file| NamedGraph::in_each(&file.graphs(seed), &file.elements)).collect()
    }

    pub(super) fn check(&self, source: Source) -> Result<(), ConfigError> {
        // Finite, since records are JSON, which has no infinity.
        let is_time = |seconds: f64| seconds >= 0.0 && seconds.is_finite();
        let (rule, limits) = (&self.sampling, &self.limits);
        let has_others = self.clocks != ExtraClocks::default() || self.repeats.is_some();
        let twice_with = twice(self.with.iter().map(Spanned::get_ref));
        for (holds, key, expected) in [
            (rule.min_samples >= 1, "min_samples", "expected at least 1"),
            (rule.max_samples >= rule.min_samples, "max_samples", "expected at least min_samples"),
            (is_time(rule.precision), "precision", "expected 0 or more"),
            (is_time(rule.budget_s), "budget_s", "expected 0 or more seconds"),
            (is_time(limits.sample_s) && limits.sample_s > 0.0, "sample_s", "expected more than 0 seconds"),
            (is_time(limits.warm_up_s), "warm_up_s", "expected 0 or more seconds"),
            (is_time(limits.full_cell_s), "full_cell_s", "expected 0 or more seconds"),
            (
                !self.sharded || !has_others,
                "sharded",
                "expected neither [clocks] nor [repeats]: a sharded matrix is timed as a whole solve alone",
            ),
            (twice_with.is_none(), "with", twice_with.as_deref().unwrap_or_default()),
            (!self.graph.is_empty(), "graph", "expected one or more"),
        ] {
            source.require(holds, key, expected)?;
        }
        self.check_graphs(source)?;
        self.check_texts(source)?;
        let counted = self.cells.iter().filter_map(|cells| cells.emulated.as_ref()).flatten();
        if let Some(none) = self.emulated.sizes.iter().chain(counted).find(|size| *size.get_ref() == 0) {
            return Err(source.wrong(none.span().start, "n = 0: a graph has at least 1 vertex"));
        }
        let graphs = self.graphs(None);
        self.check_count(source, graphs.len())?;
        self.cells.iter().try_for_each(|cells| check_cells(cells, source, &graphs))?;
        figures::check(self, &graphs, source)
    }

    /// Checks that each graph can be made, and that its name is unique.
    fn check_graphs(&self, source: Source) -> Result<(), ConfigError> {
        let mut names = BTreeSet::new();
        for (number, graph) in self.graph.iter().enumerate() {
            let names_of = ["[graph]", "[[graph]]", "graph"];
            let wrong = |(key, problem): (&str, &str)| Err(source.wrong_in(&names_of, number, key, problem));
            graph.check().or_else(wrong)?;
            let edges = graph.edges_per_vertex.iter().flatten();
            let lists = [("elements", twice(&graph.elements)), ("edges_per_vertex", twice(edges))];
            let problem = lists.iter().find_map(|(key, problem)| Some((*key, problem.as_deref()?)));
            problem.map_or(Ok(()), wrong)?;
            let own = NamedGraph::in_each(&graph.graphs(None), &graph.elements);
            if let Some(known) = own.iter().find(|own| !names.insert(own.name.clone())) {
                let problem =
                    format!("a graph before it is called {:?}, too: expected another name", known.name);
                return wrong(("name", &problem));
            }
        }
        Ok(())
    }

    /// Checks that texts which tables and pages show are of one line.
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

    /// Checks that there are not too many cells, before anything is made for each of them.
    fn check_count(&self, source: Source, graphs: usize) -> Result<(), ConfigError> {
        let mut count = 0_usize;
        for cells in &self.cells {
            let mut sizes = cells.emulated_sizes(&self.emulated.sizes).len();
            for size in &cells.sizes {
                let all = size.get_ref().all();
                sizes += all.map_err(|problem| source.wrong(size.span().start, &problem))?.len();
            }
            let sets = cells.given().map(|(_, values)| values.len()).fold(1, usize::saturating_mul);
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

/// One implementation at several sizes, with every combination of the parameters' values.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellsFile {
    pub implementation: Spanned<String>,
    /// Numbers of vertices, and ranges of them.
    pub sizes: Vec<Spanned<Sizes>>,
    /// Numbers of vertices that the emulated device counts, in place of those of `[emulated]`.
    pub emulated: Option<Vec<Spanned<usize>>>,
    /// A number, or a list of them, for a parameter.
    pub parameters: Option<Spanned<BTreeMap<String, ParameterValues>>>,
    /// Names of the graphs that it runs on; all when left out.
    pub graphs: Option<Spanned<Vec<String>>>,
}

impl CellsFile {
    /// The parameters that the file gives, each with its values.
    pub fn given(&self) -> impl Iterator<Item = (&str, &[u32])> {
        let given = self.parameters.iter().flat_map(|given| given.get_ref());
        given.map(|(name, values)| (name.as_str(), &*values.0))
    }

    /// Every number of vertices. What is wrong was reported when the file was checked.
    pub fn all_sizes(&self) -> Vec<usize> {
        self.sizes.iter().flat_map(|sizes| sizes.get_ref().all().unwrap_or_default()).collect()
    }

    /// The numbers of vertices that the emulated device counts: its own, or else those of the `experiment`.
    pub fn emulated_sizes<'a>(&'a self, experiment: &'a [Spanned<usize>]) -> &'a [Spanned<usize>] {
        self.emulated.as_deref().unwrap_or(experiment)
    }

    /// Every combination of the parameters' values, the last parameter changing fastest.
    pub fn parameter_sets(&self) -> Vec<Parameters> {
        self.given().fold(vec![Parameters::default()], |sets, (name, values)| {
            let each = |set| values.iter().map(move |&value| Parameters::with(set, name, value));
            sets.iter().flat_map(each).collect()
        })
    }
}

/// A number or several.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ParameterValues(#[serde(deserialize_with = "several")] Vec<u32>);

/// `[emulated]`: what the emulated device counts where it stands in for a GPU.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EmulatedFile {
    pub sizes: Vec<Spanned<usize>>,
    /// Whether it counts these in addition to what a GPU measures, where there is one.
    pub beside_gpu: bool,
    /// In how many orders of blocks and threads it solves each: the usual one, backwards, and shuffled.
    pub orders: u64,
    /// Whether it also looks at the matrix between the launches of each.
    pub between_launches: bool,
}

/// The number of orders where a file gives none: the usual one alone.
pub fn usual_order() -> u64 {
    1
}

impl Default for EmulatedFile {
    /// Sizes of whole tiles, and one that is not.
    fn default() -> Self {
        let sizes = [64, 100, 128].map(|n| Spanned::new(0..0, n)).to_vec();
        Self { sizes, beside_gpu: false, orders: usual_order(), between_launches: false }
    }
}

/// The message that one of `all` comes twice, if one does.
fn twice(all: impl IntoIterator<Item: ToString>) -> Option<String> {
    let mut known = BTreeSet::new();
    let one = all.into_iter().map(|one| one.to_string()).find(|one| !known.insert(one.clone()))?;
    Some(format!("{one} comes twice: give each once"))
}

/// Checks that its implementation is known, its graphs are among the experiment's, and its parameters go with its sizes.
fn check_cells(cells: &CellsFile, source: Source, graphs: &[NamedGraph]) -> Result<(), ConfigError> {
    let name = cells.implementation.get_ref();
    let wrong_name = |problem: String| source.wrong(cells.implementation.span().start, &problem);
    implementation_named(name).map_err(wrong_name)?;
    if let Some(names) = &cells.graphs {
        let known: Vec<&str> = graphs.iter().map(|graph| graph.name.as_str()).collect();
        let unknown = names.get_ref().iter().find(|name| !known.contains(&name.as_str()));
        let unknown =
            unknown.map(|name| format!("unknown graph '{name}': expected one of {}", known.join(", ")));
        if let Some(problem) = unknown.or_else(|| twice(names.get_ref())) {
            return Err(source.wrong(names.span().start, &problem));
        }
    }
    if let Some(problem) = twice(cells.all_sizes()) {
        return Err(source.wrong(cells.sizes[0].span().start, &problem));
    }
    let at = cells.parameters.as_ref().map_or(0, |given| given.span().start);
    if let Some(problem) = cells.given().find_map(|(_, values)| twice(values)) {
        return Err(source.wrong(at, &problem));
    }
    for given in cells.parameter_sets() {
        let variant = Variant::new(name, &given);
        variant.check().map_err(|problem| source.wrong(at, &problem))?;
        for n in cells.all_sizes() {
            let misfit = |problem: String| format!("{given} cannot be run: {problem}");
            variant.fits(n).map_err(|problem| source.wrong(at, &misfit(problem)))?;
        }
    }
    Ok(())
}

/// The text of an experiment file and its name, for errors that name where it is wrong.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub file: &'a str,
    pub text: &'a str,
}

/// The key that a line assigns, or the table that it opens.
fn key_of(line: &str) -> &str {
    line.split('=').next().unwrap_or_default().trim()
}

impl Source<'_> {
    /// The error for a text that is no experiment. A key that is missing at the top level has no line.
    fn unreadable(self, error: &toml::de::Error) -> ConfigError {
        let span = error.span().unwrap_or_default();
        let missing = error.message().strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
        // What lacks in a table is reported with the table's line; the whole file has none.
        match missing.filter(|_| span.is_empty()) {
            Some(key) => ConfigError::Missing { file: self.file.to_string(), key: key.to_string() },
            None => {
                // The span of an unknown name in a table is the whole table: the name is looked for in it.
                let name = error.message().strip_prefix("unknown ").and_then(|rest| rest.split('`').nth(1));
                let offset = name.and_then(|name| self.text[span.start..].find(name)).unwrap_or(0);
                self.wrong(span.start + offset, &named(error.message()))
            }
        }
    }

    fn require(self, holds: bool, key: &str, expected: &str) -> Result<(), ConfigError> {
        let line = self.text.lines().position(|line| key_of(line) == key).unwrap_or(0);
        if holds { Ok(()) } else { Err(self.wrong_line(line, expected)) }
    }

    /// The error for a key of table `number` among those that are called one of `names`: at its line, or else where the table begins.
    pub(super) fn wrong_in(self, names: &[&str], number: usize, key: &str, problem: &str) -> ConfigError {
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

/// Reads one value, or a list of them.
pub(super) fn several<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<Vec<T>, D::Error> {
    let all = match Value::deserialize(from)? {
        Value::Array(all) => all,
        one => vec![one],
    };
    all.into_iter().map(|one| serde_json::from_value(one).map_err(D::Error::custom)).collect()
}

/// What may be meant by `name`, which is not in `known`: the nearest where one is near, or else all.
pub(super) fn meant(name: &str, known: &[impl AsRef<str>]) -> String {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    match nearest(name, &known) {
        Some(nearest) => format!("did you mean {nearest}?"),
        None => format!("expected one of {}", known.join(", ")),
    }
}

/// Serde's message on an unknown name, with the nearest known name in place of all.
fn named(message: &str) -> String {
    let rest = message.strip_prefix("unknown variant `");
    let Some((name, known)) = rest.and_then(|rest| rest.split_once("`, expected ")) else {
        return message.to_string();
    };
    let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
    format!("unknown name {name:?}: {}", meant(name, &known))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = include_str!("../../../../experiments/table1.toml");

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
        let parameters = [
            "padding-kib = [1, 2, 1]",
            "block-x = 2048",
            "block-x = 64, block-y = 64",
            &format!("block-x = [{ones}], block-y = [{ones}]"),
        ]
        .map(with);
        let types = format!("elements = [{elements}]\nseed = 2");
        let [weightless, nameless] =
            [second("a"), second("").replace("= 0", "= 9")].map(|before| format!("{before}\n[[graph]]\n"));
        let speed_up = "y = \"speed-up\"";
        let over = "over = { implementation = \"katz-kider\" }\n";
        let cases: &[(&str, &str, &str)] = &[
            ("seed = 20100225", "sede = 20100225", "x.toml:14: sede: unknown field `sede`, expected one of"),
            ("min_samples = 3", "min_samples = 'three'", "x.toml:17: min_samples: invalid type: string"),
            ("\"katz-kider\"\n", "'katz'\n", ": implementation: unknown implementation 'katz': did you mean"),
            ("density = 1.0", "density = 1.5", "x.toml:11: density: expected 0 to 1"),
            ("sizes = [1024, ", "sizes = [0, ", ": sizes: n = 0"),
            ("sample_s = 300", "sample_s = inf", ": sample_s: expected more than 0 seconds"),
            ("implementation = \"cpu-naive\"\n", "", "x.toml:124: [[cells]]: missing field `implementation`"),
            // A list that has something twice.
            ("seed = 2", &types, ": elements: f32 comes twice: give each once"),
            ("density = 1.0", "edges_per_vertex = [6, 8, 6]", ": edges_per_vertex: 6 comes twice"),
            ("sizes = [1024, ", "sizes = [1024, 1024, ", ": sizes: 1024 comes twice"),
            (harish, &parameters[0], ": parameters: 1 comes twice"),
            // Parameters that the implementation does not take, and more cells than anyone runs, before they are made.
            (harish, &parameters[1], "parameter block-x = 2048 of harish-narayanan is out of range"),
            (harish, &parameters[2], "requires block_x * block_y <= 1024, not block-x = 64, block-y = 64"),
            (harish, &parameters[3], "x 81000000 sets"),
            // Figures that cannot be made.
            ("id = \"seconds\"", "id = 'table1'", ": id: table1 comes twice: give each once"),
            ("id = \"seconds\"", "id = 'Seconds'", ": id: \"Seconds\": expected lower-case letters, digits"),
            (speed_up, "y = 'speedup'", ": y: unknown name \"speedup\": did you mean speed-up?"),
            (over, "", ": y: speed-ups is a ratio: expected what it compares"),
            ("x = \"n\"", "x = 'kapa'", ": x: kapa is no dimension of this experiment: "),
            ("x = \"n\"", "x = 1", ": x: expected the name of a dimension, or a list of them"),
            ("kind = \"lines\"", "kind = 'pie'", ": kind: unknown name \"pie\": expected one of lines, bars"),
            ("kind = \"lines\"", "kind = 'lines'\nshape = 1", ": shape: unknown field `shape`"),
            ("title = \"Tasks a second\"", "title = ''", ": title: tasks-a-second has an empty title"),
            // Cells that it does not have.
            (
                "optimized-blocked\", \"st",
                "opt\", \"st",
                ": only: no cell of this experiment has implementation",
            ),
            ("n = [64, 128]", "n = [64, 77]", ": only: no cell of this experiment has n = 77"),
            (
                over,
                "over = { clock = 'kernal' }\n",
                ": over: no cell of this experiment has clock = \"kernal\"",
            ),
            (
                "published = true",
                "only = { block-x = 3 }",
                ": only: no cell of this experiment has block-x = 3",
            ),
            ("table = \"table1\"\n", "", ": published: true shows nothing: expected the key table"),
            // Of several graphs.
            ("[graph]\n", &weightless, "x.toml:13: max_weight: expected 1 to 65535"),
            ("[graph]\n", &nameless, "x.toml:16: [[graph]]: a graph before it is called \"\", too: expected"),
            // What tables show is a line of text.
            ("title = \"", "title = \"\\u001b[2J", "title: \"\\u{1b}[2JTable 1"),
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

    #[test]
    fn sizes_are_numbers_and_ranges_with_both_ends() {
        let text = "implementation = \"x\"\nsizes = [8, { from = 16, to = 48, step = 16 }, 64]\n";
        let cells: CellsFile = toml::from_str(text).unwrap();
        assert_eq!(cells.all_sizes(), [8, 16, 32, 48, 64]);
        assert!(Sizes::Range { from: 16, to: 8, step: 1 }.all().is_err());
        assert!(Sizes::Range { from: 1, to: 8, step: 0 }.all().is_err());
        for to in [10_001, 400_000_000, usize::MAX] {
            let message = Sizes::Range { from: 1, to, step: 1 }.all().unwrap_err();
            assert!(message.contains(&format!("are {to} sizes, more than 10000: take larger")), "{message}");
        }
        assert_eq!(Sizes::Range { from: 1, to: usize::MAX, step: usize::MAX / 2 }.all().unwrap().len(), 3);
        assert!(Sizes::One(0).all().unwrap_err().starts_with("n = 0"));
    }

    #[test]
    fn lists_of_values_give_every_combination_in_order() {
        let text = "implementation = \"x\"\nsizes = [1]\nparameters = { b = [1, 2], a = 7, c = [3, 4] }\n";
        let cells: CellsFile = toml::from_str(text).unwrap();
        let written: Vec<String> = cells.parameter_sets().iter().map(ToString::to_string).collect();
        assert_eq!(written, ["a=7;b=1;c=3", "a=7;b=1;c=4", "a=7;b=2;c=3", "a=7;b=2;c=4"]);
        let none: CellsFile = toml::from_str("implementation = \"x\"\nsizes = [1]\n").unwrap();
        assert_eq!(none.parameter_sets(), [Parameters::default()]);
    }
}
