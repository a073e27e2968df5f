//! Kernels from files: CUDA C++ with a description in TOML becomes an [`Implementation`]. Those of the papers are in `kernels/`, a user's
//! anywhere: the format is described in `docs/your-own-kernel.md`.

mod script;
mod solver;
mod table;

pub use table::{FileError, SourceText};
pub use table::{Name, SingleLine};

use crate::{Implementation, ImplementationFile, Parameter, Parameters};
use repro_base::text::hides;
use repro_device::{KernelSource, embedded_files};
use repro_graph::ElementType;
use script::Script;
use solver::{FileSolver, in_expressions};
use std::borrow::Borrow;
use std::collections::BTreeMap;
use table::{EntryTable, KernelTable, ParameterTable};
use toml::Spanned;

/// The element types that kernels on devices are written for.
const ELEMENTS: [ElementType; 3] = [ElementType::F32, ElementType::I32, ElementType::U16];
/// Names that expressions and scripts have already.
const KNOWN: [&str; 8] =
    ["n", "side", "pitch", "element_bytes", "multiprocessors", "resident_blocks", "matrix", "scratch"];
/// Parameters whose macros `repro.cuh` and the emulated device use themselves.
const OF_OTHER_MACROS: [&str; 7] =
    ["kernel", "absent", "distance-i32", "distance-u16", "distance-f64", "dynamic-shared", "repro-emulated"];
/// Names that counts use for kernel files of no implementation: no kernel from a file may have them.
const SOURCES_OF_NOBODY: [&str; 2] = ["layout", "ceilings"];
/// The longest name, characters.
const LONGEST_NAME: usize = 40;
/// How many values of a parameter a file may have.
const MOST_VALUES: usize = 64;
/// Bytes of a file, which limits everything else that it may have many of.
const MOST_TEXT: usize = 64 << 10;

/// The implementations that the files of `kernels/` describe, each with its place among all of this program.
///
/// # Panics
/// When a file is not as described, which tests find.
pub fn built_in() -> Vec<(u32, Implementation)> {
    let described = embedded_files().filter(|(file, _)| file.ends_with(".toml"));
    let read = described.map(|(file, text)| read(file, text, None));
    read.map(|found| found.unwrap_or_else(|error| panic!("kernels/{error}"))).collect()
}

/// The implementation that a user's file describes, with all numbers of the file tried out.
///
/// # Errors
/// What is wrong, with its file, line and key.
pub fn implementation(given: &ImplementationFile) -> Result<Implementation, FileError> {
    read(&given.file, &given.text, Some(given)).map(|(_, implementation)| implementation)
}

fn read(
    file: &str,
    text: &str,
    given: Option<&ImplementationFile>,
) -> Result<(u32, Implementation), FileError> {
    let of = SourceText { file, text };
    if text.len() > MOST_TEXT {
        return Err(of.error_in_whole(format!("{} bytes: {MOST_TEXT} are the most", text.len())));
    }
    let mut table: KernelTable = toml::from_str(text).map_err(|error| of.unreadable(&error))?;
    check_macros(of, &table)?;
    let parameters = parameters(of, &std::mem::take(&mut table.parameters))?;
    let source = source_of(of, &table, given)?;
    let script = &table.solve.script;
    let read = match given {
        Some(_) => Script::read(script.get_ref()).map_err(|problem| problem.placed(of, script))?,
        None => Script::trusted(script.get_ref()),
    };
    let place = table.place.unwrap_or(u32::MAX);
    let [name, summary, from] =
        [&table.name.0, &table.summary.0, &table.from.0].map(|line| line.clone().into());
    let verified_with = table.verified_with.take().unwrap_or_else(|| each_other_value(parameters));
    let solver = FileSolver {
        file: file.to_string(),
        text: text.to_string(),
        source,
        elements: elements(of, &table.elements)?,
        parameters,
        kernels: entries(of, std::mem::take(&mut table.kernels))?,
        script: read,
        is_foreign: given.is_some(),
        table,
    };
    if given.is_some() {
        solver.try_out(&Parameters::default()).map_err(FileError::Placed)?;
        // What the file's own rules leave out is no mistake.
        let mut others = verified_with.iter().filter(|others| solver.try_rules(others).is_ok());
        others.try_for_each(|others| solver.try_out(others)).map_err(FileError::Placed)?;
    }
    let implementation = Implementation {
        name,
        summary,
        source: from,
        parameters: parameters.into(),
        verified_with,
        given: given.cloned(),
        ..Implementation::new("", "", "", solver)
    };
    let mut others = implementation.verified_with.iter();
    others
        .try_for_each(|parameters| implementation.parameters_fit(parameters))
        .map_err(|problem| of.error_in_whole(format!("verified_with: {problem}")))?;
    Ok((place, implementation))
}

