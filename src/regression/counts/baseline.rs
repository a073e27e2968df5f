//! The baseline of counts: a CSV file with one figure a line, so that a change reads well in a review.
//!
//! Lines without an implementation say how the others were counted: n, the architecture, and the version of each tool.

use super::collect::Collection;
use super::metric::{CountMetric, KernelFigures, KernelKey, Tool, merge, select};
use super::{ARCHITECTURE, N};
use csv::StringRecord;
use repro_base::files::NewFile;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The default path of the baseline, relative to the project's folder.
pub const DEFAULT_BASELINE: &str = "results/counts/baseline.csv";

const HEADER: [&str; 5] = ["implementation", "params", "kernel", "figure", "value"];

/// Why the baseline cannot be read, written or updated.
#[derive(Debug, Error)]
pub enum BaselineError {
    #[error("no baseline at {}: run repro counts --update in the project's folder, or name one with --baseline", path.display())]
    Missing { path: PathBuf },
    #[error("{} {problem}: restore the file, or delete it and run repro counts --update", path.display())]
    Malformed { path: PathBuf, problem: String },
    #[error("cannot write {} ({source}): choose another file with --baseline", path.display())]
    Unwritable { path: PathBuf, source: io::Error },
    #[error("--only: the baseline is of NVRTC {baseline} and here is {here}: update all implementations")]
    OtherCompiler { baseline: String, here: String },
}

/// The figures at the last update of the baseline, for [`N`] and [`ARCHITECTURE`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baseline {
    /// Versions of the tools that reported figures.
    pub tools: BTreeMap<Tool, String>,
    pub figures: KernelFigures,
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// When there is no baseline, or a line of it is wrong.
    pub fn read(path: &Path) -> Result<Self, BaselineError> {
        let malformed = |problem| BaselineError::Malformed { path: path.to_path_buf(), problem };
        let text = repro_base::files::read_regular(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => BaselineError::Missing { path: path.to_path_buf() },
            _ => malformed(format!("cannot be read ({error})")),
        })?;
        Self::parse(&text).map_err(malformed)
    }

    fn parse(text: &[u8]) -> Result<Self, String> {
        let (mut baseline, first_lines) = (Self::default(), first_lines());
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text);
        for (index, record) in reader.records().enumerate() {
            let record = record.map_err(|error| format!("is broken: {error}"))?;
            let taken = match first_lines.get(index) {
                Some(expected) if record != expected[..] => Err(format!("expected {}", expected.join(","))),
                Some(_) => Ok(()),
                None => baseline.take(&record),
            };
            let line = record.position().map_or(0, csv::Position::line);
            taken.map_err(|problem| format!("line {line}: {problem}"))?;
        }
        Ok(baseline)
    }

    /// Stores the tool version or the figure of one line.
    fn take(&mut self, record: &StringRecord) -> Result<(), String> {
        let (key, name, text): (KernelKey, &str, &str) =
            record.deserialize(None).map_err(|error| error.to_string())?;
        let unknown = |_| format!("'{name}' is no figure or tool that is known here");
        let is_new = if key.implementation.is_empty() {
            self.tools.insert(name.parse().map_err(unknown)?, text.to_string()).is_none()
        } else {
            let value = text.parse().map_err(|_| {
                format!("'{text}' is no value of {name}: expected a whole number, or two as in 188/64")
            })?;
            self.figures.entry(key).or_default().insert(name.parse().map_err(unknown)?, value).is_none()
        };
        if is_new { Ok(()) } else { Err(format!("{name} is there twice")) }
    }

    /// The content of the file: the same figures give the same bytes.
    pub fn to_csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        // Writing to memory does not fail.
        let mut row = |fields: [&str; 5]| drop(writer.write_record(fields));
        first_lines().iter().for_each(|line| row(line.each_ref().map(String::as_str)));
        self.tools.iter().for_each(|(tool, version)| row(["", "", "", (*tool).into(), version]));
        for (KernelKey { implementation, params, kernel }, figures) in &self.figures {
            for (metric, value) in figures {
                row([implementation, params, kernel, (*metric).into(), &value.to_string()]);
            }
        }
        String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
    }

    /// Replaces the file at `path`; makes its folder if it is missing.
    ///
    /// # Errors
    /// When it cannot be written; the old file is then still there.
    pub fn write(&self, path: &Path) -> Result<(), BaselineError> {
        let write = || {
            std::fs::create_dir_all(path.parent().unwrap_or(path))?;
            let mut file = NewFile::begin(path)?;
            file.file.write_all(self.to_csv().as_bytes())?;
            file.finish()
        };
        write().map_err(|source| BaselineError::Unwritable { path: path.to_path_buf(), source })
    }

    /// This baseline, updated with what was collected. Figures of tools that are missing here stay; where `only` names implementations,
    /// the figures of all others stay too.
    ///
    /// # Errors
    /// When `only` is given and the result would mix figures of two compilers.
    pub fn updated(mut self, collection: &Collection, only: &[String]) -> Result<Self, BaselineError> {
        let versions = (self.tools.get(&Tool::Nvrtc), collection.tools.get(&Tool::Nvrtc));
        if let (Some(baseline), Some(here)) = versions
            && baseline != here
        {
            if !only.is_empty() {
                return Err(BaselineError::OtherCompiler { baseline: baseline.clone(), here: here.clone() });
            }
            // Figures of other machine code cannot stay.
            self.tools.remove(&Tool::Disassembler);
        }
        let stays = |key: &KernelKey, metric: CountMetric| match collection.tools.get(&metric.tool()) {
            Some(_) => !only.is_empty() && !only.contains(&key.implementation),
            None => self.tools.contains_key(&metric.tool()),
        };
        self.figures = select(&self.figures, stays);
        merge(&mut self.figures, collection.figures.clone());
        self.tools.extend(collection.tools.clone());
        Ok(self)
    }
}

/// The lines that begin every file: the header, then n and the architecture that all figures are for.
fn first_lines() -> [[String; 5]; 3] {
    let n = N.to_string();
    [HEADER, ["", "", "", "n", &n], ["", "", "", "architecture", ARCHITECTURE]]
        .map(|line| line.map(String::from))
}
