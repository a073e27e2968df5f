//! The baseline: a CSV file with a figure a line, so that a change of it reads well in a review.
//!
//! Lines without an implementation say how the others were counted: n, the architecture, and the version of each tool.

use super::collect::Collection;
use super::figure::{Figure, KernelFigures, KernelKey, Tool, Value};
use super::{ARCHITECTURE, N};
use crate::store::{RecordError, write_atomically};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Where it is, from the project's folder.
pub const DEFAULT_BASELINE: &str = "results/counts/baseline.csv";

const HEADER: [&str; 5] = ["implementation", "params", "kernel", "figure", "value"];
const VERTICES: &str = "n";
const ARCHITECTURE_SETTING: &str = "architecture";

/// Why there is no baseline to work with.
#[derive(Debug, Error)]
pub enum BaselineError {
    #[error("no baseline at {}: run repro counts --update in the project's folder, or name one with --baseline", path.display())]
    Missing { path: PathBuf },
    #[error("{} line {line}: {problem}: restore the file, or delete it and run repro counts --update", path.display())]
    Line { path: PathBuf, line: u64, problem: String },
    #[error("{}: {problem}: restore the file, or delete it and run repro counts --update", path.display())]
    Whole { path: PathBuf, problem: String },
    #[error("cannot write {} ({source}): choose another file with --baseline", path.display())]
    Unwritable { path: PathBuf, source: std::io::Error },
    #[error(
        "--only: the baseline is of NVRTC {baseline} and here is {here}: update everything, so that its figures are of one compiler"
    )]
    Mixed { baseline: String, here: String },
    #[error(transparent)]
    Other(RecordError),
}

