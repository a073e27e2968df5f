//! A file for distances, or standard output.

use repro_terminal::Error;
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};

/// Where distances go.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Out {
    File(PathBuf),
    /// Standard output.
    Standard,
}

impl Out {
    /// Where `-` is standard output.
    ///
    /// # Errors
    /// Where a terminal would have to show bytes, or two things would go to standard output.
    pub fn of(given: &Path, json: bool, is_terminal: bool) -> Result<Self, Error> {
        match () {
            () if !is_standard_output(given) => Ok(Self::File(given.to_owned())),
            () if json => Err("--out - and --json both write to standard output: name a file for --out, or leave --json out".into()),
            () if is_terminal => {
                Err("--out - writes a .npy matrix, and standard output is a terminal: send it to a program or a file, as in \
                     `--out - > distances.npy`"
                    .into())
            }
            () => Ok(Self::Standard),
        }
    }

    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(file) => Some(file),
            Self::Standard => None,
        }
    }
}

impl fmt::Display for Out {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::File(file) => write!(f, "{}", file.display()),
            Self::Standard => write!(f, "standard output"),
        }
    }
}

pub(super) fn is_standard_output(out: &Path) -> bool {
    out == Path::new("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_output_takes_a_matrix_unless_it_is_a_terminal_or_has_json() {
        let of = |given: &str, json, is_terminal| {
            Out::of(Path::new(given), json, is_terminal).map_err(|error| error.to_string())
        };
        assert_eq!(of("-", false, false), Ok(Out::Standard));
        assert_eq!(of("d.npy", true, true), Ok(Out::File("d.npy".into())));
        assert!(of("-", false, true).unwrap_err().contains("is a terminal: send it to a program or a file"));
        assert!(of("-", true, false).unwrap_err().contains("name a file for --out"));
    }
}
