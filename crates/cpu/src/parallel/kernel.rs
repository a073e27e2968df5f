//! The micro-kernels: one register tile of C = min(C, A (x) B), where (A (x) B)[i][j] = min over k of A[i][k] + B[k][j].
//!
//! A register tile of MR x NR partial minima stays in registers over the whole depth, so that a vector of tasks issues one add and one min
//! and nothing else on the arithmetic ports: the rows of B are loaded once per step and used MR times, and the numbers of A are broadcast
//! by the load ports. Those broadcast 32 bits or more, so numbers of 16 bits lie in A twice. C is only needed at the end, so its first
//! lines are prefetched and arrive while the depth is walked.
//!
//! `min(sum, best)` keeps `best` when the sum is not smaller or not a number (x86 `minps` returns its second
//! operand then), which is what cpu-naive's `if` does. For integers, the machine has an add and a minimum for each type as well.

use super::Simd;
use bytemuck::Pod;
use repro_graph::Element;
use std::hint::black_box;
use std::marker::PhantomData;

/// Vectors that [`Microkernel::add_min`] works on in turn. An add and a min take up to 4 cycles each and depend on each other, so that a
/// vector starts one of the two every 4 cycles. Vectors of 512 bits go to two ports, which 8 vectors would keep busy, and narrower ones to
/// three, which 12 would. 13 vectors, a step and a limit fit into 16 registers.
pub const CHAINS: usize = 13;

/// A micro-kernel and the shape of its register tile. A value of such a type is proof that the processor can
/// execute it.
pub trait Microkernel: Copy + Send + Sync {
    type Element: Element;
    /// A number of A as the kernel reads it.
    type PackedLeft: Pod + From<Self::Element> + Send + Sync;
    /// Rows of C in one register tile.
    const MR: usize;
    /// Columns of C in one register tile.
    const NR: usize;

    /// # Panics
    /// When the processor lacks the instructions.
    fn detected() -> Self;

    /// `c[i][j] = min(c[i][j], min over k < depth of a[i][k] + b[k][j])` for i < MR, j < NR.
    ///
    /// # Safety
    /// What [`Product`] says must be true.
    unsafe fn relax(self, product: Product<Self::PackedLeft, Self::Element>);

    /// Runs `steps` steps, at most 30,000. Each does an add and a minimum in every number of [`CHAINS`] vectors, without a load or a store.
    /// Returns the number of tasks.
    fn add_min(self, steps: u64) -> u64;
}

/// The operands of one register tile. `a` points to `depth` columns of MR numbers, packed; `b` to `depth` rows of NR numbers, packed; `c` to MR
/// rows of NR numbers, `c_stride` apart, which nothing else reads or writes meanwhile.
#[derive(Clone, Copy)]
pub struct Product<A, T> {
    pub depth: usize,
    pub a: *const A,
    pub b: *const T,
    pub c: *mut T,
    pub c_stride: usize,
}

/// The micro-kernels of an element type.
pub trait Kernels: Element {
    type Avx512: Microkernel<Element = Self>;
    type Avx2: Microkernel<Element = Self>;
    type Portable: Microkernel<Element = Self>;
}

/// A register of numbers, or an array that the compiler makes registers of.
///
/// # Safety
/// For all of its unsafe functions: the processor must have the instructions of [`Vector::SIMD`].
pub trait Vector<T>: Copy + Send + Sync {
    const SIMD: Simd;
    /// What [`Vector::splat`] broadcasts.
    type Left: Pod + From<T> + Send + Sync;

    unsafe fn splat(number: Self::Left) -> Self;

    unsafe fn plus(self, other: Self) -> Self;

    /// As [`Element::shorter`] in each lane.
    unsafe fn shorter(self, other: Self) -> Self;

    /// [`relax`], compiled for these instructions.
    unsafe fn relax<const ROWS: usize, const VECTORS: usize>(product: Product<Self::Left, T>);

    /// [`add_min`], compiled for these instructions.
    unsafe fn add_min(steps: u64);
}

/// [`Microkernel::relax`] with a register tile of `ROWS` x `VECTORS` vectors.
///
/// # Safety
/// That of [`Microkernel::relax`] and of [`Vector`].
#[inline(always)]
unsafe fn relax<T: Element, V: Vector<T>, const ROWS: usize, const VECTORS: usize>(
    Product { depth, a, b, c, c_stride }: Product<V::Left, T>,
) {
    // SAFETY: every address lies in the rows of a, b and c that the caller promises, where vectors are read and written wherever they
    // begin.
    unsafe {
        let c: [*mut [V; VECTORS]; ROWS] = std::array::from_fn(|i| c.add(i * c_stride).cast());
        c.iter().for_each(|row| prefetch(*row));
        let mut best = [[V::splat(T::ABSENT.into()); VECTORS]; ROWS];
        for k in 0..depth {
            let row = b.cast::<[V; VECTORS]>().add(k).read_unaligned();
            for (i, best) in best.iter_mut().enumerate() {
                let a = V::splat(*a.add(k * ROWS + i));
                for (best, row) in best.iter_mut().zip(row) {
                    *best = a.plus(row).shorter(*best);
                }
            }
        }
        for (best, c) in best.iter().zip(c) {
            for (v, best) in best.iter().enumerate() {
                let c = c.cast::<V>().add(v);
                c.write_unaligned(best.shorter(c.read_unaligned()));
            }
        }
    }
}