/// What the figures were when somebody last looked.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    /// Vertices of the graph that was solved.
    pub n: usize,
    pub architecture: String,
    /// Versions of the tools that reported figures.
    pub tools: BTreeMap<Tool, String>,
    pub figures: KernelFigures,
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// When there is none, or what is wrong with which line.
    pub fn read(path: &Path) -> Result<Self, BaselineError> {
        let path_buf = || path.to_path_buf();
        let text = repro_files::read_regular(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => BaselineError::Missing { path: path_buf() },
            _ => BaselineError::Whole { path: path_buf(), problem: error.to_string() },
        })?;
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&*text);
        let mut settings = BTreeMap::new();
        let mut figures = KernelFigures::new();
        for (index, record) in reader.records().enumerate() {
            let line = |problem: String, line: u64| BaselineError::Line { path: path_buf(), line, problem };
            let record = record.map_err(|error| {
                line(broken(&error), error.position().map_or(index as u64 + 1, csv::Position::line))
            })?;
            let at = record.position().map_or(index as u64 + 1, csv::Position::line);
            let fields: Vec<&str> = record.iter().collect();
            if index == 0 {
                if fields != HEADER {
                    return Err(line(format!("expected {}", HEADER.join(",")), at));
                }
                continue;
            }
            take(&fields, &mut settings, &mut figures).map_err(|problem| line(problem, at))?;
        }
        let whole = |problem: String| BaselineError::Whole { path: path_buf(), problem };
        let mut setting =
            |name: &str| settings.remove(name).ok_or_else(|| whole(format!("it has no line for {name}")));
        let vertices = setting(VERTICES)?;
        let n = vertices.parse().map_err(|_| whole(format!("n is '{vertices}', which is no number")))?;
        let architecture = setting(ARCHITECTURE_SETTING)?;
        let tools = Tool::ALL.into_iter().filter_map(|tool| Some((tool, settings.remove(tool.name())?)));
        let tools = tools.collect();
        match settings.keys().next() {
            Some(unknown) => Err(whole(format!("'{unknown}' of no implementation is not known"))),
            None => Ok(Self { n, architecture, tools, figures }),
        }
    }

    /// The file: the same figures give the same bytes.
    pub fn to_csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        // Writing to memory does not fail.
        let mut row = |fields: [&str; 5]| drop(writer.write_record(fields));
        row(HEADER);
        row(["", "", "", VERTICES, &self.n.to_string()]);
        row(["", "", "", ARCHITECTURE_SETTING, &self.architecture]);
        for (tool, version) in &self.tools {
            row(["", "", "", tool.name(), version]);
        }
        for (KernelKey { implementation, params, kernel }, figures) in &self.figures {
            for (figure, value) in figures {
                row([implementation, params, kernel, figure.name(), &value.to_string()]);
            }
        }
        String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
    }

    /// Replaces the file at `path`, whose folder is made where it is missing.
    ///
    /// # Errors
    /// When it cannot be written; the old file is then still there.
    pub fn write(&self, path: &Path) -> Result<(), BaselineError> {
        let unwritable = |source| BaselineError::Unwritable { path: path.to_path_buf(), source };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.map_or(Ok(()), std::fs::create_dir_all).map_err(unwritable)?;
        write_atomically(path, self.to_csv().as_bytes()).map_err(|error| match error {
            RecordError::Write { source, .. } => unwritable(source),
            other => BaselineError::Other(other),
        })
    }

    /// A baseline of what was collected. Of `old` stay the figures of tools that are not here and, where `only` names
    /// implementations, those of all others. The second part says what stayed or went for want of a tool, a line each.
    ///
    /// # Errors
    /// When figures of two compilers would come together.
    pub fn updated(
        old: Option<&Self>,
        collection: &Collection,
        only: Option<&BTreeSet<String>>,
    ) -> Result<(Self, Vec<String>), BaselineError> {
        let mut new = Self {
            n: N,
            architecture: ARCHITECTURE.to_string(),
            tools: BTreeMap::new(),
            figures: collection.figures.clone(),
        };
        let mut notes = Vec::new();
        for (&tool, here) in &collection.tools {
            let known = old.and_then(|old| old.tools.get(&tool));
            match (here, known) {
                (Ok(here), Some(known)) if tool == Tool::Nvrtc && only.is_some() && here != known => {
                    return Err(BaselineError::Mixed { baseline: known.clone(), here: here.clone() });
                }
                (Ok(here), _) => drop(new.tools.insert(tool, here.clone())),
                (Err(why), Some(known)) if old.is_some_and(|old| old.still_holds(tool, collection)) => {
                    new.tools.insert(tool, known.clone());
                    notes.push(format!("kept from the old baseline: figures of {} ({why})", tool.name()));
                }
                (Err(why), _) => {
                    notes.push(format!("not in the new baseline: figures of {} ({why})", tool.name()));
                }
            }
        }
        for (key, figures) in old.iter().flat_map(|old| &old.figures) {
            let replaced = only.is_none_or(|only| only.contains(&key.implementation));
            let stay = figures.iter().filter(|(figure, _)| {
                let tool = figure.tool();
                new.tools.contains_key(&tool) && !(replaced && collection.has(tool))
            });
            let stay: Vec<_> = stay.map(|(&figure, &value)| (figure, value)).collect();
            if !stay.is_empty() {
                new.figures.entry(key.clone()).or_default().extend(stay);
            }
        }
        Ok((new, notes))
    }

    /// Whether figures of a tool that is not here can stand next to those that were collected.
    fn still_holds(&self, tool: Tool, collection: &Collection) -> bool {
        let counted_alike = match tool {
            Tool::Emulated => self.n == N,
            Tool::Nvrtc | Tool::Disassembler => self.architecture == ARCHITECTURE,
        };
        let nvrtc = collection.tools.get(&Tool::Nvrtc).and_then(|here| here.as_ref().ok());
        let of_other_code = tool == Tool::Disassembler
            && nvrtc.is_some_and(|nvrtc| self.tools.get(&Tool::Nvrtc) != Some(nvrtc));
        counted_alike && !of_other_code
    }
}

/// Puts a line where it belongs.
fn take(
    fields: &[&str],
    settings: &mut BTreeMap<String, String>,
    figures: &mut KernelFigures,
) -> Result<(), String> {
    let [implementation, params, kernel, name, text] = fields else {
        return Err(format!("{} fields: expected {}", fields.len(), HEADER.join(",")));
    };
    let twice = || format!("{name} is there twice");
    if implementation.is_empty() {
        let known = settings.insert(name.to_string(), text.to_string());
        return known.map_or(Ok(()), |_| Err(twice()));
    }
    let figure = Figure::find(name).ok_or_else(|| format!("'{name}' is no figure that is known here"))?;
    let value: Value = text.parse().map_err(|()| {
        format!("'{text}' is no value of {name}: expected a whole number, or two as in 188/64")
    })?;
    let key = KernelKey {
        implementation: implementation.to_string(),
        params: params.to_string(),
        kernel: kernel.to_string(),
    };
    let known = figures.entry(key).or_default().insert(figure, value);
    known.map_or(Ok(()), |_| Err(twice()))
}

/// What the reader did not understand, without the place, which the message has already.
fn broken(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { len, .. } => format!("{len} fields: expected {}", HEADER.join(",")),
        csv::ErrorKind::Utf8 { .. } => "it is no UTF-8 text".to_string(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests;
