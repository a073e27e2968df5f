// Atomic references and variables of CUDA's C++ library.
// launch: grid=2 block=64
// needs: cuda/atomic

#include <cuda/atomic>
__device__ cuda::atomic<unsigned, cuda::thread_scope_device> cuda_atomic_total;

extern "C" __global__ void cuda_atomic(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> sum(out[0]);
    sum.fetch_add(in[i] & 0xff, cuda::memory_order_relaxed);
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> greatest(out[1 + blockIdx.x]);
    greatest.fetch_max(in[i]);
    cuda_atomic_total.fetch_add(1, cuda::memory_order_release);
    unsigned expected = 0;
    cuda::atomic_ref<unsigned> slot(out[64 + i]);
    while (!slot.compare_exchange_weak(expected, in[i] | 1)) {}
}
