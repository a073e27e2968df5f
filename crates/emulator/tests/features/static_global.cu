// Variables and functions that belong to one file.
// launch: grid=2 block=64

static __device__ unsigned static_global_values[128];
static __constant__ unsigned static_global_factor = 3;
static __device__ unsigned static_global_read(unsigned place) { return static_global_values[place] * static_global_factor; }

extern "C" __global__ void static_global(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    static_global_values[i] = in[i];
    __syncthreads();
    out[i] = static_global_read(i ^ 3);
}
