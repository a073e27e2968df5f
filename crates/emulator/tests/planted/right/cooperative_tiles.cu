// Tiles of 16 lanes reduce among themselves; the block's group is its barrier.
// launch: grid=2 block=64
// needs: cooperative_groups.h
#include <cooperative_groups.h>
extern "C" __global__ void cooperative_tiles(const unsigned *in, unsigned *out) {
    __shared__ unsigned sums[4];
    const cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    const auto tile = cooperative_groups::tiled_partition<16>(block);
    unsigned sum = in[blockIdx.x * 64 + block.thread_rank()];
    for (int step = 8; step; step /= 2) sum += tile.shfl_down(sum, step);
    if (tile.thread_rank() == 0) sums[block.thread_rank() / 16] = sum;
    block.sync();
    out[blockIdx.x * 64 + threadIdx.x] = sums[3 - threadIdx.x / 16] + threadIdx.x;
}
