// === barrier_counts
// __syncthreads_count and __syncthreads_and are barriers too: they order the exchange.
// launch: grid=1 block=96
extern "C" __global__ void barrier_counts(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[96];
    values[threadIdx.x] = in[threadIdx.x];
    const int odd = __syncthreads_count(in[threadIdx.x] & 1);
    unsigned sum = values[95 - threadIdx.x] + odd;
    const int all = __syncthreads_and(sum != 0);
    values[threadIdx.x] = sum;
    __syncthreads();
    out[threadIdx.x] = values[(threadIdx.x + 5) % 96] + all;
}

// === barrier_decides_loop
// __syncthreads_or gives all threads the same answer, so all leave the loop together.
// launch: grid=2 block=64
extern "C" __global__ void barrier_decides_loop(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    const unsigned thread = threadIdx.x;
    values[thread] = in[blockIdx.x * 64 + thread] >> 20;
    __syncthreads();
    int rounds = 0, changed = 1;
    while (changed) {
        const unsigned smallest = min(values[thread], values[thread ? thread - 1 : 0]);
        changed = __syncthreads_or(smallest != values[thread]);
        values[thread] = smallest;
        rounds++;
        __syncthreads();
    }
    out[blockIdx.x * 64 + thread] = values[thread];
    if (thread == 0) out[1024 + blockIdx.x] = rounds;
}

// === barrier_in_uniform_branch
// Both branches have barriers of their own; a block takes one of them as a whole, decided by what it read in shared memory.
// launch: grid=4 block=64
extern "C" __global__ void barrier_in_uniform_branch(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    const unsigned first = values[0];
    if (first & 1) {
        const unsigned next = values[(threadIdx.x + 1) % 64];
        __syncthreads();
        values[threadIdx.x] = next * 3;
    } else {
        const unsigned last = values[63 - threadIdx.x];
        __syncthreads();
        values[threadIdx.x] += last;
        __syncthreads();
    }
    out[blockIdx.x * 64 + threadIdx.x] = values[threadIdx.x];
}

// === barrier_in_uniform_loop
// The number of barriers differs between blocks, not within one.
// launch: grid=4 block=64
extern "C" __global__ void barrier_in_uniform_loop(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    for (unsigned step = 0; step < 2 * blockIdx.x + 1; step++) {
        __syncthreads();
        const unsigned next = values[(threadIdx.x + 1) % 64];
        __syncthreads();
        values[threadIdx.x] ^= next;
    }
    out[blockIdx.x * 64 + threadIdx.x] = values[threadIdx.x];
}

// === broadcast_through_shared
// One thread writes, all read; a second barrier keeps the next value away from slow readers.
// launch: grid=1 block=96
extern "C" __global__ void broadcast_through_shared(const unsigned *in, unsigned *out) {
    __shared__ unsigned pivot;
    unsigned sum = in[threadIdx.x];
    for (unsigned k = 0; k < 8; k++) {
        if (threadIdx.x == k * 11) pivot = sum;
        __syncthreads();
        const unsigned value = pivot;
        __syncthreads();
        sum = sum * 3 + value;
    }
    out[threadIdx.x] = sum;
}

// === bytes_of_one_word
// Four threads write the four bytes of a word: different bytes are different memory.
// launch: grid=2 block=64
extern "C" __global__ void bytes_of_one_word(const unsigned *in, unsigned *out) {
    __shared__ unsigned char bytes[64];
    bytes[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x] >> 13;
    reinterpret_cast<unsigned char *>(out)[4096 + blockIdx.x + 2 * threadIdx.x] = in[threadIdx.x] >> 7;
    __syncthreads();
    if (threadIdx.x < 64 / 4) {
        unsigned word = 0;
        for (int k = 3; k >= 0; k--) word = word << 8 | bytes[threadIdx.x * 4 + k];
        out[blockIdx.x * 16 + threadIdx.x] = word;
    }
}

