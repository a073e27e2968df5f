// Asynchronous copies that a group shares: each of its threads copies a part. wait ends them for all.
#pragma once

#include "../cooperative_groups.h"
#include "../emulated_copy.hpp"

namespace cooperative_groups {

template <class Group, class T, class Bytes>
static __forceinline__ void memcpy_async(const Group &group, T *__restrict__ to, const T *__restrict__ from, const Bytes &bytes) {
    emulated_copy_share(to, from, (size_t)bytes, (unsigned)group.thread_rank(), (unsigned)group.size());
    emulated_copy_commit();
}
// The counts are of elements.
template <class Group, class T, class Room, class There>
static __forceinline__ void memcpy_async(const Group &group, T *__restrict__ to, const Room &room, const T *__restrict__ from, const There &there) {
    const size_t count = (size_t)room < (size_t)there ? (size_t)room : (size_t)there;
    memcpy_async(group, to, from, count * sizeof(T));
}
template <class Group>
static __forceinline__ void wait(const Group &group) {
    emulated_copy_wait(~0u);
    group.sync();
}
template <unsigned pending, class Group>
static __forceinline__ void wait_prior(const Group &group) {
    emulated_copy_wait(pending);
    group.sync();
}

} // namespace cooperative_groups
