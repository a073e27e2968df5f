// === barrier_cuda
// A cuda::barrier of the threads of a block, in shared memory.
// launch: grid=2 block=64
// kernel: barrier_cuda_kernel
// needs: cuda/barrier

#include <cuda/barrier>
extern "C" __global__ void barrier_cuda_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ unsigned values[64];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    unsigned sum = 0;
    for (unsigned round = 0; round < 3; ++round) {
        values[threadIdx.x] = in[i] + round;
        barrier.arrive_and_wait();
        sum += values[(threadIdx.x + 33) % 64];
        barrier.wait(barrier.arrive());
    }
    out[i] = sum;
}

// === bf16
// Numbers of 16 bits with 8 bits of mantissa.
// launch: grid=2 block=64
// needs: cuda_bf16.h

#include <cuda_bf16.h>
extern "C" __global__ void bf16(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = (float)((int)(in[i] & 0xffff) - 32768) / 16.0f;
    __nv_bfloat16 a = __float2bfloat16(value), b = __float2bfloat16_rz(value);
    __nv_bfloat162 pair = __floats2bfloat162_rn(value, -value);
    float sum = __bfloat162float(a) + __bfloat162float(b);
    out[i] = __float_as_uint(sum) ^ __float_as_uint(__high2float(pair));
    out[i + 1024] = __bfloat16_as_ushort(__hmin(a, __float2bfloat16(0.0f))) + (__hlt(a, b) ? 65536 : 0);
}

// === coop_groups
// Groups of cooperating threads: a block, its tiles and what they exchange.
// launch: grid=2 block=64
// needs: cooperative_groups.h

#include <cooperative_groups.h>
namespace coop_groups_names = cooperative_groups;

extern "C" __global__ void coop_groups(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    auto block = coop_groups_names::this_thread_block();
    auto tile = coop_groups_names::tiled_partition<8>(block);
    __shared__ unsigned values[64];
    values[block.thread_rank()] = in[i];
    block.sync();
    unsigned sum = values[63 - block.thread_rank()];
    for (unsigned step = tile.size() / 2; step > 0; step /= 2) sum += tile.shfl_xor(sum, step);
    out[i] = sum + tile.thread_rank() + 100 * tile.meta_group_rank();
    out[i + 1024] = tile.ballot(in[i] & 1) + (tile.any(in[i] % 8 == 0) ? 256 : 0) + block.group_index().x * 1024;
}

// === cp_async
// Copies to shared memory that go on while the thread works.
// launch: grid=2 block=64
// needs: cuda_pipeline.h

#include <cuda_pipeline.h>
extern "C" __global__ void cp_async(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ __align__(16) unsigned values[256];
    __pipeline_memcpy_async(&values[4 * threadIdx.x], &in[4 * i], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    unsigned sum = 0;
    for (unsigned k = 0; k < 4; ++k) sum = sum * 3 + values[(threadIdx.x + 64 * k) % 256];
    out[i] = sum;
}

// === cuda_atomic
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

// === cuda_runtime
// The header of the CUDA runtime.
// launch: grid=2 block=64
// needs: cuda_runtime.h

#include <cuda_runtime.h>
extern "C" __global__ void cuda_runtime(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint3 place = threadIdx;
    float2 pair = make_float2((float)(in[i] & 255), 2.0f);
    out[i] = place.x + (unsigned)(pair.x * pair.y) + (cudaSuccess == 0);
}

// === cuda_std
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

// === half2
// Pairs of 16-bit floats.
// launch: grid=2 block=64
// kernel: half2_kernel
// needs: cuda_fp16.h

#include <cuda_fp16.h>
extern "C" __global__ void half2_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __half2 a = __floats2half2_rn((float)(in[i] & 0xff), -(float)(in[i] >> 24)), b = __float2half2_rn(0.5f);
    __half2 sum = __hadd2(a, b), least = __hmin2(a, b), once = __hfma2(a, b, sum);
    __half first = __low2half(sum);
    out[i] = __float_as_uint(__low2float(once)) ^ __float_as_uint(__high2float(least));
    out[i + 1024] = __half_as_ushort(first) + 65536 * (first > __high2half(sum)) + 131072 * (unsigned)__half2int_rn(__low2half(a));
}

// === math_constants
// Names of constants from CUDA's header.
// launch: grid=2 block=64
// needs: math_constants.h

#include <math_constants.h>
extern "C" __global__ void math_constants(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float least = CUDART_INF_F;
    for (unsigned k = 0; k < in[i] % 3; ++k) least = fminf(least, (float)in[i + k]);
    out[i] = __float_as_uint(least) ^ __float_as_uint(CUDART_PI_F);
    out[i + 1024] = (unsigned)(__double_as_longlong(CUDART_SQRT_TWO) >> (i % 32)) + (CUDART_NAN_F != CUDART_NAN_F);
}

// === more_cluster_groups
// Shared memory of the other blocks of a cluster, by cooperative groups.
// launch: grid=4 block=64 cluster=2
// needs: cooperative_groups.h

#include <cooperative_groups.h>
extern "C" __global__ void more_cluster_groups(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned values[64];
    auto cluster = cooperative_groups::this_cluster();
    unsigned rank = cluster.block_rank();
    values[threadIdx.x] = in[i];
    cluster.sync();
    const unsigned *other = cluster.map_shared_rank(values, rank ^ 1);
    unsigned sum = other[63 - threadIdx.x] + cluster.num_blocks() * 100 + cluster.thread_rank() + cluster.query_shared_rank(other);
    auto token = cluster.barrier_arrive();
    out[i] = sum;
    cluster.barrier_wait(static_cast<decltype(token) &&>(token));
}

