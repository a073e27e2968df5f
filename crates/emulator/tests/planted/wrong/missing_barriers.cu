// === bitonic_without_barrier
// Mistake: the barrier stands in the outer loop only; the steps of a merge are not kept apart.
// launch: grid=1 block=128
// finds: race-in-block
// line: 14 15
extern "C" __global__ void bitonic_without_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned keys[128];
    const unsigned thread = threadIdx.x;
    keys[thread] = in[thread];
    for (unsigned size = 2; size <= 128; size *= 2) {
        __syncthreads();
        for (unsigned step = size / 2; step; step /= 2) {
            const unsigned other = thread ^ step;
            if (other > thread) {
                const unsigned a = keys[thread], b = keys[other];
                if ((a > b) == ((thread & size) == 0)) keys[thread] = b, keys[other] = a;
            }
        }
    }
    __syncthreads();
    out[thread] = keys[thread];
}

// === broadcast_overwritten
// Mistake: the next pivot is written while slow warps still read the one before.
// launch: grid=1 block=96
// finds: race-in-block
// line: 9 11
extern "C" __global__ void broadcast_overwritten(const unsigned *in, unsigned *out) {
    __shared__ unsigned pivot;
    unsigned sum = in[threadIdx.x];
    for (unsigned k = 0; k < 8; k++) {
        if (threadIdx.x == k * 11) pivot = sum;
        __syncthreads();
        sum = sum * 3 + pivot;
    }
    out[threadIdx.x] = sum;
}

// === broadcast_too_early
// Mistake: the value that one thread writes for all is read without a barrier.
// launch: grid=1 block=96
// finds: race-in-block unwritten
// line: 7 9
extern "C" __global__ void broadcast_too_early(const unsigned *in, unsigned *out) {
    __shared__ unsigned pivot;
    if (threadIdx.x == 70) pivot = in[70];
    __syncwarp();
    out[threadIdx.x] = pivot;
}

// === bytes_overlap
// Mistake: each thread writes two bytes where one is its own.
// launch: grid=1 block=64
// finds: race-in-block
// line: 7 8
extern "C" __global__ void bytes_overlap(const unsigned *in, unsigned *out) {
    __shared__ unsigned char bytes[66];
    bytes[threadIdx.x] = in[threadIdx.x];
    bytes[threadIdx.x + 1] = in[threadIdx.x] >> 8;
    __syncthreads();
    out[threadIdx.x] = bytes[threadIdx.x];
}

