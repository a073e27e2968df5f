// === ballot_caller_outside_mask
// Mistake: lane 0 votes with a mask that leaves it out.
// launch: grid=1 block=32
// finds: warp-operation
// line: 6
extern "C" __global__ void ballot_caller_outside_mask(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = __ballot_sync(0xfffffffe, in[threadIdx.x] & 1);
}

// === ballot_for_syncwarp
// Mistake: a vote is no barrier for memory.
// launch: grid=2 block=32
// finds: race-in-block
// line: 7 8
extern "C" __global__ void ballot_for_syncwarp(const unsigned *in, unsigned *out) {
    unsigned *mine = out + blockIdx.x * 32;
    mine[threadIdx.x] = in[threadIdx.x];
    if (__any_sync(~0u, in[threadIdx.x] & 1)) mine[threadIdx.x] = mine[31 - threadIdx.x] + 1;
}

// === ballot_in_lane_branch
// Mistake: a vote of all lanes is asked for by some of them.
// launch: grid=1 block=32
// finds: warp-operation
// line: 7
extern "C" __global__ void ballot_in_lane_branch(const unsigned *in, unsigned *out) {
    unsigned votes = 0;
    if (threadIdx.x % 3) votes = __ballot_sync(~0u, in[threadIdx.x] & 1);
    out[threadIdx.x] = votes;
}

// === cooperative_tile_read_across
// Mistake: tiles of 16 lanes wait for themselves, and read what the next tile wrote.
// launch: grid=1 block=64
// finds: race-in-block unwritten
// line: 10 12
// needs: cooperative_groups.h
#include <cooperative_groups.h>
extern "C" __global__ void cooperative_tile_read_across(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    const auto tile = cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block());
    values[threadIdx.x] = in[threadIdx.x];
    tile.sync();
    out[threadIdx.x] = values[threadIdx.x ^ 16];
}

// === half_masks_read_across
// Mistake: each half of the warp waits for itself, and then reads what the other half wrote.
// launch: grid=1 block=32
// finds: race-in-block unwritten
// line: 7 9
extern "C" __global__ void half_masks_read_across(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    values[threadIdx.x] = in[threadIdx.x];
    __syncwarp(threadIdx.x < 16 ? 0x0000ffff : 0xffff0000);
    out[threadIdx.x] = values[31 - threadIdx.x];
}

// === match_in_loop_of_lane
// Mistake: lanes leave the loop when served, and the next round still names them all.
// launch: grid=1 block=32
// finds: warp-operation
// line: 8
extern "C" __global__ void match_in_loop_of_lane(const unsigned *in, unsigned *out) {
    const unsigned key = in[threadIdx.x] >> 30;
    for (unsigned k = 0; k < 4; k++) {
        const unsigned peers = __match_any_sync(~0u, key);
        if (key == k) {
            out[threadIdx.x] = peers;
            break;
        }
    }
}

// === reduce_in_lane_branch
// Mistake: a sum over all lanes of which only the even ones come.
// launch: grid=1 block=32
// finds: warp-operation
// line: 7
extern "C" __global__ void reduce_in_lane_branch(const unsigned *in, unsigned *out) {
    unsigned sum = 0;
    if (threadIdx.x % 2 == 0) sum = __reduce_add_sync(~0u, in[threadIdx.x]);
    out[threadIdx.x] = sum;
}

// === reduction_one_syncwarp_short
// Mistake: all lanes read and write in each step, and only one __syncwarp lies between steps.
// launch: grid=1 block=32
// finds: race-in-block
// line: 10
extern "C" __global__ void reduction_one_syncwarp_short(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    values[threadIdx.x] = in[threadIdx.x];
    for (unsigned step = 16; step; step /= 2) {
        __syncwarp();
        values[threadIdx.x] += values[(threadIdx.x + step) & 31];
    }
    __syncwarp();
    out[threadIdx.x] = values[31 - threadIdx.x];
}

// === reduction_without_syncwarp
// Mistake: a warp-synchronous reduction of the time when the lanes of a warp went in step.
// launch: grid=1 block=32
// finds: race-in-block
// line: 11
extern "C" __global__ void reduction_without_syncwarp(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    values[threadIdx.x + 32] = in[threadIdx.x + 32];
    __syncwarp();
    for (unsigned step = 32; step; step /= 2)
        if (threadIdx.x < step) values[threadIdx.x] += values[threadIdx.x + step];
    if (threadIdx.x == 0) out[0] = values[0];
}

// === shuffle_caller_outside_mask
// Mistake: all lanes call with a mask of the lower half.
// launch: grid=1 block=32
// finds: warp-operation
// line: 7
// says: calls a warp operation with mask 0x0000ffff, which does not include its own lane
extern "C" __global__ void shuffle_caller_outside_mask(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = __shfl_sync(0x0000ffff, in[threadIdx.x], threadIdx.x & 15);
}

// === shuffle_for_syncwarp
// Mistake: a shuffle exchanges registers and orders no memory.
// launch: grid=1 block=32
// finds: race-in-block unwritten
// line: 7 9
extern "C" __global__ void shuffle_for_syncwarp(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    values[threadIdx.x] = in[threadIdx.x];
    const unsigned place = __shfl_xor_sync(~0u, threadIdx.x, 5);
    out[threadIdx.x] = values[place];
}

