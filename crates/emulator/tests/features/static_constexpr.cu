// Constants of a class and of a function.
// launch: grid=2 block=64

struct static_constexpr_sizes {
    static constexpr unsigned rows = 8, columns = 64 / rows;
    static constexpr float scale = 0.5f;
    enum { CELLS = rows * columns };
};

extern "C" __global__ void static_constexpr(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    static constexpr unsigned shift = 3;
    __shared__ unsigned tile[static_constexpr_sizes::rows][static_constexpr_sizes::columns];
    tile[threadIdx.x / static_constexpr_sizes::columns][threadIdx.x % static_constexpr_sizes::columns] = in[i];
    __syncthreads();
    unsigned other = tile[threadIdx.x % static_constexpr_sizes::rows][threadIdx.x / static_constexpr_sizes::rows];
    out[i] = other + (in[i] >> shift) % static_constexpr_sizes::CELLS + (unsigned)(8.0f * static_constexpr_sizes::scale);
}
