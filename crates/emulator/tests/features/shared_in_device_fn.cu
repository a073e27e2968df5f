// Shared memory declared in a device function: one for a block, whoever calls.
// launch: grid=2 block=64

__device__ unsigned shared_in_device_fn_turn(unsigned value, unsigned by) {
    __shared__ unsigned values[64];
    __syncthreads();
    values[threadIdx.x] = value;
    __syncthreads();
    return values[(threadIdx.x + by) % 64];
}

extern "C" __global__ void shared_in_device_fn(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = shared_in_device_fn_turn(in[i], 5) * 3 + shared_in_device_fn_turn(in[i] >> 1, 40);
}
