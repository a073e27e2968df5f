//! The library: finding its file, loading it, its version, its numbers for communicators and its errors; and what nccl.h says of it as of
//! version 2.28: types, values and signatures.

use super::PATIENCE;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use repro_base::files::variable;
use repro_device::cuda::places;
use repro_device::{DeviceError, FailureKind};
use std::ffi::{CStr, OsStr, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

/// The environment variable that names the NCCL library or its folder, and wins over everything else.
pub const NCCL_VARIABLE: &str = "REPRO_NCCL";

/// The name of the library, then that of development packages.
const NAMES: [&str; 2] = ["libnccl.so.2", "libnccl.so"];

/// A symbol that only the stand-in of tests has.
const STAND_IN: &[u8] = b"repro_stand_in\0";

/// The stand-in notices at once when a process is lost, and a round of emulated devices may take long.
const PATIENCE_OF_STAND_IN: Duration = Duration::from_secs(3600);

/// 2.14 brought communicators whose calls do not wait for other processes.
const OLDEST: c_int = 21_400;

/// Environment variables of NCCL that are set where the user did not set them, with the reason.
const DEFAULTS: [(&str, &str); 2] = [
    // NVLink multicast gains nothing for broadcasts, and on a shared host it can take GPUs out of service.
    ("NCCL_NVLS_ENABLE", "0"),
    // NCCL writes what NCCL_DEBUG asks for to standard output, where measuring processes send their records.
    ("NCCL_DEBUG_FILE", "/dev/stderr"),
];

/// NCCL, loaded.
pub struct Nccl {
    path: PathBuf,
    origin: String,
    version: c_int,
    pub(super) stand_in: bool,
    /// How long NCCL may take in the background.
    pub(super) patience: Duration,
    pub(super) functions: Functions,
}

impl Nccl {
    /// Finds NCCL and loads it: by [`NCCL_VARIABLE`], then in the path of the dynamic loader, then where NVRTC is looked for. In Python
    /// environments that is the folder of the wheel `nvidia-nccl-cu13` or `-cu12`.
    ///
    /// # Errors
    /// When there is none, or an unusable one; or when NVLink multicast is neither off nor asked for by the user, and can no longer be
    /// turned off here: see [`set_nccl_defaults`].
    pub fn open() -> Result<Rc<Self>, DeviceError> {
        ensure_multicast_is_decided()?;
        Self::find().map(Rc::new)
    }

    /// Finds NCCL for those who join no devices and only want to know whether it is there.
    ///
    /// # Errors
    /// When there is none, or an unusable one.
    pub fn find() -> Result<Self, DeviceError> {
        if let Some(named) = variable(NCCL_VARIABLE) {
            let named = PathBuf::from(named);
            let file = in_place(&named).ok_or_else(|| {
                DeviceError::unavailable(format!(
                    "{NCCL_VARIABLE} names {}, where there is no {}: correct it or unset it",
                    named.display(),
                    NAMES[0]
                ))
            })?;
            return Self::load(&file, NCCL_VARIABLE);
        }
        for name in NAMES {
            if let Ok(library) = open(name.as_ref()) {
                return Self::resolve(library, Path::new(name), "the dynamic loader");
            }
        }
        let found = places(&["nvidia/nccl/lib"])
            .into_iter()
            .find_map(|(folder, origin)| Some((in_place(&folder)?, origin)));
        let (file, origin) = found.ok_or_else(|| {
            DeviceError::unavailable(format!(
                "no NCCL ({}) found: install the package libnccl2, or set {NCCL_VARIABLE} to the folder of another, such as that of the Python package nvidia-nccl-cu13",
                NAMES[0]
            ))
        })?;
        Self::load(&file, &origin)
    }

    /// Loads this file.
    ///
    /// # Errors
    /// When it is not a usable NCCL.
    pub(super) fn load(file: &Path, origin: &str) -> Result<Self, DeviceError> {
        let library = open(file.as_os_str()).map_err(|error| unusable(file, &reason(&error)))?;
        Self::resolve(library, file, origin)
    }

    fn resolve(library: Library, name: &Path, origin: &str) -> Result<Self, DeviceError> {
        // SAFETY: each symbol is taken with the signature that nccl.h declares, unchanged since the version that is asked for below.
        let functions = unsafe {
            macro_rules! symbol {
                ($name:literal) => {
                    *library.get($name).map_err(|error| unusable(name, &reason(&error)))?
                };
            }
            Functions {
                get_version: symbol!(b"ncclGetVersion\0"),
                get_unique_id: symbol!(b"ncclGetUniqueId\0"),
                error_string: symbol!(b"ncclGetErrorString\0"),
                last_error: symbol!(b"ncclGetLastError\0"),
                init_rank: symbol!(b"ncclCommInitRankConfig\0"),
                destroy: symbol!(b"ncclCommDestroy\0"),
                abort: symbol!(b"ncclCommAbort\0"),
                async_error: symbol!(b"ncclCommGetAsyncError\0"),
                group_start: symbol!(b"ncclGroupStart\0"),
                group_end: symbol!(b"ncclGroupEnd\0"),
                broadcast: symbol!(b"ncclBroadcast\0"),
            }
        };
        // SAFETY: the symbol is looked up, and not used.
        let stand_in = unsafe { library.get::<*const c_int>(STAND_IN) }.is_ok();
        let patience = if stand_in { PATIENCE_OF_STAND_IN } else { PATIENCE };
        std::mem::forget(library);
        let path = file_at(functions.get_version as usize).unwrap_or_else(|| name.to_path_buf());
        let mut nccl = Self { path, origin: origin.to_string(), version: 0, stand_in, patience, functions };
        // SAFETY: writes one int to the given address.
        let code = unsafe { (nccl.functions.get_version)(&mut nccl.version) };
        nccl.accept("asking NCCL for its version", code, std::ptr::null_mut())?;
        if nccl.version < OLDEST {
            return Err(unusable(name, &format!("it is {}", nccl.version())));
        }
        Ok(nccl)
    }

    /// For example "2.28.9".
    pub fn version(&self) -> String {
        format!("{}.{}.{}", self.version / 10_000, self.version / 100 % 100, self.version % 100)
    }

    /// Whether it is the stand-in of tests, which joins emulated devices.
    pub fn is_stand_in(&self) -> bool {
        self.stand_in
    }

    /// The file that was loaded.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What pointed to the file, such as [`NCCL_VARIABLE`] or the dynamic loader.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The number of a new communicator, which one process asks for and hands out to all others. NCCL then listens for them in this
    /// process, on the network interface that NCCL_SOCKET_IFNAME names.
    ///
    /// # Errors
    /// When NCCL finds no network interface.
    pub fn unique_id(&self) -> Result<[u8; 128], DeviceError> {
        let mut id = UniqueId([0; 128]);
        // SAFETY: writes the 128 bytes of the struct.
        let code = unsafe { (self.functions.get_unique_id)(&mut id) };
        self.accept("asking NCCL for a new communicator's number", code, std::ptr::null_mut())?;
        Ok(id.0)
    }

    /// An error for every code but success and work that goes on in the background, in NCCL's words. `of` may be null.
    pub(super) fn accept(&self, action: &str, code: Code, of: Handle) -> Result<(), DeviceError> {
        let (kind, remedy) = match code {
            SUCCESS | IN_PROGRESS => return Ok(()),
            UNHANDLED_CUDA_ERROR => {
                (FailureKind::Lost, "check nvidia-smi and free memory; NCCL_DEBUG=WARN has NCCL explain it")
            }
            SYSTEM_ERROR => (
                FailureKind::Lost,
                "check the network (NCCL_SOCKET_IFNAME names the interface) and /dev/shm; NCCL_DEBUG=WARN has NCCL explain it",
            ),
            REMOTE_ERROR => {
                (FailureKind::Lost, "another process died or cannot be reached: see its messages")
            }
            INVALID_ARGUMENT | INVALID_USAGE => (FailureKind::Other, "NCCL_DEBUG=WARN has NCCL explain it"),
            _ => (FailureKind::Lost, "NCCL_DEBUG=WARN has NCCL explain it"),
        };
        // SAFETY: both return a zero-terminated string of the library's, or null; it is copied before the next call.
        let (name, last) =
            unsafe { (text((self.functions.error_string)(code)), text((self.functions.last_error)(of))) };
        let last = if last.is_empty() { last } else { format!(" ({last})") };
        Err(DeviceError::new(kind, format!("{action} failed with NCCL's \"{name}\"{last}: {remedy}")))
    }
}

/// Checks that NVLink multicast is off, or on by the user's own decision.
pub(super) fn ensure_multicast_is_decided() -> Result<(), DeviceError> {
    set_nccl_defaults();
    let (multicast, off) = DEFAULTS[0];
    if std::env::var_os(multicast).is_some() {
        return Ok(());
    }
    Err(DeviceError::unavailable(format!(
        "NCCL would use NVLink multicast, which can take GPUs of a shared host out of service: set {multicast}={off} before the start, \
         since a program with several threads cannot set it"
    )))
}

/// Sets those variables of NCCL that its use here needs and that the user did not set: NVLink multicast off, messages to standard error.
/// To be called at the start of a program: where other threads run already, which may read the environment, nothing is set.
pub fn set_nccl_defaults() {
    let alone = || std::fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1);
    for (variable, value) in DEFAULTS {
        if std::env::var_os(variable).is_none() && alone() {
            // SAFETY: this is the only thread, so none reads the environment meanwhile, and no other could start one.
            unsafe { std::env::set_var(variable, value) };
        }
    }
}

