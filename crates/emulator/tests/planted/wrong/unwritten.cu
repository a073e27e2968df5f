// === dynamic_shared_unwritten
// Mistake: only the even elements of the dynamic shared memory are written before all are read.
// launch: grid=1 block=64 dynamic=512
// finds: unwritten
// line: 9
extern "C" __global__ void dynamic_shared_unwritten(const unsigned *in, unsigned *out) {
    extern __shared__ unsigned dynamic_shared_unwritten_values[];
    dynamic_shared_unwritten_values[2 * threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = dynamic_shared_unwritten_values[threadIdx.x] + 1;
}

// === global_unwritten
// Mistake: the kernel reads a buffer that nothing wrote.
// launch: grid=1 block=64
// arguments: fresh out
// finds: unwritten
// line: 8
// says: reads 4 bytes of a global buffer of 16384 bytes at byte ... which nothing wrote; 64 times
extern "C" __global__ void global_unwritten(const unsigned *fresh, unsigned *out) {
    out[threadIdx.x] = fresh[threadIdx.x] + 1;
}

// === heap_unwritten
// Mistake: memory from the device's heap is added to before anything was stored in it.
// launch: grid=1 block=32
// finds: unwritten
// line: 7
extern "C" __global__ void heap_unwritten(const unsigned *in, unsigned *out) {
    volatile unsigned *sum = static_cast<volatile unsigned *>(malloc(4));
    *sum = *sum + in[threadIdx.x];
    out[threadIdx.x] = *sum;
    free(const_cast<unsigned *>(sum));
}

// === shared_bytes_unwritten
// Mistake: of each word of shared memory only the lower half is written before all of it is read.
// launch: grid=1 block=64
// finds: unwritten
// line: 10
// says: reads 4 bytes of shared words at byte ... which nothing wrote; 64 times
extern "C" __global__ void shared_bytes_unwritten(const unsigned *in, unsigned *out) {
    __shared__ unsigned words[64];
    reinterpret_cast<unsigned short *>(words)[2 * threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x] + 1;
}

// === shared_halo_unwritten
// Mistake: the last element of the halo is read and was never loaded.
// launch: grid=1 block=64
// finds: unwritten
// line: 11
// says: thread (63, 0) ... reads 4 bytes of shared tile at byte 260, which nothing wrote
extern "C" __global__ void shared_halo_unwritten(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[66];
    tile[threadIdx.x + 1] = in[threadIdx.x];
    if (threadIdx.x == 0) tile[0] = 0;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
}

// === shared_never_written
// Mistake: the kernel relies on shared memory being zero.
// launch: grid=2 block=64
// finds: unwritten
// line: 7 9
extern "C" __global__ void shared_never_written(const unsigned *in, unsigned *out) {
    __shared__ unsigned counts[8];
    atomicAdd(&counts[in[threadIdx.x] >> 29], 1u);
    __syncthreads();
    if (threadIdx.x < 8) out[blockIdx.x * 8 + threadIdx.x] = counts[threadIdx.x];
}

// === shared_of_last_launch
// Mistake: the second launch expects in shared memory what the first one left there.
// launch: grid=1 block=32 repeat=2
// finds: unwritten
// line: 7
extern "C" __global__ void shared_of_last_launch(const unsigned *in, unsigned *out) {
    __shared__ unsigned kept[32];
    if (out[1000 + threadIdx.x]) out[threadIdx.x] = kept[threadIdx.x] * 3;
    kept[threadIdx.x] = in[threadIdx.x];
    out[1000 + threadIdx.x] = 1;
}

// === shared_of_other_block
// Mistake: only the first block fills its shared memory, which the others do not have.
// launch: grid=4 block=64
// finds: unwritten
// line: 10
// says: of shared values at byte ... which nothing wrote; 192 times
extern "C" __global__ void shared_of_other_block(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    if (blockIdx.x == 0) values[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = values[threadIdx.x] + 1;
}

// === unused_load_unwritten
// Mistake: shared memory that nothing wrote is loaded, and what came is forgotten.
// launch: grid=1 block=32
// finds: unwritten
extern "C" __global__ void unused_load_unwritten(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    unsigned value = values[threadIdx.x];
    value = in[threadIdx.x];
    out[threadIdx.x] = value;
}

// === value_argument_unwritten
// Mistake: the struct that a template gets by value was written by half of the threads alone.
// launch: grid=1 block=32
// finds: unwritten
struct value_argument_unwritten_pair { double a, b, c; };
template <class T>
__device__ double value_argument_unwritten_sum(T v) { return v.a + v.c; }
extern "C" __global__ void value_argument_unwritten(const unsigned *in, double *out) {
    __shared__ value_argument_unwritten_pair values[32];
    if (threadIdx.x < 16) {
        values[threadIdx.x] = {1.0, 2.0, in[threadIdx.x] * 1.0};
    }
    __syncwarp();
    out[threadIdx.x] = value_argument_unwritten_sum(values[threadIdx.x]);
}
