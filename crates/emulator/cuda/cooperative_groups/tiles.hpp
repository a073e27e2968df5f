// Tiles of a warp, and the threads of a warp that are together at a place.
#pragma once

namespace cooperative_groups {

namespace details {

// What both kinds have: some lanes of one warp.
class lanes_group : public thread_group {
protected:
    constexpr lanes_group(unsigned lanes, unsigned part, unsigned parts) : thread_group(lanes, part, parts) {
    }

public:
    __forceinline__ void sync() const {
        __syncwarp(lanes);
    }
    __forceinline__ unsigned size() const {
        return (unsigned)__builtin_popcount(lanes);
    }
    __forceinline__ unsigned num_threads() const {
        return size();
    }
    __forceinline__ unsigned thread_rank() const {
        return rank_of(lanes, emulated_lane());
    }
    __forceinline__ unsigned meta_group_rank() const {
        return part;
    }
    __forceinline__ unsigned meta_group_size() const {
        return parts;
    }
    // Ranks count within the group. Who would read from outside of it reads itself, but shfl takes the rank modulo a tile's size.
    template <class T>
    __forceinline__ T shfl(T value, unsigned rank) const {
        return from_lane(lanes, value, lane_of(lanes, rank % size()));
    }
    template <class T>
    __forceinline__ T shfl_up(T value, unsigned delta) const {
        const unsigned rank = thread_rank();
        return from_lane(lanes, value, lane_of(lanes, rank < delta ? rank : rank - delta));
    }
    template <class T>
    __forceinline__ T shfl_down(T value, unsigned delta) const {
        const unsigned rank = thread_rank();
        return from_lane(lanes, value, lane_of(lanes, rank + delta >= size() ? rank : rank + delta));
    }
    __forceinline__ int any(int predicate) const {
        return __any_sync(lanes, predicate);
    }
    __forceinline__ int all(int predicate) const {
        return __all_sync(lanes, predicate);
    }
    __forceinline__ unsigned ballot(int predicate) const {
        return packed(__ballot_sync(lanes, predicate));
    }
    template <class T>
    __forceinline__ unsigned match_any(T value) const {
        return packed(__match_any_sync(lanes, value));
    }
    template <class T>
    __forceinline__ unsigned match_all(T value, int &all) const {
        return packed(__match_all_sync(lanes, value, &all));
    }
    // The mask as the warp knows it: for what is built on groups.
    __forceinline__ unsigned emulated_mask() const {
        return lanes;
    }

private:
    __forceinline__ unsigned packed(unsigned of_warp) const {
        unsigned result = 0;
        for (unsigned lane = 0, rank = 0; lane < 32; lane++) {
            if (lanes >> lane & 1) {
                result |= (of_warp >> lane & 1) << rank++;
            }
        }
        return result;
    }
};

static __forceinline__ unsigned tile_mask(unsigned size) {
    return (size == 32 ? ~0u : (1u << size) - 1) << (emulated_lane() & ~(size - 1));
}

} // namespace details

template <unsigned size_, class Parent = void>
class thread_block_tile : public details::lanes_group {
    static_assert(size_ <= 32, "a tile has at most 1024 threads");
    static_assert(size_ != 0 && (size_ & (size_ - 1)) == 0, "the size of a tile is a power of two");

public:
    // Made by tiled_partition alone.
    __forceinline__ thread_block_tile(unsigned part, unsigned parts) : lanes_group(details::tile_mask(size_), part, parts) {
    }
    template <class Other>
    __forceinline__ thread_block_tile(const thread_block_tile<size_, Other> &other) : lanes_group(other) {
    }
    static constexpr unsigned size() {
        return size_;
    }
    static constexpr unsigned num_threads() {
        return size_;
    }
    static __forceinline__ unsigned thread_rank() {
        return emulated_lane() & (size_ - 1);
    }
    template <class T>
    __forceinline__ T shfl_xor(T value, unsigned with) const {
        return details::from_lane(lanes, value, (emulated_lane() & ~(size_ - 1)) | ((thread_rank() ^ with) & (size_ - 1)));
    }
};

namespace details {

// Room for a value of each warp, not looked at by the checker. The bytes are shared memory only where a kernel needs them.
EMULATOR static inline unsigned long long *room_of(unsigned warp) {
    static thread_local unsigned long long room[32][4];
    return room[warp];
}
template <class T>
EMULATOR static void leave(unsigned warp, T value) {
    static_assert(__is_trivially_copyable(T) && sizeof(T) <= 32, "a tile moves at most 32 bytes that can be copied as bytes");
    __builtin_memcpy(room_of(warp), (const void *)&value, sizeof(T));
}
template <class T>
EMULATOR static T left_by(unsigned warp) {
    T value;
    __builtin_memcpy((void *)&value, room_of(warp), sizeof(T));
    return value;
}
// Tiles of several warps wait at named barriers: the whole at 1, its halves at 2 and 3, their halves from 4 on. Of 1024 threads those of 64 have no
// numbers of their own.
template <unsigned size_>
class warps_group {
    unsigned part, parts;
    static __forceinline__ unsigned wait(EmulatedBarrier how, int predicate) {
        const unsigned whole = 1u << (32 - __builtin_clz(thread_block::size() - 1));
        const unsigned barrier = whole / size_ + thread_block::thread_rank() / size_;
        return (unsigned)emulated_barrier(barrier % 16, size_, how, predicate != 0);
    }

public:
    constexpr warps_group(unsigned part, unsigned parts) : part(part), parts(parts) {
    }
    static __forceinline__ void sync() {
        wait(EMULATED_BARRIER_SYNC, 0);
    }
    static __forceinline__ int any(int predicate) {
        return (int)wait(EMULATED_BARRIER_OR, predicate);
    }
    static __forceinline__ int all(int predicate) {
        return (int)wait(EMULATED_BARRIER_AND, predicate);
    }
    static constexpr unsigned size() {
        return size_;
    }
    static constexpr unsigned num_threads() {
        return size_;
    }
    static __forceinline__ unsigned thread_rank() {
        return thread_block::thread_rank() % size_;
    }
    __forceinline__ unsigned meta_group_rank() const {
        return part;
    }
    __forceinline__ unsigned meta_group_size() const {
        return parts;
    }
    // The warp of the block in which the tile begins.
    static __forceinline__ unsigned emulated_first_warp() {
        return thread_block::thread_rank() / size_ * (size_ / 32);
    }
    template <class T>
    static __forceinline__ T shfl(T value, unsigned rank) {
        if (thread_rank() == rank) {
            leave(emulated_first_warp(), value);
        }
        sync();
        value = left_by<T>(emulated_first_warp());
        sync();
        return value;
    }
};

} // namespace details

#define EMULATED_TILE_OF_WARPS(size)                                            \
    template <class Parent>                                                     \
    class thread_block_tile<size, Parent> : public details::warps_group<size> { \
    public:                                                                     \
        using details::warps_group<size>::warps_group;                          \
        template <class Other>                                                  \
        constexpr thread_block_tile(const thread_block_tile<size, Other> &tile) : details::warps_group<size>(tile) { \
        }                                                                       \
    };
EMULATED_TILE_OF_WARPS(64)
EMULATED_TILE_OF_WARPS(128)
EMULATED_TILE_OF_WARPS(256)
EMULATED_TILE_OF_WARPS(512)
EMULATED_TILE_OF_WARPS(1024)

static __forceinline__ thread_block_tile<1> this_thread() {
    return thread_block_tile<1>(0, 1);
}

class coalesced_group : public details::lanes_group {
public:
    // Made by the functions below alone.
    constexpr coalesced_group(unsigned lanes, unsigned part, unsigned parts) : lanes_group(lanes, part, parts) {
    }
};
static __forceinline__ coalesced_group coalesced_threads() {
    return coalesced_group(__activemask(), 0, 1);
}

template <unsigned size>
static __forceinline__ thread_block_tile<size, thread_block> tiled_partition(const thread_block &block) {
    return thread_block_tile<size, thread_block>(block.thread_rank() / size, (block.size() + size - 1) / size);
}
template <unsigned size, unsigned parent_size, class Parent>
static __forceinline__ thread_block_tile<size, thread_block_tile<parent_size, Parent>> tiled_partition(const thread_block_tile<parent_size, Parent> &tile) {
    static_assert(size <= parent_size, "a tile is divided into smaller ones");
    return thread_block_tile<size, thread_block_tile<parent_size, Parent>>(tile.thread_rank() / size, parent_size / size);
}
// Sizes known only when the kernel runs.
static __forceinline__ coalesced_group tiled_partition(const thread_block &block, unsigned size) {
    return coalesced_group(details::tile_mask(size), block.thread_rank() / size, (block.size() + size - 1) / size);
}
// Consecutive members of the group; its last part may be smaller.
static __forceinline__ coalesced_group tiled_partition(const coalesced_group &group, unsigned size) {
    const unsigned mine = group.thread_rank() / size;
    unsigned lanes = 0;
    for (unsigned rank = mine * size; rank < (mine + 1) * size && rank < group.size(); rank++) {
        lanes |= 1u << details::lane_of(group.emulated_mask(), rank);
    }
    return coalesced_group(lanes, mine, (group.size() + size - 1) / size);
}
// Those for which the predicate is the same; those for which the label is.
static __forceinline__ coalesced_group binary_partition(const details::lanes_group &group, bool predicate) {
    const unsigned yes = __ballot_sync(group.emulated_mask(), predicate);
    return coalesced_group(predicate ? yes : group.emulated_mask() & ~yes, predicate, 2);
}
template <class Label>
static __forceinline__ coalesced_group labeled_partition(const details::lanes_group &group, Label label) {
    const unsigned same = __match_any_sync(group.emulated_mask(), label);
    // Parts are counted by their first lanes.
    const unsigned first = __ballot_sync(group.emulated_mask(), (same & (0u - same)) == 1u << emulated_lane());
    return coalesced_group(same, details::rank_of(first, (unsigned)__builtin_ctz(same)), (unsigned)__builtin_popcount(first));
}

template <class Group>
static __forceinline__ void sync(const Group &group) {
    group.sync();
}
template <class Group>
static __forceinline__ auto thread_rank(const Group &group) {
    return group.thread_rank();
}
template <class Group>
static __forceinline__ auto group_size(const Group &group) {
    return group.size();
}
// One thread of the group calls the function.
template <class Group, class Function, class... Arguments>
static __forceinline__ void invoke_one(const Group &group, Function &&function, Arguments &&...arguments) {
    if (group.thread_rank() == 0) {
        function(static_cast<Arguments &&>(arguments)...);
    }
}
// And all of a tile or of a part of a warp have what it answers.
template <class Group, class Function, class... Arguments>
static __forceinline__ auto invoke_one_broadcast(const Group &group, Function &&function, Arguments &&...arguments) {
    decltype(function(static_cast<Arguments &&>(arguments)...)) answer{};
    invoke_one(group, [&] { answer = function(static_cast<Arguments &&>(arguments)...); });
    return group.shfl(answer, 0);
}

} // namespace cooperative_groups
