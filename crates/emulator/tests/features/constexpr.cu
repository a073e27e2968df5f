// Functions and variables that the compiler evaluates.
// launch: grid=2 block=64
// kernel: constexpr_kernel

__device__ constexpr unsigned constexpr_power(unsigned base, unsigned exponent) { return exponent ? base * constexpr_power(base, exponent - 1) : 1; }
__device__ constexpr unsigned constexpr_table[4] = {1, constexpr_power(3, 4), constexpr_power(7, 3), 9};

extern "C" __global__ void constexpr_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    constexpr unsigned size = constexpr_power(2, 6);
    __shared__ unsigned values[size];
    values[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = values[(threadIdx.x * 5) % size] + constexpr_table[in[i] % 4];
}
