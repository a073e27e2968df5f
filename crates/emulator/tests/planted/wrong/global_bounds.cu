// === device_array_above_end
// Mistake: the module's array has one element a thread of the first block only.
// launch: grid=2 block=64
// finds: out-of-bounds
// line: 8 9
__device__ unsigned device_array_above_end_places[64];
extern "C" __global__ void device_array_above_end(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    device_array_above_end_places[i] = in[i];
    out[i] = device_array_above_end_places[i] * 3;
}

// === global_above_end
// Mistake: the last thread reads its right neighbour behind the end of the input.
// launch: grid=64 block=64
// finds: out-of-bounds
// line: 8
// says: block (63, 0), thread (63, 0) ... reads 4 bytes at byte 16384 of a global buffer of 16384 bytes
extern "C" __global__ void global_above_end(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i] + in[i + 1];
}

// === global_atomic_outside
// Mistake: a bin is computed that the output does not have.
// launch: grid=1 block=64
// finds: out-of-bounds
// line: 7
extern "C" __global__ void global_atomic_outside(const unsigned *in, unsigned *out) {
    const unsigned bin = 4000 + in[threadIdx.x] % 200;
    atomicAdd(&out[bin], 1u);
}

// === global_below_start
// Mistake: the first thread reads its left neighbour before the start of the input.
// launch: grid=2 block=64
// finds: out-of-bounds
// line: 8
// says: block (0, 0), thread (0, 0) ... reads 4 bytes 4 bytes before a global buffer of 16384 bytes
extern "C" __global__ void global_below_start(const unsigned *in, unsigned *out) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i] + in[i - 1];
}

// === global_grid_tail
// Mistake: the grid has more threads than the output has words, and no thread checks.
// launch: grid=33 block=128
// finds: out-of-bounds
// line: 7
extern "C" __global__ void global_grid_tail(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = threadIdx.x * 3;
}

// === global_group_outside
// Mistake: the last group of five words begins inside the output and ends outside: only its first word was checked.
// launch: grid=1 block=64
// finds: out-of-bounds
// line: 9
extern "C" __global__ void global_group_outside(const unsigned *in, unsigned *out) {
    const unsigned i = 4096 - 64 * 5 + threadIdx.x * 5 + 3;
    if (i < 4096) {
        unsigned *to = out + i;
        for (int k = 0; k < 5; k++) to[k] = in[threadIdx.x] >> k;
    }
}

// === global_half_outside
// Mistake: of the 8 bytes that are written, the last 4 lie behind the end of the output.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 7
// says: thread (0, 0) ... writes 8 bytes at byte 16380 of a global buffer of 16384 bytes
extern "C" __global__ void global_half_outside(const unsigned *in, unsigned *out) {
    if (threadIdx.x == 0) *reinterpret_cast<uint2 *>(out + 4095) = make_uint2(in[0], in[1]);
}

// === global_wrapped_index
// Mistake: an unsigned index below zero becomes a very large one.
// launch: grid=1 block=64
// finds: out-of-bounds
// line: 8
// says: thread (0, 0) ... reads 4 bytes where no buffer is
extern "C" __global__ void global_wrapped_index(const unsigned *in, unsigned *out) {
    const unsigned left = threadIdx.x - 1;
    out[threadIdx.x] = in[threadIdx.x] + in[left];
}

// === heap_above_end
// Mistake: ten words are allocated and an eleventh is written.
// launch: grid=1 block=2
// finds: out-of-bounds
// line: 7
extern "C" __global__ void heap_above_end(const unsigned *in, unsigned *out) {
    unsigned *values = static_cast<unsigned *>(malloc(10 * sizeof(unsigned)));
    for (int k = 0; k <= 10; k++) values[k] = in[threadIdx.x + k];
    unsigned sum = 0;
    for (int k = 0; k < 10; k++) sum = sum * 3 + values[k];
    out[threadIdx.x] = sum;
    free(values);
}

// === heap_after_free
// Mistake: memory of the heap is read after it was given back.
// launch: grid=1 block=1
// finds: out-of-bounds unwritten
// line: 9
extern "C" __global__ void heap_after_free(const unsigned *in, unsigned *out) {
    volatile unsigned *values = static_cast<volatile unsigned *>(malloc(40));
    values[3] = in[3];
    free(const_cast<unsigned *>(values));
    out[0] = values[3];
}

// === null_pointer
// Mistake: a pointer that is null for one thread is read all the same.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 7
extern "C" __global__ void null_pointer(const unsigned *in, unsigned *out) {
    const unsigned *from = in[threadIdx.x] != 0 ? in : nullptr;
    out[threadIdx.x] = from[threadIdx.x];
}

// === overwritten_store_above_end
// Mistake: two stores behind the end, of which the second takes the place of the first, in one thread of one branch.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 7
extern "C" __global__ void overwritten_store_above_end(const unsigned *in, unsigned *out) {
    if (threadIdx.x == 3) {
        out[4096] = in[0];
        out[4096] = in[1];
    }
    out[threadIdx.x] = 1;
}

// === unused_load_above_end
// Mistake: a load ahead goes past the end of the buffer in the last block; its value is never used.
// launch: grid=64 block=64
// finds: out-of-bounds
extern "C" __global__ void unused_load_above_end(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    const unsigned next = in[i + 1];
    out[i] = in[i];
}

// === unused_member_of_vector
// Mistake: a vector of the neighbour's is loaded without a barrier, and one part of it is compared with itself.
// launch: grid=1 block=64
// finds: race-in-block unwritten
extern "C" __global__ void unused_member_of_vector(const unsigned *in, unsigned *out) {
    __shared__ uint4 values[64];
    values[threadIdx.x] = make_uint4(in[threadIdx.x], 0, 0, 0);
    const uint4 other = values[63 - threadIdx.x];
    out[threadIdx.x] = other.x == other.x ? 1 : 2;
}