// === cooperative_tiles
// Tiles of 16 lanes reduce among themselves; the block's group is its barrier.
// launch: grid=2 block=64
// needs: cooperative_groups.h
#include <cooperative_groups.h>
extern "C" __global__ void cooperative_tiles(const unsigned *in, unsigned *out) {
    __shared__ unsigned sums[4];
    const cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    const auto tile = cooperative_groups::tiled_partition<16>(block);
    unsigned sum = in[blockIdx.x * 64 + block.thread_rank()];
    for (int step = 8; step; step /= 2) sum += tile.shfl_down(sum, step);
    if (tile.thread_rank() == 0) sums[block.thread_rank() / 16] = sum;
    block.sync();
    out[blockIdx.x * 64 + threadIdx.x] = sums[3 - threadIdx.x / 16] + threadIdx.x;
}

// === double_buffer
// Two buffers and one barrier a step: what a step reads, the step after next overwrites.
// launch: grid=2 block=64
extern "C" __global__ void double_buffer(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[2][64];
    unsigned sum = 0;
    tile[0][threadIdx.x] = in[blockIdx.x * 1024 + threadIdx.x];
    __syncthreads();
    for (int step = 0; step < 16; step++) {
        if (step < 15) tile[(step + 1) & 1][threadIdx.x] = in[blockIdx.x * 1024 + (step + 1) * 64 + threadIdx.x];
        for (int k = 0; k < 64; k += 7) sum = sum * 5 + tile[step & 1][(threadIdx.x + k) & 63];
        __syncthreads();
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// === dynamic_shared_reused
// The same bytes serve two phases, with a barrier in between.
// launch: grid=2 block=32 dynamic=512
extern "C" __global__ void dynamic_shared_reused(const unsigned *in, unsigned *out) {
    extern __shared__ unsigned dynamic_shared_reused_words[];
    const unsigned thread = threadIdx.x;
    for (unsigned k = 0; k < 4; k++) dynamic_shared_reused_words[k * 32 + thread] = in[blockIdx.x * 128 + k * 32 + thread];
    __syncwarp();
    unsigned sum = 0;
    for (unsigned k = 0; k < 4; k++) sum += dynamic_shared_reused_words[thread * 4 + (k + thread) % 4];
    __syncwarp();
    unsigned short *halves = reinterpret_cast<unsigned short *>(dynamic_shared_reused_words);
    halves[thread] = sum;
    __syncwarp();
    out[blockIdx.x * 32 + thread] = sum ^ halves[31 - thread];
}

// === dynamic_shared_split
// Dynamic shared memory is cut into parts of different types; every part is used to its last element.
// launch: grid=1 block=64 dynamic=896
extern "C" __global__ void dynamic_shared_split(const unsigned *in, unsigned *out) {
    extern __shared__ __align__(16) unsigned char dynamic_shared_split_memory[];
    unsigned long long *wide = reinterpret_cast<unsigned long long *>(dynamic_shared_split_memory);
    unsigned *words = reinterpret_cast<unsigned *>(dynamic_shared_split_memory + 512);
    unsigned short *halves = reinterpret_cast<unsigned short *>(dynamic_shared_split_memory + 768);
    const unsigned thread = threadIdx.x, value = in[thread];
    wide[thread] = value * 7ull, words[thread] = value, halves[thread] = value >> 5;
    __syncthreads();
    const unsigned other = 63 - thread;
    out[thread] = unsigned(wide[other] >> 8) ^ words[thread ^ 32] ^ halves[other];
}

// === grid_stride
// A grid-stride loop whose last round has work for some threads only.
// launch: grid=3 block=96
extern "C" __global__ void grid_stride(const unsigned *in, unsigned *out) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < 4096; i += gridDim.x * blockDim.x)
        out[i] = in[i] + (i ? in[i - 1] : 0) + (i < 4095 ? in[i + 1] : 0);
}

// === halves_of_one_word
// Even threads write and read the lower half of a word while odd threads change the upper half.
// launch: grid=1 block=64
extern "C" __global__ void halves_of_one_word(const unsigned *in, unsigned *out) {
    __shared__ unsigned short halves[64];
    halves[threadIdx.x] = in[threadIdx.x];
    for (int k = 0; k < 5; k++) halves[threadIdx.x] = halves[threadIdx.x] * 3 + k;
    reinterpret_cast<unsigned short *>(out)[threadIdx.x] = halves[threadIdx.x];
}

