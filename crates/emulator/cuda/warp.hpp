// What the lanes of a warp do together. emulated_exchange waits for them; what it brings is looked at where no access is traced.
#pragma once

CUDA_FUNCTION void __syncwarp(unsigned mask = 0xffffffffu) {
    emulated_exchange(EMULATED_SYNC, mask, 0);
}
static __forceinline__ unsigned emulated_lane() {
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}

// ---- votes

EMULATOR static inline unsigned emulated_ballot(const EmulatedLanes *lanes) {
    unsigned result = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        if (lanes->present >> lane & 1 && lanes->values[lane] != 0) {
            result |= 1u << lane;
        }
    }
    return result;
}
EMULATOR static inline unsigned emulated_present(const EmulatedLanes *lanes) {
    return lanes->present;
}
CUDA_FUNCTION unsigned __ballot_sync(unsigned mask, int predicate) {
    return emulated_ballot(emulated_exchange(EMULATED_VOTE, mask, predicate != 0));
}
CUDA_FUNCTION int __any_sync(unsigned mask, int predicate) {
    return emulated_ballot(emulated_exchange(EMULATED_VOTE, mask, predicate != 0)) != 0;
}
CUDA_FUNCTION int __all_sync(unsigned mask, int predicate) {
    return emulated_ballot(emulated_exchange(EMULATED_VOTE, mask, predicate == 0)) == 0;
}
CUDA_FUNCTION int __uni_sync(unsigned mask, int predicate) {
    const EmulatedLanes *lanes = emulated_exchange(EMULATED_VOTE, mask, predicate != 0);
    const unsigned votes = emulated_ballot(lanes);
    return votes == 0 || votes == emulated_present(lanes);
}
// Whichever lanes are here together is the hardware's choice: this one alone is one.
CUDA_FUNCTION unsigned __activemask() {
    return 1u << emulated_lane();
}

// ---- shuffles

enum EmulatedDirection { EMULATED_FROM, EMULATED_UP, EMULATED_DOWN, EMULATED_ACROSS };
// The lane that shfl of PTX reads: only five bits of an offset count, and who would read outside its part of the warp reads itself.
static __forceinline__ unsigned emulated_source(EmulatedDirection direction, unsigned offset, int width) {
    if (width < 1 || width > 32 || (width & (width - 1)) != 0) {
        emulated_misuse(EMULATED_BAD_WIDTH, (unsigned)width, "the width of a shuffle is 1, 2, 4, 8, 16 or 32");
    }
    offset &= 31;
    const unsigned lane = emulated_lane(), first = lane & ~(width - 1u), last = first + width - 1u;
    switch (direction) {
    case EMULATED_FROM:
        return first + (offset & (width - 1u));
    case EMULATED_UP:
        return lane - first < offset ? lane : lane - offset;
    case EMULATED_DOWN:
        return lane + offset > last ? lane : lane + offset;
    default:
        return (lane ^ offset) > last ? lane : lane ^ offset;
    }
}
// Reductions of a few lanes shift in undefined values from lanes that they do not name, and never use them. A lane that is named and has left, or that is asked
// for by its number, is a mistake.
EMULATOR static inline emulated_u64 emulated_from_lane(const EmulatedLanes *lanes, unsigned source, unsigned demanded = ~0u) {
    if (!(lanes->present >> source & 1)) {
        if (!(demanded >> source & 1)) {
            return 0x7fffdeadull;
        }
        emulated_misuse(EMULATED_LANE_OUTSIDE, source, "a shuffle reads from a lane that takes no part in it");
        return 0;
    }
    return lanes->values[source];
}
template <class T, class Bits>
static __forceinline__ T emulated_shuffle_from(unsigned mask, T value, unsigned source, unsigned demanded = ~0u) {
    return emulated_bits<T>((Bits)emulated_from_lane(emulated_exchange(EMULATED_SHUFFLE, mask, emulated_bits<Bits>(value)), source, demanded));
}
template <class T, class Bits>
static __forceinline__ T emulated_shuffle(EmulatedDirection direction, unsigned mask, T value, unsigned offset, int width) {
    return emulated_shuffle_from<T, Bits>(mask, value, emulated_source(direction, offset, width), direction == EMULATED_UP || direction == EMULATED_DOWN ? mask : ~0u);
}
#define EMULATED_SHUFFLES(type, bits)                                                               \
    CUDA_FUNCTION type __shfl_sync(unsigned mask, type value, int source, int width = warpSize) {   \
        return emulated_shuffle<type, bits>(EMULATED_FROM, mask, value, (unsigned)source, width);   \
    }                                                                                               \
    CUDA_FUNCTION type __shfl_up_sync(unsigned mask, type value, unsigned delta, int width = warpSize) {   \
        return emulated_shuffle<type, bits>(EMULATED_UP, mask, value, delta, width);                \
    }                                                                                               \
    CUDA_FUNCTION type __shfl_down_sync(unsigned mask, type value, unsigned delta, int width = warpSize) { \
        return emulated_shuffle<type, bits>(EMULATED_DOWN, mask, value, delta, width);              \
    }                                                                                               \
    CUDA_FUNCTION type __shfl_xor_sync(unsigned mask, type value, int lanes, int width = warpSize) { \
        return emulated_shuffle<type, bits>(EMULATED_ACROSS, mask, value, (unsigned)lanes, width);  \
    }
