//! The host's C++ compiler, and kernel libraries made with it, kept on disk.

use super::module::device_variable;
use crate::Instruments;
use crate::cache;
use crate::{EmulatorError, Options, Source};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The environment variable that names the C++ compiler, and wins over everything else.
pub const COMPILER_VARIABLE: &str = "REPRO_CXX";

const HEADER: &str = include_str!("../cuda/cuda.hpp");
const RUNTIME: &str = include_str!("../cuda/runtime.cpp");

/// Position-independent code whose only visible names are the entry points, with line numbers, and with calls where the
/// kernel has calls: a place in the code is known by its return address.
const COMMON: [&str; 12] = [
    "-std=c++20",
    "-fPIC",
    "-g",
    "-w",
    "-fvisibility=hidden",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-strict-aliasing",
    "-fno-optimize-sibling-calls",
    "-fno-stack-protector",
    "-ffp-contract=off",
    "-U_FORTIFY_SOURCE",
];

/// A name that nothing defines is an error here and not when the library is loaded, from the cache, time and again.
const LINKING: [&str; 2] = ["-shared", "-Wl,-z,defs"];

/// A C++ compiler that was found and answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Toolchain {
    program: PathBuf,
    /// The first line that it says of itself.
    version: String,
    clang: bool,
}

impl Toolchain {
    /// Finds a compiler: [`COMPILER_VARIABLE`], CXX, then c++, g++ and clang++ in the path.
    ///
    /// # Errors
    /// When there is none, or this is not Linux; the message says how to get one.
    pub fn find() -> Result<Self, EmulatorError> {
        if !cfg!(target_os = "linux") {
            return Err(EmulatorError::unavailable(
                "the emulated device needs Linux: it reads the symbols of ELF libraries",
            ));
        }
        // Set to nothing is unset, as shells have it.
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
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
        let said = String::from_utf8_lossy(&output.stdout);
        let version = said.lines().next()?.trim().to_string();
        Some(Self { program: program.to_path_buf(), clang: version.contains("clang"), version })
    }

