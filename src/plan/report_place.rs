//! Where a report shows an experiment.

use serde::{Deserialize, Serialize};

/// What `[report]` of an experiment's file says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReportPlace {
    /// The experiment that it is a part of, and whose parts are shown together; of the first part its own name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// Its place in the story of the papers. Experiments without one come after those, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<u32>,
    /// Whether its numbers stand in the claims that they decide, so that its tables are shown and no figures.
    #[serde(skip_serializing_if = "is_false")]
    pub tables_alone: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(holds: &bool) -> bool {
    !holds
}
