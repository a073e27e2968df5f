//! `repro export`: a stored run for a repository of research data.

use crate::export::{About, Author, ro_crate};
use crate::lists::count_of;
use repro_terminal::output::print;
use repro_terminal::{Error, Exit};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  repro export results/reference/h200/table1 --ro-crate --out table1-crate
  repro export results/runs/table1-20261121T030000Z --ro-crate --out crate --author 'Ada Lovelace <https://orcid.org/0000-0000-0000-0000>'

The folder can be put into an archive, or given to Zenodo, WorkflowHub and others as it is. It has a copy of the records, and
ro-crate-metadata.json, which says what made them from what, when, on which machine, with a checksum of each file.")]
pub struct Arguments {
    /// The folder of the run
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// As an RO-Crate 1.1 by the profile Process Run Crate 0.5
    #[arg(long, required = true)]
    ro_crate: bool,
    /// The folder to write, which must be empty or not there
    #[arg(long, value_name = "DIR", required = true)]
    out: PathBuf,
    /// Who made the run; may be given several times. Nobody is named otherwise
    #[arg(long, value_name = "NAME <ADDRESS>", value_parser = author)]
    author: Vec<Author>,
    /// The licence of the records: its address, or its name
    #[arg(long, value_name = "LICENCE", default_value = env!("CARGO_PKG_LICENSE"))]
    license: String,
    /// Export also a run that has not finished, or whose records are not as they were written, and say so in it
    #[arg(long)]
    unsealed: bool,
}

/// Reads `NAME` or `NAME <ADDRESS>`.
fn author(text: &str) -> Result<Author, String> {
    let (name, address) = match text.split_once('<') {
        None => (text, None),
        Some((name, rest)) => (name, Some(rest.trim_end().strip_suffix('>').unwrap_or_default().trim())),
    };
    let is_address = |address: &str| address.starts_with("https://") || address.starts_with("http://");
    if name.trim().is_empty() || address.is_some_and(|address| !is_address(address)) {
        return Err("expected NAME or NAME <https://...>, for example with an ORCID".to_string());
    }
    Ok(Author { name: name.trim().to_string(), address: address.map(str::to_string) })
}

/// Writes the crate and says where it is.
pub fn run(arguments: &Arguments) -> Result<Exit, Error> {
    let about = About {
        authors: arguments.author.clone(),
        license: arguments.license.clone(),
        published: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
    };
    let files = ro_crate(&arguments.run, &arguments.out, arguments.unsealed, &about)?;
    print(&format!("{}: {}\n", arguments.out.display(), count_of(files, "file")))?;
    Ok(Exit::Success)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_author_has_a_name_and_may_have_an_address() {
        let of = |name: &str, address: Option<&str>| {
            Ok(Author { name: name.into(), address: address.map(str::to_string) })
        };
        assert_eq!(author("Ada Lovelace"), of("Ada Lovelace", None));
        assert_eq!(author("Ada <https://orcid.org/0>"), of("Ada", Some("https://orcid.org/0")));
        for wrong in ["", " ", "<https://orcid.org/0>", "Ada <ada@example.org>", "Ada <https://orcid.org/0"] {
            assert!(author(wrong).unwrap_err().starts_with("expected NAME"), "{wrong}");
        }
    }
}
