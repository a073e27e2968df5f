//! Which vector instructions a solve uses.

/// A set of vector instructions that the micro-kernels are written for, widest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simd {
    /// 16 tasks of 32 bits per add and min, embedded broadcasts: AVX-512F, and AVX-512BW for 16-bit numbers.
    Avx512,
    /// 8 tasks of 32 bits per add and min: AVX2.
    Avx2,
    /// What every processor of the architecture has: SSE2 on x86-64, and there and elsewhere what the compiler makes of plain loops.
    Portable,
}

impl Simd {
    /// All of them, widest first.
    pub const ALL: [Self; 3] = [Self::Avx512, Self::Avx2, Self::Portable];

    /// The widest set that this processor and operating system support.
    pub fn detect() -> Self {
        Self::ALL.into_iter().find(|simd| simd.is_supported()).unwrap_or(Self::Portable)
    }

    /// Whether this processor and operating system can execute these instructions.
    pub fn is_supported(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512bw")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => std::arch::is_x86_feature_detected!("avx2"),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx512 | Self::Avx2 => false,
            Self::Portable => true,
        }
    }
}
