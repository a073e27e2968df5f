//! The command `check-kernel`, and `repro check`: one kernel of any CUDA C++ file, checked by the emulated device. Findings are printed as
//! lines, or as JSON, SARIF or annotations for programs.

pub use crate::check::CheckArgs;
use crate::check::{CheckedKernel, KernelArgument, check, kernels};
use repro_base::lists::{count_of, distinct};
use repro_base::terminal::{Error, Exit, Progress, output};
use repro_base::text::{decimals, quoted};
use repro_emulator::{BANKS_16, BANKS_32, Counts, Finding, Signature};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Component, Path};

/// Checks the kernel and prints what was found.
///
/// # Errors
/// When the file cannot be read or compiled, lacks the kernel, or the kernel cannot be launched so.
pub fn run(args: &CheckArgs) -> Result<Exit, Error> {
    if args.kernel.is_none() {
        return list(args);
    }
    let mut progress = Progress::new(false, "launches");
    let checked = check(args, |doing, done, of| progress.progress(doing, done, of, None));
    progress.finish();
    let checked = checked?;
    let warnings = warnings(args, &checked);
    warnings.iter().for_each(|warning| output::complain(warning));
    if args.json {
        output::print(&output::json(&checked)?)?;
    } else if args.sarif {
        output::print(&output::json(&sarif(&checked))?)?;
    } else if args.annotations {
        output::print(&annotations(&checked, &warnings))?;
    } else {
        output::print(&checked.printed)?;
        output::show(&in_lines(&checked))?;
    }
    Ok(if checked.findings.is_empty() { Exit::Success } else { Exit::Failed })
}

/// Prints the kernels of the file, and returns an error in any case, since nothing was checked.
fn list(args: &CheckArgs) -> Result<Exit, Error> {
    let (found, file) = (kernels(args)?, args.file.display());
    if args.json {
        output::print(&output::json(&found)?)?;
    } else {
        let line = |Signature { file, line, name, template_parameters: of, parameters, .. }: &Signature| {
            let template = if of.is_empty() { "" } else { &format!("<{of}>") };
            format!("{file}:{line}: {name}{template}({parameters})\n")
        };
        output::print(&found.iter().map(line).collect::<String>())?;
    }
    let Some(first) = found.iter().find(|it| it.template_parameters.is_empty()).or(found.first()) else {
        let remedy = "give a file that has a __global__ function with a body";
        return Err(format!("{file} defines no kernel: {remedy}").into());
    };
    let (kernels, so) = (count_of(found.len(), "kernel"), example(first));
    let problem = format!("nothing was checked: {file} defines {kernels}");
    Err(format!("{problem}; choose one, its launch and its arguments, as in: {so}").into())
}

/// The command that was given, with what checks this kernel once, by buffers of as many numbers as there are threads; what launch and
/// arguments it is meant for is for its author to say.
fn example(kernel: &Signature) -> String {
    // Words of the type; 64 of it by value, and a buffer of 64.
    const KINDS: [(&[&str], &str, &str); 4] = [
        (&["float"], "float:64", "random-floats:256"),
        (&["double"], "double:64", "random-doubles:512"),
        (&["long", "size_t", "64_t"], "long:64", "random:512"),
        (&[""], "int:64", "random:1024"),
    ];
    let argument = |parameter: &str| {
        let known = KINDS.iter().find(|(words, ..)| words.iter().any(|word| parameter.contains(word)));
        known.map_or("", |(_, value, buffer)| if parameter.contains(['*', '[']) { buffer } else { value })
    };
    let parameters = kernel.parameters.split(',').filter(|one| !["", "void"].contains(&one.trim()));
    let arguments: String = parameters.map(|one| format!(" {}", argument(one))).collect();
    let given: String = std::env::args_os().map(|word| quoted(&word.to_string_lossy()) + " ").collect();
    let arguments = if arguments.is_empty() { arguments } else { format!(" --args{arguments}") };
    format!("{given}--kernel {} --grid 1 --block 64{arguments}", quoted(&kernel.name))
}

/// What limits the findings: what could not be seen, was assumed or was left out.
fn warnings(args: &CheckArgs, checked: &CheckedKernel) -> Vec<String> {
    let varies: Vec<bool> = args.arguments.iter().filter_map(KernelArgument::varies).collect();
    let elements: Vec<&str> = args.arguments.iter().filter_map(KernelArgument::element).collect();
    let (elements, unseen, could) =
        (elements.join(", "), checked.unseen.join(", "), checked.unconfined.join("; "));
    let is_plain = !varies.is_empty() && !varies.contains(&true);
    let plain = "all buffers hold one number or rising numbers, with which a kernel may not do what depends on its data: random:BYTES shows more";
    let not_counted = "not counted: what a kernel with findings does would be counted with its mistakes";
    let all = [
        is_plain.then(|| plain.to_string()),
        (!elements.is_empty()).then(|| format!("value: was taken for {elements}; a float has a point, as in 1.0")),
        (!unseen.is_empty()).then(|| format!(
            "these functions are called and not inlined, so that structs which pass to or from them by value are not seen: {unseen}"
        )),
        checked.bounds_unseen.as_ref().map(|why| format!(
            "accesses beyond local arrays and tables of constants were not looked for to the end: {why}"
        )),
        (!could.is_empty()).then(|| format!("this system does not confine the kernel wholly: it could {could}")),
        (!checked.absent.is_empty()).then(|| format!(
            "these headers were not found and are passed over, with what depends on them: {}; -I names folders", checked.absent.join(", ")
        )),
        (args.count && checked.counts.is_none()).then(|| not_counted.to_string()),
    ];
    all.into_iter().flatten().collect()
}

