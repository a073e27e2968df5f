// Mistake: the number of a tile is taken modulo 30 where there are 32: two tiles are written by two blocks each.
// launch: grid=4 block=32
// finds: race-between-blocks
// line: 7
extern "C" __global__ void tiles_collide(const unsigned *in, unsigned *out) {
    for (unsigned tile = blockIdx.x; tile < 32; tile += gridDim.x)
        out[tile % 30 * 32 + threadIdx.x] = in[threadIdx.x] + tile;
}
