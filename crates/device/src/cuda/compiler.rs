//! From kernel files to machine code for one architecture, through a cache on disk.

use super::disassembler::Disassembler;
use super::nvrtc::{Nvrtc, options};
use super::probe::supported_cuda;
use super::search::{FoundLibrary, find_nvrtc};
use crate::{DeviceError, KernelSource};
use repro_files::{cache_folder, cache_key, keep, kept};
use repro_machine_code::reorder::{VERSION, check, reorder};

/// NVRTC, set to the architecture of one device.
pub struct Compiler {
    nvrtc: Nvrtc,
    found: FoundLibrary,
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
        Ok(Self { nvrtc, found, architecture })
    }

    /// For example "NVRTC 13.0 (sm_90)".
    pub fn version(&self) -> String {
        format!("NVRTC {} ({})", self.nvrtc.version(), self.architecture)
    }

    /// The library in use.
    pub fn library(&self) -> &FoundLibrary {
        &self.found
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
            if source.reordered { VERSION } else { "" },
        ]);
        let folder = cache_folder().ok();
        if let Some(image) = folder.as_ref().and_then(|folder| kept(&folder.join(&key))) {
            return Ok(image);
        }
        let image = if source.reordered { self.reordered(source)? } else { self.compile_now(source)? };
        // A cache that cannot be written costs time at the next start and nothing else.
        let _ = folder.map(|folder| keep(&folder, &key, &image));
        Ok(image)
    }

    fn compile_now(&self, source: &KernelSource) -> Result<Vec<u8>, DeviceError> {
        Ok(self.nvrtc.compile(source, &self.architecture)?.image)
    }

    fn reordered(&self, source: &KernelSource) -> Result<Vec<u8>, DeviceError> {
        if !self.architecture.starts_with(ORDERED) {
            return Err(DeviceError::other(format!(
                "the order of machine code is known for {ORDERED} alone, and this device is {}: run it without",
                self.architecture
            )));
        }
        in_both_orders(&source.file, || self.compile_now(source)).map(|(_, after)| after)
    }
}

/// The architecture of which it is known how long instructions take.
const ORDERED: &str = "sm_90";

/// How often code is compiled to be given another order.
const MOST_TRIED: usize = 4;

/// Machine code with its loops of tasks in another order, after that was listed again and found to compute the same. `file` is the kernel
/// file's name, for messages.
///
/// # Errors
/// When there is no disassembler, when no loop can have another order, and when one that has is not found to be right.
pub fn reordered(file: &str, image: &[u8]) -> Result<Vec<u8>, DeviceError> {
    in_order(file, image)?
}

/// What `compile` gives, and the same [`reordered`]. Code that the pass leaves alone is compiled again: NVRTC does not give the same each
/// time, now and then a loop that the pass does not take. Code that it made wrong is not.
///
/// # Errors
/// As [`reordered`], and when it does not compile.
pub fn in_both_orders(
    file: &str,
    mut compile: impl FnMut() -> Result<Vec<u8>, DeviceError>,
) -> Result<(Vec<u8>, Vec<u8>), DeviceError> {
    let mut tried = 1;
    loop {
        let before = compile()?;
        match in_order(file, &before)? {
            Err(_) if tried < MOST_TRIED => tried += 1,
            after => return after.map(|after| (before, after)),
        }
    }
}

/// As [`reordered`]; the inner error is about a loop that was left alone.
fn in_order(file: &str, image: &[u8]) -> Result<Result<Vec<u8>, DeviceError>, DeviceError> {
    let disassembler = Disassembler::find()?;
    let cannot = |problem: &str| {
        DeviceError::other(format!(
            "cannot give the machine code of {file} another order: {problem}: run it without"
        ))
    };
    let before = disassembler.kernels(file, image)?;
    let (image, outcomes) = reorder(image, &before).map_err(|problem| cannot(&problem))?;
    let none = outcomes.first().filter(|_| outcomes.iter().all(|outcome| outcome.left.is_some()));
    if let Some(missed) = outcomes.iter().find(|outcome| outcome.is_missed()).or(none) {
        let why = missed.left.as_deref().unwrap_or_default();
        return Ok(Err(cannot(&format!("of {} {why}", missed.kernel))));
    }
    let after = disassembler.kernels(file, &image)?;
    if before.len() != after.len() {
        return Err(cannot("it has other kernels than before"));
    }
    for (before, after) in before.iter().zip(&after) {
        check(before, after).map_err(|problem| cannot(&format!("in {} {problem}", before.name)))?;
    }
    Ok(Ok(image))
}

/// Machine code when the compiler knows the device, PTX for the driver to finish when the device is newer.
fn target(wanted: i32, known: &[i32]) -> Option<String> {
    if known.contains(&wanted) {
        return Some(format!("sm_{wanted}"));
    }
    let newest = *known.iter().max()?;
    (wanted > newest).then(|| format!("compute_{newest}"))
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
}
