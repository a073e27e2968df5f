//! NVRTC, loaded from a known file.
//!
//! cudarc's own binding is not used: it takes whichever libnvrtc the loader finds first, an unversioned one of another
//! CUDA included, and panics when there is none.

use super::compiler::CompiledCode;
use super::search::FoundLibrary;
use crate::{DeviceError, KernelSource};
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};

type Program = *mut c_void;

/// The entry points in use, and the library that keeps them valid.
pub struct Nvrtc {
    version: (i32, i32),
    architectures: Vec<i32>,
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int,
    destroy: unsafe extern "C" fn(*mut Program) -> c_int,
    log: OutputFns,
    cubin: OutputFns,
    ptx: OutputFns,
    /// CUDA's own headers, where they are installed with the library.
    folders: Vec<PathBuf>,
    _library: Library,
}

/// One of NVRTC's pairs of functions: the first returns a size, the second fills a buffer of that size.
#[derive(Clone, Copy)]
struct OutputFns {
    size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    get: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
}

impl Nvrtc {
    /// Loads the library, and before it its builtins from the same folder: NVRTC itself would look for them by name alone.
    ///
    /// # Errors
    /// When the file is not a usable NVRTC.
    pub fn load(found: &FoundLibrary) -> Result<Self, DeviceError> {
        let unusable = |error: &dyn std::fmt::Display| {
            DeviceError::unavailable(format!(
                "{} is not a usable NVRTC ({error}): choose another with REPRO_NVRTC",
                found.path.display()
            ))
        };
        if let Some(builtins) = builtins_beside(&found.path) {
            // SAFETY: NVIDIA's library of that name; loading it has no side effect beyond its being there.
            let library = unsafe { Library::open(Some(&builtins), RTLD_NOW | RTLD_GLOBAL) };
            std::mem::forget(library.map_err(|error| unusable(&error))?);
        }
        // SAFETY: as above. Each symbol is taken with the signature that nvrtc.h declares since CUDA 11.2, and is used
        // only while `_library` is loaded.
        unsafe {
            let library =
                Library::open(Some(&found.path), RTLD_NOW | RTLD_GLOBAL).map_err(|error| unusable(&error))?;
            macro_rules! symbol {
                ($name:literal) => {
                    *library.get($name).map_err(|error| unusable(&error))?
                };
            }
            let version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int = symbol!(b"nvrtcVersion\0");
            let count: unsafe extern "C" fn(*mut c_int) -> c_int = symbol!(b"nvrtcGetNumSupportedArchs\0");
            let list: unsafe extern "C" fn(*mut c_int) -> c_int = symbol!(b"nvrtcGetSupportedArchs\0");
            let (mut major, mut minor, mut architecture_count) = (0, 0, 0);
            version(&mut major, &mut minor);
            count(&mut architecture_count);
            let mut architectures = vec![0; usize::try_from(architecture_count).unwrap_or(0)];
            list(architectures.as_mut_ptr());
            Ok(Self {
                version: (major, minor),
                architectures,
                folders: folders_beside(&found.path),
                create: symbol!(b"nvrtcCreateProgram\0"),
                compile: symbol!(b"nvrtcCompileProgram\0"),
                destroy: symbol!(b"nvrtcDestroyProgram\0"),
                log: OutputFns {
                    size: symbol!(b"nvrtcGetProgramLogSize\0"),
                    get: symbol!(b"nvrtcGetProgramLog\0"),
                },
                cubin: OutputFns { size: symbol!(b"nvrtcGetCUBINSize\0"), get: symbol!(b"nvrtcGetCUBIN\0") },
                ptx: OutputFns { size: symbol!(b"nvrtcGetPTXSize\0"), get: symbol!(b"nvrtcGetPTX\0") },
                _library: library,
            })
        }
    }

    /// NVRTC's version, for example "13.0".
    pub fn version(&self) -> String {
        format!("{}.{}", self.version.0, self.version.1)
    }

    /// The architectures it compiles for, as 10 x major + minor, ascending.
    pub fn architectures(&self) -> &[i32] {
        &self.architectures
    }

    /// Compiles `source`. `architecture` is sm_NN for a cubin or compute_NN for PTX.
    ///
    /// # Errors
    /// When it does not compile: the first line of the compiler's complaint.
    pub fn compile(&self, source: &KernelSource, architecture: &str) -> Result<CompiledCode, DeviceError> {
        self.compile_with(source, architecture, options(source, architecture))
    }

