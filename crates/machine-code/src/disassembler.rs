//! nvdisasm, NVIDIA's disassembler: where it may be, and running it.

use crate::{KernelListing, read};
use repro_base::files::{Scratch, variable, write_new};
use repro_device::DeviceError;
use repro_device::cuda::{FoundLibrary, fetch, fetched_tool_paths, find_nvrtc, python_sites};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The environment variable that names the disassembler, and wins over everything else.
pub const DISASSEMBLER_VARIABLE: &str = "REPRO_NVDISASM";

const PROGRAM: &str = "nvdisasm";
const REMEDY: &str = "install the CUDA toolkit, or set REPRO_NVDISASM to it";

/// A disassembler that was found and answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Disassembler {
    program: PathBuf,
    /// What pointed to it, for `repro doctor`.
    origin: String,
    version: String,
}

impl Disassembler {
    /// Finds nvdisasm: [`DISASSEMBLER_VARIABLE`], near the NVRTC in use, CUDA_PATH and CUDA_HOME, /usr/local/cuda, the
    /// project's own `target/tools`, the path, then Python environments. The first that answers wins.
    ///
    /// # Errors
    /// When there is none; the message says how to get one.
    pub fn find() -> Result<Self, DeviceError> {
        if let Some(named) = variable(DISASSEMBLER_VARIABLE) {
            let program = PathBuf::from(named);
            return Self::ask(&program, DISASSEMBLER_VARIABLE).ok_or_else(|| {
                DeviceError::unavailable(format!(
                    "{DISASSEMBLER_VARIABLE} names {}, which is no nvdisasm that answers --version: correct it or unset it",
                    program.display()
                ))
            });
        }
        let found = places().into_iter().find_map(|(folder, origin)| {
            let program = folder.join(PROGRAM);
            if program.is_file() { Self::ask(&program, &origin) } else { None }
        });
        found.ok_or_else(|| {
            DeviceError::unavailable(format!("no disassembler ({PROGRAM}) found: {}{REMEDY}", fetch()))
        })
    }

    fn ask(program: &Path, origin: &str) -> Option<Self> {
        let output = Command::new(program).arg("--version").output().ok().filter(|it| it.status.success())?;
        let version = version_in(&String::from_utf8_lossy(&output.stdout))?;
        Some(Self { program: program.to_path_buf(), origin: origin.to_string(), version })
    }

    /// Its version, for example "13.2.86".
    pub fn version(&self) -> &str {
        &self.version
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    /// What pointed to it.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The listing of `cubin`, as JSON. `file` is the kernel file's name, for messages.
    ///
    /// # Errors
    /// When it cannot be run or refuses the cubin.
    fn listing(&self, file: &str, cubin: &[u8]) -> Result<Vec<u8>, DeviceError> {
        let refused = |problem: &str| self.cannot_list(file, problem);
        let unwritable = |error: std::io::Error| {
            DeviceError::other(format!(
                "cannot write machine code to a temporary folder ({error}): set TMPDIR to one that can be written"
            ))
        };
        // nvdisasm reads files alone, no pipe.
        let folder = Scratch::new("listing").map_err(unwritable)?;
        let path = folder.path().join("kernel.cubin");
        let output = write_new(&path, cubin)
            .map_err(unwritable)
            .map(|()| Command::new(&self.program).arg("-json").arg(&path).output());
        let output = output?.map_err(|error| refused(&error.to_string()))?;
        if !output.status.success() {
            let printed = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(refused(printed.lines().next().unwrap_or("it did not say why").trim()));
        }
        Ok(output.stdout)
    }

    /// The kernels of `cubin`, as its listing has them.
    ///
    /// # Errors
    /// When there is no listing, or none that is understood.
    pub fn kernels(&self, file: &str, cubin: &[u8]) -> Result<Vec<KernelListing>, DeviceError> {
        let listing = self.listing(file, cubin)?;
        read(&listing).map_err(|problem| self.cannot_list(file, &problem))
    }

    /// The error that there is no listing of `file`, or none that is understood, and what to do.
    pub fn cannot_list(&self, file: &str, problem: &str) -> DeviceError {
        let (program, version) = (self.program.display(), &self.version);
        DeviceError::other(format!("{program} {version} cannot list {file}: {problem}: {}{REMEDY}", fetch()))
    }
}

/// 13.2.86 from "Cuda compilation tools, release 13.2, V13.2.86".
fn version_in(printed: &str) -> Option<String> {
    let (_, behind) = printed.split_once(", V")?;
    behind.split_whitespace().next().map(str::to_string)
}

/// Folders to look into, each with what pointed to it, in order.
fn places() -> Vec<(PathBuf, String)> {
    let mut places = Vec::new();
    if let Ok(FoundLibrary { path, .. }) = find_nvrtc(None) {
        // Toolkits have libraries in lib64 or targets/x86_64-linux/lib, wheels in lib.
        let roots = path.ancestors().skip(2).take(3).map(|root| (root.join("bin"), "next to NVRTC".into()));
        places.extend(roots);
    }
    for variable in ["CUDA_PATH", "CUDA_HOME"] {
        if let Some(root) = repro_base::files::variable(variable) {
            places.push((PathBuf::from(root).join("bin"), variable.to_string()));
        }
    }
    places.push(("/usr/local/cuda/bin".into(), "/usr/local/cuda".into()));
    places.extend(
        fetched_tool_paths().into_iter().map(|(folder, origin)| (folder.join("nvidia/cu13/bin"), origin)),
    );
    if let Some(path) = variable("PATH") {
        places.extend(std::env::split_paths(&path).map(|folder| (folder, "PATH".to_string())));
    }
    let of_python = python_sites().into_iter();
    places.extend(of_python.map(|site| (site.join("nvidia/cu13/bin"), "Python environment".to_string())));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read_from_what_it_says_of_itself() {
        let printed = "nvdisasm: NVIDIA (R) CUDA disassembler\nCopyright (c) 2005-2026 NVIDIA Corporation\n\
                    Cuda compilation tools, release 13.2, V13.2.86\nBuild cuda_13.2.r13.2/compiler.1_0\n";
        assert_eq!(version_in(printed).as_deref(), Some("13.2.86"));
        assert_eq!(version_in("ls (GNU coreutils) 9.1"), None);
    }
}
