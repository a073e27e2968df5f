// Atomic operations whose order and scope are values: what cuda::atomic and its like are made of.
#pragma once

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
namespace std {
enum memory_order { memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };
}
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

namespace emulated {

static __forceinline__ constexpr EmulatedScope scope_of(thread_scope scope) {
    return scope == thread_scope_system ? EMULATED_OF_SYSTEM : scope == thread_scope_device ? EMULATED_OF_DEVICE : EMULATED_OF_BLOCK;
}
static __forceinline__ constexpr EmulatedOrder order_of(memory_order order) {
    return order == memory_order_relaxed                                       ? EMULATED_RELAXED
           : order == memory_order_acquire || order == memory_order_consume    ? EMULATED_ACQUIRE
           : order == memory_order_release                                     ? EMULATED_RELEASE
                                                                               : EMULATED_ACQ_REL;
}
// A load only learns, a store only publishes.
static __forceinline__ constexpr EmulatedOrder order_of_load(memory_order order) {
    return order == memory_order_relaxed ? EMULATED_RELAXED : EMULATED_ACQUIRE;
}
static __forceinline__ constexpr EmulatedOrder order_of_store(memory_order order) {
    return order == memory_order_relaxed ? EMULATED_RELAXED : EMULATED_RELEASE;
}

// The operations on a value that `Derived` holds or refers to.
template <class T, thread_scope scope_, class Derived>
class atomic_operations {
    static constexpr EmulatedScope scope = scope_of(scope_);
    __forceinline__ T *place() const {
        return static_cast<const Derived *>(this)->emulated_place();
    }

public:
    typedef T value_type;
    static constexpr bool is_always_lock_free = sizeof(T) <= 8;
    __forceinline__ bool is_lock_free() const {
        return is_always_lock_free;
    }
    __forceinline__ T load(memory_order order = memory_order_seq_cst) const {
        return emulated_atomic_load(place(), order_of_load(order), scope);
    }
    __forceinline__ operator T() const {
        return load();
    }
    __forceinline__ void store(T value, memory_order order = memory_order_seq_cst) const {
        emulated_atomic_store(place(), value, order_of_store(order), scope);
    }
    __forceinline__ T exchange(T value, memory_order order = memory_order_seq_cst) const {
        return emulated_atomic<EMULATED_CHANGE_EXCHANGE>(place(), value, order_of(order), scope);
    }
    __forceinline__ bool compare_exchange_strong(T &expected, T value, memory_order order = memory_order_seq_cst) const {
        const T wanted = expected, known = emulated_compare_exchange(place(), wanted, value, order_of(order), scope);
        const bool same = __builtin_bit_cast(typename EmulatedBits<sizeof(T)>::type, known) == __builtin_bit_cast(typename EmulatedBits<sizeof(T)>::type, wanted);
        if (!same) {
            expected = known;
        }
        return same;
    }
    __forceinline__ bool compare_exchange_strong(T &expected, T value, memory_order order, memory_order) const {
        return compare_exchange_strong(expected, value, order);
    }
    __forceinline__ bool compare_exchange_weak(T &expected, T value, memory_order order = memory_order_seq_cst) const {
        return compare_exchange_strong(expected, value, order);
    }
    __forceinline__ bool compare_exchange_weak(T &expected, T value, memory_order order, memory_order) const {
        return compare_exchange_strong(expected, value, order);
    }
#define EMULATED_FETCH(name, change)                                    \
    __forceinline__ T name(T value, memory_order order = memory_order_seq_cst) const { \
        return emulated_atomic<change>(place(), value, order_of(order), scope);  \
    }
    EMULATED_FETCH(fetch_add, EMULATED_CHANGE_ADD)
    EMULATED_FETCH(fetch_and, EMULATED_CHANGE_AND)
    EMULATED_FETCH(fetch_or, EMULATED_CHANGE_OR)
    EMULATED_FETCH(fetch_xor, EMULATED_CHANGE_XOR)
    EMULATED_FETCH(fetch_min, EMULATED_CHANGE_MIN)
    EMULATED_FETCH(fetch_max, EMULATED_CHANGE_MAX)
#undef EMULATED_FETCH
    __forceinline__ T fetch_sub(T value, memory_order order = memory_order_seq_cst) const {
        return fetch_add((T)(0 - value), order);
    }
    __forceinline__ T operator++(int) const {
        return fetch_add(1);
    }
    __forceinline__ T operator--(int) const {
        return fetch_sub(1);
    }
    __forceinline__ T operator++() const {
        return (T)(fetch_add(1) + 1);
    }
    __forceinline__ T operator--() const {
        return (T)(fetch_sub(1) - 1);
    }
    __forceinline__ T operator+=(T value) const {
        return (T)(fetch_add(value) + value);
    }
    __forceinline__ T operator-=(T value) const {
        return (T)(fetch_sub(value) - value);
    }
    __forceinline__ T operator&=(T value) const {
        return fetch_and(value) & value;
    }
    __forceinline__ T operator|=(T value) const {
        return fetch_or(value) | value;
    }
    __forceinline__ T operator^=(T value) const {
        return fetch_xor(value) ^ value;
    }
    // Waiting looks again and again, and lets others run meanwhile.
    __forceinline__ void wait(T old, memory_order order = memory_order_seq_cst) const {
        while (load(order) == old) {
            emulated_pause();
        }
    }
    __forceinline__ void notify_one() const {
    }
    __forceinline__ void notify_all() const {
    }
};

} // namespace emulated
} // namespace cuda
