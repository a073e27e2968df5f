// A variable that host and device share.
// launch: grid=2 block=64
// kernel: managed_kernel

__managed__ unsigned managed_values[128];
__managed__ unsigned managed_factor = 3;

extern "C" __global__ void managed_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    managed_values[i] = in[i] * managed_factor;
    __syncthreads();
    out[i] = managed_values[i ^ 7];
}
