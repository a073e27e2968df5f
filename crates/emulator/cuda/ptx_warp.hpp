// PTX's instructions that the lanes of a warp take part in together.
#pragma once

namespace emulated_ptx {
static __forceinline__ u32 vote_ballot(bool predicate, u64 mask) {
    return emulated_ballot(emulated_exchange(EMULATED_VOTE, (u32)mask, predicate));
}
static __forceinline__ bool vote_any(bool predicate, u64 mask) {
    return vote_ballot(predicate, mask) != 0;
}
static __forceinline__ bool vote_all(bool predicate, u64 mask) {
    return vote_ballot(!predicate, mask) == 0;
}
static __forceinline__ bool vote_uni(bool predicate, u64 mask) {
    const EmulatedLanes *const lanes = emulated_exchange(EMULATED_VOTE, (u32)mask, predicate);
    const u32 votes = emulated_ballot(lanes);
    return votes == 0 || votes == emulated_present(lanes);
}
static __forceinline__ u32 active_mask() {
    return 1u << emulated_lane();
}
// The lowest lane of those that take part.
static __forceinline__ u32 elect(u64 mask) {
    return (u32)__builtin_ctz(emulated_present(emulated_exchange(EMULATED_VOTE, (u32)mask, 1)));
}
static __forceinline__ u32 elect(u64 mask, bool &elected) {
    const u32 leader = elect(mask);
    elected = leader == laneid();
    return leader;
}
static __forceinline__ u32 match_any(u64 value, u64 mask) {
    return emulated_match(emulated_exchange(EMULATED_MATCH, (u32)mask, value), value);
}
static __forceinline__ u32 match_all(u64 value, u64 mask, bool &same) {
    const EmulatedLanes *const lanes = emulated_exchange(EMULATED_MATCH, (u32)mask, value);
    same = emulated_match(lanes, value) == emulated_present(lanes);
    return same ? (u32)mask : 0;
}

// `bounds` has the last lane of a part of the warp in its low five bits, and from bit 8 on which bits of a lane say its part.
static __forceinline__ u32 shuffle(u64 value, u32 source, bool inside, u64 mask) {
    return (u32)emulated_from_lane(emulated_exchange(EMULATED_SHUFFLE, (u32)mask, (u32)value), inside ? source : laneid());
}
static __forceinline__ u32 part_of_warp(u64 bounds) {
    return (u32)(bounds >> 8) & 31;
}
static __forceinline__ u32 last_lane(u64 bounds) {
    return (laneid() & part_of_warp(bounds)) | ((u32)bounds & 31 & ~part_of_warp(bounds));
}
static __forceinline__ u32 shuffle_up(u64 value, u64 delta, u64 bounds, u64 mask, bool &inside) {
    const u32 offset = (u32)delta & 31;
    inside = (int)laneid() - (int)offset >= (int)last_lane(bounds);
    return shuffle(value, laneid() - offset, inside, mask);
}
static __forceinline__ u32 shuffle_down(u64 value, u64 delta, u64 bounds, u64 mask, bool &inside) {
    const u32 source = laneid() + ((u32)delta & 31);
    inside = source <= last_lane(bounds);
    return shuffle(value, source, inside, mask);
}
static __forceinline__ u32 shuffle_bfly(u64 value, u64 lanes, u64 bounds, u64 mask, bool &inside) {
    const u32 source = laneid() ^ ((u32)lanes & 31);
    inside = source <= last_lane(bounds);
    return shuffle(value, source, inside, mask);
}
static __forceinline__ u32 shuffle_idx(u64 value, u64 lane, u64 bounds, u64 mask, bool &inside) {
    const u32 source = (laneid() & part_of_warp(bounds)) | ((u32)lane & 31 & ~part_of_warp(bounds));
    inside = source <= last_lane(bounds);
    return shuffle(value, source, inside, mask);
}

#define EMULATED_PTX_REDUCE(name, how)                                  \
    template <class T>                                                  \
    static __forceinline__ u64 reduce_##name(u64 value, u64 mask) {     \
        return raw(emulated_fold<T>(how, emulated_exchange(EMULATED_REDUCE, (u32)mask, (u32)value))); \
    }
EMULATED_PTX_REDUCE(add, EMULATED_FOLD_ADD)
EMULATED_PTX_REDUCE(min, EMULATED_FOLD_MIN)
EMULATED_PTX_REDUCE(max, EMULATED_FOLD_MAX)
EMULATED_PTX_REDUCE(and, EMULATED_FOLD_AND)
EMULATED_PTX_REDUCE(or, EMULATED_FOLD_OR)
EMULATED_PTX_REDUCE(xor, EMULATED_FOLD_XOR)
} // namespace emulated_ptx
