//! The shadow in which compiled code notes what belongs to a variable, so that a pointer beyond its variable is found: GCC leaves
//! room (a redzone) around each variable on a stack or in a library; a shadow byte says how many of eight bytes are a variable's.

use std::io;
use std::ops::Range;

const PAGE: usize = 4096;

/// A variable of a library with the room after it, as GCC lays it out.
#[repr(C)]
pub struct GuardedVariable {
    start: usize,
    bytes: usize,
    with_room: usize,
    others: [usize; 5],
}

/// The address of the shadow of an address. The same in compile.rs and runtime.cpp. No system maps anything there by itself.
pub fn shadow_of(address: usize) -> usize {
    (address >> 3) + (1 << 44)
}

/// Maps `bytes` bytes of the shadow from `start` on, none of them as room. An earlier mapping is replaced, or with `keeps` an error.
///
/// # Errors
/// When the system gives no more memory, or with `keeps` something is mapped there.
pub fn map(start: usize, bytes: usize, keeps: bool) -> io::Result<()> {
    let fixed = if keeps { libc::MAP_FIXED_NOREPLACE } else { libc::MAP_FIXED };
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | fixed;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: fresh private memory where nothing but shadows is.
    let mapped = unsafe { libc::mmap(start as *mut libc::c_void, bytes, access, flags, -1, 0) };
    if mapped == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Notes in the shadow where the library at `image` has room after variables.
///
/// # Errors
/// When the system gives no more memory.
///
/// # Safety
/// The variables and their room are in the library, which is mapped there and of which no code runs.
pub unsafe fn note(image: &Range<usize>, variables: &[GuardedVariable]) -> io::Result<()> {
    let shadow = shadow_of(image.start)..shadow_of(image.end) + 1;
    for page in (shadow.start & !(PAGE - 1)..shadow.end).step_by(PAGE) {
        match map(page, PAGE, true) {
            // A library next to this one may have mapped the page.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    // SAFETY: mapped above; this part belongs to the library alone.
    unsafe { std::ptr::write_bytes(shadow.start as *mut u8, 0, shadow.len()) };
    for it in variables {
        let end = it.start + it.bytes;
        for at in (end & !7..it.start + it.with_room).step_by(8) {
            let of_variable = if at < end { (end - at) as i8 } else { -1 };
            // SAFETY: of the library, as the caller promises.
            unsafe { *(shadow_of(at) as *mut i8) = of_variable };
        }
    }
    Ok(())
}
