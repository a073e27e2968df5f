// Variables in device memory that the kernel writes.
// launch: grid=2 block=64

__device__ unsigned device_var_values[128];
__device__ unsigned device_var_start = 5;

extern "C" __global__ void device_var(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    device_var_values[i] = in[i] + device_var_start;
    __syncthreads();
    out[i] = device_var_values[i ^ 1];
}