// === more_cp_async_pipeline
// Stages of copies by the functions of the pipeline, the last of them short.
// launch: grid=2 block=64
// needs: cuda_pipeline.h

#include <cuda_pipeline.h>
extern "C" __global__ void more_cp_async_pipeline(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ __align__(16) uint4 stages[3][64];
    unsigned sum = 0;
    for (unsigned round = 0; round < 2; ++round) {
        __pipeline_memcpy_async(&stages[round][threadIdx.x], in + 4 * i + 512 * round, 16);
        __pipeline_commit();
    }
    for (unsigned round = 0; round < 5; ++round) {
        if (round + 2 < 5)
            __pipeline_memcpy_async(&stages[(round + 2) % 3][threadIdx.x], in + 4 * i + 512 * (round + 2), 16, round == 2 ? 12 : 0);
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        uint4 four = stages[round % 3][threadIdx.x ^ 1];
        sum = sum * 5 + (four.x ^ four.y) + (four.z ^ four.w);
        __syncthreads();
    }
    out[i] = sum;
}

// === wmma
// Products of matrices of 16 by 16 by a warp.
// launch: grid=2 block=32
// needs: mma.h

#include <mma.h>
#include <cuda_fp16.h>
extern "C" __global__ void wmma(const unsigned *in, unsigned *out) {
    using namespace nvcuda;
    __shared__ __align__(32) __half a[256], b[256];
    __shared__ __align__(32) float c[256];
    for (unsigned k = threadIdx.x; k < 256; k += 32) {
        a[k] = __float2half((float)((int)(in[k + 32 * blockIdx.x] & 15) - 8));
        b[k] = __float2half((float)(in[k + 300] & 7));
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> rows;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> columns;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 2.0f);
    wmma::load_matrix_sync(rows, a, 16);
    wmma::load_matrix_sync(columns, b, 16);
    wmma::mma_sync(sum, rows, columns, sum);
    for (int k = 0; k < sum.num_elements; ++k) sum.x[k] *= 2.0f;
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
    __syncwarp();
    for (unsigned k = threadIdx.x; k < 256; k += 32) out[256 * blockIdx.x + k] = __float_as_uint(c[k]);
}

// === coop_groups_tiles_of_warps
// Tiles of several warps: their barriers, votes, values of one thread and sums, with room in shared memory or without.
// launch: grid=2 block=256
// needs: cooperative_groups.h

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace coop_groups_tiles_of_warps_names = cooperative_groups;
extern "C" __global__ void coop_groups_tiles_of_warps(const unsigned *in, unsigned *out) {
    namespace cg = coop_groups_tiles_of_warps_names;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ cg::block_tile_memory<256> room;
    __shared__ unsigned values[256];
    auto block = cg::this_thread_block(room);
    auto tile = cg::tiled_partition<64>(block);
    auto pair = cg::tiled_partition<128>(block);
    values[threadIdx.x] = in[i];
    tile.sync();
    unsigned other = values[threadIdx.x ^ 63];
    unsigned sum = cg::reduce(tile, in[i], cg::plus<unsigned>());
    unsigned most = cg::reduce(pair, in[i], cg::greater<unsigned>());
    unsigned votes = tile.any(in[i] % 64 == 0) + 2 * tile.all(in[i] != 3) + 4 * pair.any(threadIdx.x == 200);
    out[i] = sum ^ other ^ most;
    out[i + 1024] = votes + 16 * tile.thread_rank() + 4096 * tile.meta_group_rank() + 65536 * pair.meta_group_size();
    out[i + 2048] = tile.shfl(in[i], 40) ^ cg::tiled_partition<32>(tile).shfl_xor(in[i], 7);
}

// === coop_groups_one_thread
// What one thread of a group does and the others have, groups of one thread, and clusters of a grid.
// launch: grid=2 block=64
// needs: cooperative_groups.h

#include <cooperative_groups.h>
extern "C" __global__ void coop_groups_one_thread(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
    unsigned first = cooperative_groups::invoke_one_broadcast(tile, [&](unsigned more) { return in[i] + more; }, 5u);
    if (in[i] % 3 == 0) {
        auto some = cooperative_groups::coalesced_threads();
        first += cooperative_groups::invoke_one_broadcast(some, [&] { return 7u; });
    }
    auto alone = cooperative_groups::this_thread();
    alone.sync();
    auto grid = cooperative_groups::this_grid();
    out[i] = first + alone.size() * 4 + alone.thread_rank();
    out[i + 1024] = (unsigned)grid.num_clusters() + (unsigned)grid.cluster_rank() * 16 + grid.dim_clusters().x * 256 + grid.cluster_index().x * 4096;
}

// === half_volatile
// Volatile halves, and products of complex numbers.
// launch: grid=2 block=64
// needs: cuda_fp16.h

#include <cuda_fp16.h>
extern "C" __global__ void half_volatile(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ volatile __half values[64];
    values[threadIdx.x] = __float2half((float)(in[i] & 15));
    __syncwarp();
    __half sum = __hadd(values[threadIdx.x], values[threadIdx.x ^ 1]);
    __half2 a = __floats2half2_rn((float)(in[i] & 7), 2.0f), b = __floats2half2_rn(3.0f, (float)(in[i] >> 29));
    __half2 product = __hcmadd(a, b, __halves2half2(sum, sum));
    out[i] = __half_as_ushort(sum) + 65536u * __half_as_ushort(product.x);
    out[i + 1024] = __half_as_ushort(product.y);
}
