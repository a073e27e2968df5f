//! The micro-kernels: one register tile of C = min(C, A (x) B), where (A (x) B)[i][j] = min over k of A[i][k] + B[k][j].
//!
//! A register tile of MR x NR partial minima stays in registers over the whole depth, so that a vector of tasks
//! issues one add and one min and nothing else on the arithmetic ports: the rows of B are loaded once per step
//! and used MR times, and the numbers of A are broadcast by the load ports. Those broadcast 32 bits or more, so numbers of 16 bits
//! lie in A twice. C is only met at the end, so its
//! first lines can be on their way from memory while the depth is walked.
//!
//! `min(sum, best)` keeps `best` when the sum is not smaller or not a number (x86 `minps` returns its second
//! operand then), which is what cpu-naive's `if` does. Of integers there is a machine's add and minimum for each type as well.

use repro_graph::Element;
use std::marker::PhantomData;

/// A micro-kernel and the shape of its register tile. A value of such a type is proof that the processor can
/// execute it: only [`super::solve_with`] makes one, after detection.
pub trait Kernel: Copy + Send + Sync {
    type Element: Element;
    /// A number of A as the kernel reads it.
    type PackedLeft: bytemuck::Pod + From<Self::Element> + Send + Sync;
    /// Rows of C in one register tile.
    const MR: usize;
    /// Columns of C in one register tile.
    const NR: usize;

    /// `c[i][j] = min(c[i][j], min over k < depth of a[i][k] + b[k][j])` for i < MR, j < NR.
    ///
    /// # Safety
    /// `a` points to `depth` columns of MR numbers, packed; `b` to `depth` rows of NR numbers, packed; `c` to MR rows of NR numbers, `c_stride` apart, which nothing else reads or writes during the call.
    unsafe fn relax(
        self,
        depth: usize,
        a: *const Self::PackedLeft,
        b: *const Self::Element,
        c: *mut Self::Element,
        c_stride: usize,
    );
}

/// The micro-kernels of an element type.
pub trait Kernels: Element + Sized {
    type Avx512: Detected<Element = Self>;
    type Avx2: Detected<Element = Self>;
}

/// A kernel that not every processor executes.
pub trait Detected: Kernel {
    /// # Panics
    /// When the processor lacks the instructions.
    fn detected() -> Self;
}

// Eight accumulators of four lanes leave registers for a row of B, a broadcast and a sum.
const PORTABLE_MR: usize = 4;
const PORTABLE_NR: usize = 8;

/// Plain loops, vectorised at the compiler's default target features (SSE2 on x86-64).
#[derive(Clone, Copy)]
pub struct Portable<T>(pub PhantomData<T>);

impl<T: Element> Kernel for Portable<T> {
    type Element = T;
    type PackedLeft = T;

    const MR: usize = PORTABLE_MR;
    const NR: usize = PORTABLE_NR;

