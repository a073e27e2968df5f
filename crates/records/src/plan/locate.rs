//! Finding an experiment by name or path.

use super::file::{ConfigError, ExperimentFile, Source};
use super::suggestion;
use include_dir::{Dir, include_dir};
use repro_base::files::read_text;
use repro_user::{read, register_unlisted};
use std::collections::BTreeSet;
use std::path::Path;

static EMBEDDED: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../experiments");

/// Loads an experiment: the file at a path that ends in `.toml`, else `experiments/NAME.toml` here, else the one that
/// is built in. The implementations that it brings along are registered, but not listed.
///
/// # Errors
/// When there is none of that name, or it is wrong, or a file that it names is.
pub fn load_experiment(name: &str) -> Result<ExperimentFile, ConfigError> {
    let local = Path::new("experiments").join(format!("{name}.toml"));
    let path = if is_experiment(Path::new(name)) { Path::new(name) } else { &local };
    let mut file = if path != local || local.is_file() {
        let unreadable = |problem: String| ConfigError::Unreadable { path: path.to_path_buf(), problem };
        let text = read_text(path).map_err(|error| unreadable(error.to_string()))?;
        parse(&stem(path), &path.display().to_string(), &text, path.parent())?
    } else {
        let known = || suggestion(name, &available_experiments());
        let unknown = || ConfigError::UnknownExperiment { name: name.to_string(), known: known() };
        parse(name, &format!("built-in {name}.toml"), built_in(name).ok_or_else(unknown)?, None)?
    };
    // Figures of built-in experiments come from the program: a better wording of theirs changes no record, and no run that goes on.
    if built_in(&file.name).is_some() {
        file.figures.clear();
    }
    Ok(file)
}

/// The text of the built-in experiment of this name.
fn built_in(name: &str) -> Option<&'static str> {
    EMBEDDED.get_file(format!("{name}.toml"))?.contents_utf8()
}

/// Every built-in experiment as its file has it. Implementations that it names, and files next to it, need not be there.
pub fn built_in_experiments() -> Vec<ExperimentFile> {
    let files = EMBEDDED.files().filter(|file| is_experiment(file.path()));
    let read = |name: &str, text| ExperimentFile::read(name, Source { file: name, text }).ok();
    files.filter_map(|file| read(&stem(file.path()), file.contents_utf8()?)).collect()
}

/// The experiment that `text` describes, which lies in `folder`; in none where it is built in.
fn parse(name: &str, file: &str, text: &str, folder: Option<&Path>) -> Result<ExperimentFile, ConfigError> {
    let source = Source { file, text };
    let experiment = ExperimentFile::read(name, source)?;
    for named in &experiment.with {
        let (name, title, file) = (name.to_string(), experiment.title.clone(), named.get_ref().clone());
        let Some(folder) = folder else { return Err(ConfigError::NeedsClone { name, title, file }) };
        let line = text[..named.span().start].matches('\n').count() + 1;
        let wrong = |problem| ConfigError::With { file: source.file.to_string(), line, problem };
        let given = read(&folder.join(file)).and_then(|given| register_unlisted(&given));
        given.map_err(|error| wrong(error.to_string()))?;
    }
    experiment.check(source).map(|()| experiment)
}

/// Names of the built-in experiments and of those in `experiments/` here, in alphabetical order.
pub fn available_experiments() -> Vec<String> {
    let local = std::fs::read_dir("experiments").into_iter().flatten().flatten();
    let embedded = EMBEDDED.files().map(|file| file.path().to_path_buf());
    let files = embedded.chain(local.map(|entry| entry.path())).filter(|path| is_experiment(path));
    let names: BTreeSet<String> = files.map(|path| stem(&path)).collect();
    names.into_iter().collect()
}

fn is_experiment(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A built-in experiment from its file, next to which are the implementations that it brings along.
    pub fn load(name: &str) -> ExperimentFile {
        repro_solvers::distributed::register();
        load_experiment(&format!("../../experiments/{name}.toml")).unwrap()
    }

    #[test]
    fn every_built_in_experiment_is_right_and_has_five_samples_of_what_solves_on_one_core() {
        use repro_timing::ProcessorKind;
        let all = available_experiments().into_iter().map(|name| load(&name));
        let one_core = ["cpu-naive", "cpu-generalized-blocked"];
        let on_one = |file: &ExperimentFile| {
            file.cells.iter().any(|cells| one_core.contains(&cells.implementation.get_ref().as_str()))
        };
        let on_one: Vec<ExperimentFile> = all.filter(on_one).collect();
        assert!(on_one.len() >= 6, "{}", on_one.len());
        for file in on_one {
            // As long as cpu-naive takes at n = 4096 on a busy host.
            assert!(!file.sampling.is_met(&[39.0; 4], ProcessorKind::Cpu), "{}", file.name);
        }
    }
}
