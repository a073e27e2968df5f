//! `repro counts`

use super::with::With;
use crate::lists::{count_of, distinct, grouped};
use crate::regression::counts::{
    Baseline, Collection, Comparison, DEFAULT_BASELINE, Subject, Tool, collect, compare, grids, listing,
};
use repro_terminal::Progress;
use repro_terminal::{Error, Exit, output};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    pub with: With,
    /// Compare with the baseline, and fail where a count rose
    #[arg(long, conflicts_with = "update")]
    check: bool,
    /// Write the counts of today to the baseline; the difference is then reviewed with the change that caused it
    #[arg(long)]
    update: bool,
    /// The file of the baseline, one count a line
    #[arg(long, value_name = "FILE", default_value = DEFAULT_BASELINE)]
    baseline: PathBuf,
    /// Only these implementations; layout and ceilings are the names for kernels that belong to none of them
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    only: Vec<String>,
    /// Stop where the C++ compiler, NVRTC or the disassembler is missing, or is not the one of the baseline
    #[arg(long)]
    require_all: bool,
    /// Print everything as JSON in place of tables
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<Exit, Error> {
    let (subjects, only) = subjects(&arguments.only)?;
    refuse_user_kernels(arguments, &subjects)?;
    // Read first: a broken baseline is not found after half a minute.
    let baseline = match (arguments.check, arguments.update && arguments.baseline.exists()) {
        (false, false) => None,
        _ => Some(Baseline::read(&arguments.baseline)?),
    };
    let mut progress = Progress::new(false, "kernel files");
    let collected = collect(&subjects, baseline.as_ref(), &mut progress);
    progress.finish();
    let collection = collected?;
    let missing = missing(&collection);
    if Tool::ALL.into_iter().all(|tool| !collection.has(tool)) {
        return Err(format!("nothing can be counted: {}", missing.join("; ")).into());
    }
    if arguments.require_all && !missing.is_empty() {
        return Err(format!("--require-all: {}", missing.join("; ")).into());
    }
    match (baseline, arguments.check) {
        (Some(baseline), true) => check(arguments, &compare(&baseline, &collection, only.as_ref())),
        (baseline, _) if arguments.update => update(arguments, baseline.as_ref(), &collection, only.as_ref()),
        _ => show(arguments, &collection),
    }
}

type Only = Option<BTreeSet<String>>;

fn subjects(names: &[String]) -> Result<(Vec<Subject>, Only), Error> {
    let all = Subject::all();
    if names.is_empty() {
        return Ok((all, None));
    }
    if let Some(unknown) = names.iter().find(|name| !all.iter().any(|subject| subject.name == **name)) {
        let mut known: Vec<&str> = all.iter().map(|subject| subject.name.as_str()).collect();
        known.dedup();
        return Err(format!(
            "--only: '{unknown}' has no kernels to count: expected some of {}",
            known.join(", ")
        )
        .into());
    }
    let only: BTreeSet<String> = names.iter().cloned().collect();
    Ok((all.into_iter().filter(|subject| only.contains(&subject.name)).collect(), Some(only)))
}

/// The committed baseline holds this program's own kernels. One from a file may have a baseline of its own.
fn refuse_user_kernels(arguments: &Arguments, subjects: &[Subject]) -> Result<(), Error> {
    let of_file =
        |subject: &&Subject| subject.implementation.as_ref().is_some_and(|known| known.given.is_some());
    let is_of_ours = arguments.baseline == Path::new(DEFAULT_BASELINE);
    match subjects.iter().find(of_file) {
        Some(external) if is_of_ours && (arguments.check || arguments.update) => Err(format!(
            "--with: {} comes from a file, and {DEFAULT_BASELINE} holds repro's own kernels: name a file of yours with --baseline",
            external.name
        )
        .into()),
        _ => Ok(()),
    }
}

/// Why tools are not here.
fn missing(collection: &Collection) -> Vec<String> {
    collection.tools.values().filter_map(|tool| tool.as_ref().err().cloned()).collect()
}

fn show(arguments: &Arguments, collection: &Collection) -> Result<Exit, Error> {
    output::print_value(arguments.json, &listing(collection), |width| {
        grids(collection).iter().map(|grid| grid.terminal(width)).collect::<Vec<_>>().join("\n")
    })?;
    missing(collection).iter().for_each(|why| output::complain(&format!("not counted: {why}")));
    Ok(complain_of_failed(collection))
}

fn complain_of_failed(collection: &Collection) -> Exit {
    // What is wrong with a file is wrong with each of its sets of parameters, and is printed once.
    let failed =
        collection.failed.iter().map(|one| ((&one.implementation, &one.message), one.params.as_str()));
    for ((implementation, message), params) in grouped(failed) {
        let params: Vec<&str> = distinct(params).into_iter().filter(|params| !params.is_empty()).collect();
        let of = if params.is_empty() { String::new() } else { format!(" ({})", params.join(", ")) };
        output::complain(&format!("{implementation}{of}: {message}"));
    }
    if collection.failed.is_empty() { Exit::Success } else { Exit::Failed }
}

fn update(
    arguments: &Arguments,
    old: Option<&Baseline>,
    collection: &Collection,
    only: Option<&BTreeSet<String>>,
) -> Result<Exit, Error> {
    if complain_of_failed(collection) == Exit::Failed {
        output::complain("the baseline is as it was: what is wrong is no figure to keep");
        return Ok(Exit::Failed);
    }
    let (new, notes) = Baseline::updated(old, collection, only)?;
    let path = &arguments.baseline;
    notes.iter().for_each(|note| output::complain(note));
    if old == Some(&new) {
        output::print(&format!("{} is up to date\n", path.display()))?;
        return Ok(Exit::Success);
    }
    new.write(path)?;
    output::show(&format!(
        "{} written: {}, {}\n",
        path.display(),
        count_of(new.figures.len(), "kernel"),
        count_of(new.figures.values().map(std::collections::BTreeMap::len).sum(), "figure")
    ))?;
    Ok(Exit::Success)
}

fn check(arguments: &Arguments, comparison: &Comparison) -> Result<Exit, Error> {
    if arguments.require_all && !comparison.not_compared.is_empty() {
        return Err(format!("--require-all: {}", comparison.not_compared.join("; ")).into());
    }
    if comparison.compared == 0 && !comparison.fails() {
        return Err(format!("nothing could be compared: {}", comparison.not_compared.join("; ")).into());
    }
    output::print_value(arguments.json, comparison, |_| comparison.to_string())?;
    Ok(if comparison.fails() { Exit::Failed } else { Exit::Success })
}
