//! Reductions by asynchronous copies: each element of the destination is combined with the element that is copied to it.

/// Combines `bytes` bytes from `from` into `to`, element by element, by an operation on a type, both as runtime.hpp numbers them.
pub fn reduce(from: usize, to: usize, bytes: usize, (operation, element): (u64, u64)) {
    match element {
        1 => each::<u32>(from, to, bytes, |a, b| {
            unsigned(operation, u64::from(a), u64::from(b), u64::from(u32::MAX)) as u32
        }),
        3 => each::<u64>(from, to, bytes, |a, b| unsigned(operation, a, b, u64::MAX)),
        2 => each::<i32>(from, to, bytes, |a, b| match operation {
            1 => a.wrapping_add(b),
            2 => a.min(b),
            3 => a.max(b),
            _ => unsigned(
                operation,
                u64::from(a.cast_unsigned()),
                u64::from(b.cast_unsigned()),
                u64::from(u32::MAX),
            ) as i32,
        }),
        4 => each::<i64>(from, to, bytes, |a, b| match operation {
            1 => a.wrapping_add(b),
            2 => a.min(b),
            3 => a.max(b),
            _ => unsigned(operation, a.cast_unsigned(), b.cast_unsigned(), u64::MAX).cast_signed(),
        }),
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
        _ => each::<u8>(from, to, bytes, |a, b| unsigned(operation, u64::from(a), u64::from(b), 255) as u8),
    }
}

fn unsigned(operation: u64, there: u64, given: u64, most: u64) -> u64 {
    match operation {
        1 => there.wrapping_add(given) & most,
        2 => there.min(given),
        3 => there.max(given),
        4 => there & given,
        5 => there | given,
        6 => there ^ given,
        // Up to the given number, then from zero again, and the other way.
        7 => {
            if there >= given {
                0
            } else {
                there + 1
            }
        }
        8 => {
            if there == 0 || there > given {
                given
            } else {
                there - 1
            }
        }
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
