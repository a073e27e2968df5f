// Atomic functions: the host's own atomic operations, announced before and after. Not traced, since an atomic is no plain access.
#pragma once

enum EmulatedChange {
    EMULATED_CHANGE_ADD, EMULATED_CHANGE_MIN, EMULATED_CHANGE_MAX, EMULATED_CHANGE_AND, EMULATED_CHANGE_OR, EMULATED_CHANGE_XOR, EMULATED_CHANGE_EXCHANGE,
    EMULATED_CHANGE_INC, EMULATED_CHANGE_DEC,
};
template <class T>
constexpr bool emulated_is_float = emulated_one_of<T, float, double>;
template <unsigned bytes>
struct EmulatedBits;
template <>
struct EmulatedBits<1> {
    typedef unsigned char type;
};
template <>
struct EmulatedBits<2> {
    typedef unsigned short type;
};
template <>
struct EmulatedBits<4> {
    typedef emulated_u32 type;
};
template <>
struct EmulatedBits<8> {
    typedef emulated_u64 type;
};
template <>
struct EmulatedBits<16> {
    typedef unsigned __int128 type;
};

// A hook for sums of types of other headers.
template <class T>
struct EmulatedSum {
    static __forceinline__ T of(T a, T b) {
        return a + b;
    }
};
template <EmulatedChange change, class T>
static __forceinline__ T emulated_changed(T known, T value) {
    if constexpr (change == EMULATED_CHANGE_ADD) {
        // Integers wrap around.
        if constexpr (__is_same(T, int) || __is_same(T, long long) || __is_same(T, long)) {
            return (T)((emulated_u64)known + (emulated_u64)value);
        } else {
            return EmulatedSum<T>::of(known, value);
        }
    } else if constexpr (change == EMULATED_CHANGE_MIN) {
        return value < known ? value : known;
    } else if constexpr (change == EMULATED_CHANGE_MAX) {
        return value > known ? value : known;
    } else if constexpr (change == EMULATED_CHANGE_AND) {
        return known & value;
    } else if constexpr (change == EMULATED_CHANGE_OR) {
        return known | value;
    } else if constexpr (change == EMULATED_CHANGE_XOR) {
        return known ^ value;
    } else if constexpr (change == EMULATED_CHANGE_INC) {
        return known >= value ? 0 : known + 1;
    } else if constexpr (change == EMULATED_CHANGE_DEC) {
        return known == 0 || known > value ? value : known - 1;
    } else {
        return value;
    }
}
// One read-modify-write; what was there before.
template <EmulatedChange change, class T>
EMULATOR static T emulated_atomic(T *place, T value, EmulatedOrder order, EmulatedScope scope) {
    typedef typename EmulatedBits<sizeof(T)>::type Bits;
    constexpr EmulatedAccess kind = change == EMULATED_CHANGE_EXCHANGE ? EMULATED_EXCHANGE : EMULATED_ATOMIC;
    emulated_atomic_begin(place, sizeof(T), kind, order, scope, __builtin_return_address(0));
    Bits *const at = (Bits *)place;
    Bits known = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(at, &known, emulated_bits<Bits>(emulated_changed<change>(emulated_bits<T>(known), value)), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
    emulated_atomic_end(place, order, scope);
    return emulated_bits<T>(known);
}
template <class T>
EMULATOR static T emulated_compare_exchange(T *place, T expected, T value, EmulatedOrder order, EmulatedScope scope) {
    typedef typename EmulatedBits<sizeof(T)>::type Bits;
    emulated_atomic_begin(place, sizeof(T), EMULATED_EXCHANGE, order, scope, __builtin_return_address(0));
    Bits known = emulated_bits<Bits>(expected);
    __atomic_compare_exchange_n((Bits *)place, &known, emulated_bits<Bits>(value), false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    emulated_atomic_end(place, order, scope);
    return emulated_bits<T>(known);
}
template <class T>
EMULATOR static T emulated_atomic_load(const T *place, EmulatedOrder order, EmulatedScope scope) {
    typedef typename EmulatedBits<sizeof(T)>::type Bits;
    emulated_atomic_begin(place, sizeof(T), EMULATED_READ, order, scope, __builtin_return_address(0));
    const Bits bits = __atomic_load_n((const Bits *)place, __ATOMIC_SEQ_CST);
    emulated_atomic_end(place, order, scope);
    return emulated_bits<T>(bits);
}
template <class T>
EMULATOR static void emulated_atomic_store(T *place, T value, EmulatedOrder order, EmulatedScope scope) {
    typedef typename EmulatedBits<sizeof(T)>::type Bits;
    emulated_atomic_begin(place, sizeof(T), EMULATED_WRITE, order, scope, __builtin_return_address(0));
    __atomic_store_n((Bits *)place, emulated_bits<Bits>(value), __ATOMIC_SEQ_CST);
    emulated_atomic_end(place, order, scope);
}

#define EMULATED_ATOMIC_SCOPE(name, change, scope, type)                                    \
    CUDA_FUNCTION type name(type *place, type value) {                                      \
        return emulated_atomic<change>(place, value, EMULATED_RELAXED, scope);          \
    }
#define EMULATED_ATOMIC_FUNCTION(name, change, type)                                        \
    EMULATED_ATOMIC_SCOPE(name, change, EMULATED_OF_DEVICE, type)                           \
    EMULATED_ATOMIC_SCOPE(name##_block, change, EMULATED_OF_BLOCK, type)                    \
    EMULATED_ATOMIC_SCOPE(name##_system, change, EMULATED_OF_SYSTEM, type)
#define EMULATED_ATOMIC_INTEGERS(type)                                                      \
    EMULATED_ATOMIC_FUNCTION(atomicMin, EMULATED_CHANGE_MIN, type)                          \
    EMULATED_ATOMIC_FUNCTION(atomicMax, EMULATED_CHANGE_MAX, type)                          \
    EMULATED_ATOMIC_FUNCTION(atomicAnd, EMULATED_CHANGE_AND, type)                          \
    EMULATED_ATOMIC_FUNCTION(atomicOr, EMULATED_CHANGE_OR, type)                            \
    EMULATED_ATOMIC_FUNCTION(atomicXor, EMULATED_CHANGE_XOR, type)
EMULATED_ATOMIC_INTEGERS(int)
EMULATED_ATOMIC_INTEGERS(unsigned)
EMULATED_ATOMIC_INTEGERS(long long)
EMULATED_ATOMIC_INTEGERS(unsigned long long)
EMULATED_ATOMIC_FUNCTION(atomicAdd, EMULATED_CHANGE_ADD, int)
EMULATED_ATOMIC_FUNCTION(atomicAdd, EMULATED_CHANGE_ADD, unsigned)
EMULATED_ATOMIC_FUNCTION(atomicAdd, EMULATED_CHANGE_ADD, unsigned long long)
EMULATED_ATOMIC_FUNCTION(atomicAdd, EMULATED_CHANGE_ADD, float)
#if __CUDA_ARCH__ >= 600
EMULATED_ATOMIC_FUNCTION(atomicAdd, EMULATED_CHANGE_ADD, double)
#endif
EMULATED_ATOMIC_FUNCTION(atomicExch, EMULATED_CHANGE_EXCHANGE, int)
EMULATED_ATOMIC_FUNCTION(atomicExch, EMULATED_CHANGE_EXCHANGE, unsigned)
EMULATED_ATOMIC_FUNCTION(atomicExch, EMULATED_CHANGE_EXCHANGE, unsigned long long)
EMULATED_ATOMIC_FUNCTION(atomicExch, EMULATED_CHANGE_EXCHANGE, float)
EMULATED_ATOMIC_FUNCTION(atomicInc, EMULATED_CHANGE_INC, unsigned)
EMULATED_ATOMIC_FUNCTION(atomicDec, EMULATED_CHANGE_DEC, unsigned)

#define EMULATED_SUBTRACT_SCOPE(name, add, type)                                            \
    CUDA_FUNCTION type name(type *place, type value) {                                      \
        return add(place, (type)-(unsigned)value);                                          \
    }
#define EMULATED_SUBTRACT(type)                                                             \
    EMULATED_SUBTRACT_SCOPE(atomicSub, atomicAdd, type)                                     \
    EMULATED_SUBTRACT_SCOPE(atomicSub_block, atomicAdd_block, type)                         \
    EMULATED_SUBTRACT_SCOPE(atomicSub_system, atomicAdd_system, type)
EMULATED_SUBTRACT(int)
EMULATED_SUBTRACT(unsigned)

#define EMULATED_CAS_SCOPE(name, scope, type)                                               \
    CUDA_FUNCTION type name(type *place, type expected, type value) {                       \
        return emulated_compare_exchange(place, expected, value, EMULATED_RELAXED, scope); \
    }
#define EMULATED_CAS(type)                                                                  \
    EMULATED_CAS_SCOPE(atomicCAS, EMULATED_OF_DEVICE, type)                                 \
    EMULATED_CAS_SCOPE(atomicCAS_block, EMULATED_OF_BLOCK, type)                            \
    EMULATED_CAS_SCOPE(atomicCAS_system, EMULATED_OF_SYSTEM, type)
EMULATED_CAS(int)
EMULATED_CAS(unsigned)
EMULATED_CAS(unsigned long long)
EMULATED_CAS(unsigned short)

// Float vectors: each number is added atomically, the whole is not one atomic.
#if __CUDA_ARCH__ >= 900
#define EMULATED_ADD_VECTORS(name, scope)                                                   \
    CUDA_FUNCTION float2 name(float2 *place, float2 value) {                                \
        return emulated_add_vector<scope, 2>(place, value);                                 \
    }                                                                                       \
    CUDA_FUNCTION float4 name(float4 *place, float4 value) {                                \
        return emulated_add_vector<scope, 4>(place, value);                                 \
    }
template <EmulatedScope scope, unsigned count, class T>
EMULATOR static T emulated_add_vector(T *place, T value) {
    emulated_atomic_begin(place, sizeof(T), EMULATED_ATOMIC, EMULATED_RELAXED, scope, __builtin_return_address(0));
    T before;
    for (unsigned at = 0; at < count; at++) {
        emulated_u32 *const part = (emulated_u32 *)place + at;
        emulated_u32 known = __atomic_load_n(part, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(part, &known, emulated_bits<emulated_u32>(emulated_bits<float>(known) + (&value.x)[at]), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
        }
        (&before.x)[at] = emulated_bits<float>(known);
    }
    emulated_atomic_end(place, EMULATED_RELAXED, scope);
    return before;
}
EMULATED_ADD_VECTORS(atomicAdd, EMULATED_OF_DEVICE)
EMULATED_ADD_VECTORS(atomicAdd_block, EMULATED_OF_BLOCK)
EMULATED_ADD_VECTORS(atomicAdd_system, EMULATED_OF_SYSTEM)

// 128 bits at a time, of any type of that size and alignment.
template <class T>
constexpr bool emulated_wide = sizeof(T) == 16 && alignof(T) >= 16 && __is_trivially_copyable(T);
static bool emulated_wide_lock;
template <EmulatedScope scope>
EMULATOR static unsigned __int128 emulated_wide_atomic(unsigned __int128 *place, const unsigned __int128 *expected, unsigned __int128 value) {
    emulated_atomic_begin(place, 16, EMULATED_ATOMIC, EMULATED_RELAXED, scope, __builtin_return_address(0));
    // Not all hosts have an instruction for it: those who come meanwhile wait.
    while (__atomic_test_and_set(&emulated_wide_lock, __ATOMIC_ACQUIRE)) {
    }
    const unsigned __int128 known = *place;
    if (expected == nullptr || known == *expected) {
        *place = value;
    }
    __atomic_clear(&emulated_wide_lock, __ATOMIC_RELEASE);
    emulated_atomic_end(place, EMULATED_RELAXED, scope);
    return known;
}
#define EMULATED_WIDE_ATOMICS(ending, scope)                                                \
    template <class T, class = emulated_if<emulated_wide<T>>>                               \
    static __forceinline__ T atomicExch##ending(T *place, T value) {                        \
        return emulated_bits<T>(emulated_wide_atomic<scope>((unsigned __int128 *)place, nullptr, emulated_bits<unsigned __int128>(value))); \
    }                                                                                       \
    template <class T, class = emulated_if<emulated_wide<T>>>                               \
    static __forceinline__ T atomicCAS##ending(T *place, T expected, T value) {             \
        const unsigned __int128 bits = emulated_bits<unsigned __int128>(expected);          \
        return emulated_bits<T>(emulated_wide_atomic<scope>((unsigned __int128 *)place, &bits, emulated_bits<unsigned __int128>(value))); \
    }
EMULATED_WIDE_ATOMICS(, EMULATED_OF_DEVICE)
EMULATED_WIDE_ATOMICS(_block, EMULATED_OF_BLOCK)
EMULATED_WIDE_ATOMICS(_system, EMULATED_OF_SYSTEM)
#endif