/// The library in a folder, or the file itself.
fn in_place(place: &Path) -> Option<PathBuf> {
    if place.is_file() {
        return Some(place.to_path_buf());
    }
    NAMES.iter().map(|name| place.join(name)).find(|file| file.is_file())
}

fn open(name: &OsStr) -> Result<Library, libloading::Error> {
    // SAFETY: NVIDIA's library of that name, or what the user names as such; loading it has no side effect beyond its being there.
    unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) }
}

/// The loader's own words, which libloading keeps as the source of its error.
fn reason(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

fn unusable(file: &Path, reason: &str) -> DeviceError {
    DeviceError::unavailable(format!(
        "{} is not a usable NCCL of 2.14 or newer ({reason}): choose another with {NCCL_VARIABLE}",
        file.display()
    ))
}

/// The file that the code at `address` was loaded from, where the system knows.
fn file_at(address: usize) -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    maps.lines().find_map(|line| {
        let mut fields = line.splitn(6, ' ');
        let (start, end) = fields.next()?.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        let path = fields.nth(4)?.trim_start();
        ((number(start)?..number(end)?).contains(&address) && path.starts_with('/')).then(|| path.into())
    })
}

/// # Safety
/// `start` is null or the start of a zero-terminated string.
unsafe fn text(start: *const c_char) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    let text = unsafe { CStr::from_ptr(start) }.to_string_lossy();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// ncclComm_t.
pub type Handle = *mut c_void;

