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
