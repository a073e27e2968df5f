//! Findings for programs that show them at their lines.

use crate::check::CheckedKernel;
use repro_base::lists::{count_of, distinct};
use repro_emulator::Finding;
use serde_json::{Value, json};
use std::path::{Component, Path};

/// One run with a result a finding, for <https://docs.oasis-open.org/sarif/sarif/v2.1.0/>. A place is where the file lies from here, or an
/// absolute address.
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

/// An error of a workflow of GitHub Actions for each finding, what limits them as warnings, and how many there are.
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

/// Where a file of this name lies: from here if it is below.
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

/// A path as an address.
fn address(path: &str) -> String {
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(byte);
    let escaped =
        |byte: u8| if is_plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    let escaped: String = path.bytes().map(escaped).collect();
    format!("{scheme}{escaped}")
}
