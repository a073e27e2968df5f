// Mistake: tiles of 16 lanes wait for themselves, and read what the next tile wrote.
// launch: grid=1 block=64
// finds: race-in-block unwritten
// line: 10 12
// needs: cooperative_groups.h
#include <cooperative_groups.h>
extern "C" __global__ void cooperative_tile_read_across(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    const auto tile = cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block());
    values[threadIdx.x] = in[threadIdx.x];
    tile.sync();
    out[threadIdx.x] = values[threadIdx.x ^ 16];
}
