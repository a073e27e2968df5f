// === counter_of_block_read_plainly
// Mistake: each thread adds to a counter and reads it at once, without an atomic, while others of its block still add.
// launch: grid=1 block=64
// finds: race-in-block
// line: 6 7
extern "C" __global__ void counter_of_block_read_plainly(const unsigned *in, unsigned *out) {
    atomicAdd(&out[0], in[threadIdx.x] & 1);
    out[64 + threadIdx.x] = out[0];
}

// === counter_read_plainly
// Mistake: a counter that other blocks still add to is read without an atomic.
// launch: grid=4 block=32
// finds: race-between-blocks race-in-block
// line: 6 8
extern "C" __global__ void counter_read_plainly(const unsigned *in, unsigned *out) {
    atomicAdd(&out[0], in[threadIdx.x] & 1);
    __syncthreads();
    out[64 + blockIdx.x * 32 + threadIdx.x] = out[0];
}

// === device_variable_plain_sum
// Mistake: the threads of a block add to a variable of the module without an atomic.
// launch: grid=1 block=64
// finds: race-in-block
// line: 8
// says: of the variable device_variable_plain_sum_total at byte 0
static __device__ unsigned device_variable_plain_sum_total = 1;
extern "C" __global__ void device_variable_plain_sum(const unsigned *in, unsigned *out) {
    device_variable_plain_sum_total += in[threadIdx.x];
}

// === histogram_global_plain
// Mistake: bins in global memory are incremented by several blocks without an atomic.
// launch: grid=4 block=1
// finds: race-between-blocks
// line: 6
extern "C" __global__ void histogram_global_plain(const unsigned *in, unsigned *out) {
    for (unsigned k = 0; k < 16; k++) out[in[blockIdx.x * 16 + k] >> 30]++;
}

// === histogram_plain_increment
// Mistake: bins are incremented without an atomic.
// launch: grid=1 block=64
// finds: race-in-block
// line: 9
extern "C" __global__ void histogram_plain_increment(const unsigned *in, unsigned *out) {
    __shared__ unsigned bins[8];
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;
    __syncthreads();
    bins[in[threadIdx.x] >> 29]++;
    __syncthreads();
    if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}

// === plain_store_beside_atomics
// Mistake: one thread sets the counter to zero while the others already add to it.
// launch: grid=1 block=64
// finds: race-in-block unwritten
// line: 7 8
extern "C" __global__ void plain_store_beside_atomics(const unsigned *in, unsigned *out) {
    __shared__ unsigned count;
    if (threadIdx.x == 0) count = 0;
    atomicAdd(&count, in[threadIdx.x] & 1);
    __syncthreads();
    out[threadIdx.x] = count;
}

// === plain_store_hidden_by_atomic
// Mistake: an atomic and a plain store of two threads meet in one word; a later atomic of the storing thread hides nothing.
// launch: grid=1 block=64
// finds: race-in-block
// line: 6 7
extern "C" __global__ void plain_store_hidden_by_atomic(const unsigned *in, unsigned *out) {
    if (threadIdx.x == 40) out[7] = in[1];
    atomicMax(&out[7], in[threadIdx.x]);
}
