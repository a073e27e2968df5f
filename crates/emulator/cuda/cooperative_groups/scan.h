// To each thread of a group the sum of what those before it bring, with its own (inclusive) or without (exclusive).
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class T, class Operation>
static __forceinline__ T inclusive_scan(const details::lanes_group &group, T value, Operation &&operation) {
    for (unsigned delta = 1; delta < group.size(); delta *= 2) {
        const T other = group.shfl_up(value, delta);
        if (group.thread_rank() >= delta) {
            value = operation(other, value);
        }
    }
    return value;
}
template <class T>
static __forceinline__ T inclusive_scan(const details::lanes_group &group, T value) {
    return inclusive_scan(group, value, plus<T>());
}
template <class T, class Operation>
static __forceinline__ T exclusive_scan(const details::lanes_group &group, T value, Operation &&operation) {
    const T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
    return group.thread_rank() == 0 ? T() : before;
}
template <class T>
static __forceinline__ T exclusive_scan(const details::lanes_group &group, T value) {
    return exclusive_scan(group, value, plus<T>());
}

} // namespace cooperative_groups