/// Checks that no macro is one that `repro.cuh` has.
fn check_macros(of: SourceText, table: &KernelTable) -> Result<(), FileError> {
    for (name, _) in table.macros.iter().flatten() {
        let key = name.get_ref();
        if !is_identifier(key) || OF_OTHER_MACROS.contains(&&*key.to_lowercase().replace('_', "-")) {
            let problem =
                format!("macros: expected the name of a macro that repro.cuh does not have, not {key:?}");
            return Err(of.error(&name.span(), problem));
        }
    }
    Ok(())
}

/// Whether it may be a name in C++.
fn is_identifier(name: &str) -> bool {
    let is_letter = |one: char| one.is_ascii_alphabetic() || one == '_';
    name.starts_with(is_letter) && name.chars().all(|one| is_letter(one) || one.is_ascii_digit())
}

/// The source or the machine code that the file names: for a user's file what lies next to it, for this program's what is embedded.
fn source_of(
    of: SourceText,
    table: &KernelTable,
    given: Option<&ImplementationFile>,
) -> Result<KernelSource, FileError> {
    let mut source = KernelSource::embedded("", "");
    source.architecture_specific = table.architecture_specific;
    let name = match (&table.source, &table.cubin) {
        (Some(name), None) | (None, Some(name)) => name,
        (Some(_), Some(cubin)) => {
            return Err(of.error(&cubin.span(), "source and cubin: give one of them"));
        }
        (None, None) => {
            let problem = "neither source nor cubin: name a CUDA C++ file that lies next to this one";
            return Err(of.error_in_whole(problem));
        }
    };
    let file_name = name.get_ref().rsplit('/').next().unwrap_or_default();
    check_file_name(file_name).map_err(|problem| of.error(&name.span(), problem))?;
    source.file = file_name.to_string().into();
    let Some(given) = given else {
        let found = embedded_files().find(|(file, _)| *file == name.get_ref());
        let missing = || of.error(&name.span(), "source: no such file in kernels/");
        source.text = found.ok_or_else(missing)?.1.into();
        return Ok(source);
    };
    source.cubin = given.cubin.clone().map(Into::into);
    if let Some(((_, text), headers)) = given.sources.split_first().filter(|_| table.source.is_some()) {
        (source.text, source.headers) = (text.clone().into(), headers.to_vec());
    }
    Ok(source)
}

/// Whether a name has only lower case, digits and dashes, so that it looks the same everywhere.
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

/// Checks a file name, which becomes part of lines of C++ and of messages.
fn check_file_name(name: &str) -> Result<(), String> {
    if name.chars().any(|one| hides(one) || one == '"' || one == '\\') {
        return Err(format!(
            "{name:?}: choose a file name without quotes, backslashes and control characters"
        ));
    }
    Ok(())
}

fn elements(of: SourceText, given: &[Spanned<ElementType>]) -> Result<Vec<ElementType>, FileError> {
    if let Some(more) = given.get(ELEMENTS.len()) {
        return Err(of.error(&more.span(), format!("elements: {} of them, name each once", given.len())));
    }
    if let Some(other) = given.iter().find(|one| !ELEMENTS.contains(one.get_ref())) {
        let problem = format!("elements: {} is for the CPU alone: expected f32, i32 or u16", other.get_ref());
        return Err(of.error(&other.span(), problem));
    }
    let all: Vec<ElementType> = given.iter().map(|one| *one.get_ref()).collect();
    Ok(if all.is_empty() { vec![ElementType::F32] } else { all })
}

/// The registry keeps implementations as long as the process lives, and so the names of their parameters.
fn leak<T: ?Sized>(value: Box<T>) -> &'static T {
    Box::leak(value)
}