/// [`Microkernel::add_min`] in these vectors: `best = min(best + step, limit)`.
///
/// # Safety
/// That of [`Vector`].
#[inline(always)]
unsafe fn add_min<T: Element, V: Vector<T>>(steps: u64) {
    // An add needs the min before it, so the compiler can neither hoist nor merge one, and the operands come from
    // `black_box`, so it cannot know where they lead. A sum reaches the limit only at the end.
    let [zero, step, limit] =
        black_box([0.0, 1.0, 30_000.0].map(|number| V::Left::from(T::from_f64(number))));
    // SAFETY: the caller's promise.
    unsafe {
        let (step, limit) = (V::splat(step), V::splat(limit));
        let mut best = black_box([V::splat(zero); CHAINS]);
        for _ in 0..steps {
            for best in &mut best {
                *best = best.plus(step).shorter(limit);
            }
        }
        black_box(best);
    }
}

/// Whatever the compiler makes of plain loops at its default target features.
impl<T: Element, const LANES: usize> Vector<T> for [T; LANES] {
    const SIMD: Simd = Simd::Portable;
    type Left = T;

    #[inline(always)]
    unsafe fn splat(number: T) -> Self {
        [number; LANES]
    }

    #[inline(always)]
    unsafe fn plus(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane].plus(other[lane]))
    }

    #[inline(always)]
    unsafe fn shorter(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane].shorter(other[lane]))
    }

    unsafe fn relax<const ROWS: usize, const VECTORS: usize>(product: Product<T, T>) {
        // SAFETY: the caller's promise.
        unsafe { relax::<T, Self, ROWS, VECTORS>(product) }
    }

    unsafe fn add_min(steps: u64) {
        // SAFETY: the caller's promise.
        unsafe { add_min::<T, Self>(steps) }
    }
}

/// A register tile of `ROWS` x `VECTORS` vectors.
#[derive(Clone, Copy)]
pub struct RegisterTile<T, V, const ROWS: usize, const VECTORS: usize>(PhantomData<(T, V)>);