// === double_buffer_not_flipped
// Mistake: the index of the buffer is never flipped, so that one buffer is written while it is read.
// launch: grid=1 block=64
// finds: race-in-block
// line: 8 11 12
extern "C" __global__ void double_buffer_not_flipped(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[2][64];
    unsigned sum = 0, now = in[0];
    tile[now][threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (unsigned k = 1; k < 8; k++) {
        sum = sum * 3 + tile[now][63 - threadIdx.x];
        tile[now][threadIdx.x] = in[k * 64 + threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

// === global_scratch_without_barrier
// Mistake: global memory, too, needs a barrier between one warp's stores and another's loads.
// launch: grid=1 block=64
// finds: race-in-block
// line: 6 7
extern "C" __global__ void global_scratch_without_barrier(const unsigned *in, unsigned *out) {
    out[1024 + threadIdx.x] = in[threadIdx.x] * 3;
    out[threadIdx.x] = out[1024 + 63 - threadIdx.x];
}

// === grid_exchange_without_barrier
// Mistake: a block reads what the next block writes in the same launch.
// launch: grid=4 block=64
// finds: race-between-blocks
// line: 7 10
extern "C" __global__ void grid_exchange_without_barrier(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i];
    __threadfence();
    __syncthreads();
    out[512 + i] = out[(i + 64) % 256];
}

// === one_word_two_threads
// Mistake: two threads write different values to one word of the output.
// launch: grid=1 block=64
// finds: race-in-block
// line: 7
// says: writes 4 bytes of a global buffer of 16384 bytes at byte ... which thread ... writes at missing_barriers.cu: ... 32 times
extern "C" __global__ void one_word_two_threads(const unsigned *in, unsigned *out) {
    out[threadIdx.x / 2] = in[threadIdx.x];
}

// === overwritten_store_race
// Mistake: all threads store to the first word before it gets its value; each store is overwritten at once.
// launch: grid=2 block=32
// finds: race-in-block race-between-blocks
extern "C" __global__ void overwritten_store_race(const unsigned *in, unsigned *out) {
    out[0] = in[threadIdx.x];
    out[0] = 7;
}

// === reverse_without_barrier
// Mistake: nothing lies between writing and reading another warp's elements.
// launch: grid=1 block=64
// finds: race-in-block unwritten
// line: 7 8
extern "C" __global__ void reverse_without_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = values[63 - threadIdx.x];
}

// === scan_one_barrier_short
// Mistake: a scan in place in which reading and writing of a step are not kept apart.
// launch: grid=1 block=128
// finds: race-in-block
// line: 10 11
extern "C" __global__ void scan_one_barrier_short(const unsigned *in, unsigned *out) {
    __shared__ unsigned sums[128];
    sums[threadIdx.x] = in[threadIdx.x];
    for (unsigned step = 1; step < 128; step *= 2) {
        __syncthreads();
        const unsigned below = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        sums[threadIdx.x] += below;
    }
    out[threadIdx.x] = sums[threadIdx.x];
}

// === stencil_in_place_of_blocks
// Mistake: a stencil in place: a block reads its neighbour's first element before or after that one is replaced.
// launch: grid=4 block=64 repeat=2
// finds: race-between-blocks
// line: 7 9
extern "C" __global__ void stencil_in_place_of_blocks(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    const unsigned next = out[(i + 1) % 256] + in[i];
    __syncthreads();
    out[i] = next;
}

// === swizzle_writes_collide
// Mistake: the swizzle drops a bit, and two threads write different values to one word.
// launch: grid=1 block=64
// finds: race-in-block
// line: 9
extern "C" __global__ void swizzle_writes_collide(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[64];
    tile[threadIdx.x] = 0;
    __syncthreads();
    tile[(threadIdx.x ^ (threadIdx.x >> 3)) & 31] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

// === tile_overwritten_early
// Mistake: no barrier keeps the next round's stores away from slow readers of this round.
// launch: grid=1 block=64
// finds: race-in-block
// line: 10 12
// says: of shared tile at byte ... with nothing to order the two
extern "C" __global__ void tile_overwritten_early(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[64];
    unsigned sum = 0;
    for (unsigned k = 0; k < 8; k++) {
        tile[threadIdx.x] = in[k * 64 + threadIdx.x];
        __syncthreads();
        sum = sum * 3 + tile[63 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

// === tiles_collide
// Mistake: the number of a tile is taken modulo 30 where there are 32: two tiles are written by two blocks each.
// launch: grid=4 block=32
// finds: race-between-blocks
// line: 8
// says: of block ( ... with nothing to order the two; 64 times
extern "C" __global__ void tiles_collide(const unsigned *in, unsigned *out) {
    for (unsigned tile = blockIdx.x; tile < 32; tile += gridDim.x)
        out[tile % 30 * 32 + threadIdx.x] = in[threadIdx.x] + tile;
}

// === tiles_overlap
// Mistake: tiles of 64 are placed 60 apart: four words belong to two blocks.
// launch: grid=4 block=64
// finds: race-between-blocks
// line: 6
extern "C" __global__ void tiles_overlap(const unsigned *in, unsigned *out) {
    out[blockIdx.x * 60 + threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
}

// === transpose_without_barrier
// Mistake: columns are read while other warps still write their rows.
// launch: grid=1 block=32x8
// finds: race-in-block unwritten
// line: 7 8
extern "C" __global__ void transpose_without_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[32][33];
    for (unsigned y = threadIdx.y; y < 32; y += 8) tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
    for (unsigned y = threadIdx.y; y < 32; y += 8) out[y * 32 + threadIdx.x] = tile[threadIdx.x][y];
}

// === triple_buffer_of_two
// Mistake: a scheme for three buffers, with two: what a slow warp reads of the step before is being overwritten.
// launch: grid=1 block=96
// finds: race-in-block
// line: 9 11 12
extern "C" __global__ void triple_buffer_of_two(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[2][96];
    unsigned sum = 0;
    for (unsigned k = 0; k < 12; k++) {
        tile[k % 2][threadIdx.x] = in[k * 96 + threadIdx.x];
        __syncthreads();
        sum = sum * 3 + tile[k % 2][95 - threadIdx.x];
        if (k) sum ^= tile[(k + 1) % 2][(threadIdx.x + 40) % 96];
    }
    out[threadIdx.x] = sum;
}

// === union_without_barrier
// Mistake: the memory's second life begins while other warps still read the first.
// launch: grid=1 block=64
// finds: race-in-block
// line: 13 14
union union_without_barrier_memory {
    float floats[64];
    unsigned long long pairs[32];
};
extern "C" __global__ void union_without_barrier(const unsigned *in, unsigned *out) {
    __shared__ union_without_barrier_memory memory;
    memory.floats[threadIdx.x] = float(in[threadIdx.x] >> 12);
    __syncthreads();
    const float sum = memory.floats[63 - threadIdx.x];
    if (threadIdx.x < 32) memory.pairs[threadIdx.x] = 5ull * in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = __float_as_uint(sum) ^ unsigned(memory.pairs[threadIdx.x / 2]);
}

// === unused_load_in_loop
// Mistake: a loop loads one element too many into a variable that is overwritten.
// launch: grid=1 block=32
// finds: out-of-bounds
extern "C" __global__ void unused_load_in_loop(const unsigned *in, unsigned *out) {
    unsigned value = 0;
    for (unsigned i = 0; i <= 4096; i += 32) {
        value = in[i + threadIdx.x];
        value = i;
    }
    out[threadIdx.x] = value;
}

// === unused_load_race
// Mistake: another warp's element is loaded, though nobody uses it, while it is written.
// launch: grid=1 block=64
// finds: race-in-block
extern "C" __global__ void unused_load_race(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    const unsigned other = values[63 - threadIdx.x];
    out[threadIdx.x] = in[threadIdx.x];
}

// === update_in_place
// Mistake: row and column k change in the same round in which others read them.
// launch: grid=1 block=16x16
// finds: race-in-block
// line: 11
extern "C" __global__ void update_in_place(const unsigned *in, unsigned *out) {
    __shared__ unsigned lengths[16][16];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    lengths[y][x] = in[y * 16 + x] >> 16;
    for (unsigned k = 0; k < 16; k++) {
        __syncthreads();
        lengths[y][x] += lengths[y][k] ^ lengths[k][x];
    }
    out[y * 16 + x] = lengths[y][x];
}

// === value_argument_without_barrier
// Mistake: nothing lies between writing a struct to shared memory and handing another warp's by value to a function.
// launch: grid=1 block=64
// finds: race-in-block unwritten
struct value_argument_without_barrier_four { float a, b, c, d; };
__device__ float value_argument_without_barrier_sum(value_argument_without_barrier_four v) { return v.a + v.b + v.c + v.d; }
extern "C" __global__ void value_argument_without_barrier(const float *in, float *out) {
    __shared__ value_argument_without_barrier_four values[64];
    const float x = in[threadIdx.x];
    values[threadIdx.x] = {x, x, x, x};
    out[threadIdx.x] = value_argument_without_barrier_sum(values[63 - threadIdx.x]);
}

// === value_in_place_of_blocks
// Mistake: a method of the neighbour's element, which another block may have replaced, gets it by value.
// launch: grid=4 block=32
// finds: race-between-blocks
struct value_in_place_of_blocks_cell {
    unsigned a, b, c, d;
    __device__ value_in_place_of_blocks_cell plus(value_in_place_of_blocks_cell other) const { return {a + other.a, b + other.b, c, d}; }
};
extern "C" __global__ void value_in_place_of_blocks(const unsigned *in, value_in_place_of_blocks_cell *out) {
    const unsigned i = blockIdx.x * 32 + threadIdx.x;
    out[i] = out[i].plus(out[(i + 1) % 128]);
}

// === value_result_without_barrier
// Mistake: a function returns a struct into shared memory, and nothing lies before another warp reads it.
// launch: grid=1 block=64
// finds: race-in-block unwritten
struct value_result_without_barrier_pair { unsigned a, b, c; };
__device__ value_result_without_barrier_pair value_result_without_barrier_of(unsigned x) { return {x, x + 1, x + 2}; }
extern "C" __global__ void value_result_without_barrier(const unsigned *in, unsigned *out) {
    __shared__ value_result_without_barrier_pair values[64];
    values[threadIdx.x] = value_result_without_barrier_of(in[threadIdx.x]);
    out[threadIdx.x] = values[63 - threadIdx.x].b;
}

// === value_through_two_functions
// Mistake: without a barrier, through two functions and an operator that take and return structs.
// launch: grid=1 block=64
// finds: race-in-block unwritten
struct value_through_two_functions_v { float x, y, z, w, u; };
__device__ value_through_two_functions_v operator+(value_through_two_functions_v a, value_through_two_functions_v b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w, a.u};
}
__device__ value_through_two_functions_v value_through_two_functions_twice(value_through_two_functions_v v) { return v + v; }
extern "C" __global__ void value_through_two_functions(const float *in, float *out) {
    __shared__ value_through_two_functions_v values[64];
    values[threadIdx.x] = {in[threadIdx.x], 1, 2, 3, 4};
    out[threadIdx.x] = value_through_two_functions_twice(values[(threadIdx.x + 32) % 64]).x;
}

// === vectors_overlap
// Mistake: each thread also stores 8 bytes into its neighbour's vector.
// launch: grid=1 block=64
// finds: race-in-block
// line: 7 8
extern "C" __global__ void vectors_overlap(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[65];
    tile[threadIdx.x] = make_uint4(in[threadIdx.x], 1, 2, 3);
    reinterpret_cast<uint2 *>(tile)[2 * threadIdx.x + 2] = make_uint2(threadIdx.x, in[threadIdx.x]);
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x].x;
}
