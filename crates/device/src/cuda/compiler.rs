//! From kernel files to machine code for one architecture, through a cache on disk; what a compilation made, and the assembler's figures of it.

use super::nvrtc::{Nvrtc, options};
use super::search::find_nvrtc;
use super::supported_cuda;
use crate::{DeviceError, KernelSource};
use repro_emulator::{cache_folder, cache_key, keep, kept};

/// NVRTC, set to the architecture of one device.
pub struct Compiler {
    nvrtc: Nvrtc,
    /// sm_NN, or compute_NN when the device is newer than the compiler.
    architecture: String,
}

impl Compiler {
    /// Finds and loads NVRTC for a device of this compute capability.
    ///
    /// # Errors
    /// When there is none, or it is too new for the device.
    pub fn new(compute_capability: (u32, u32)) -> Result<Self, DeviceError> {
        let driver_major = supported_cuda().ok().and_then(|version| version.split('.').next()?.parse().ok());
        let found = find_nvrtc(driver_major)?;
        let nvrtc = Nvrtc::load(&found)?;
        let wanted = (compute_capability.0 * 10 + compute_capability.1) as i32;
        let architecture = target(wanted, nvrtc.architectures()).ok_or_else(|| {
            DeviceError::unavailable(format!(
                "NVRTC {} at {} no longer compiles for compute capability {}.{}: point REPRO_NVRTC to one of an older CUDA",
                nvrtc.version(),
                found.path.display(),
                compute_capability.0,
                compute_capability.1
            ))
        })?;
        Ok(Self { nvrtc, architecture })
    }

    /// The compiler with its version and target, for example "NVRTC 13.0 (sm_90)".
    pub fn version(&self) -> String {
        format!("NVRTC {} ({})", self.nvrtc.version(), self.architecture)
    }

    /// Machine code for `source`.
    ///
    /// # Errors
    /// When it does not compile.
    pub fn compile(&self, source: &KernelSource) -> Result<Vec<u8>, DeviceError> {
        let key = cache_key(&[
            &source.hash(),
            &options(source, &self.architecture).join(" "),
            &self.nvrtc.version(),
        ]);
        let folder = cache_folder().ok();
        if let Some(image) = folder.as_ref().and_then(|folder| kept(&folder.join(&key))) {
            return Ok(image);
        }
        let image = self.nvrtc.compile(source, &self.architecture)?.image;
        // A cache that cannot be written costs time at the next start and nothing else.
        let _ = folder.map(|folder| keep(&folder, &key, &image));
        Ok(image)
    }
}

/// sm_NN, for machine code, when the compiler knows the device; compute_NN, for PTX that the driver compiles, when the device is newer.
fn target(wanted: i32, known: &[i32]) -> Option<String> {
    if known.contains(&wanted) {
        return Some(format!("sm_{wanted}"));
    }
    let newest = *known.iter().max()?;
    (wanted > newest).then(|| format!("compute_{newest}"))
}

/// Machine code or PTX.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledCode {
    /// A cubin, or PTX text ending in a zero byte.
    pub image: Vec<u8>,
    /// The compiler's log, the resources of each kernel included.
    pub log: String,
}

/// What a kernel takes of a multiprocessor, according to the assembler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelBuild {
    /// Registers a thread.
    pub registers: u64,
    /// Bytes a thread that are stored to local memory for want of registers: the sum over all spill stores in the code.
    pub spill_store_bytes: u64,
    /// Bytes a thread that are loaded from local memory for want of registers: the sum over all spill loads in the code.
    pub spill_load_bytes: u64,
    /// Local memory a thread for spills, arrays and calls, bytes.
    pub stack_bytes: u64,
    /// Shared memory of fixed size, bytes a block.
    pub shared_bytes: u64,
}

impl CompiledCode {
    /// Registers a thread of `kernel`, according to the assembler; None for PTX, which the assembler has not seen.
    pub fn registers(&self, kernel: &str) -> Option<u64> {
        self.builds().into_iter().find(|(name, _)| name == kernel).map(|(_, build)| build.registers)
    }

    /// What every kernel takes, in the assembler's order. Empty for PTX; a kernel without all of its lines in the log is left out.
    pub fn builds(&self) -> Vec<(String, KernelBuild)> {
        let parts = self.log.split("Compiling entry function '").skip(1);
        parts.filter_map(|part| Some((part.split_once('\'')?.0.to_string(), build(part)?))).collect()
    }
}

/// The figures in the part of a log that is about one kernel; none where one of them is missing.
fn build(part: &str) -> Option<KernelBuild> {
    Some(KernelBuild {
        registers: before(part, " registers")?,
        spill_store_bytes: before(part, " bytes spill stores")?,
        spill_load_bytes: before(part, " bytes spill loads")?,
        stack_bytes: before(part, " bytes stack frame")?,
        // The log leaves shared memory out for kernels without any.
        shared_bytes: before(part, " bytes smem").unwrap_or(0),
    })
}

/// The number just before `words`.
fn before(text: &str, words: &str) -> Option<u64> {
    text.split_once(words)?.0.rsplit([' ', ',', '\n']).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_newer_than_the_compiler_gets_ptx_and_an_older_one_nothing() {
        let known = [75, 80, 90];
        assert_eq!(target(90, &known).as_deref(), Some("sm_90"));
        assert_eq!(target(120, &known).as_deref(), Some("compute_90"));
        assert_eq!(target(70, &known), None);
    }

    const LOG: &str = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_90'
ptxas info    : Function properties for first
ptxas         .     16 bytes stack frame, 24 bytes spill stores, 40 bytes spill loads
ptxas info    : Used 56 registers, used 1 barriers, 16 bytes cumulative stack size, 1024 bytes smem
ptxas info    : Compiling entry function 'second' for 'sm_90'
ptxas info    : Function properties for second
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers
";

    #[test]
    fn every_kernel_has_what_the_log_says_of_it() {
        let compiled = CompiledCode { image: Vec::new(), log: LOG.to_string() };
        let first = KernelBuild {
            registers: 56,
            spill_store_bytes: 24,
            spill_load_bytes: 40,
            stack_bytes: 16,
            shared_bytes: 1024,
        };
        let second = KernelBuild { registers: 8, ..KernelBuild::default() };
        assert_eq!(compiled.builds(), [("first".to_string(), first), ("second".to_string(), second)]);
        assert_eq!((compiled.registers("second"), compiled.registers("third")), (Some(8), None));
        // Of which the log does not tell everything is left out.
        let cut = LOG.split("Used 8").next().unwrap().to_string();
        for (log, count) in [(cut, 1), (String::new(), 0)] {
            assert_eq!(CompiledCode { image: Vec::new(), log }.builds().len(), count);
        }
    }
}
