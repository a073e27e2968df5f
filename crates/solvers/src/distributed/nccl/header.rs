//! Facts of nccl.h: types, values and signatures, as of version 2.28.

use std::ffi::{c_char, c_int, c_uint, c_void};

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

/// Blocks that a broadcast may have on a device, where those of NCCL's choice, 16 and more, take multiprocessors from kernels that run
/// beside it. On two H200s four of them bring a panel as fast as the work at the same time needs; `NCCL_MAX_CTAS` wins over this.
const MOST_CTAS: c_int = 4;

impl Config {
    /// NCCL's choice in everything but that no call waits for other processes, and that broadcasts leave the device to other kernels.
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
