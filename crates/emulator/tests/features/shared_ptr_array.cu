// Addresses in shared memory.
// launch: grid=2 block=64

extern "C" __global__ void shared_ptr_array(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ const unsigned *places[64];
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[i] ^ 5;
    places[63 - threadIdx.x] = threadIdx.x % 2 ? &values[threadIdx.x] : &in[i];
    __syncthreads();
    out[i] = *places[threadIdx.x] + *places[threadIdx.x ^ 6];
}
