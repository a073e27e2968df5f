//! Where compiled code notes what is of a variable, so that a pointer is seen that walks beyond one: GCC leaves room around each variable
//! of a stack or a library, and a byte of the shadow says how many of eight bytes of memory are of one.

use std::io;
use std::ops::Range;

const PAGE: usize = 4096;

/// A variable of a library with the room behind it, as GCC lays it out.
#[repr(C)]
pub struct GuardedVariable {
    start: usize,
    bytes: usize,
    with_room: usize,
    others: [usize; 5],
}

/// The shadow of the bytes at an address. The same in compile.rs and runtime.cpp. No system maps anything there by itself.
pub fn shadow_of(address: usize) -> usize {
    (address >> 3) + (1 << 44)
}

/// Maps so many bytes of the shadow from `start` on, none of which is room. What is mapped there is replaced, or with `keeps` an error.
///
/// # Errors
/// When the system gives no more memory, or something is kept.
pub fn map(start: usize, bytes: usize, keeps: bool) -> io::Result<()> {
    let fixed = if keeps { libc::MAP_FIXED_NOREPLACE } else { libc::MAP_FIXED };
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | fixed;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: fresh private memory where nothing but shadows is.
    let mapped = unsafe { libc::mmap(start as *mut libc::c_void, bytes, access, flags, -1, 0) };
    if mapped == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Notes where in the library at `image` there is room behind variables.
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
            // Of the library next to it.
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
