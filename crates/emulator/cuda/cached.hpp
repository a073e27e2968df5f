// Loads and stores with a hint for the caches, which here change nothing but this: a vector is one access, and what __ldg reads must not be written meanwhile.
#pragma once

// A hook for types of other headers: half and the like.
template <class T>
struct EmulatedAlsoCached {
    static constexpr bool value = false;
};
template <class T>
constexpr bool emulated_cached = EmulatedAlsoCached<T>::value ||
    emulated_one_of<T, char, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long, long long, unsigned long long, float, double,
                    char2, char4, uchar2, uchar4, short2, short4, ushort2, ushort4, int2, int4, uint2, uint4, longlong2, ulonglong2, float2, float4, double2>;

template <EmulatedAccess kind, class T>
EMULATOR static T emulated_load(const T *place) {
    emulated_access(place, sizeof(T), kind, __builtin_return_address(0));
    T value;
    __builtin_memcpy(&value, (const void *)place, sizeof(T));
    return value;
}
template <class T>
EMULATOR static void emulated_store(T *place, T value) {
    emulated_access(place, sizeof(T), EMULATED_WRITE, __builtin_return_address(0));
    __builtin_memcpy((void *)place, &value, sizeof(T));
}
#define EMULATED_LOAD(name, kind)                                       \
    template <class T, class = emulated_if<emulated_cached<T>>>         \
    static __forceinline__ T name(const T *place) {                     \
        return emulated_load<kind>(place);                              \
    }
EMULATED_LOAD(__ldg, EMULATED_READ_ONLY)
EMULATED_LOAD(__ldca, EMULATED_READ)
EMULATED_LOAD(__ldcg, EMULATED_READ)
EMULATED_LOAD(__ldcs, EMULATED_READ)
EMULATED_LOAD(__ldlu, EMULATED_READ)
EMULATED_LOAD(__ldcv, EMULATED_VOLATILE_READ)
#define EMULATED_STORE(name)                                            \
    template <class T, class = emulated_if<emulated_cached<T>>>         \
    static __forceinline__ void name(T *place, emulated_same<T> value) { \
        emulated_store(place, value);                                   \
    }
EMULATED_STORE(__stwb)
EMULATED_STORE(__stcg)
EMULATED_STORE(__stcs)
EMULATED_STORE(__stwt)
