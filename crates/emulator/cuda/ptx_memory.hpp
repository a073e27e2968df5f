// PTX's loads, stores and atomics: each is one access, however many registers it has.
#pragma once

namespace emulated_ptx {
// A shared address is 32 bits, in a register of 32 or 64.
static __forceinline__ void *shared(u64 address) {
    return emulated_from_shared((u32)address);
}

// At most 16 bytes, which a function takes and answers in registers.
template <class T, int count>
struct values {
    T at[count];
    __forceinline__ u64 widened(int part) const {
        return raw(at[part]);
    }
};
template <class T, class... Bits>
static __forceinline__ values<T, sizeof...(Bits)> together(Bits... bits) {
    return {{as<T>(bits)...}};
}

template <class T, int count, EmulatedAccess kind>
EMULATOR static values<T, count> load_as(const void *place) {
    emulated_access(place, sizeof(T) * count, kind, __builtin_return_address(0));
    values<T, count> result;
    __builtin_memcpy(&result, place, sizeof(T) * count);
    return result;
}
template <class T, int count>
static __forceinline__ values<T, count> load(const void *place) {
    return load_as<T, count, EMULATED_READ>(place);
}
template <class T, int count>
static __forceinline__ values<T, count> load_volatile(const void *place) {
    return load_as<T, count, EMULATED_VOLATILE_READ>(place);
}
template <class T, int count>
static __forceinline__ values<T, count> load_read_only(const void *place) {
    return load_as<T, count, EMULATED_READ_ONLY>(place);
}
template <class T, int count, EmulatedAccess kind>
EMULATOR static void store_as(void *place, values<T, count> from) {
    emulated_access(place, sizeof(T) * count, kind, __builtin_return_address(0));
    __builtin_memcpy(place, &from, sizeof(T) * count);
}
template <class T, int count>
static __forceinline__ void store(void *place, values<T, count> from) {
    store_as<T, count, EMULATED_WRITE>(place, from);
}
template <class T, int count>
static __forceinline__ void store_volatile(void *place, values<T, count> from) {
    store_as<T, count, EMULATED_VOLATILE_WRITE>(place, from);
}
template <class T, int count>
EMULATOR static values<T, count> load_atomic(const void *place, EmulatedOrder order, EmulatedScope scope) {
    emulated_atomic_begin(place, sizeof(T) * count, EMULATED_READ, order, scope, __builtin_return_address(0));
    values<T, count> result;
    if constexpr (count == 1) {
        const auto bits = __atomic_load_n((const typename Bits<sizeof(T)>::type *)place, __ATOMIC_SEQ_CST);
        __builtin_memcpy(&result, &bits, sizeof(T));
    } else {
        __builtin_memcpy(&result, place, sizeof(T) * count);
    }
    emulated_atomic_end(place, order, scope);
    return result;
}
template <class T, int count>
EMULATOR static void store_atomic(void *place, values<T, count> from, EmulatedOrder order, EmulatedScope scope) {
    emulated_atomic_begin(place, sizeof(T) * count, EMULATED_WRITE, order, scope, __builtin_return_address(0));
    if constexpr (count == 1) {
        typename Bits<sizeof(T)>::type bits;
        __builtin_memcpy(&bits, &from, sizeof(T));
        __atomic_store_n((typename Bits<sizeof(T)>::type *)place, bits, __ATOMIC_SEQ_CST);
    } else {
        __builtin_memcpy(place, &from, sizeof(T) * count);
    }
    emulated_atomic_end(place, order, scope);
}
// st.async: the store, and its bytes to a barrier of the same block.
template <class T, int count>
static __forceinline__ void store_async(void *place, values<T, count> from, u64 *barrier) {
    store_as<T, count, EMULATED_WRITE>(place, from);
    emulated_mbarrier(EMULATED_MBARRIER_COMPLETE, barrier, sizeof(T) * count, 0);
}

// ---- atomics

// A type's bits in memory as one number.
template <class T>
using Whole = typename Bits<sizeof(T)>::type;
enum Change { CHANGE_ADD, CHANGE_MIN, CHANGE_MAX, CHANGE_AND, CHANGE_OR, CHANGE_XOR, CHANGE_EXCHANGE, CHANGE_INC, CHANGE_DEC };
template <Change change, class T>
static __forceinline__ T changed(T known, T value) {
    if constexpr (change == CHANGE_ADD) {
        return (T)(known + value);
    } else if constexpr (change == CHANGE_MIN) {
        return value < known ? value : known;
    } else if constexpr (change == CHANGE_MAX) {
        return value > known ? value : known;
    } else if constexpr (change == CHANGE_AND) {
        return known & value;
    } else if constexpr (change == CHANGE_OR) {
        return known | value;
    } else if constexpr (change == CHANGE_XOR) {
        return known ^ value;
    } else if constexpr (change == CHANGE_INC) {
        return known >= value ? 0 : known + 1;
    } else if constexpr (change == CHANGE_DEC) {
        return known == 0 || known > value ? value : known - 1;
    } else {
        return value;
    }
}
// What was there before.
template <class T, Change change>
EMULATOR static u64 atomic(void *place, u64 value, EmulatedOrder order, EmulatedScope scope) {
    emulated_atomic_begin(place, sizeof(T), EMULATED_ATOMIC, order, scope, __builtin_return_address(0));
    Whole<T> *const at = (Whole<T> *)place;
    Whole<T> known = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(at, &known, (Whole<T>)raw(changed<change>(as<T>(known), as<T>(value))), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
    emulated_atomic_end(place, order, scope);
    return raw(as<T>(known));
}
#define EMULATED_PTX_ATOMIC(name, change)                               \
    template <class T, EmulatedOrder order, EmulatedScope scope>        \
    static __forceinline__ u64 atomic_##name(void *place, u64 value) {  \
        return atomic<T, change>(place, value, order, scope);           \
    }
EMULATED_PTX_ATOMIC(add, CHANGE_ADD)
EMULATED_PTX_ATOMIC(min, CHANGE_MIN)
EMULATED_PTX_ATOMIC(max, CHANGE_MAX)
EMULATED_PTX_ATOMIC(and, CHANGE_AND)
EMULATED_PTX_ATOMIC(or, CHANGE_OR)
EMULATED_PTX_ATOMIC(xor, CHANGE_XOR)
EMULATED_PTX_ATOMIC(exch, CHANGE_EXCHANGE)
EMULATED_PTX_ATOMIC(inc, CHANGE_INC)
EMULATED_PTX_ATOMIC(dec, CHANGE_DEC)
template <class T>
EMULATOR static u64 compare_exchange(void *place, u64 expected, u64 value, EmulatedOrder order, EmulatedScope scope) {
    emulated_atomic_begin(place, sizeof(T), EMULATED_ATOMIC, order, scope, __builtin_return_address(0));
    Whole<T> known = (Whole<T>)expected;
    __atomic_compare_exchange_n((Whole<T> *)place, &known, (Whole<T>)value, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    emulated_atomic_end(place, order, scope);
    return raw(as<T>(known));
}
template <class T, EmulatedOrder order, EmulatedScope scope>
static __forceinline__ u64 atomic_cas(void *place, u64 expected, u64 value) {
    return compare_exchange<T>(place, expected, value, order, scope);
}

// ---- addresses of the blocks of a cluster

static __forceinline__ u64 map_shared(u64 address, u64 rank) {
    return emulated_map_shared((u32)address, (u32)rank);
}
static __forceinline__ u64 map_generic(u64 address, u64 rank) {
    return (u64)emulated_from_shared(emulated_map_shared(emulated_to_shared((const void *)address), (u32)rank));
}
static __forceinline__ u64 rank_of_shared(u64 address) {
    for (u32 rank = 0; rank < cluster_nctarank(); rank++) {
        if (emulated_map_shared((u32)address, rank) == (u32)address) {
            return rank;
        }
    }
    return 0;
}
static __forceinline__ u64 rank_of_generic(u64 address) {
    return rank_of_shared(emulated_to_shared((const void *)address));
}
} // namespace emulated_ptx
