//! The host's C++ compiler.

use crate::EmulatorError;
use repro_base::files::variable;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The environment variable that names the C++ compiler. It wins over `CXX` and the compilers in the path.
pub const COMPILER_VARIABLE: &str = "REPRO_CXX";

/// A C++ compiler that was found and answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Toolchain {
    pub(crate) program: PathBuf,
    /// The first line of its description of itself.
    pub(crate) version: String,
    pub(crate) clang: bool,
}

impl Toolchain {
    /// Finds a compiler: [`COMPILER_VARIABLE`], CXX, then c++, g++ and clang++ in the path.
    ///
    /// # Errors
    /// When there is none, or this is not Linux; the message says how to get one.
    pub fn find() -> Result<Self, EmulatorError> {
        // Asked once: a process may be let execute nothing later.
        static FOUND: OnceLock<Toolchain> = OnceLock::new();
        FOUND.get().cloned().map_or_else(|| Self::look().map(|it| FOUND.get_or_init(|| it).clone()), Ok)
    }

    fn look() -> Result<Self, EmulatorError> {
        if !cfg!(target_os = "linux") {
            return Err(EmulatorError::unavailable(
                "the emulated device needs Linux: it reads the symbols of ELF libraries",
            ));
        }
        if let Some(named) = variable(COMPILER_VARIABLE) {
            return Self::ask(Path::new(&named)).ok_or_else(|| {
                EmulatorError::unavailable(format!(
                    "{COMPILER_VARIABLE} names {}, which is no C++ compiler that answers --version: correct it or unset it",
                    Path::new(&named).display()
                ))
            });
        }
        let of_build = variable("CXX").map(PathBuf::from);
        let usual = ["c++", "g++", "clang++"].map(PathBuf::from);
        of_build.into_iter().chain(usual).find_map(|program| Self::ask(&program)).ok_or_else(|| {
            EmulatorError::unavailable(format!(
                "the emulated device needs a C++ compiler and found none: install g++ or clang++, or set {COMPILER_VARIABLE} to one"
            ))
        })
    }

    fn ask(program: &Path) -> Option<Self> {
        let output = Command::new(program).arg("--version").output().ok().filter(|it| it.status.success())?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let version = printed.lines().next()?.trim().to_string();
        Some(Self { program: program.to_path_buf(), clang: version.contains("clang"), version })
    }

    /// For example "g++ (Debian 12.2.0-14) 12.2.0".
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The compiler as it is called: a name in the path, or a path.
    pub fn program(&self) -> &Path {
        &self.program
    }
}