// === many_barriers
// A word is written once, and read by another thread after some hundreds of barriers.
// launch: grid=1 block=64
extern "C" __global__ void many_barriers(const unsigned *in, unsigned *out) {
    __shared__ unsigned kept[64], moving[64];
    kept[threadIdx.x] = moving[threadIdx.x] = in[threadIdx.x];
    for (int k = 0; k < 300; k++) {
        __syncthreads();
        const unsigned next = moving[(threadIdx.x + 1) % 64];
        __syncthreads();
        moving[threadIdx.x] = next + k;
    }
    out[threadIdx.x] = moving[threadIdx.x] ^ kept[63 - threadIdx.x];
}

// === matrix_product_prefetch
// The next tile is fetched into registers while this one is used, and stored between two barriers.
// launch: grid=1 block=16x16
extern "C" __global__ void matrix_product_prefetch(const unsigned *in, unsigned *out) {
    __shared__ unsigned a[2][16][16], b[2][16][16];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned sum = 0, next_a = in[y * 64 + x], next_b = in[1024 + y * 16 + x];
    for (unsigned k = 0; k < 4; k++) {
        a[k & 1][y][x] = next_a;
        b[k & 1][y][x] = next_b;
        __syncthreads();
        if (k < 3) next_a = in[y * 64 + (k + 1) * 16 + x], next_b = in[1024 + ((k + 1) * 16 + y) * 16 + x];
        for (unsigned i = 0; i < 16; i++) sum += a[k & 1][y][i] * b[k & 1][i][x];
    }
    out[y * 16 + x] = sum;
}

// === matrix_product_tiles
// Tiles of two matrices in shared memory: a barrier after loading and one after use.
// launch: grid=2x2 block=16x16
extern "C" __global__ void matrix_product_tiles(const unsigned *in, unsigned *out) {
    __shared__ unsigned a[16][16], b[16][17];
    const unsigned x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    unsigned sum = 0;
    for (unsigned k = 0; k < 32; k += 16) {
        a[y][x] = in[row * 32 + k + x];
        b[y][x] = in[1024 + (k + y) * 32 + column];
        __syncthreads();
        for (unsigned i = 0; i < 16; i++) sum += a[y][i] * b[i][x];
        __syncthreads();
    }
    out[row * 32 + column] = sum;
}

// === named_barrier_halves
// Each half of the block works on its own with a barrier of its own, and for a different number of steps.
// launch: grid=1 block=128
extern "C" __global__ void named_barrier_halves(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[2][64];
    const unsigned half = threadIdx.x / 64, i = threadIdx.x % 64;
    values[half][i] = in[threadIdx.x];
    for (unsigned step = 0; step < 3 + half * 4; step++) {
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
        const unsigned next = values[half][(i + 1) % 64];
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
        values[half][i] += next * 3;
    }
    __syncthreads();
    out[threadIdx.x] = values[1 - half][i];
}

