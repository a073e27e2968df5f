//! Reductions by asynchronous copies: each element of the destination is combined with the element that is copied to it.

/// Combines `bytes` bytes from `from` into `to`, element by element, by an operation on a type, both as runtime.hpp numbers them.
pub fn reduce(from: usize, to: usize, bytes: usize, (operation, element): (u64, u64)) {
    match element {
        1 => each::<u32>(from, to, bytes, |a, b| unsigned(operation, a.into(), b.into()) as u32),
        3 => each::<u64>(from, to, bytes, |a, b| unsigned(operation, a, b)),
        2 => each::<i32>(from, to, bytes, |a, b| signed(operation, a.into(), b.into()) as i32),
        4 => each::<i64>(from, to, bytes, |a, b| signed(operation, a, b)),
        7 => each::<f32>(from, to, bytes, |a, b| match operation {
            2 => a.min(b),
            3 => a.max(b),
            _ => a + b,
        }),
        8 => each::<f64>(from, to, bytes, |a, b| match operation {
            2 => a.min(b),
            3 => a.max(b),
            _ => a + b,
        }),
        _ => each::<u8>(from, to, bytes, |a, b| unsigned(operation, a.into(), b.into()) as u8),
    }
}

fn signed(operation: u64, there: i64, given: i64) -> i64 {
    match operation {
        2 => there.min(given),
        3 => there.max(given),
        _ => unsigned(operation, there.cast_unsigned(), given.cast_unsigned()).cast_signed(),
    }
}

/// Of fewer bits, the result has those below.
fn unsigned(operation: u64, there: u64, given: u64) -> u64 {
    match operation {
        1 => there.wrapping_add(given),
        2 => there.min(given),
        3 => there.max(given),
        4 => there & given,
        5 => there | given,
        6 => there ^ given,
        // Up to the given number, then from zero again, and the other way.
        7 if there >= given => 0,
        7 => there + 1,
        8 if there > 0 && there <= given => there - 1,
        _ => given,
    }
}

fn each<T: Copy>(from: usize, to: usize, bytes: usize, combine: impl Fn(T, T) -> T) {
    for at in (0..bytes).step_by(size_of::<T>()) {
        let (from, to) = ((from + at) as *const T, (to + at) as *mut T);
        // SAFETY: both were found to be in bounds of live memory when the copy was begun.
        unsafe { to.write_unaligned(combine(to.read_unaligned(), from.read_unaligned())) };
    }
}