    /// As [`Nvrtc::compile`], with these options in place of [`options`].
    ///
    /// # Errors
    /// As [`Nvrtc::compile`].
    pub fn compile_with(
        &self,
        source: &KernelSource,
        architecture: &str,
        mut options: Vec<String>,
    ) -> Result<CompiledCode, DeviceError> {
        let (file, text) = (&*source.file, &*source.text);
        let c = |text: &str| {
            CString::new(text).map_err(|_| DeviceError::other(format!("{file} holds a zero byte")))
        };
        let (file_c, text_c) = (c(file)?, c(text)?);
        let headers = source.all_headers();
        let names = headers.iter().map(|(name, _)| c(name)).collect::<Result<Vec<_>, _>>()?;
        let contents = headers.iter().map(|(_, content)| c(content)).collect::<Result<Vec<_>, _>>()?;
        // Only for a text that includes such headers: all other code then depends on nothing that is installed.
        if text.contains("#include <") {
            options.extend(self.folders.iter().map(|folder| format!("--include-path={}", folder.display())));
        }
        let options = options.iter().map(|option| c(option)).collect::<Result<Vec<_>, _>>()?;
        let pointers = |strings: &[CString]| strings.iter().map(|string| string.as_ptr()).collect::<Vec<_>>();

        let mut program: Program = std::ptr::null_mut();
        // SAFETY: every pointer is to a zero-terminated string that outlives the call, and the counts are theirs.
        let code = unsafe {
            (self.create)(
                &mut program,
                text_c.as_ptr(),
                file_c.as_ptr(),
                headers.len() as c_int,
                pointers(&contents).as_ptr(),
                pointers(&names).as_ptr(),
            )
        };
        if code != 0 {
            return Err(DeviceError::other(format!(
                "NVRTC took {file} not at all (error {code}): see repro doctor"
            )));
        }
        // SAFETY: `program` was created above; the options are zero-terminated strings.
        let code = unsafe { (self.compile)(program, options.len() as c_int, pointers(&options).as_ptr()) };
        let log = self.output(program, self.log).unwrap_or_default();
        let log = CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy().into_owned();
        let outputs = if architecture.starts_with("sm_") { self.cubin } else { self.ptx };
        let image = if code == 0 { self.output(program, outputs) } else { None };
        // SAFETY: destroyed once, after its last use.
        unsafe { (self.destroy)(&mut program) };
        image.map(|image| CompiledCode { image, log: log.clone() }).ok_or_else(|| {
            let complaint = log.lines().find(|line| line.contains("error")).unwrap_or("no message");
            DeviceError::other(format!(
                "NVRTC {} cannot compile {file} for {architecture}: {complaint}",
                self.version()
            ))
        })
    }

    fn output(&self, program: Program, outputs: OutputFns) -> Option<Vec<u8>> {
        let mut size = 0;
        // SAFETY: `program` is alive; `size` is the number of bytes that the second call fills.
        unsafe {
            if (outputs.size)(program, &mut size) != 0 {
                return None;
            }
            let mut bytes = vec![0u8; size];
            ((outputs.get)(program, bytes.as_mut_ptr().cast()) == 0).then_some(bytes)
        }
    }
}

/// Lets profilers and sanitizers name source lines; does not change the code, and is three quarters of an image.
pub const LINES: &str = "-lineinfo";

/// Options of every compilation; part of the cache's key.
pub fn options(source: &KernelSource, architecture: &str) -> Vec<String> {
    // Architecture-specific targets such as sm_90a came with 9.0; earlier architectures have none.
    let has_own = architecture.rsplit('_').next().and_then(|number| number.parse().ok()) >= Some(90);
    let specific = if source.architecture_specific && has_own { "a" } else { "" };
    let mut options = vec![
        format!("--gpu-architecture={architecture}{specific}"),
        LINES.to_string(),
        "--ptxas-options=-v".to_string(),
    ];
    options.extend(source.defines.iter().map(|(name, value)| format!("--define-macro={name}={value}")));
    options
}

/// The folders of CUDA's headers that lie where the library does: in a toolkit, or in the wheels that bring it.
fn folders_beside(library: &Path) -> Vec<PathBuf> {
    let Some(root) = library.parent().and_then(Path::parent) else { return Vec::new() };
    let beside = root.join("../cuda_runtime/include");
    let include = [root.join("include"), root.join("../../include"), beside]
        .into_iter()
        .find(|it| it.join("cuda_fp16.h").exists());
    let own = include.into_iter().flat_map(|include| [include.join("cccl"), include]);
    own.filter(|folder| folder.is_dir()).collect()
}

fn builtins_beside(library: &Path) -> Option<PathBuf> {
    std::fs::read_dir(library.parent()?)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("libnvrtc-builtins.so.") && !name.contains(".alt.")
        })
        .max()
}
