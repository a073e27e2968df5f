// Shared memory declared outside every function.
// launch: grid=2 block=64

__shared__ unsigned shared_file_scope_values[64];
static __shared__ float shared_file_scope_floats[2][32];
__device__ unsigned shared_file_scope_read(unsigned place) { return shared_file_scope_values[place] + (unsigned)shared_file_scope_floats[place / 32][place % 32]; }

extern "C" __global__ void shared_file_scope(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    shared_file_scope_values[threadIdx.x] = in[i];
    shared_file_scope_floats[threadIdx.x % 2][threadIdx.x / 2] = (float)(in[i] & 0xffff);
    __syncthreads();
    out[i] = shared_file_scope_read(63 - threadIdx.x);
}