/// ncclResult_t. Newer libraries may have more values than these, hence no enum.
pub type Code = c_int;
pub const SUCCESS: Code = 0;
pub const UNHANDLED_CUDA_ERROR: Code = 1;
pub const SYSTEM_ERROR: Code = 2;
pub const INVALID_ARGUMENT: Code = 4;
pub const INVALID_USAGE: Code = 5;
pub const REMOTE_ERROR: Code = 6;
pub const IN_PROGRESS: Code = 7;

/// ncclUint8 of ncclDataType_t.
pub const BYTES: c_int = 1;

/// ncclUniqueId, which is passed by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct UniqueId(pub [u8; 128]);

/// ncclConfig_t. Older libraries read the first part that they know, newer ones read `size` bytes.
#[repr(C)]
pub struct Config {
    size: usize,
    magic: c_uint,
    version: c_uint,
    blocking: c_int,
    cga_cluster_size: c_int,
    min_ctas: c_int,
    max_ctas: c_int,
    net_name: *const c_char,
    split_share: c_int,
    traffic_class: c_int,
    comm_name: *const c_char,
    collnet_enable: c_int,
    cta_policy: c_int,
    shrink_share: c_int,
    nvls_ctas: c_int,
    n_channels_per_net_peer: c_int,
    nvlink_centric_sched: c_int,
}

/// The most blocks of a broadcast on a device. NCCL would choose 16 or more, which take multiprocessors from kernels that run at the same
/// time. On two H200s, four blocks bring a panel as fast as that work needs; `NCCL_MAX_CTAS` wins over this.
const MOST_CTAS: c_int = 4;

impl Config {
    /// NCCL's own choice, except that no call waits for other processes, and that broadcasts leave most of the device to other kernels.
    pub fn in_the_background() -> Self {
        const UNDEFINED: c_int = c_int::MIN;
        Self {
            size: size_of::<Self>(),
            magic: 0xcafe_beef,
            version: 22_800,
            blocking: 0,
            cga_cluster_size: UNDEFINED,
            min_ctas: UNDEFINED,
            max_ctas: MOST_CTAS,
            net_name: std::ptr::null(),
            split_share: UNDEFINED,
            traffic_class: UNDEFINED,
            comm_name: std::ptr::null(),
            collnet_enable: UNDEFINED,
            cta_policy: UNDEFINED,
            shrink_share: UNDEFINED,
            nvls_ctas: UNDEFINED,
            n_channels_per_net_peer: UNDEFINED,
            nvlink_centric_sched: UNDEFINED,
        }
    }
}

/// The entry points in use. They stay valid: the library is never unloaded, since threads of its own may still run in it.
pub struct Functions {
    pub get_version: unsafe extern "C" fn(*mut c_int) -> Code,
    pub get_unique_id: unsafe extern "C" fn(*mut UniqueId) -> Code,
    pub error_string: unsafe extern "C" fn(Code) -> *const c_char,
    pub last_error: unsafe extern "C" fn(Handle) -> *const c_char,
    pub init_rank: unsafe extern "C" fn(*mut Handle, c_int, UniqueId, c_int, *mut Config) -> Code,
    pub destroy: unsafe extern "C" fn(Handle) -> Code,
    pub abort: unsafe extern "C" fn(Handle) -> Code,
    pub async_error: unsafe extern "C" fn(Handle, *mut Code) -> Code,
    pub group_start: unsafe extern "C" fn() -> Code,
    pub group_end: unsafe extern "C" fn() -> Code,
    pub broadcast:
        unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, c_int, Handle, *mut c_void) -> Code,
}