// === named_barrier_producer
// One warp produces and arrives, the other waits; a second barrier hands the buffer back.
// launch: grid=2 block=64
extern "C" __global__ void named_barrier_producer(const unsigned *in, unsigned *out) {
    __shared__ unsigned buffer[32];
    const unsigned lane = threadIdx.x % 32;
    unsigned sum = 0;
    for (int step = 0; step < 10; step++)
        if (threadIdx.x < 32) {
            if (step) asm volatile("bar.sync 2, 64;" ::: "memory");
            buffer[lane] = in[blockIdx.x * 512 + step * 32 + lane];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum = sum * 3 + buffer[31 - lane];
            if (step < 9) asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    if (threadIdx.x >= 32) out[blockIdx.x * 32 + lane] = sum;
}

// === named_barrier_two_buffers
// Two producing and two consuming warps, two buffers, a full and an empty barrier for each.
// launch: grid=1 block=128
extern "C" __global__ void named_barrier_two_buffers(const unsigned *in, unsigned *out) {
    __shared__ unsigned buffers[2][64];
    const unsigned i = threadIdx.x % 64;
    unsigned sum = 0;
    for (int step = 0; step < 12; step++)
        if (threadIdx.x < 64) {
            if (step > 1) asm volatile("barrier.sync %0, 128;" ::"r"(3 + step % 2) : "memory");
            buffers[step % 2][i] = in[step * 64 + i];
            asm volatile("barrier.arrive %0, 128;" ::"r"(1 + step % 2) : "memory");
        } else {
            asm volatile("barrier.sync %0, 128;" ::"r"(1 + step % 2) : "memory");
            sum = sum * 7 + buffers[step % 2][63 - i] + buffers[step % 2][(i + 1) % 64];
            if (step < 10) asm volatile("barrier.arrive %0, 128;" ::"r"(3 + step % 2) : "memory");
        }
    if (threadIdx.x >= 64) out[i] = sum;
}

// === reverse_in_place
// In global memory, in place: all of a block's values are in registers before the first is written back.
// launch: grid=2 block=64 repeat=2
extern "C" __global__ void reverse_in_place(const unsigned *in, unsigned *out) {
    unsigned *mine = out + blockIdx.x * 64;
    mine[threadIdx.x] += in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    const unsigned value = mine[63 - threadIdx.x];
    __syncthreads();
    mine[threadIdx.x] = value;
}

// === rotate_in_place
// Pairs of threads swap through registers and a __syncwarp; no pair leaves its warp.
// launch: grid=1 block=64
extern "C" __global__ void rotate_in_place(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = in[threadIdx.x] * 3;
    __syncwarp();
    const unsigned other = out[threadIdx.x ^ 1];
    __syncwarp();
    out[threadIdx.x] = other;
}

// === shared_vectors
// Arrays of vectors, and of a class with a constructor, in shared memory.
// launch: grid=1 block=64
struct shared_vectors_pair {
    unsigned low, high;
    __device__ shared_vectors_pair() {}
    __device__ shared_vectors_pair(unsigned a, unsigned b) : low(a), high(b) {}
};
extern "C" __global__ void shared_vectors(const unsigned *in, unsigned *out) {
    __shared__ float4 vectors[16];
    __shared__ shared_vectors_pair pairs[8][8];
    const unsigned thread = threadIdx.x;
    if (thread < 16) vectors[thread] = make_float4(thread, thread * 2.0f, in[thread] >> 16, 1.0f);
    pairs[thread / 8][thread % 8] = shared_vectors_pair(in[thread], thread);
    __syncthreads();
    const float4 v = vectors[thread % 16];
    const shared_vectors_pair p = pairs[thread % 8][thread / 8];
    out[thread] = __float_as_uint(v.x + v.y + v.z * v.w) ^ p.low ^ p.high;
}

// === stencil_ping_pong
// Two halves of the output take turns, with a barrier between the steps: global memory, one block.
// launch: grid=1 block=128
extern "C" __global__ void stencil_ping_pong(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = in[threadIdx.x];
    for (int step = 0; step < 7; step++) {
        const unsigned *from = out + (step & 1) * 128;
        __syncthreads();
        out[(~step & 1) * 128 + threadIdx.x] = from[threadIdx.x] + 3 * from[(threadIdx.x + 127) % 128];
    }
}

// === stencil_with_halo
// The first threads also load the halo; reading waits for both.
// launch: grid=4 block=64
extern "C" __global__ void stencil_with_halo(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[68];
    const int i = blockIdx.x * 64 + threadIdx.x;
    tile[threadIdx.x + 2] = in[i];
    if (threadIdx.x < 2) {
        tile[threadIdx.x] = i >= 2 ? in[i - 2] : 0;
        tile[threadIdx.x + 66] = in[i + 64];
    }
    __syncthreads();
    unsigned sum = 0;
    for (int k = 0; k < 5; k++) sum += tile[threadIdx.x + k] >> k;
    out[i] = sum;
}

// === transpose_padded
// The column of padding is neither written nor read.
// launch: grid=4 block=32x8
extern "C" __global__ void transpose_padded(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[32][33];
    for (unsigned y = threadIdx.y; y < 32; y += 8) tile[y][threadIdx.x] = in[blockIdx.x * 1024 + y * 32 + threadIdx.x];
    __syncthreads();
    for (unsigned y = threadIdx.y; y < 32; y += 8) out[blockIdx.x * 1024 + y * 32 + threadIdx.x] = tile[threadIdx.x][y];
}

// === transpose_swizzled
// Columns are permuted by an exclusive or with the row: every word has one writer and another reader.
// launch: grid=4 block=32x8
extern "C" __global__ void transpose_swizzled(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[32 * 32];
    for (unsigned y = threadIdx.y; y < 32; y += 8) tile[y * 32 + (threadIdx.x ^ y)] = in[blockIdx.x * 1024 + y * 32 + threadIdx.x];
    __syncthreads();
    for (unsigned y = threadIdx.y; y < 32; y += 8) out[blockIdx.x * 1024 + y * 32 + threadIdx.x] = tile[threadIdx.x * 32 + (y ^ threadIdx.x)];
}

// === transpose_swizzled_vectors
// Sixteen-byte pieces of a row are permuted by the row; whole vectors are stored and single words are read.
// launch: grid=1 block=256
extern "C" __global__ void transpose_swizzled_vectors(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[32][8];
    const unsigned row = threadIdx.x / 8, piece = threadIdx.x % 8;
    tile[row][piece ^ (row & 7)] = reinterpret_cast<const uint4 *>(in)[threadIdx.x];
    __syncthreads();
    for (unsigned k = 0; k < 4; k++) {
        const unsigned i = k * 256 + threadIdx.x, y = i % 32, x = i / 32;
        out[i] = reinterpret_cast<const unsigned *>(&tile[y][(x / 4) ^ (y & 7)])[x % 4];
    }
}

// === triple_buffer
// Three buffers and one barrier a step, in the middle of it: a slow warp still reads the buffer before last.
// launch: grid=1 block=96
extern "C" __global__ void triple_buffer(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[3][96];
    unsigned sum = 0;
    for (int step = 0; step < 20; step++) {
        tile[step % 3][threadIdx.x] = in[step * 96 + threadIdx.x];
        __syncthreads();
        sum = sum * 3 + tile[step % 3][95 - threadIdx.x];
        if (step) sum ^= tile[(step + 2) % 3][(threadIdx.x + 40) % 96];
    }
    out[threadIdx.x] = sum;
}

// === union_reused
// One piece of shared memory holds floats, then integers; a barrier lies between the two lives.
// launch: grid=1 block=64
union union_reused_memory {
    float floats[64];
    unsigned long long pairs[32];
};
extern "C" __global__ void union_reused(const unsigned *in, unsigned *out) {
    __shared__ union_reused_memory memory;
    memory.floats[threadIdx.x] = float(in[threadIdx.x] >> 12);
    __syncthreads();
    const float sum = memory.floats[63 - threadIdx.x] + memory.floats[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32) memory.pairs[threadIdx.x] = 5ull * in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = __float_as_uint(sum) ^ unsigned(memory.pairs[threadIdx.x / 2] >> 3);
}

// === vectors_and_words
// A vector store covers four words, which other threads read one by one after the barrier.
// launch: grid=2 block=64
extern "C" __global__ void vectors_and_words(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned words[256];
    reinterpret_cast<uint4 *>(words)[threadIdx.x] = reinterpret_cast<const uint4 *>(in)[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    uint2 pair = reinterpret_cast<uint2 *>(words)[127 - threadIdx.x];
    for (int k = 0; k < 4; k++) out[blockIdx.x * 256 + k * 64 + threadIdx.x] = words[k * 64 + (threadIdx.x ^ 21)] + pair.x * 3 + pair.y;
}

// === words_of_blocks_interleaved
// Neighbouring words belong to different blocks; each block writes and reads its own only.
// launch: grid=4 block=64
extern "C" __global__ void words_of_blocks_interleaved(const unsigned *in, unsigned *out) {
    for (unsigned k = 0; k < 5; k++) {
        out[threadIdx.x * 4 + blockIdx.x] += in[threadIdx.x * 4 + blockIdx.x] >> k;
        __syncthreads();
        const unsigned other = out[(63 - threadIdx.x) * 4 + blockIdx.x];
        __syncthreads();
        out[threadIdx.x * 4 + blockIdx.x] ^= other;
    }
}