// === shuffle_from_outside_mask
// Mistake: lanes of the lower half take part, and they read from lane 20.
// launch: grid=1 block=32
// finds: warp-operation
// line: 7
extern "C" __global__ void shuffle_from_outside_mask(const unsigned *in, unsigned *out) {
    unsigned value = in[threadIdx.x];
    if (threadIdx.x < 16) value = __shfl_sync(0x0000ffff, value, 20);
    out[threadIdx.x] = value;
}

// === shuffle_in_lane_branch
// Mistake: the mask names all lanes and half of them take another way.
// launch: grid=1 block=32
// finds: warp-operation
// line: 8
// says: names thread ( ... which did not come and left the kernel after warps.cu:
extern "C" __global__ void shuffle_in_lane_branch(const unsigned *in, unsigned *out) {
    unsigned value = in[threadIdx.x];
    if (value & 1) value += __shfl_xor_sync(~0u, value, 1);
    out[threadIdx.x] = value;
}

// === shuffle_in_loop_of_lane
// Mistake: the lanes go through the loop a different number of times, and each round names all.
// launch: grid=1 block=32
// finds: warp-operation
// line: 7
extern "C" __global__ void shuffle_in_loop_of_lane(const unsigned *in, unsigned *out) {
    unsigned sum = in[threadIdx.x];
    for (unsigned k = 0; k <= threadIdx.x % 4; k++) sum += __shfl_sync(~0u, sum, k);
    out[threadIdx.x] = sum;
}

// === shuffle_lane_has_left
// Mistake: lanes that returned are still named by the mask and read from.
// launch: grid=1 block=64
// finds: warp-operation
// line: 9
extern "C" __global__ void shuffle_lane_has_left(const unsigned *in, unsigned *out) {
    const unsigned i = threadIdx.x;
    if (i >= 50) return;
    unsigned sum = in[i];
    for (int step = 16; step; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (i % 32 == 0) out[i / 32] = sum;
}

// === shuffle_lanes_never_existed
// Mistake: the block has 40 threads; the second warp's mask names 24 lanes that never existed.
// launch: grid=1 block=40
// finds: warp-operation
// line: 6
extern "C" __global__ void shuffle_lanes_never_existed(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = __shfl_xor_sync(0xffffffff, in[threadIdx.x], 8);
}

// === shuffle_masks_differ
// Mistake: the lanes of one exchange name different sets of lanes.
// launch: grid=1 block=32
// finds: warp-operation
// line: 7
extern "C" __global__ void shuffle_masks_differ(const unsigned *in, unsigned *out) {
    const unsigned mask = threadIdx.x < 24 ? 0x00ffffff : 0xffffffff;
    out[threadIdx.x] = __shfl_sync(mask, in[threadIdx.x], 3);
}

// === shuffle_xor_outside_mask
// Mistake: the first eight lanes exchange over a distance of eight, with lanes that do not take part.
// launch: grid=1 block=32
// finds: warp-operation
// line: 8
extern "C" __global__ void shuffle_xor_outside_mask(const unsigned *in, unsigned *out) {
    if (threadIdx.x < 8) {
        unsigned sum = in[threadIdx.x];
        for (int step = 8; step; step /= 2) sum += __shfl_xor_sync(0xff, sum, step);
        out[threadIdx.x] = sum;
    }
}

// === syncwarp_beside_barrier
// Mistake: half of a warp waits for all of its lanes, and the other half at a barrier of the block.
// launch: grid=1 block=64
// finds: divergent-barrier
// line: 7
// says: waits for the lanes 0xffffffff of its warp, and only 0x0000ffff have come to an operation of the warp
extern "C" __global__ void syncwarp_beside_barrier(const unsigned *in, unsigned *out) {
    if (threadIdx.x % 32 < 16) __syncwarp();
    else __syncthreads();
    out[threadIdx.x] = in[threadIdx.x];
}

// === syncwarp_between_warps
// Mistake: __syncwarp where the elements come from another warp.
// launch: grid=1 block=128
// finds: race-in-block unwritten
// line: 7 9
extern "C" __global__ void syncwarp_between_warps(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[128];
    values[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = values[(threadIdx.x + 1) % 128];
}

// === syncwarp_caller_outside_mask
// Mistake: all lanes call __syncwarp with a mask of half of them.
// launch: grid=1 block=32
// finds: warp-operation divergent-barrier race-in-block
// line: 7 8 9
extern "C" __global__ void syncwarp_caller_outside_mask(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    values[threadIdx.x] = in[threadIdx.x];
    __syncwarp(0x0000ffff);
    out[threadIdx.x] = values[31 - threadIdx.x];
}

// === syncwarp_of_half
// Mistake: __syncwarp for all lanes, which the upper half passes by on its way to another one.
// launch: grid=1 block=32
// finds: divergent-barrier warp-operation stuck
// line: 9 12 14
extern "C" __global__ void syncwarp_of_half(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    values[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x < 16) {
        __syncwarp();
        out[threadIdx.x] = values[31 - threadIdx.x];
    } else {
        __shfl_sync(0xffff0000, values[threadIdx.x], 16);
    }
}

// === warp_operations_differ
// Mistake: half of the lanes vote while the other half shuffles, each naming all.
// launch: grid=1 block=32
// finds: warp-operation
// line: 7 8
extern "C" __global__ void warp_operations_differ(const unsigned *in, unsigned *out) {
    unsigned value = in[threadIdx.x];
    if (threadIdx.x < 16) value = __ballot_sync(~0u, value & 1);
    else value = __shfl_sync(~0u, value, 16);
    out[threadIdx.x] = value;
}
