// SIMD intrinsics: two halves or four bytes of a 32-bit word at a time.
#pragma once

// One operation on each part: takes the parts as int, gives what the part's low bits are to be.
template <class Part, class Operation>
static __forceinline__ unsigned emulated_parts(unsigned a, unsigned b, Operation operation) {
    unsigned result = 0;
    for (unsigned at = 0; at < 4 / sizeof(Part); at++) {
        const unsigned shift = 8 * sizeof(Part) * at;
        const unsigned part = (unsigned)operation((int)(Part)(a >> shift), (int)(Part)(b >> shift));
        result |= (part & (sizeof(Part) == 2 ? 0xffffu : 0xffu)) << shift;
    }
    return result;
}
template <class Part>
struct EmulatedRange {
    static constexpr int bits = 8 * sizeof(Part);
    static constexpr bool has_sign = (Part)-1 < (Part)0;
    static constexpr int lowest = has_sign ? -(1 << (bits - 1)) : 0;
    static constexpr int highest = has_sign ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    static __forceinline__ constexpr int saturated(int x) {
        return x < lowest ? lowest : x > highest ? highest : x;
    }
};
static __forceinline__ constexpr int emulated_distance(int a, int b) {
    return a > b ? a - b : b - a;
}

#define EMULATED_SIMD(name, part, result)                                                       \
    CUDA_ARITHMETIC unsigned name(unsigned a, unsigned b) {                                       \
        return emulated_parts<part>(a, b, [](int a, int b) __attribute__((always_inline)) -> int { return result; }); \
    }
#define EMULATED_SIMD_ONE(name, part, result)                                                   \
    CUDA_ARITHMETIC unsigned name(unsigned a) {                                                   \
        return emulated_parts<part>(a, 0, [](int a, int) __attribute__((always_inline)) -> int { return result; }); \
    }
#define EMULATED_SIMD_SUM(name, part)                                                           \
    CUDA_ARITHMETIC unsigned name(unsigned a, unsigned b) {                                       \
        unsigned sum = 0;                                                                       \
        for (unsigned shift = 0; shift < 32; shift += 8 * sizeof(part)) {                       \
            sum += (unsigned)emulated_distance((part)(a >> shift), (part)(b >> shift));         \
        }                                                                                       \
        return sum;                                                                             \
    }
// A comparison sets all bits of a part (__vcmp) or its lowest (__vset).
#define EMULATED_SIMD_COMPARE(name, count, part, operation)                                     \
    EMULATED_SIMD(__vcmp##name##count, part, a operation b ? -1 : 0)                            \
    EMULATED_SIMD(__vset##name##count, part, a operation b ? 1 : 0)

#define EMULATED_SIMD_FAMILY(count, with_sign, without)                                         \
    EMULATED_SIMD(__vadd##count, without, a + b)                                                \
    EMULATED_SIMD(__vaddss##count, with_sign, EmulatedRange<with_sign>::saturated(a + b))       \
    EMULATED_SIMD(__vaddus##count, without, EmulatedRange<without>::saturated(a + b))           \
    EMULATED_SIMD(__vsub##count, without, a - b)                                                \
    EMULATED_SIMD(__vsubss##count, with_sign, EmulatedRange<with_sign>::saturated(a - b))       \
    EMULATED_SIMD(__vsubus##count, without, EmulatedRange<without>::saturated(a - b))           \
    EMULATED_SIMD(__vmins##count, with_sign, a < b ? a : b)                                     \
    EMULATED_SIMD(__vminu##count, without, a < b ? a : b)                                       \
    EMULATED_SIMD(__vmaxs##count, with_sign, a > b ? a : b)                                     \
    EMULATED_SIMD(__vmaxu##count, without, a > b ? a : b)                                       \
    EMULATED_SIMD(__vavgs##count, with_sign, (a + b + (a + b >= 0)) >> 1)                       \
    EMULATED_SIMD(__vavgu##count, without, (a + b + 1) >> 1)                                    \
    EMULATED_SIMD(__vhaddu##count, without, (a + b) >> 1)                                       \
    EMULATED_SIMD(__vabsdiffs##count, with_sign, emulated_distance(a, b))                       \
    EMULATED_SIMD(__vabsdiffu##count, without, emulated_distance(a, b))                         \
    EMULATED_SIMD_ONE(__vabs##count, with_sign, a < 0 ? -a : a)                                 \
    EMULATED_SIMD_ONE(__vabsss##count, with_sign, EmulatedRange<with_sign>::saturated(a < 0 ? -a : a)) \
    EMULATED_SIMD_ONE(__vneg##count, with_sign, -a)                                             \
    EMULATED_SIMD_ONE(__vnegss##count, with_sign, EmulatedRange<with_sign>::saturated(-a))      \
    EMULATED_SIMD_SUM(__vsads##count, with_sign)                                                \
    EMULATED_SIMD_SUM(__vsadu##count, without)                                                  \
    EMULATED_SIMD_COMPARE(eq, count, without, ==)                                               \
    EMULATED_SIMD_COMPARE(ne, count, without, !=)                                               \
    EMULATED_SIMD_COMPARE(ges, count, with_sign, >=)                                            \
    EMULATED_SIMD_COMPARE(geu, count, without, >=)                                              \
    EMULATED_SIMD_COMPARE(gts, count, with_sign, >)                                             \
    EMULATED_SIMD_COMPARE(gtu, count, without, >)                                               \
    EMULATED_SIMD_COMPARE(les, count, with_sign, <=)                                            \
    EMULATED_SIMD_COMPARE(leu, count, without, <=)                                              \
    EMULATED_SIMD_COMPARE(lts, count, with_sign, <)                                             \
    EMULATED_SIMD_COMPARE(ltu, count, without, <)
EMULATED_SIMD_FAMILY(2, short, unsigned short)
EMULATED_SIMD_FAMILY(4, signed char, unsigned char)