/// One line for each finding, then a summary, then what was counted.
fn in_lines(checked: &CheckedKernel) -> String {
    let mut text = String::new();
    for found in &checked.findings {
        let (first, rest) = (found.orders[0], &found.orders[1..]);
        let also =
            if rest.is_empty() { String::new() } else { format!("; also in {}", listed("order", rest)) };
        let _ = writeln!(text, "order {first}: {}{also}", found.finding);
    }
    let mut count = count_of(checked.orders.len(), "order");
    if !checked.seeds.is_empty() {
        let _ = write!(count, " on random data of {}", listed("seed", &checked.seeds));
        if !checked.refilled.is_empty() {
            let _ = write!(count, " (other data in {})", listed("order", &checked.refilled));
        }
    }
    let _ = match &checked.findings[..] {
        [] => writeln!(text, "{count}, no findings"),
        [one] => writeln!(text, "{count}, 1 finding; --order {} repeats it", one.orders[0]),
        [first, ..] => {
            let (more, first) = (checked.findings.len(), first.orders[0]);
            writeln!(text, "{count}, {more} findings; --order {first} repeats the first")
        }
    };
    text.extend(checked.counts.as_ref().map(counts_in_lines));
    text
}

/// "order 1" or "orders 1, 2".
fn listed(noun: &str, numbers: &[u64]) -> String {
    let all: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    format!("{noun}{} {}", if all.len() == 1 { "" } else { "s" }, all.join(", "))
}

/// The counts in two parts, of global and of shared memory; the second where shared memory was used.
fn counts_in_lines(counts: &Counts) -> String {
    let mut shared = counts.shared_figures().to_vec();
    if !shared.is_empty() {
        shared.extend(BANKS_16.into_iter().chain(BANKS_32));
    }
    let global = counts.global_figures().iter().copied().chain(counts.rare_figures()).collect();
    let of_shared = "Shared memory, one launch; ways: worst and mean steps of an access";
    let mut text = String::new();
    for (title, figures) in [("Global memory, one launch", global), (of_shared, shared)] {
        let Some(widest) = figures.iter().map(|(name, _)| name.len()).max() else { continue };
        let _ = writeln!(text, "\n{title}");
        for (name, read) in figures {
            let _ = writeln!(text, "  {name:widest$}  {:>16}", read(counts).text(decimals));
        }
    }
    text
}

/// The findings in SARIF, <https://docs.oasis-open.org/sarif/sarif/v2.1.0/>: one run, with one result for each. A place is a path
/// relative to the working folder, or an absolute URI.
pub fn sarif(checked: &CheckedKernel) -> Value {
    let all = checked.findings.iter().map(|found| &found.finding);
    let rules = distinct(all.clone().map(|finding| finding.kind));
    let rules: Vec<Value> = rules
        .iter()
        .map(|kind| json!({ "id": kind, "shortDescription": { "text": kind.to_string() } }))
        .collect();
    let result = |finding: &Finding| {
        let place = finding.place.as_ref();
        let locations: Vec<Value> = place
            .map(|place| {
                json!({ "physicalLocation": {
                    "artifactLocation": { "uri": address(&path(checked, &place.file)) },
                    "region": { "startLine": place.line },
                } })
            })
            .into_iter()
            .collect();
        json!({
            "ruleId": finding.kind,
            "level": "error",
            "message": { "text": finding.to_string() },
            "locations": locations,
        })
    };
    let driver = json!({ "name": "check-kernel", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "results": all.map(result).collect::<Vec<_>>() }],
    })
}

/// Workflow commands of GitHub Actions: an error for each finding, a warning for each of `warnings`, and a notice of how many findings.
/// <https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>
pub fn annotations(checked: &CheckedKernel, warnings: &[String]) -> String {
    // A command ends with its line, and these characters end its parts.
    let value = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| value(text).replace(':', "%3A").replace(',', "%2C");
    let line = |finding: &Finding| {
        let place = finding.place.as_ref().map_or_else(String::new, |place| {
            format!("file={},line={},", property(&path(checked, &place.file)), place.line)
        });
        let title = property(&finding.kind.to_string());
        format!("::error {place}title={title}::{}\n", value(&finding.to_string()))
    };
    let all: String = checked.findings.iter().map(|found| line(&found.finding)).collect();
    let warnings = warnings.iter().map(|one| format!("::warning title=check-kernel::{}\n", value(one)));
    let all: String = std::iter::once(all).chain(warnings).collect();
    let orders = count_of(checked.orders.len(), "order");
    let (kernel, found) = (value(&checked.kernel), count_of(checked.findings.len(), "finding"));
    format!("{all}::notice title=check-kernel::{kernel}: {found} in {orders}\n")
}

/// The path of the file that has this name in findings: relative to the working folder if it lies below that.
fn path(checked: &CheckedKernel, name: &str) -> String {
    let known = checked.paths.iter().find(|(known, _)| known == name);
    let path = known.map_or(Path::new(name), |(_, path)| path);
    let here = std::env::current_dir().unwrap_or_default();
    let path = path.strip_prefix(here).unwrap_or(path);
    path.components()
        .filter(|part| *part != Component::CurDir)
        .collect::<std::path::PathBuf>()
        .display()
        .to_string()
}

/// A path as a URI, with `file://` where it is absolute.
fn address(path: &str) -> String {
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(byte);
    let escaped =
        |byte: u8| if is_plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    let escaped: String = path.bytes().map(escaped).collect();
    format!("{scheme}{escaped}")
}
