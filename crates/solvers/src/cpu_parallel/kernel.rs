//! The micro-kernels: one register tile of C = min(C, A (x) B), where (A (x) B)[i][j] = min over k of A[i][k] + B[k][j].
//!
//! A register tile of MR x NR partial minima stays in registers over the whole depth, so that a vector of tasks
//! issues one add and one min and nothing else on the arithmetic ports: the rows of B are loaded once per step
//! and used MR times, and the numbers of A are broadcast by the load ports. C is only met at the end, so its
//! first lines can be on their way from memory while the depth is walked.
//!
//! `min(sum, best)` keeps `best` when the sum is not smaller or not a number (x86 `minps` returns its second
//! operand then), which is what cpu-naive's `if` does.

/// A micro-kernel and the shape of its register tile. A value of such a type is proof that the processor can
/// execute it: only [`super::solve_with`] makes one, after detection.
pub(super) trait Kernel: Copy + Send + Sync {
    /// Rows of C in one register tile.
    const MR: usize;
    /// Columns of C in one register tile.
    const NR: usize;

    /// `c[i][j] = min(c[i][j], min over k < depth of a[i][k] + b[k][j])` for i < MR, j < NR.
    ///
    /// # Safety
    /// `a` points to MR rows of `depth` numbers, `a_stride` apart; `b` to `depth` rows of NR numbers, packed;
    /// `c` to MR rows of NR numbers, `c_stride` apart, which nothing else reads or writes during the call.
    unsafe fn relax(
        self,
        depth: usize,
        a: *const f32,
        a_stride: usize,
        b: *const f32,
        c: *mut f32,
        c_stride: usize,
    );
}

/// Plain loops, vectorised at the compiler's default target features (SSE2 on x86-64).
#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Kernel for Portable {
    // Eight accumulators of four lanes leave registers for a row of B, a broadcast and a sum.
    const MR: usize = 4;
    const NR: usize = 8;

    unsafe fn relax(
        self,
        depth: usize,
        a: *const f32,
        a_stride: usize,
        b: *const f32,
        c: *mut f32,
        c_stride: usize,
    ) {
        let mut best = [[f32::INFINITY; Self::NR]; Self::MR];
        for k in 0..depth {
            // SAFETY: the caller promises `depth` packed rows of NR numbers.
            let row = unsafe { &*b.add(k * Self::NR).cast::<[f32; Self::NR]>() };
            for (i, best) in best.iter_mut().enumerate() {
                // SAFETY: the caller promises MR rows of `depth` numbers.
                let a = unsafe { *a.add(i * a_stride + k) };
                for (best, b) in best.iter_mut().zip(row) {
                    let sum = a + b;
                    *best = if sum < *best { sum } else { *best };
                }
            }
        }
        for (i, best) in best.iter().enumerate() {
            // SAFETY: the caller promises MR rows of NR numbers that are ours alone.
            let c = unsafe { &mut *c.add(i * c_stride).cast::<[f32; Self::NR]>() };
            for (c, best) in c.iter_mut().zip(best) {
                *c = if *best < *c { *best } else { *c };
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::Simd;
    use super::Kernel;
    use std::arch::x86_64::*;

    /// Proof that AVX-512F was detected.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx512(());

    /// Proof that AVX2 was detected.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx2(());

    macro_rules! micro_kernel {
        ($proof:ident, $feature:literal, $rows:literal x $vectors:literal of $lanes:literal,
         $load:ident, $store:ident, $broadcast:ident, $add:ident, $min:ident) => {
            impl $proof {
                /// # Panics
                /// When the processor lacks the instructions.
                pub fn detected() -> Self {
                    assert!(Simd::$proof.is_supported(), concat!("this machine lacks ", $feature));
                    Self(())
                }

                /// # Safety
                /// As [`Kernel::relax`], and the processor must support the instructions.
                #[target_feature(enable = $feature)]
                unsafe fn tile(
                    depth: usize,
                    a: *const f32,
                    a_stride: usize,
                    b: *const f32,
                    c: *mut f32,
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
                        let mut best = [[$broadcast(f32::INFINITY); $vectors]; $rows];
                        for k in 0..depth {
                            let mut row = [$broadcast(0.0); $vectors];
                            for v in 0..$vectors {
                                row[v] = $load(b.add((k * $vectors + v) * $lanes));
                            }
                            for i in 0..$rows {
                                let a = $broadcast(*a.add(i * a_stride + k));
                                for v in 0..$vectors {
                                    best[i][v] = $min($add(a, row[v]), best[i][v]);
                                }
                            }
                        }
                        for i in 0..$rows {
                            for v in 0..$vectors {
                                let c = c.add(i * c_stride + v * $lanes);
                                $store(c, $min(best[i][v], $load(c)));
                            }
                        }
                    }
                }
            }

            impl Kernel for $proof {
                const MR: usize = $rows;
                const NR: usize = $vectors * $lanes;

                #[inline(always)]
                unsafe fn relax(
                    self,
                    depth: usize,
                    a: *const f32,
                    a_stride: usize,
                    b: *const f32,
                    c: *mut f32,
                    c_stride: usize,
                ) {
                    // SAFETY: the same promises, and `self` is the proof of detection.
                    unsafe { Self::tile(depth, a, a_stride, b, c, c_stride) }
                }
            }
        };
    }

    // 16 of 32 registers hold minima, 4 a row of B. 6 x 4 was as fast where 6 divides the block; 4 divides all.
    micro_kernel!(Avx512, "avx512f", 4 x 4 of 16,
        _mm512_loadu_ps, _mm512_storeu_ps, _mm512_set1_ps, _mm512_add_ps, _mm512_min_ps);
    // 12 of 16 registers hold minima; two hold a row of B, one the broadcast, one the sum.
    micro_kernel!(Avx2, "avx2", 6 x 2 of 8,
        _mm256_loadu_ps, _mm256_storeu_ps, _mm256_set1_ps, _mm256_add_ps, _mm256_min_ps);
}