    /// For example "g++ (Debian 12.2.0-14) 12.2.0".
    pub fn version(&self) -> &str {
        &self.version
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The library with the kernels of `source`, compiled now or earlier.
    ///
    /// # Errors
    /// When the compiler finds something wrong, or nothing can be written.
    pub(crate) fn library(
        &self,
        source: &Source,
        kernels: &[&str],
        options: &Options,
    ) -> Result<PathBuf, EmulatorError> {
        let code = translation_unit(source, kernels);
        let flags = self.flags(options.instruments);
        let program = self.program.to_string_lossy();
        let all_flags = [&COMMON[..], &LINKING, &flags.concat()].concat().join(" ");
        let parts = [&code, RUNTIME, &all_flags, &self.version, &program, std::env::consts::ARCH];
        let key = format!("{}.so", cache::key(&parts));
        let path = options.cache.join(&key);
        if cache::ends_with_its_hash(&path) {
            return Ok(path);
        }
        self.compile(source, &code, &flags, &options.cache, &path)?;
        Ok(path)
    }

    /// Flags beside the common ones, and those for the kernels alone, which have the compiler call for every access.
    fn flags(&self, instruments: Instruments) -> [Vec<&'static str>; 2] {
        let mut flags = vec![if instruments.any() { "-O1" } else { "-O2" }];
        // One barrier of the text stays one: GCC would give threads for which a condition holds before and behind it a copy of
        // their own. Clang knows better from `convergent`.
        if !self.clang {
            flags.push("-fno-thread-jumps");
        }
        if !instruments.any() {
            return [flags, Vec::new()];
        }
        flags.push("-DREPRO_TRACED");
        let mut tracing = vec!["-fsanitize=thread"];
        // Also finds an index that leaves its array and is still in memory. Not where accesses are counted: the compiler
        // then keeps in memory what would otherwise stay in a register, as it does on a GPU.
        if !instruments.count {
            // Not where banks are counted, which depend on where variables lie.
            tracing.push("-DREPRO_GUARDED");
            // Clang has more under the other name, which ends the process.
            tracing.push(if self.clang { "-fsanitize=array-bounds" } else { "-fsanitize=bounds" });
        }
        // Only loads and stores are asked for. Clang would leave out a load that a store of the same place follows.
        tracing.extend(if self.clang {
            [
                "-mllvm",
                "-tsan-instrument-func-entry-exit=0",
                "-mllvm",
                "-tsan-instrument-atomics=0",
                "-mllvm",
                "-tsan-instrument-read-before-write=1",
                "-fno-vectorize",
                "-fno-slp-vectorize",
            ]
            .as_slice()
        } else {
            ["--param", "tsan-instrument-func-entry-exit=0"].as_slice()
        });
        [flags, tracing]
    }

    fn compile(
        &self,
        source: &Source,
        code: &str,
        [flags, tracing]: &[Vec<&'static str>; 2],
        folder: &Path,
        path: &Path,
    ) -> Result<(), EmulatorError> {
        let unwritable = |error: &dyn std::fmt::Display| {
            EmulatorError::refused(format!(
                "cannot write emulated kernels to {} ({error}): set REPRO_CACHE to a folder that can be written",
                folder.display()
            ))
        };
        std::fs::create_dir_all(folder).map_err(|error| unwritable(&error))?;
        let beside = cache::scratch_folder(folder).map_err(|error| unwritable(&error))?;
        let result = (|| {
            let write = |name: &str, text: &str| {
                std::fs::write(beside.join(name), text).map_err(|error| unwritable(&error))
            };
            write("cuda.hpp", HEADER)?;
            write("kernel.cpp", code)?;
            write("runtime.cpp", RUNTIME)?;
            let step = |arguments: &[&str]| self.step(source, &beside, arguments);
            let common = [&COMMON[..], flags].concat();
            step(&[&common[..], tracing, &["-c", "kernel.cpp", "-o", "kernel.o"]].concat())?;
            let object = std::fs::read(beside.join("kernel.o")).unwrap_or_default();
            if let Some(name) = device_variable(&object) {
                // Nothing would check what blocks do to it, nor set it back when it is loaded again.
                return Err(EmulatorError::refused(format!(
                    "{} declares the __device__ variable {name}, which the emulated device does not have: pass a buffer, or \
                     make it __constant__",
                    source.file
                )));
            }
            // Without the sanitizer's flags, which would link its own runtime.
            step(&[&common[..], &LINKING, &["kernel.o", "runtime.cpp", "-o", "kernel.so"]].concat())?;
            if !beside.join("kernel.so").exists() {
                return Err(EmulatorError::unavailable(format!(
                    "{} made no library of {}: set {COMPILER_VARIABLE} to a C++ compiler",
                    self.program.display(),
                    source.file
                )));
            }
            cache::append_hash(&beside.join("kernel.so")).map_err(|error| unwritable(&error))?;
            std::fs::rename(beside.join("kernel.so"), path).map_err(|error| unwritable(&error))
        })();
        let _ = std::fs::remove_dir_all(&beside);
        result
    }

    fn step(&self, source: &Source, folder: &Path, arguments: &[&str]) -> Result<(), EmulatorError> {
        let output =
            Command::new(&self.program).args(arguments).current_dir(folder).output().map_err(|error| {
                EmulatorError::unavailable(format!(
                    "{} cannot be run ({error}): set {COMPILER_VARIABLE} to a C++ compiler",
                    self.program.display()
                ))
            })?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        if let Some(name) = said.lines().find_map(undefined_name) {
            return Err(EmulatorError::refused(format!(
                "{} uses {name}, which neither it nor the emulated device defines: define it, or do without it",
                source.file
            )));
        }
        let telling = |line: &&str| line.contains("error:");
        let first = said.lines().find(telling).or_else(|| said.lines().next());
        Err(EmulatorError::refused(format!(
            "{} does not compile with {}: {}",
            source.file,
            self.program.display(),
            first.unwrap_or("it did not say why").trim()
        )))
    }
}

/// The name that a linker's message says is defined nowhere.
fn undefined_name(line: &str) -> Option<&str> {
    let after =
        ["undefined reference to ", "undefined symbol: "].iter().find_map(|words| line.split_once(words))?.1;
    Some(after.trim().trim_matches(['`', '\'', '"']))
}

/// The kernel file with its headers in place, behind the emulator's header and with an entry point for each kernel.
fn translation_unit(source: &Source, kernels: &[&str]) -> String {
    let entries: String = kernels.iter().map(|kernel| format!("EMULATED_ENTRY({kernel})\n")).collect();
    // The header is named by hash, so that a change of it changes the key.
    format!(
        "// cuda.hpp {}\n#include \"cuda.hpp\"\n{}\n#line 1 \"entries of {}\"\n{entries}",
        blake3::hash(HEADER.as_bytes()).to_hex(),
        source.text,
        source.file
    )
}

#[cfg(test)]
mod tests {
    use super::undefined_name;

    #[test]
    fn the_name_that_is_missing_is_read_from_what_linkers_say() {
        let gnu = "kernel.cpp:3:(.text+0x8): undefined reference to `__tsan_atomic_thread_fence'";
        assert_eq!(undefined_name(gnu), Some("__tsan_atomic_thread_fence"));
        assert_eq!(undefined_name("ld.lld: error: undefined symbol: missing(int)"), Some("missing(int)"));
        assert_eq!(undefined_name("collect2: error: ld returned 1 exit status"), None);
    }
}
