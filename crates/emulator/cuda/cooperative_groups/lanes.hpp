// Values of any size between the lanes of a group, and functions of two values: what tiles and coalesced groups share.
#pragma once

namespace cooperative_groups {
namespace details {

// The lane whose place among the set bits of the mask is `rank`.
EMULATOR static inline unsigned lane_of(unsigned mask, unsigned rank) {
    for (unsigned lane = 0; lane < 32; lane++) {
        if (mask >> lane & 1 && rank-- == 0) {
            return lane;
        }
    }
    return 32;
}
static __forceinline__ unsigned rank_of(unsigned mask, unsigned lane) {
    return (unsigned)__builtin_popcount(mask & ((1u << lane) - 1));
}
// A value goes in words of up to 8 bytes.
template <class T>
struct Words {
    static_assert(__is_trivially_copyable(T) && sizeof(T) <= 32, "a shuffle moves at most 32 bytes that can be copied as bytes");
    static constexpr unsigned count = (sizeof(T) + 7) / 8;
    emulated_u64 word[count];
};
template <class T>
EMULATOR static Words<T> words_of(T value) {
    Words<T> result = {};
    __builtin_memcpy(result.word, (const void *)&value, sizeof(T));
    return result;
}
template <class T>
EMULATOR static T value_of(Words<T> words) {
    T value;
    __builtin_memcpy((void *)&value, words.word, sizeof(T));
    return value;
}
template <class T>
static __forceinline__ T from_lane(unsigned mask, T value, unsigned source) {
    if constexpr (sizeof(T) == 4) {
        return emulated_shuffle_from<T, emulated_u32>(mask, value, source);
    } else if constexpr (sizeof(T) == 8) {
        return emulated_shuffle_from<T, emulated_u64>(mask, value, source);
    } else {
        Words<T> words = words_of(value);
        for (unsigned at = 0; at < Words<T>::count; at++) {
            words.word[at] = emulated_shuffle_from<emulated_u64, emulated_u64>(mask, words.word[at], source);
        }
        return value_of<T>(words);
    }
}

} // namespace details

#define EMULATED_GROUP_OPERATION(name, result)                          \
    template <class T>                                                  \
    struct name {                                                       \
        __forceinline__ T operator()(T a, T b) const {                  \
            return result;                                              \
        }                                                               \
    };
EMULATED_GROUP_OPERATION(plus, a + b)
EMULATED_GROUP_OPERATION(less, b < a ? b : a)
EMULATED_GROUP_OPERATION(greater, a < b ? b : a)
EMULATED_GROUP_OPERATION(bit_and, a &b)
EMULATED_GROUP_OPERATION(bit_or, a | b)
EMULATED_GROUP_OPERATION(bit_xor, a ^ b)

} // namespace cooperative_groups
