//! Kernels from files: a user's CUDA source with a description in TOML becomes an [`Implementation`], without a rebuild. The
//! format is described in `docs/your-own-kernel.md`.

mod given;
mod headers;
mod place;
mod schedule;
mod script;
mod table;

pub use given::{name_is_taken, read};
pub use place::FileError;

use crate::program::{self, ProgramFile};
use given::as_text;
use place::Text;
use repro_device::KernelSource;
use repro_graph::ElementType;
use repro_solvers::{GivenFile, Implementation, Parameter, Parameters, Scheduled, Traffic};
use repro_types::foreign_text::hides;
use schedule::{At, FromFile, GivenLayout, KernelEntry, in_expressions};
use script::Script;
use serde::Deserialize;
use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::ops::Range;
use table::{EntryTable, Formula, KernelTable, LayoutKind, ParameterTable};
use toml::Spanned;

/// The element types that kernels on devices are written for.
const ELEMENTS: [ElementType; 3] = [ElementType::F32, ElementType::I32, ElementType::U16];
/// Names that expressions and scripts have already.
const KNOWN: [&str; 8] =
    ["n", "side", "pitch", "element_bytes", "multiprocessors", "resident_blocks", "matrix", "scratch"];
/// Parameters whose macros `repro.cuh` and the emulated device use themselves.
const OF_OTHER_MACROS: [&str; 7] =
    ["kernel", "absent", "distance-i32", "distance-u16", "distance-f64", "dynamic-shared", "repro-emulated"];
/// Names under which counts have kernel files that belong to no implementation.
const SOURCES_OF_NOBODY: [&str; 2] = ["layout", "ceilings"];
/// The longest name, summary and origin, characters.
const LONGEST_NAME: usize = 40;
const LONGEST_LINE: usize = 200;
/// How many values of a parameter, parameters and kernels a file may have.
const MOST: usize = 64;

/// What kind of implementation a file describes.
#[derive(Deserialize)]
struct Kind {
    program: Option<toml::Value>,
}

/// The implementation that a file describes, with all numbers of the file tried out.
///
/// # Errors
/// What is wrong, with its file, line and key.
pub fn implementation(given: &GivenFile) -> Result<Implementation, FileError> {
    let of = as_text(given);
    let kind: Kind = toml::from_str(&given.text).map_err(|error| of.unreadable(&error))?;
    if kind.program.is_some() {
        return program_of(given, of);
    }
    let table: KernelTable = toml::from_str(&given.text).map_err(|error| of.unreadable(&error))?;
    check_name(of, &table.name)?;
    let summary = check_line(of, "summary", &table.summary)?;
    let from = check_line(of, "from", &table.from)?;
    let (parameters, values) = parameters(of, &table.parameters)?;
    let source = source_of(given, of, &table)?;
    let script = table.solve.script;
    let script_line = of.first_line_of(&script.span());
    let read = Script::read(script.get_ref()).map_err(|problem| {
        let line = script_line + problem.line.max(1) - 1;
        of.error_in_line(line, format!("script: {}", problem.message))
    })?;
    let at = |formula: Spanned<Formula>| at(of, formula);
    let from_file = FromFile {
        given: given.clone(),
        source,
        elements: elements(of, &table.elements)?,
        layout: table.layout.map_or(GivenLayout::RowMajor, |kind| layout(of, &kind)),
        scratch_bytes: table.scratch_bytes.map_or(At { value: Formula::Number(0), line: 0 }, at),
        requires: table.requires.map(|text| at_place(of, &text.span(), text.get_ref().clone())),
        parameters,
        values,
        entries: entries(of, table.kernels)?,
        script: read,
        script_line,
    };
    from_file.try_out(&Parameters::default()).map_err(FileError::Placed)?;
    Ok(Implementation {
        name: given.name.clone().into(),
        summary: summary.into(),
        source: from.into(),
        traffic: Traffic::EVERY_TASK,
        parameters: parameters.into(),
        method: Scheduled::of(from_file),
    })
}

/// The program that a file describes.
fn program_of(given: &GivenFile, of: Text) -> Result<Implementation, FileError> {
    let file: ProgramFile = toml::from_str(&given.text).map_err(|error| of.unreadable(&error))?;
    check_name(of, &file.name)?;
    check_line(of, "summary", &file.summary)?;
    check_line(of, "from", &file.from)?;
    program::implementation_of(file, &given.folder, Some(given.clone()))
        .map_err(|error| of.error(&error.span, error.problem))
}

