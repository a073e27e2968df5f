//! What all pages of a report share.

use super::{script, style};
use base64::{Engine, prelude::BASE64_STANDARD};
use sha2::{Digest, Sha256};

/// Style and script of a page, and where the report's folder is from it.
pub(super) struct Shell {
    pub(super) style: String,
    pub(super) script: String,
    /// The browser runs this script and no other, whatever text a record brought in.
    pub(super) script_hash: String,
    /// Before the names of files below the report's folder: empty or `../`.
    pub(super) root: &'static str,
}

impl Shell {
    pub(super) fn new(root: &'static str, dark_variants: &[(&str, &str)]) -> Self {
        let script = script::script();
        Self {
            style: style::style(dark_variants),
            script_hash: BASE64_STANDARD.encode(Sha256::digest(&script)),
            script,
            root,
        }
    }
}
