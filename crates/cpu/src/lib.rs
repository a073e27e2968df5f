//! Floyd-Warshall on CPUs: as it is printed, in blocks on one core and on all, and how fast the latter could be at best.
//!
//! In a crate of its own because it is the code of a debug build that is too slow unless it is optimized.

/// Calls a function of the numbers that bytes are, which is compiled here once for each type and not in every crate that calls it.
macro_rules! of_type {
    ($element:expr, $bytes:expr, $function:path $(, $argument:expr)*) => {
        match $element {
            ElementType::F32 => $function(bytemuck::cast_slice_mut::<u8, f32>($bytes) $(, $argument)*),
            ElementType::I32 => $function(bytemuck::cast_slice_mut::<u8, i32>($bytes) $(, $argument)*),
            ElementType::U16 => $function(bytemuck::cast_slice_mut::<u8, u16>($bytes) $(, $argument)*),
            ElementType::F64 => $function(bytemuck::cast_slice_mut::<u8, f64>($bytes) $(, $argument)*),
        }
    };
}

pub mod generalized;
pub mod naive;
pub mod parallel;
pub mod peak;