/// The parameters, in the order of the file.
fn parameters(
    of: SourceText,
    tables: &BTreeMap<Spanned<String>, ParameterTable>,
) -> Result<&'static [Parameter], FileError> {
    let one = |(name, table): (Spanned<String>, &ParameterTable)| {
        let key = name.get_ref();
        let wrong = |problem: &str| of.error(&name.span(), format!("parameters.{key}: {problem}"));
        if !is_name(key) || KNOWN.contains(&&*in_expressions(key)) {
            let expected =
                "expected lower-case letters, digits and dashes, and no name that expressions have already";
            return Err(wrong(&format!("{expected} ({})", KNOWN.join(", "))));
        }
        if OF_OTHER_MACROS.contains(&&**key) {
            return Err(wrong("expected another name, repro.cuh has a macro of this one"));
        }
        let default = *table.default.get_ref();
        let (values, span) = match (&table.values, &table.range) {
            (Some(values), None) => (values.get_ref().clone(), values.span()),
            (None, Some(range)) => (Vec::new(), range.span()),
            _ => return Err(wrong("give its values, or the least and the greatest as range")),
        };
        if table.values.is_some() && !(1..=MOST_VALUES).contains(&values.len()) {
            let problem =
                format!("parameters.{key}.values has {} numbers: expected 1 to {MOST_VALUES}", values.len());
            return Err(of.error(&span, problem));
        }
        let ends = table.range.as_ref().map(|range| *range.get_ref());
        let [lowest, highest] = ends.unwrap_or_else(|| {
            [values.iter().min(), values.iter().max()].map(|end| end.copied().unwrap_or(default))
        });
        if !(lowest..=highest).contains(&default) || !values.is_empty() && !values.contains(&default) {
            let problem = format!("parameters.{key}.default = {default} is none of its values");
            return Err(of.error(&table.default.span(), problem));
        }
        let meaning = leak(table.meaning.replace(hides, " ").into_boxed_str());
        let parameter =
            Parameter::new(leak(key.clone().into_boxed_str()), meaning, default, lowest..=highest);
        Ok(Parameter { values: leak(values.into_boxed_slice()), ..parameter })
    };
    let all = in_order(tables).into_iter().map(one).collect::<Result<Vec<_>, _>>()?;
    Ok(leak(all.into_boxed_slice()))
}

/// Parameters that set one listed value that is not the default, for each such value.
fn each_other_value(parameters: &[Parameter]) -> Vec<Parameters> {
    let others = |parameter: &Parameter| -> Vec<Parameters> {
        let other = parameter.values.iter().filter(|value| **value != parameter.default);
        other.map(|&value| Parameters::from([(parameter.name, value)])).collect()
    };
    parameters.iter().flat_map(others).collect()
}

/// Tables in the order in which the file has them.
fn in_order<T>(
    tables: impl IntoIterator<Item = (impl Borrow<Spanned<String>>, T)>,
) -> Vec<(Spanned<String>, T)> {
    let mut all: Vec<_> = tables.into_iter().map(|(name, table)| (name.borrow().clone(), table)).collect();
    all.sort_by_key(|(name, _)| name.span().start);
    all
}

