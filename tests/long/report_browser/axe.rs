//! axe-core's checks of accessibility on a page that a browser has open.

use super::browser::Browser;
use crate::common::missing_tool;
use serde_json::Value;
use std::path::Path;

/// Where `scripts/fetch` puts it.
const SCRIPT: &str = "target/tools/axe/node_modules/axe-core/axe.min.js";

/// Every finding of every level below `element`: the rule, what it says, and the first elements that break it.
///
/// # Panics
/// When axe-core is not there.
pub fn findings(browser: &mut Browser, element: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(SCRIPT);
    let script = std::fs::read_to_string(&path).unwrap_or_else(|error| {
        missing_tool(format!("axe-core: {}: {error}; scripts/fetch axe gets it where npm is", path.display()))
    });
    browser.eval(&format!("{script};0"));
    browser.eval(&format!(
        "axe.run({element}, {{ resultTypes: ['violations'] }}).then(({{ violations }}) => violations.map((one) =>
            [one.id, one.help, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200))]))"
    ))
}
