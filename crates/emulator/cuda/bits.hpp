// Intrinsics of whole numbers: counting and moving bits, products, sums of products.
#pragma once

CUDA_ARITHMETIC int __popc(unsigned x) {
    return __builtin_popcount(x);
}
CUDA_ARITHMETIC int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
CUDA_ARITHMETIC int __clz(int x) {
    return x == 0 ? 32 : __builtin_clz((unsigned)x);
}
CUDA_ARITHMETIC int __clzll(long long x) {
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}
CUDA_ARITHMETIC int __ffs(int x) {
    return __builtin_ffs(x);
}
CUDA_ARITHMETIC int __ffsll(long long x) {
    return __builtin_ffsll(x);
}
CUDA_ARITHMETIC unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
CUDA_ARITHMETIC unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
// The place of the offset-th set bit from `base` on, upwards, or downwards with a negative offset; 0 asks whether the bit at `base` is set.
CUDA_ARITHMETIC unsigned __fns(unsigned mask, unsigned base, int offset) {
    base &= 31;
    if (offset == 0) {
        return mask >> base & 1 ? base : ~0u;
    }
    const int step = offset > 0 ? 1 : -1;
    int wanted = offset > 0 ? offset : -offset;
    for (int place = (int)base; place >= 0 && place < 32; place += step) {
        wanted -= (int)(mask >> place & 1);
        if (wanted == 0) {
            return (unsigned)place;
        }
    }
    return ~0u;
}
// Each of four selectors names one of the eight bytes of both words.
CUDA_ARITHMETIC unsigned __byte_perm(unsigned low, unsigned high, unsigned selectors) {
    const unsigned long long bytes = (unsigned long long)high << 32 | low;
    unsigned result = 0;
    for (unsigned at = 0; at < 4; at++) {
        result |= ((unsigned)(bytes >> 8 * (selectors >> 4 * at & 7)) & 0xff) << 8 * at;
    }
    return result;
}
CUDA_ARITHMETIC unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((unsigned long long)high << 32 | low) << (shift & 31) >> 32);
}
CUDA_ARITHMETIC unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
CUDA_ARITHMETIC unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
CUDA_ARITHMETIC unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

// ---- products

// The low 24 bits of both, with the sign of bit 23.
CUDA_ARITHMETIC int __mul24(int a, int b) {
    return (int)((unsigned)((int)((unsigned)a << 8) >> 8) * (unsigned)((int)((unsigned)b << 8) >> 8));
}
CUDA_ARITHMETIC unsigned __umul24(unsigned a, unsigned b) {
    return (a & 0xffffff) * (b & 0xffffff);
}
CUDA_ARITHMETIC int __mulhi(int a, int b) {
    return (int)((long long)a * b >> 32);
}
CUDA_ARITHMETIC unsigned __umulhi(unsigned a, unsigned b) {
    return (unsigned)((unsigned long long)a * b >> 32);
}
CUDA_ARITHMETIC long long __mul64hi(long long a, long long b) {
    return (long long)((__int128)a * b >> 64);
}
CUDA_ARITHMETIC unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}

// ---- differences and means

CUDA_ARITHMETIC unsigned __sad(int a, int b, unsigned sum) {
    return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + sum;
}
CUDA_ARITHMETIC unsigned __usad(unsigned a, unsigned b, unsigned sum) {
    return (a > b ? a - b : b - a) + sum;
}
CUDA_ARITHMETIC int __hadd(int a, int b) {
    return (int)(((long long)a + b) >> 1);
}
CUDA_ARITHMETIC int __rhadd(int a, int b) {
    return (int)(((long long)a + b + 1) >> 1);
}
CUDA_ARITHMETIC unsigned __uhadd(unsigned a, unsigned b) {
    return (unsigned)(((unsigned long long)a + b) >> 1);
}
CUDA_ARITHMETIC unsigned __urhadd(unsigned a, unsigned b) {
    return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}

// ---- sums of products of small numbers

// `A` and `B` are the types of the parts; `first` is the first part of b that counts.
template <class A, class B, class Sum>
static __forceinline__ Sum emulated_dot(unsigned a, unsigned b, Sum sum, unsigned parts, unsigned first) {
    unsigned result = (unsigned)sum;
    for (unsigned at = 0; at < parts; at++) {
        result += (unsigned)((int)(A)(a >> 8 * sizeof(A) * at) * (int)(B)(b >> 8 * sizeof(B) * (first + at)));
    }
    return (Sum)result;
}
CUDA_ARITHMETIC int __dp4a(int a, int b, int sum) {
    return emulated_dot<signed char, signed char>((unsigned)a, (unsigned)b, sum, 4, 0);
}
CUDA_ARITHMETIC unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
    return emulated_dot<unsigned char, unsigned char>(a, b, sum, 4, 0);
}
CUDA_ARITHMETIC int __dp4a(char4 a, char4 b, int sum) {
    return emulated_dot<signed char, signed char>(emulated_bits<unsigned>(a), emulated_bits<unsigned>(b), sum, 4, 0);
}
CUDA_ARITHMETIC unsigned __dp4a(uchar4 a, uchar4 b, unsigned sum) {
    return emulated_dot<unsigned char, unsigned char>(emulated_bits<unsigned>(a), emulated_bits<unsigned>(b), sum, 4, 0);
}
#define EMULATED_DP2A(name, first)                                                      \
    CUDA_ARITHMETIC int name(int a, int b, int sum) {                                     \
        return emulated_dot<short, signed char>((unsigned)a, (unsigned)b, sum, 2, first); \
    }                                                                                   \
    CUDA_ARITHMETIC unsigned name(unsigned a, unsigned b, unsigned sum) {                 \
        return emulated_dot<unsigned short, unsigned char>(a, b, sum, 2, first);        \
    }                                                                                   \
    CUDA_ARITHMETIC int name(short2 a, char4 b, int sum) {                                \
        return emulated_dot<short, signed char>(emulated_bits<unsigned>(a), emulated_bits<unsigned>(b), sum, 2, first); \
    }                                                                                   \
    CUDA_ARITHMETIC unsigned name(ushort2 a, uchar4 b, unsigned sum) {                    \
        return emulated_dot<unsigned short, unsigned char>(emulated_bits<unsigned>(a), emulated_bits<unsigned>(b), sum, 2, first); \
    }
EMULATED_DP2A(__dp2a_lo, 0)
EMULATED_DP2A(__dp2a_hi, 2)
