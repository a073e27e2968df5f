// Atomic functions whose order and scope are arguments: __nv_atomic_load and its like.
#pragma once

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

static inline constexpr EmulatedOrder emulated_nv_order(int order) {
    return order == 0 ? EMULATED_RELAXED : order <= 2 ? EMULATED_ACQUIRE : order == 3 ? EMULATED_RELEASE : EMULATED_ACQ_REL;
}
// A load only learns, a store only publishes.
static inline constexpr EmulatedOrder emulated_nv_load_order(int order) {
    return order == 0 ? EMULATED_RELAXED : EMULATED_ACQUIRE;
}
static inline constexpr EmulatedOrder emulated_nv_store_order(int order) {
    return order == 0 ? EMULATED_RELAXED : EMULATED_RELEASE;
}
static inline constexpr EmulatedScope emulated_nv_scope(int scope) {
    return scope <= 1 ? EMULATED_OF_BLOCK : scope == 2 ? EMULATED_OF_CLUSTER : scope == 3 ? EMULATED_OF_DEVICE : EMULATED_OF_SYSTEM;
}

template <class T>
static __forceinline__ T __nv_atomic_load_n(const T *place, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    return emulated_atomic_load(place, emulated_nv_load_order(order), emulated_nv_scope(scope));
}
template <class T>
static __forceinline__ void __nv_atomic_load(const T *place, T *result, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    *result = __nv_atomic_load_n(place, order, scope);
}
template <class T>
static __forceinline__ void __nv_atomic_store_n(T *place, emulated_same<T> value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    emulated_atomic_store(place, value, emulated_nv_store_order(order), emulated_nv_scope(scope));
}
template <class T>
static __forceinline__ void __nv_atomic_store(T *place, T *value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    __nv_atomic_store_n(place, *value, order, scope);
}
template <class T>
static __forceinline__ T __nv_atomic_exchange_n(T *place, emulated_same<T> value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    return emulated_atomic<EMULATED_CHANGE_EXCHANGE>(place, value, emulated_nv_order(order), emulated_nv_scope(scope));
}
template <class T>
static __forceinline__ void __nv_atomic_exchange(T *place, T *value, T *result, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    *result = __nv_atomic_exchange_n(place, *value, order, scope);
}
// What was there goes to `expected` where it differs.
template <class T>
static __forceinline__ bool __nv_atomic_compare_exchange_n(T *place, T *expected, emulated_same<T> value, bool, int order, int, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    typedef typename EmulatedBits<sizeof(T)>::type Bits;
    const T wanted = *expected, known = emulated_compare_exchange(place, wanted, value, emulated_nv_order(order), emulated_nv_scope(scope));
    const bool same = emulated_bits<Bits>(known) == emulated_bits<Bits>(wanted);
    if (!same) {
        *expected = known;
    }
    return same;
}
template <class T>
static __forceinline__ bool __nv_atomic_compare_exchange(T *place, T *expected, T *value, bool weak, int order, int on_failure, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    return __nv_atomic_compare_exchange_n(place, expected, *value, weak, order, on_failure, scope);
}
#define EMULATED_NV_ATOMIC(name, change)                                \
    template <class T>                                                  \
    static __forceinline__ T __nv_atomic_fetch_##name(T *place, emulated_same<T> value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) { \
        return emulated_atomic<change>(place, value, emulated_nv_order(order), emulated_nv_scope(scope)); \
    }                                                                   \
    template <class T>                                                  \
    static __forceinline__ void __nv_atomic_##name(T *place, emulated_same<T> value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) { \
        emulated_atomic<change>(place, value, emulated_nv_order(order), emulated_nv_scope(scope)); \
    }
EMULATED_NV_ATOMIC(add, EMULATED_CHANGE_ADD)
EMULATED_NV_ATOMIC(and, EMULATED_CHANGE_AND)
EMULATED_NV_ATOMIC(or, EMULATED_CHANGE_OR)
EMULATED_NV_ATOMIC(xor, EMULATED_CHANGE_XOR)
EMULATED_NV_ATOMIC(min, EMULATED_CHANGE_MIN)
EMULATED_NV_ATOMIC(max, EMULATED_CHANGE_MAX)
template <class T>
static __forceinline__ T __nv_atomic_fetch_sub(T *place, emulated_same<T> value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    return __nv_atomic_fetch_add(place, (T)(0 - value), order, scope);
}
template <class T>
static __forceinline__ void __nv_atomic_sub(T *place, emulated_same<T> value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    __nv_atomic_fetch_add(place, (T)(0 - value), order, scope);
}
CUDA_FUNCTION void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    if (order != __NV_ATOMIC_RELAXED) {
        emulated_fence(emulated_nv_order(order), emulated_nv_scope(scope));
    }
}
