// === early_exit_of_warps
// All warps but the first leave after the barrier; the last one works on alone with __syncwarp.
// launch: grid=2 block=128
extern "C" __global__ void early_exit_of_warps(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[128];
    values[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x >= 32) return;
    for (unsigned k = 32; k < 128; k += 32) values[threadIdx.x] += values[threadIdx.x + k];
    __syncwarp();
    out[blockIdx.x * 32 + threadIdx.x] = values[threadIdx.x] + values[31 - threadIdx.x];
}

// === half_warps_apart
// Each half of a warp has a __syncwarp of its own and exchanges within itself only.
// launch: grid=1 block=64
extern "C" __global__ void half_warps_apart(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    const unsigned half = threadIdx.x & 16, mask = half ? 0xffff0000 : 0x0000ffff;
    values[threadIdx.x] = in[threadIdx.x];
    __syncwarp(mask);
    unsigned value = values[threadIdx.x ^ 15];
    if (half) {
        __syncwarp(0xffff0000);
        values[threadIdx.x] = value * 3;
        __syncwarp(0xffff0000);
        value += values[threadIdx.x ^ 5];
    }
    out[threadIdx.x] = value;
}

// === lanes_leave_before_shuffle
// Some lanes return; those that stay name only each other.
// launch: grid=1 block=64
extern "C" __global__ void lanes_leave_before_shuffle(const unsigned *in, unsigned *out) {
    const unsigned lane = threadIdx.x % 32;
    if (lane >= 20) return;
    unsigned sum = in[threadIdx.x];
    sum += __shfl_sync(0x000fffff, sum, (lane + 7) % 20);
    __syncwarp(0x000fffff);
    sum ^= __reduce_add_sync(0x000fffff, sum);
    out[threadIdx.x] = sum;
}

// === many_syncwarps
// As many as 65,536 barriers of a warp lie between a write and a read of the same word.
// launch: grid=1 block=32
extern "C" __global__ void many_syncwarps(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    values[threadIdx.x] = in[threadIdx.x];
    for (int k = 0; k < 65536; k++) __syncwarp();
    out[threadIdx.x] = values[31 - threadIdx.x];
}

// === shuffle_mask_by_ballot
// The lanes that go on are agreed upon by a ballot before the branch.
// launch: grid=2 block=32
extern "C" __global__ void shuffle_mask_by_ballot(const unsigned *in, unsigned *out) {
    unsigned value = in[blockIdx.x * 32 + threadIdx.x];
    const bool chosen = value % 3 != 1;
    const unsigned mask = __ballot_sync(~0u, chosen);
    if (chosen) {
        const int leader = __ffs(mask) - 1;
        value = value * 5 + __shfl_sync(mask, value, leader);
        out[blockIdx.x * 32 + threadIdx.x] = value;
    }
}

// === shuffles_in_branches
// Both branches shuffle, each with a mask of exactly its own lanes.
// launch: grid=1 block=64
extern "C" __global__ void shuffles_in_branches(const unsigned *in, unsigned *out) {
    unsigned value = in[threadIdx.x];
    if (threadIdx.x % 32 < 12) {
        value += __shfl_sync(0x00000fff, value, 11 - threadIdx.x % 32);
        value *= 3;
    } else {
        for (int k = 0; k < 3; k++) value ^= __shfl_sync(0xfffff000, value, 31 - k);
    }
    out[threadIdx.x] = value;
}

// === shuffles_in_parts
// Shuffles in parts of every width: each gives what the lane holds that it names, or its own where that is in no part to read from.
// launch: grid=1 block=64
extern "C" __global__ void shuffles_in_parts(const unsigned *in, unsigned *out) {
    const int lane = threadIdx.x % 32;
    unsigned right = in[0];
    for (int width = 1; width <= 32; width *= 2)
        for (int by = 0; by < 32; by++) {
            const int first = lane / width * width, within = lane % width, other = lane ^ by;
            right += __shfl_sync(~0u, lane, by, width) == first + by % width;
            right += __shfl_up_sync(~0u, lane, by, width) == (within < by ? lane : lane - by);
            right += __shfl_down_sync(~0u, lane, by, width) == (within + by < width ? lane + by : lane);
            // A lane of an earlier part may be read, one of a later part not.
            right += __shfl_xor_sync(~0u, lane, by, width) == (other / width > lane / width ? lane : other);
        }
    out[threadIdx.x] = right;
}

// === transpose_in_warp
// Each warp transposes its own tile in shared memory: lanes wait for lanes, never for other warps.
// launch: grid=1 block=128
extern "C" __global__ void transpose_in_warp(const unsigned *in, unsigned *out) {
    __shared__ unsigned tiles[4][32 * 8];
    unsigned *tile = tiles[threadIdx.x / 32];
    const unsigned lane = threadIdx.x % 32, first = threadIdx.x / 32 * 256;
    for (unsigned k = 0; k < 8; k++) tile[k * 32 + lane] = in[first + k * 32 + lane];
    __syncwarp();
    for (unsigned k = 0; k < 8; k++) out[first + lane * 8 + k] = tile[k * 32 + lane];
    for (unsigned k = 0; k < 8; k++) out[2048 + first + k * 32 + lane] = tile[lane * 8 + k];
}

// === votes_of_part_of_a_warp
// The last warp of the block has eight threads, and votes as a whole one does.
// launch: grid=1 block=40
extern "C" __global__ void votes_of_part_of_a_warp(const unsigned *in, unsigned *out) {
    const unsigned lane = threadIdx.x % 32, below = in[0] + 20;
    out[threadIdx.x] = __ballot_sync(~0u, lane < below);
    out[64 + threadIdx.x] = __any_sync(~0u, lane >= below) + 2 * __all_sync(~0u, lane < below);
    out[128 + threadIdx.x] = lane < 16 ? __ballot_sync(0xffff, lane % 3 == 0) : 0;
}
