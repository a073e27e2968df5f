//! From kernel files to machine code for one architecture, through a cache on disk.

use super::nvrtc::{Nvrtc, options};
use super::probe::supported_cuda;
use super::search::{FoundLibrary, find_nvrtc};
use crate::{DeviceError, KernelSource};
use repro_emulator::{cache_folder, cache_key, keep, kept};

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