fn source_of(given: &GivenFile, of: Text, table: &KernelTable) -> Result<KernelSource, FileError> {
    let mut source = KernelSource::embedded("", "");
    match (&table.source, &table.cubin) {
        (Some(name), None) => {
            let (_, text) = given.sources.first().cloned().unwrap_or_default();
            let file_name = name.get_ref().rsplit('/').next().unwrap_or_default();
            check_file_name(file_name).map_err(|problem| of.error(&name.span(), problem))?;
            source.file = file_name.to_string().into();
            source.text = text.into();
            source.headers = given.sources.get(1..).unwrap_or_default().to_vec();
        }
        (None, Some(name)) => {
            source.file = name.get_ref().clone().into();
            source.cubin = given.cubin.clone().map(Into::into);
        }
        (Some(_), Some(cubin)) => {
            return Err(of.error(&cubin.span(), "source and cubin: give one of them"));
        }
        (None, None) => {
            let problem = "neither source nor cubin: name a CUDA C++ file that lies next to this one";
            return Err(FileError::Whole { file: of.file.to_string(), problem: problem.to_string() });
        }
    }
    source.architecture_specific = table.architecture_specific;
    Ok(source)
}

fn at_place<T>(of: Text, span: &Range<usize>, value: T) -> At<T> {
    At { value, line: of.line(span.start) }
}

fn at<T>(of: Text, value: Spanned<T>) -> At<T> {
    let span = value.span();
    at_place(of, &span, value.into_inner())
}

/// Lower case, digits and dashes, so that a name looks the same everywhere.
fn is_name(name: &str) -> bool {
    let first = name.chars().next().is_some_and(|first| first.is_ascii_lowercase());
    first
        && name.len() <= LONGEST_NAME
        && name.chars().all(|one| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '-')
}

/// Whether a kernel from a file may have this name.
///
/// # Errors
/// What is expected instead.
pub fn check_kernel_name(name: &str) -> Result<(), String> {
    if !is_name(name) {
        return Err(format!(
            "expected lower-case letters, digits and dashes, a letter first, {LONGEST_NAME} characters at most"
        ));
    }
    if SOURCES_OF_NOBODY.contains(&name) {
        return Err("expected another name, this is one of repro's own kernel files".to_string());
    }
    Ok(())
}

fn check_name(of: Text, name: &Spanned<String>) -> Result<(), FileError> {
    check_kernel_name(name.get_ref())
        .map_err(|expected| of.error(&name.span(), format!("name = {:?}: {expected}", name.get_ref())))
}

/// What stands in lines of tables and pages.
fn check_line(of: Text, key: &str, text: &Spanned<String>) -> Result<String, FileError> {
    let line = text.get_ref().trim();
    if line.is_empty() || line.chars().count() > LONGEST_LINE || line.contains(hides) {
        let problem =
            format!("{key}: expected one line of 1 to {LONGEST_LINE} characters without control characters");
        return Err(of.error(&text.span(), problem));
    }
    Ok(line.to_string())
}

/// It becomes part of lines of C++ and of messages.
fn check_file_name(name: &str) -> Result<(), String> {
    if name.chars().any(|one| hides(one) || one == '"' || one == '\\') {
        return Err(format!(
            "{name:?}: choose a file name without quotes, backslashes and control characters"
        ));
    }
    Ok(())
}

fn layout(of: Text, kind: &Spanned<LayoutKind>) -> GivenLayout {
    let at = |formula: &Formula| at_place(of, &kind.span(), formula.clone());
    match kind.get_ref() {
        LayoutKind::Named(_) => GivenLayout::RowMajor,
        LayoutKind::Padded(by) => GivenLayout::Padded(at(&by.padded)),
        LayoutKind::Tiled(of) => GivenLayout::Tiled(at(&of.tiled)),
    }
}

fn elements(of: Text, given: &[Spanned<String>]) -> Result<Vec<ElementType>, FileError> {
    if given.is_empty() {
        return Ok(vec![ElementType::F32]);
    }
    if let Some(more) = given.get(ELEMENTS.len()) {
        return Err(of.error(&more.span(), format!("elements: {} of them, name each once", given.len())));
    }
    let known = |one: &Spanned<String>| {
        let found = ELEMENTS.into_iter().find(|element| element.to_string() == *one.get_ref());
        found.ok_or_else(|| {
            let problem = format!("elements: {:?} is none: expected f32, i32 or u16", one.get_ref());
            of.error(&one.span(), problem)
        })
    };
    given.iter().map(known).collect()
}

