// === dynamic_shared_above_end
// Mistake: the launch gives 256 bytes and the kernel uses 260.
// launch: grid=1 block=64 dynamic=256
// finds: out-of-bounds
// line: 7 9
extern "C" __global__ void dynamic_shared_above_end(const unsigned *in, unsigned *out) {
    extern __shared__ unsigned dynamic_shared_above_end_values[];
    dynamic_shared_above_end_values[threadIdx.x + 1] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = dynamic_shared_above_end_values[64 - threadIdx.x];
}

// === dynamic_shared_not_given
// Mistake: the launch gives no dynamic shared memory.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 7 9
extern "C" __global__ void dynamic_shared_not_given(const unsigned *in, unsigned *out) {
    extern __shared__ unsigned dynamic_shared_not_given_values[];
    dynamic_shared_not_given_values[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = dynamic_shared_not_given_values[31 - threadIdx.x];
}

// === launch_bounds_exceeded
// Mistake: the kernel is compiled for at most 64 threads a block and launched with 128.
// launch: grid=1 block=128
// finds: launch-bounds
// line: 5
extern "C" __global__ void __launch_bounds__(64) launch_bounds_exceeded(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = in[threadIdx.x];
}

// === launch_bounds_of_two_dimensions
// Mistake: 16 by 17 threads are more than the 256 that the kernel is compiled for.
// launch: grid=2 block=16x17
// finds: launch-bounds
// line: 5
extern "C" __global__ void __launch_bounds__(256, 2) launch_bounds_of_two_dimensions(const unsigned *in, unsigned *out) {
    const unsigned i = threadIdx.y * 16 + threadIdx.x;
    out[blockIdx.x * 272 + i] = in[i];
}

// === shared_above_end
// Mistake: the array has 64 elements and the last thread reads the one after them.
// launch: grid=1 block=64
// finds: out-of-bounds
// line: 10
// says: thread (63, 0) ... uses an index beyond the end of an array
extern "C" __global__ void shared_above_end(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x + in[0] + 1];
}

// === shared_below_start
// Mistake: element -1 is written by the first thread.
// launch: grid=1 block=64
// finds: out-of-bounds
// line: 8
extern "C" __global__ void shared_below_start(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    const int place = int(threadIdx.x) - 1 + int(in[0]);
    values[place] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 63) out[threadIdx.x] = values[threadIdx.x];
}

// === shared_into_neighbour
// Mistake: the loop goes one element too far, into whatever lies behind the array.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 11
extern "C" __global__ void shared_into_neighbour(const unsigned *in, unsigned *out) {
    __shared__ unsigned first[32], second[32];
    second[threadIdx.x] = in[threadIdx.x + 32];
    first[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    unsigned sum = 0;
    for (unsigned k = 0; k <= 32 + in[0]; k++) sum = sum * 3 + first[k];
    out[threadIdx.x] = sum + second[31 - threadIdx.x];
}

// === shared_padding_read
// Mistake: the sum of a row goes over the column of padding too.
// launch: grid=1 block=32
// finds: unwritten
// line: 10
extern "C" __global__ void shared_padding_read(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[32][33];
    for (unsigned k = 0; k < 32; k++) tile[k][threadIdx.x] = in[k * 32 + threadIdx.x];
    __syncwarp();
    unsigned sum = 0;
    for (unsigned k = 0; k < 33; k++) sum += tile[threadIdx.x][k];
    out[threadIdx.x] = sum;
}

// === shared_pointer_below_start
// Mistake: a pointer is moved one element too far back, to the array before its own.
// launch: grid=1 block=64
// finds: out-of-bounds
// line: 10
// says: thread (0, 0) ... reads 4 bytes 4 bytes before shared values
extern "C" __global__ void shared_pointer_below_start(const unsigned *in, unsigned *out) {
    __shared__ unsigned before[64], values[64];
    before[threadIdx.x] = values[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    const unsigned *own = values + threadIdx.x - in[0], left = own[-1];
    out[threadIdx.x] = left + before[63 - threadIdx.x];
}

// === shared_vector_half_outside
// Mistake: a vector of 16 bytes begins at byte 16 of an array of 24 bytes.
// launch: grid=1 block=2
// finds: out-of-bounds
// line: 10
// says: thread (1, 0) ... reads 16 bytes at byte 16 of shared values, which has 24 bytes
extern "C" __global__ void shared_vector_half_outside(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned values[6];
    for (unsigned k = threadIdx.x; k < 6; k += 2) values[k] = in[k];
    __syncwarp(3);
    const uint4 v = reinterpret_cast<uint4 *>(values)[threadIdx.x];
    out[threadIdx.x] = v.x ^ v.y ^ v.z ^ v.w;
}