EMULATED_SHUFFLES(int, emulated_u32)
EMULATED_SHUFFLES(unsigned, emulated_u32)
EMULATED_SHUFFLES(long, emulated_u64)
EMULATED_SHUFFLES(unsigned long, emulated_u64)
EMULATED_SHUFFLES(long long, emulated_u64)
EMULATED_SHUFFLES(unsigned long long, emulated_u64)
EMULATED_SHUFFLES(float, emulated_u32)
EMULATED_SHUFFLES(double, emulated_u64)

// ---- lanes with the same value

EMULATOR static inline unsigned emulated_match(const EmulatedLanes *lanes, emulated_u64 value) {
    unsigned result = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        if (lanes->present >> lane & 1 && lanes->values[lane] == value) {
            result |= 1u << lane;
        }
    }
    return result;
}
template <class Bits, class T>
static __forceinline__ unsigned emulated_match_any(unsigned mask, T value) {
    return emulated_match(emulated_exchange(EMULATED_MATCH, mask, emulated_bits<Bits>(value)), emulated_bits<Bits>(value));
}
template <class Bits, class T>
static __forceinline__ unsigned emulated_match_all(unsigned mask, T value, int *all) {
    const EmulatedLanes *lanes = emulated_exchange(EMULATED_MATCH, mask, emulated_bits<Bits>(value));
    const bool same = emulated_match(lanes, emulated_bits<Bits>(value)) == emulated_present(lanes);
    *all = same;
    return same ? mask : 0;
}
#define EMULATED_MATCHES(type, bits)                                                \
    CUDA_FUNCTION unsigned __match_any_sync(unsigned mask, type value) {            \
        return emulated_match_any<bits>(mask, value);                               \
    }                                                                               \
    CUDA_FUNCTION unsigned __match_all_sync(unsigned mask, type value, int *all) {  \
        return emulated_match_all<bits>(mask, value, all);                          \
    }
EMULATED_MATCHES(int, emulated_u32)
EMULATED_MATCHES(unsigned, emulated_u32)
EMULATED_MATCHES(long, emulated_u64)
EMULATED_MATCHES(unsigned long, emulated_u64)
EMULATED_MATCHES(long long, emulated_u64)
EMULATED_MATCHES(unsigned long long, emulated_u64)
EMULATED_MATCHES(float, emulated_u32)
EMULATED_MATCHES(double, emulated_u64)

// ---- one value of all

enum EmulatedFold { EMULATED_FOLD_ADD, EMULATED_FOLD_MIN, EMULATED_FOLD_MAX, EMULATED_FOLD_AND, EMULATED_FOLD_OR, EMULATED_FOLD_XOR };
template <class T>
EMULATOR static T emulated_fold(EmulatedFold how, const EmulatedLanes *lanes) {
    bool any = false;
    T result = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        if (!(lanes->present >> lane & 1)) {
            continue;
        }
        const T value = (T)lanes->values[lane];
        if (!any) {
            result = value;
        } else if (how == EMULATED_FOLD_ADD) {
            result = (T)((unsigned)result + (unsigned)value);
        } else if (how == EMULATED_FOLD_MIN) {
            result = value < result ? value : result;
        } else if (how == EMULATED_FOLD_MAX) {
            result = value > result ? value : result;
        } else {
            result = how == EMULATED_FOLD_AND ? result & value : how == EMULATED_FOLD_OR ? result | value : result ^ value;
        }
        any = true;
    }
    return result;
}
#define EMULATED_REDUCE_LANES(name, type, how)                                      \
    CUDA_FUNCTION type name(unsigned mask, type value) {          \
        return emulated_fold<type>(how, emulated_exchange(EMULATED_REDUCE, mask, (unsigned)value)); \
    }
#if __CUDA_ARCH__ >= 800
EMULATED_REDUCE_LANES(__reduce_add_sync, unsigned, EMULATED_FOLD_ADD)
EMULATED_REDUCE_LANES(__reduce_min_sync, unsigned, EMULATED_FOLD_MIN)
EMULATED_REDUCE_LANES(__reduce_max_sync, unsigned, EMULATED_FOLD_MAX)
EMULATED_REDUCE_LANES(__reduce_add_sync, int, EMULATED_FOLD_ADD)
EMULATED_REDUCE_LANES(__reduce_min_sync, int, EMULATED_FOLD_MIN)
EMULATED_REDUCE_LANES(__reduce_max_sync, int, EMULATED_FOLD_MAX)
EMULATED_REDUCE_LANES(__reduce_and_sync, unsigned, EMULATED_FOLD_AND)
EMULATED_REDUCE_LANES(__reduce_or_sync, unsigned, EMULATED_FOLD_OR)
EMULATED_REDUCE_LANES(__reduce_xor_sync, unsigned, EMULATED_FOLD_XOR)
#endif