/// The kernels, in the order of the file.
fn entries(
    of: SourceText,
    tables: BTreeMap<Spanned<String>, EntryTable>,
) -> Result<Vec<(&'static str, EntryTable)>, FileError> {
    if tables.is_empty() {
        return Err(of.error_in_whole("kernels: there is none, and a solve needs one"));
    }
    let entry = |(name, table): (Spanned<String>, EntryTable)| {
        let key = name.get_ref();
        if is_identifier(key) {
            return Ok((leak(key.clone().into_boxed_str()), table));
        }
        Err(of.error(&name.span(), format!("kernels.{key}: expected the name of a function of the source")))
    };
    in_order(tables).into_iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    //! Laws of the files of `kernels/`.

    use super::*;
    use crate::{Problem, Target, find};
    use repro_device::Device;
    use repro_device::emulated::{EmulatedDevice, Instruments};
    use repro_graph::WeightRange;

    const WEIGHTS: WeightRange =
        WeightRange { largest: 1.0, negative: false, complete: false, grain: 1.0, symmetric: false };

    #[test]
    fn every_file_describes_what_its_numbers_allow_in_a_script_of_thirty_lines() {
        for (file, text) in embedded_files().filter(|(file, _)| file.ends_with(".toml")) {
            let table: KernelTable = toml::from_str(text).unwrap();
            let source = table.source.as_ref().unwrap().get_ref();
            // As if somebody else had written it, so that all of it is tried out.
            let given = ImplementationFile {
                file: file.to_string(),
                folder: "/".into(),
                name: table.name.0.clone(),
                text: text.to_string(),
                sources: vec![(source.clone(), String::new())],
                cubin: None,
            };
            let known = implementation(&given).unwrap_or_else(|error| panic!("{error}"));
            for parameters in &known.verified_with {
                assert_eq!(known.check(parameters), Ok(()), "{file}");
            }
            let lines = table.solve.script.get_ref().lines().count();
            assert!(lines <= 30, "{file}: {lines} lines of script");
        }
    }

    #[test]
    fn every_tile_is_relaxed_through_every_other_once() {
        let known = find("generalized-blocked").unwrap();
        for (tiles, kappa) in (1..12).flat_map(|tiles| (1..=tiles).map(move |kappa| (tiles, kappa))) {
            for spread in [0, 1] {
                let parameters = Parameters::from([("kappa", kappa), ("tile", 16), ("spread-lead", spread)]);
                let model = known.solver.model(tiles as usize * 16, &parameters);
                let tasks: u64 = model.iter().map(|kernel| kernel.tasks).sum();
                assert_eq!(tasks, (u64::from(tiles) * 16).pow(3), "{tiles} tiles, kappa {kappa}");
            }
        }
        let (two_phase, parameters) = (find("two-phase").unwrap(), Parameters::default());
        let tasks: u64 = two_phase.solver.model(100, &parameters).iter().map(|kernel| kernel.tasks).sum();
        assert_eq!(tasks, 128 * 128 * 128);
    }

    #[test]
    fn padding_is_what_the_kernel_of_rest_tiles_is_launched_with_up_to_what_a_block_may_have() {
        let device = EmulatedDevice::open(Instruments::NONE).unwrap();
        let load = |name: &str, padding: u32, element| {
            let target = Target::on(device.info(), element);
            let set =
                find(name).unwrap().kernels(target, &Parameters::from([("padding-kib", padding)])).unwrap();
            assert_eq!(set.uses.last().unwrap().dynamic_shared_bytes, padding << 10);
            set.load(&device, element).map(drop).map_err(|error| error.message)
        };
        for (name, most) in [("katz-kider", 215), ("tile-in-registers", 219), ("staged-load", 226)] {
            assert_eq!(load(name, most, ElementType::F32), Ok(()), "{name}");
            let refused = load(name, most + 1, ElementType::F32).unwrap_err();
            assert!(refused.contains("a block of doubly_dependent asks for"), "{refused}");
        }
        assert_eq!(
            load("katz-kider", 216, ElementType::F32).unwrap_err(),
            "a block of doubly_dependent asks for 221184 bytes of shared memory in addition to the 12288 that it declares, and emulated CUDA \
             device has room for 220160: choose parameters by which it asks for less"
        );
        assert_eq!(load("katz-kider", 221, ElementType::U16), Ok(()));
    }

    #[test]
    fn what_papers_state_follows_the_parameters() {
        let of = |name: &str, parameters: &[(&str, u32)]| {
            let set = find(name)
                .unwrap()
                .kernels(Target::default(), &parameters.iter().copied().collect())
                .unwrap();
            set.uses[2].paper.map(|paper| (paper.shared_bytes, paper.resident_blocks, paper.threads))
        };
        assert_eq!(of("katz-kider", &[]), Some((12_320, 1, 256)));
        assert_eq!(of("katz-kider-1024", &[("tile-place", 0)]), Some((8_224, 1, 1024)));
        assert_eq!(of("katz-kider-1024", &[("tile", 16)]), None);
        assert_eq!(of("staged-load", &[]), Some((1_056, 15, 64)));
    }

    #[test]
    fn a_solve_takes_the_matrix_and_what_its_layout_adds() {
        let bytes = |name: &str, n| {
            let problem = Problem::one(n, ElementType::F32, WEIGHTS);
            find(name).unwrap().solver.cost(&problem, &Parameters::default()).bytes
        };
        assert_eq!([64, 65].map(|n| bytes("katz-kider", n)), [4 * 64 * 64, 4 * (65 * 65 + 96 * 96)]);
        assert_eq!(bytes("harish-narayanan", 65), 4 * 65 * 65);
        assert_eq!(bytes("cpu-generalized-blocked", 100), 4 * 128 * 128);
    }
}
