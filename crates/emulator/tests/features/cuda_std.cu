// CUDA's C++ library for device code.
// launch: grid=2 block=64
// needs: cuda/std/utility

#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/utility>
extern "C" __global__ void cuda_std(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    cuda::std::uint32_t a = in[i], b = in[i + 1];
    cuda::std::swap(a, b);
    auto pair = cuda::std::make_pair(a, cuda::std::int64_t(b) << 3);
    out[i] = pair.first + (unsigned)(pair.second >> 4) + (unsigned)cuda::std::numeric_limits<int>::max();
}
