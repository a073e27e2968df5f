//! Where the libraries that come with CUDA or next to it may be: NVRTC, its run-time compiler, and others.

use crate::DeviceError;
use repro_base::files::variable;
use std::path::{Path, PathBuf};

/// The environment variable that names the NVRTC library or its folder, and wins over everything else.
pub const NVRTC_VARIABLE: &str = "REPRO_NVRTC";

/// Where `scripts/fetch` puts NVRTC and its disassembler, in a clone.
const FETCHED: &str = "target/tools/nvrtc";

/// An NVRTC library file.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundLibrary {
    pub path: PathBuf,
    /// What pointed to it, for `repro doctor`.
    pub origin: String,
    /// CUDA's major version, from the file name.
    pub major: u32,
}

/// Finds NVRTC: [`NVRTC_VARIABLE`], CUDA_PATH and CUDA_HOME, the folders of the dynamic loader's variable, the usual
/// install folders, the project's own `target/tools`, then Python environments. The first place that has one wins; within a
/// place, the version of the driver (`driver_major`), then the newest.
///
/// # Errors
/// When there is none; the message says how to get one.
pub fn find_nvrtc(driver_major: Option<u32>) -> Result<FoundLibrary, DeviceError> {
    if let Some(value) = variable(NVRTC_VARIABLE) {
        let path = PathBuf::from(&value);
        return in_place(&path, NVRTC_VARIABLE, driver_major).ok_or_else(|| {
            DeviceError::unavailable(format!(
                "{NVRTC_VARIABLE} names {}, where there is no libnvrtc.so.N: correct it or unset it",
                path.display()
            ))
        });
    }
    places(&["nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"])
        .into_iter()
        .find_map(|(folder, origin)| in_place(&folder, &origin, driver_major))
        .ok_or_else(|| {
            DeviceError::unavailable(format!(
                "no NVRTC (libnvrtc.so) found: {}install the CUDA toolkit, or set {NVRTC_VARIABLE} to its folder",
                fetch()
            ))
        })
}

/// Folders to look into, each with what pointed to it, in order. `in_wheels` are folders, relative to a site folder of Python, in which
/// wheels put the library.
pub fn places(in_wheels: &[&str]) -> Vec<(PathBuf, String)> {
    let mut places = Vec::new();
    for variable in ["CUDA_PATH", "CUDA_HOME"] {
        if let Some(root) = repro_base::files::variable(variable) {
            add_toolkit(&mut places, Path::new(&root), variable);
        }
    }
    if let Some(folders) = variable("LD_LIBRARY_PATH") {
        places.extend(std::env::split_paths(&folders).map(|at| (at, "LD_LIBRARY_PATH".to_string())));
    }
    add_toolkit(&mut places, Path::new("/usr/local/cuda"), "/usr/local/cuda");
    for toolkit in matching(Path::new("/usr/local"), "cuda-") {
        add_toolkit(&mut places, &toolkit, "/usr/local/cuda-*");
    }
    for folder in ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"] {
        places.push((folder.into(), "system libraries".into()));
    }
    let mut environments = fetched_tool_paths();
    for site in python_sites() {
        environments.push((site, "Python environment".into()));
    }
    for (site, origin) in environments {
        places.extend(in_wheels.iter().map(|inside| (site.join(inside), origin.clone())));
    }
    places
}

/// The advice to run `scripts/fetch nvrtc`, as the beginning of a remedy; empty where that script is not there.
pub fn fetch() -> &'static str {
    if Path::new("scripts/fetch").is_file() { "run scripts/fetch nvrtc, or " } else { "" }
}

/// Folders where `scripts/fetch` puts tools, each with what pointed to it: of a clone that is the working folder, and of the clone that
/// this program was built in.
pub fn fetched_tool_paths() -> Vec<(PathBuf, String)> {
    let built = std::env::current_exe()
        .ok()
        .and_then(|program| Some(program.parent()?.parent()?.join("tools/nvrtc")));
    let in_clone = [Some(PathBuf::from(FETCHED)), built].into_iter().flatten();
    in_clone.map(|folder| (folder, format!("{FETCHED} (scripts/fetch)"))).collect()
}

fn add_toolkit(places: &mut Vec<(PathBuf, String)>, root: &Path, origin: &str) {
    let folders = ["lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"];
    places.extend(folders.map(|folder| (root.join(folder), origin.to_string())));
}

/// Site folders of the active Python environment, of the `python3` on the path, and of the system, without starting
/// Python: that alone would take longer than everything else here.
pub fn python_sites() -> Vec<PathBuf> {
    let mut prefixes: Vec<PathBuf> = ["VIRTUAL_ENV", "CONDA_PREFIX"]
        .iter()
        .filter_map(|variable| repro_base::files::variable(variable).map(PathBuf::from))
        .collect();
    if let Some(path) = variable("PATH") {
        // Environments put links to an interpreter elsewhere: the folder on the path counts, not the link's target.
        let interpreter =
            std::env::split_paths(&path).map(|folder| folder.join("python3")).find(|file| file.exists());
        prefixes.extend(interpreter.and_then(|file| Some(file.parent()?.parent()?.to_path_buf())));
    }
    if let Some(home) = std::env::home_dir() {
        prefixes.push(home.join(".local"));
    }
    prefixes.extend(["/usr/local".into(), "/usr".into()]);
    let mut sites = Vec::new();
    for prefix in prefixes {
        for library in matching(&prefix.join("lib"), "python3") {
            sites.extend(["site-packages", "dist-packages"].map(|folder| library.join(folder)));
        }
    }
    sites
}

/// Entries of `folder` whose name starts with `prefix`, highest name first.
fn matching(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found.reverse();
    found
}

/// The NVRTC at `place`, a folder or the library itself: the driver's version if it is there, else the newest.
fn in_place(place: &Path, origin: &str, driver_major: Option<u32>) -> Option<FoundLibrary> {
    let files = if place.is_file() { vec![place.to_path_buf()] } else { matching(place, "libnvrtc.so.") };
    files
        .into_iter()
        .filter_map(|path| {
            let major = major_of(&path)?;
            Some(FoundLibrary { path, origin: origin.to_string(), major })
        })
        .max_by_key(|found| (Some(found.major) == driver_major, found.major))
}

/// 13 from libnvrtc.so.13 and from libnvrtc.so.13.0.88.
fn major_of(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?;
    name.strip_prefix("libnvrtc.so.")?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_the_driver_wins_and_then_the_newest_and_a_folder_without_the_library_holds_none() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| std::fs::write(folder.path().join(name), "").unwrap();
        write("libnvrtc-builtins.so.13.0");
        assert_eq!(in_place(folder.path(), "test", None), None);
        ["libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc.so"].into_iter().for_each(write);
        let found = |driver| in_place(folder.path(), "test", driver).unwrap().major;
        assert_eq!([Some(12), Some(13), None, Some(14)].map(found), [12, 13, 13, 13]);
    }
}