impl<T: Element, V: Vector<T>, const ROWS: usize, const VECTORS: usize> Microkernel
    for RegisterTile<T, V, ROWS, VECTORS>
{
    type Element = T;
    type PackedLeft = V::Left;
    const MR: usize = ROWS;
    const NR: usize = VECTORS * size_of::<V>() / size_of::<T>();

    fn detected() -> Self {
        assert!(V::SIMD.is_supported(), "this machine lacks {:?}", V::SIMD);
        Self(PhantomData)
    }

    #[inline(always)]
    unsafe fn relax(self, product: Product<V::Left, T>) {
        // SAFETY: the caller's promise, and `self` is the proof that there are the instructions.
        unsafe { V::relax::<ROWS, VECTORS>(product) }
    }

    fn add_min(self, steps: u64) -> u64 {
        // SAFETY: `self` is the proof that there are the instructions.
        unsafe { V::add_min(steps) };
        steps * (CHAINS * size_of::<V>() / size_of::<T>()) as u64
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn prefetch<T>(_: *const T) {}

#[cfg(not(target_arch = "x86_64"))]
impl<T: Element> Kernels for T {
    type Avx512 = Self::Portable;
    type Avx2 = Self::Portable;
    type Portable = RegisterTile<T, [T; 8], 4, 1>;
}

#[cfg(target_arch = "x86_64")]
use x86::prefetch;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Kernels, Product, RegisterTile, Simd, Vector, add_min, relax};
    use bytemuck::{Pod, Zeroable};
    use std::arch::x86_64::*;

    /// Prefetches the lines of an array of vectors to the first-level cache.
    #[inline(always)]
    pub fn prefetch<V, const VECTORS: usize>(vectors: *const [V; VECTORS]) {
        for v in 0..VECTORS {
            // SAFETY: every processor has the instruction, and it may name any address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(vectors.cast::<V>().wrapping_add(v).cast()) };
        }
    }

    /// A number of 16 bits twice: the load ports broadcast 32 bits by themselves, but 16 bits only with the help of an arithmetic port.
    #[derive(Clone, Copy, Pod, Zeroable)]
    #[repr(transparent)]
    pub struct DuplicatedU16(i32);

    impl From<u16> for DuplicatedU16 {
        fn from(number: u16) -> Self {
            Self((u32::from(number) * 0x1_0001).cast_signed())
        }
    }

    macro_rules! vector {
        ($register:ident of $element:ident, $left:ident, $simd:ident = $features:literal,
         $splat:expr, $add:ident, $min:ident) => {
            impl Vector<$element> for $register {
                const SIMD: Simd = Simd::$simd;
                type Left = $left;

                #[inline(always)]
                unsafe fn splat(number: $left) -> Self {
                    // SAFETY: the caller's promise.
                    unsafe { $splat(number) }
                }

                #[inline(always)]
                unsafe fn plus(self, other: Self) -> Self {
                    // SAFETY: the caller's promise.
                    unsafe { $add(self, other) }
                }

                #[inline(always)]
                unsafe fn shorter(self, other: Self) -> Self {
                    // SAFETY: the caller's promise.
                    unsafe { $min(self, other) }
                }

                #[target_feature(enable = $features)]
                unsafe fn relax<const ROWS: usize, const VECTORS: usize>(product: Product<$left, $element>) {
                    // SAFETY: the caller's promise.
                    unsafe { relax::<$element, Self, ROWS, VECTORS>(product) }
                }

                #[target_feature(enable = $features)]
                unsafe fn add_min(steps: u64) {
                    // SAFETY: the caller's promise.
                    unsafe { add_min::<$element, Self>(steps) }
                }
            }
        };
    }

    vector!(__m512 of f32, f32, Avx512 = "avx512f", _mm512_set1_ps, _mm512_add_ps, _mm512_min_ps);
    vector!(__m512d of f64, f64, Avx512 = "avx512f", _mm512_set1_pd, _mm512_add_pd, _mm512_min_pd);
    vector!(__m512i of i32, i32, Avx512 = "avx512f", _mm512_set1_epi32, _mm512_add_epi32, _mm512_min_epi32);
    vector!(__m512i of u16, DuplicatedU16, Avx512 = "avx512f,avx512bw",
        |twice: DuplicatedU16| _mm512_set1_epi32(twice.0), _mm512_add_epi16, _mm512_min_epu16);
    vector!(__m256 of f32, f32, Avx2 = "avx2", _mm256_set1_ps, _mm256_add_ps, _mm256_min_ps);
    vector!(__m256d of f64, f64, Avx2 = "avx2", _mm256_set1_pd, _mm256_add_pd, _mm256_min_pd);
    vector!(__m256i of i32, i32, Avx2 = "avx2", _mm256_set1_epi32, _mm256_add_epi32, _mm256_min_epi32);
    vector!(__m256i of u16, DuplicatedU16, Avx2 = "avx2",
        |twice: DuplicatedU16| _mm256_set1_epi32(twice.0), _mm256_add_epi16, _mm256_min_epu16);
    vector!(__m128 of f32, f32, Portable = "sse2", _mm_set1_ps, _mm_add_ps, _mm_min_ps);
    vector!(__m128d of f64, f64, Portable = "sse2", _mm_set1_pd, _mm_add_pd, _mm_min_pd);

    // With AVX-512, 16 of 32 registers hold minima, the others rows of B. 6 x 4 is 3 to 5% faster where 6 divides the block; 4 divides
    // every block. With AVX2, 12 of 16 registers hold minima; two hold a row of B, one the broadcast, one the sum. With SSE2, 16 minima of
    // floats are faster than 12, though not all are in registers.
    impl Kernels for f32 {
        type Avx512 = RegisterTile<Self, __m512, 4, 4>;
        type Avx2 = RegisterTile<Self, __m256, 6, 2>;
        type Portable = RegisterTile<Self, __m128, 4, 4>;
    }

    impl Kernels for f64 {
        type Avx512 = RegisterTile<Self, __m512d, 4, 4>;
        type Avx2 = RegisterTile<Self, __m256d, 6, 2>;
        type Portable = RegisterTile<Self, __m128d, 4, 4>;
    }

    impl Kernels for i32 {
        type Avx512 = RegisterTile<Self, __m512i, 4, 4>;
        type Avx2 = RegisterTile<Self, __m256i, 6, 2>;
        type Portable = RegisterTile<Self, [Self; 8], 4, 1>;
    }

    impl Kernels for u16 {
        type Avx512 = RegisterTile<Self, __m512i, 8, 2>;
        type Avx2 = RegisterTile<Self, __m256i, 6, 2>;
        type Portable = RegisterTile<Self, [Self; 16], 4, 1>;
    }
}