    unsafe fn relax(self, depth: usize, a: *const T, b: *const T, c: *mut T, c_stride: usize) {
        let mut best = [[T::ABSENT; PORTABLE_NR]; PORTABLE_MR];
        for k in 0..depth {
            // SAFETY: the caller promises `depth` packed columns of MR numbers.
            let column = unsafe { &*a.add(k * PORTABLE_MR).cast::<[T; PORTABLE_MR]>() };
            // SAFETY: and as many packed rows of NR numbers.
            let row = unsafe { &*b.add(k * PORTABLE_NR).cast::<[T; PORTABLE_NR]>() };
            for (best, a) in best.iter_mut().zip(column) {
                for (best, b) in best.iter_mut().zip(row) {
                    *best = a.plus(*b).shorter(*best);
                }
            }
        }
        for (i, best) in best.iter().enumerate() {
            // SAFETY: the caller promises MR rows of NR numbers that are ours alone.
            let c = unsafe { &mut *c.add(i * c_stride).cast::<[T; PORTABLE_NR]>() };
            for (c, best) in c.iter_mut().zip(best) {
                *c = best.shorter(*c);
            }
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod portable {
    use super::{Detected, Element, Kernels, PhantomData, Portable};

    impl<T: Element> Kernels for T {
        type Avx512 = Portable<T>;
        type Avx2 = Portable<T>;
    }

    impl<T: Element> Detected for Portable<T> {
        fn detected() -> Self {
            panic!("no vector instructions that are known here are for this processor")
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::Simd;
    use super::{Detected, Element, Kernel, Kernels, PhantomData};
    use bytemuck::{Pod, Zeroable};
    use std::arch::x86_64::*;

    /// Proof that AVX-512 was detected.
    #[derive(Clone, Copy)]
    pub struct Avx512<T>(PhantomData<T>);

    /// Proof that AVX2 was detected.
    #[derive(Clone, Copy)]
    pub struct Avx2<T>(PhantomData<T>);

    /// A number of 16 bits twice: what the load ports broadcast, which for one alone take help from an arithmetic port.
    #[derive(Clone, Copy, Pod, Zeroable)]
    #[repr(transparent)]
    pub struct DuplicatedU16(i32);

    impl From<u16> for DuplicatedU16 {
        fn from(number: u16) -> Self {
            Self((u32::from(number) * 0x1_0001).cast_signed())
        }
    }

    macro_rules! micro_kernel {
        ($proof:ident of $element:ident as $lane:ident, $left:ty, $feature:literal,
         $rows:literal x $vectors:literal of $lanes:literal,
         $load:ident, $store:ident, $broadcast:ident, $broadcast_left:expr, $add:ident, $min:ident) => {
            impl Detected for $proof<$element> {
                fn detected() -> Self {
                    assert!(Simd::$proof.is_supported(), concat!("this machine lacks ", $feature));
                    Self(PhantomData)
                }
            }

            impl $proof<$element> {
                /// # Safety
                /// As [`Kernel::relax`], and the processor must support the instructions.
                #[target_feature(enable = $feature)]
                unsafe fn tile(
                    depth: usize,
                    a: *const $left,
                    b: *const $element,
                    c: *mut $element,
                    c_stride: usize,
                ) {
                    // SAFETY: every address lies in the rows of a, b and c that the caller promises; loads and
                    // stores are the unaligned kind; a prefetch may name any address.
                    unsafe {
                        for i in 0..$rows {
                            for v in 0..$vectors {
                                _mm_prefetch::<_MM_HINT_T0>(c.add(i * c_stride + v * $lanes).cast());
                            }
                        }
                        let mut best = [[$broadcast($element::ABSENT as $lane); $vectors]; $rows];
                        for k in 0..depth {
                            let mut row = [$broadcast($element::ZERO as $lane); $vectors];
                            for v in 0..$vectors {
                                row[v] = $load(b.add((k * $vectors + v) * $lanes).cast());
                            }
                            for i in 0..$rows {
                                let a = $broadcast_left(*a.add(k * $rows + i));
                                for v in 0..$vectors {
                                    best[i][v] = $min($add(a, row[v]), best[i][v]);
                                }
                            }
                        }
                        for i in 0..$rows {
                            for v in 0..$vectors {
                                let c = c.add(i * c_stride + v * $lanes).cast();
                                $store(c, $min(best[i][v], $load(c.cast_const())));
                            }
                        }
                    }
                }
            }

            impl Kernel for $proof<$element> {
                type Element = $element;
                type PackedLeft = $left;
                const MR: usize = $rows;
                const NR: usize = $vectors * $lanes;

                #[inline(always)]
                unsafe fn relax(
                    self,
                    depth: usize,
                    a: *const $left,
                    b: *const $element,
                    c: *mut $element,
                    c_stride: usize,
                ) {
                    // SAFETY: the same promises, and `self` is the proof of detection.
                    unsafe { Self::tile(depth, a, b, c, c_stride) }
                }
            }
        };
    }

    // 16 of 32 registers hold minima, the others rows of B. 6 x 4 is 3 to 5% faster where 6 divides the block; 4 divides all.
    micro_kernel!(Avx512 of f32 as f32, f32, "avx512f", 4 x 4 of 16,
        _mm512_loadu_ps, _mm512_storeu_ps, _mm512_set1_ps, _mm512_set1_ps, _mm512_add_ps, _mm512_min_ps);
    micro_kernel!(Avx512 of f64 as f64, f64, "avx512f", 4 x 4 of 8,
        _mm512_loadu_pd, _mm512_storeu_pd, _mm512_set1_pd, _mm512_set1_pd, _mm512_add_pd, _mm512_min_pd);
    micro_kernel!(Avx512 of i32 as i32, i32, "avx512f", 4 x 4 of 16,
        _mm512_loadu_si512, _mm512_storeu_si512, _mm512_set1_epi32, _mm512_set1_epi32, _mm512_add_epi32, _mm512_min_epi32);
    micro_kernel!(Avx512 of u16 as i16, DuplicatedU16, "avx512f,avx512bw", 8 x 2 of 32,
        _mm512_loadu_si512, _mm512_storeu_si512, _mm512_set1_epi16, |twice: DuplicatedU16| _mm512_set1_epi32(twice.0), _mm512_add_epi16, _mm512_min_epu16);
    // 12 of 16 registers hold minima; two hold a row of B, one the broadcast, one the sum.
    micro_kernel!(Avx2 of f32 as f32, f32, "avx2", 6 x 2 of 8,
        _mm256_loadu_ps, _mm256_storeu_ps, _mm256_set1_ps, _mm256_set1_ps, _mm256_add_ps, _mm256_min_ps);
    micro_kernel!(Avx2 of f64 as f64, f64, "avx2", 6 x 2 of 4,
        _mm256_loadu_pd, _mm256_storeu_pd, _mm256_set1_pd, _mm256_set1_pd, _mm256_add_pd, _mm256_min_pd);
    micro_kernel!(Avx2 of i32 as i32, i32, "avx2", 6 x 2 of 8,
        _mm256_loadu_si256, _mm256_storeu_si256, _mm256_set1_epi32, _mm256_set1_epi32, _mm256_add_epi32, _mm256_min_epi32);
    micro_kernel!(Avx2 of u16 as i16, DuplicatedU16, "avx2", 6 x 2 of 16,
        _mm256_loadu_si256, _mm256_storeu_si256, _mm256_set1_epi16, |twice: DuplicatedU16| _mm256_set1_epi32(twice.0), _mm256_add_epi16, _mm256_min_epu16);

    impl<T: Element> Kernels for T
    where
        Avx512<T>: Detected<Element = T>,
        Avx2<T>: Detected<Element = T>,
    {
        type Avx512 = Avx512<T>;
        type Avx2 = Avx2<T>;
    }
}
