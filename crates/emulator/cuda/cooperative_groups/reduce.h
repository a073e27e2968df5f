// One value of all that the threads of a group bring, which each of them gets.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class T, class Operation>
static __forceinline__ T reduce(const details::lanes_group &group, T value, Operation &&operation) {
    const unsigned size = group.size(), rank = group.thread_rank();
    // Each round brings what lies twice as far away, as a tree: the first gets the whole, and hands it on.
    for (unsigned delta = 1; delta < size; delta *= 2) {
        const T other = group.shfl_down(value, delta);
        if (rank + delta < size) {
            value = operation(value, other);
        }
    }
    return group.shfl(value, 0);
}

template <unsigned size, class T, class Operation>
static __forceinline__ T reduce(const details::warps_group<size> &group, T value, Operation &&operation) {
    const auto warp = tiled_partition<32>(this_thread_block());
    const unsigned first = group.emulated_first_warp();
    value = reduce(warp, value, operation);
    if (warp.thread_rank() == 0) {
        details::leave(first + group.thread_rank() / 32, value);
    }
    group.sync();
    value = details::left_by<T>(first);
    for (unsigned at = 1; at < size / 32; at++) {
        value = operation(value, details::left_by<T>(first + at));
    }
    group.sync();
    return value;
}

} // namespace cooperative_groups