/// The registry keeps implementations as long as the process lives, and so the names of their parameters.
fn kept<T: ?Sized>(value: Box<T>) -> &'static T {
    Box::leak(value)
}

/// The parameters and the values of each.
fn parameters(
    of: Text,
    tables: &BTreeMap<Spanned<String>, ParameterTable>,
) -> Result<(&'static [Parameter], Vec<Vec<u32>>), FileError> {
    if let Some((name, _)) = tables.iter().nth(MOST) {
        return Err(of.error(&name.span(), format!("more than {MOST} parameters")));
    }
    let tables = in_order(tables);
    let mut all = Vec::new();
    for (name, table) in &tables {
        let key = name.get_ref();
        let taken = KNOWN.contains(&&*in_expressions(key));
        if !is_name(key) || taken {
            let expected =
                "expected lower-case letters, digits and dashes, and no name that expressions have already";
            return Err(
                of.error(&name.span(), format!("parameters.{key}: {expected} ({})", KNOWN.join(", ")))
            );
        }
        if OF_OTHER_MACROS.contains(&&**key) {
            let expected = "expected another name, repro.cuh has a macro of this one";
            return Err(of.error(&name.span(), format!("parameters.{key}: {expected}")));
        }
        let (values, default) = (table.values.get_ref(), *table.default.get_ref());
        if values.is_empty() || values.len() > MOST {
            let problem =
                format!("parameters.{key}.values has {} numbers: expected 1 to {MOST}", values.len());
            return Err(of.error(&table.values.span(), problem));
        }
        if !values.contains(&default) {
            let problem = format!("parameters.{key}.default = {default} is none of its values");
            return Err(of.error(&table.default.span(), problem));
        }
        let (lowest, highest) = (values.iter().min().copied(), values.iter().max().copied());
        all.push(Parameter {
            name: kept(key.clone().into_boxed_str()),
            meaning: kept(table.meaning.replace(hides, " ").into_boxed_str()),
            default,
            lowest: lowest.unwrap_or(default),
            highest: highest.unwrap_or(default),
        });
    }
    let values = tables.iter().map(|(_, table)| table.values.get_ref().clone()).collect();
    Ok((kept(all.into_boxed_slice()), values))
}

/// Tables in the order in which the file has them.
fn in_order<T>(
    tables: impl IntoIterator<Item = (impl Borrow<Spanned<String>>, T)>,
) -> Vec<(Spanned<String>, T)> {
    let mut all: Vec<_> = tables.into_iter().map(|(name, table)| (name.borrow().clone(), table)).collect();
    all.sort_by_key(|(name, _)| name.span().start);
    all
}

fn entries(of: Text, tables: BTreeMap<Spanned<String>, EntryTable>) -> Result<Vec<KernelEntry>, FileError> {
    if tables.is_empty() || tables.len() > MOST {
        let problem = format!("kernels: {} of them, expected 1 to {MOST}", tables.len());
        return Err(FileError::Whole { file: of.file.to_string(), problem });
    }
    let entry = |(name, table): (Spanned<String>, EntryTable)| {
        let key = name.get_ref();
        let is_letter = |one: char| one.is_ascii_alphabetic() || one == '_';
        let is_identifier =
            key.starts_with(is_letter) && key.chars().all(|one| is_letter(one) || one.is_ascii_digit());
        if !is_identifier {
            return Err(of.error(
                &name.span(),
                format!("kernels.{key}: expected the name of a function of the source"),
            ));
        }
        let none = |value: i64| At { value: Formula::Number(value), line: of.line(name.span().start) };
        let shape =
            |shape: Spanned<table::Shape>| at_place(of, &shape.span(), shape.get_ref().formulas().to_vec());
        let one = At { value: vec![Formula::Number(1)], line: none(1).line };
        Ok(KernelEntry {
            name: kept(key.clone().into_boxed_str()),
            threads: shape(table.threads),
            shared_bytes: table.shared_bytes.map_or(none(0), |bytes| at(of, bytes)),
            tasks_a_block: table.tasks_a_block.map(|tasks| at(of, tasks)),
            cluster: table.cluster.map_or(one, shape),
        })
    };
    in_order(tables).into_iter().map(entry).collect()
}

#[cfg(test)]
mod tests;
