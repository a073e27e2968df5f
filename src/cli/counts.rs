//! `repro counts`

use crate::lists::{count_of, distinct};
use crate::regression::counts::{
    ARCHITECTURE, Baseline, Collection, CountTarget, DEFAULT_BASELINE, Figures, KernelKey, N, collect,
    compare,
};
use crate::report::{count_comparison, count_failures, count_tables, not_counted};
use repro_base::terminal::{Error, Exit, Progress, output};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Count instructions, bytes and registers of every kernel, which need no clock, and compare them with the committed baseline
#[derive(clap::Args)]
pub struct CountsArgs {
    /// Compare with the baseline, and fail where a count rose
    #[arg(long, conflicts_with = "update")]
    check: bool,
    /// Write the counts of today to the baseline; the difference is then reviewed with the change that caused it
    #[arg(long)]
    update: bool,
    /// The file of the baseline, one count a line
    #[arg(long, value_name = "FILE", default_value = DEFAULT_BASELINE)]
    baseline: PathBuf,
    /// Only these implementations; use `layout` and `ceilings` for the shared kernels
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    only: Vec<String>,
    /// Stop where the C++ compiler, NVRTC or the disassembler is missing, or is not the one of the baseline
    #[arg(long)]
    require_all: bool,
    /// Print everything as JSON in place of tables
    #[arg(long)]
    json: bool,
}

pub fn run(given: &CountsArgs) -> Result<Exit, Error> {
    let CountsArgs { check: is_check, update: is_update, baseline: path, .. } = given;
    let targets = targets(given)?;
    // Read first: a broken baseline is not found after half a minute.
    let is_read = *is_check || (*is_update && path.exists());
    let baseline = if is_read { Baseline::read(path)? } else { Baseline::default() };
    let mut progress = Progress::new(false, "kernel files");
    let counted = collect(&targets, &baseline, &mut progress);
    progress.finish();
    let missing = counted.missing.values().cloned().collect::<Vec<_>>().join("; ");
    if counted.tools.is_empty() {
        return Err(format!("nothing can be counted: {missing}").into());
    }
    if given.require_all && !missing.is_empty() {
        return Err(format!("--require-all: {missing}").into());
    }
    count_failures(&counted).iter().for_each(|failure| output::complain(failure));
    let ended = match (is_check, is_update) {
        (true, _) => check(given, baseline, &counted)?,
        (_, true) => update(given, baseline, &counted)?,
        _ => show(given, &counted)?,
    };
    Ok(if counted.failures.is_empty() { ended } else { Exit::Failed })
}

/// What is to be counted. The committed baseline holds this program's own kernels; one from a file may have a baseline of its own.
fn targets(given: &CountsArgs) -> Result<Vec<CountTarget>, Error> {
    let CountsArgs { only, check, update, baseline, .. } = given;
    let mut all = CountTarget::all();
    if let Some(unknown) = only.iter().find(|name| !all.iter().any(|target| target.name == **name)) {
        let known = distinct(all.iter().map(|target| target.name.as_str())).join(", ");
        return Err(format!("--only: '{unknown}' has no kernels to count: expected some of {known}").into());
    }
    all.retain(|target| only.is_empty() || only.contains(&target.name));
    let is_of_ours = (*check || *update) && baseline == Path::new(DEFAULT_BASELINE);
    let mut known = all.iter().filter_map(|target| target.implementation.as_ref());
    match known.find(|known| is_of_ours && known.given.is_some()) {
        Some(of_file) => {
            let problem = format!("{} is of a file, {DEFAULT_BASELINE} holds repro's own", of_file.name);
            Err(format!("--with: {problem}: name a file of yours with --baseline").into())
        }
        None => Ok(all),
    }
}

fn show(given: &CountsArgs, counted: &Collection) -> Result<Exit, Error> {
    let kernel = |(key, figures): (&KernelKey, &Figures)| {
        let KernelKey { implementation, params, kernel } = key;
        json!({ "implementation": implementation, "params": params, "kernel": kernel, "figures": figures })
    };
    let listing = json!({
        "n": N,
        "architecture": ARCHITECTURE,
        "tools": counted.tools,
        "missing": counted.missing,
        "kernels": counted.figures.iter().map(kernel).collect::<Vec<_>>(),
    });
    output::print_value(given.json, &listing, |width| {
        let tables = count_tables(&counted.figures);
        tables.iter().map(|table| table.terminal(width)).collect::<Vec<_>>().join("\n")
    })?;
    not_counted(counted).iter().for_each(|line| output::complain(line));
    Ok(Exit::Success)
}

fn update(given: &CountsArgs, old: Baseline, counted: &Collection) -> Result<Exit, Error> {
    if !counted.failures.is_empty() {
        output::complain("the baseline was not changed, since some kernels failed");
        return Ok(Exit::Failed);
    }
    let path = given.baseline.display();
    let new = old.clone().updated(counted, &given.only)?;
    for (tool, why) in &counted.missing {
        let kept = if new.tools.contains_key(tool) { "kept from the old" } else { "not in the new" };
        output::complain(&format!("{kept} baseline: figures of {tool} ({why})"));
    }
    if old == new {
        output::print(&format!("{path} is up to date\n"))?;
        return Ok(Exit::Success);
    }
    new.write(&given.baseline)?;
    let kernels = count_of(new.figures.len(), "kernel");
    output::show(&format!("{path} written: {kernels}\n"))?;
    Ok(Exit::Success)
}

fn check(given: &CountsArgs, mut baseline: Baseline, counted: &Collection) -> Result<Exit, Error> {
    let only = &given.only;
    baseline.figures.retain(|key, _| only.is_empty() || only.contains(&key.implementation));
    let comparison = compare(&baseline, counted);
    let not_compared = comparison.not_compared.values().cloned().collect::<Vec<_>>().join("; ");
    if given.require_all && !not_compared.is_empty() {
        return Err(format!("--require-all: {not_compared}").into());
    }
    if comparison.compared == 0 && !comparison.fails() && counted.failures.is_empty() {
        return Err(format!("nothing could be compared: {not_compared}").into());
    }
    output::print_value(given.json, &comparison, |_| count_comparison(&comparison))?;
    Ok(if comparison.fails() { Exit::Failed } else { Exit::Success })
}
