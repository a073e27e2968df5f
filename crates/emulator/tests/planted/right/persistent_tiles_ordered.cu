// Tiles are handed out in order, and a tile waits for the one before it: whoever has that one is already running.
// launch: grid=3 block=32
extern "C" __global__ void persistent_tiles_ordered(const unsigned *in, unsigned *out) {
    volatile unsigned *done = out + 4001;
    for (;;) {
        unsigned tile = 0;
        if (threadIdx.x == 0) tile = atomicAdd(out + 4000, 1u);
        tile = __shfl_sync(~0u, tile, 0);
        if (tile >= 20) break;
        while (*done < tile) {}
        __threadfence();
        out[tile * 32 + threadIdx.x] = in[tile * 32 + threadIdx.x] + (tile ? out[tile * 32 - 1 - threadIdx.x] : 0);
        __threadfence();
        __syncwarp();
        if (threadIdx.x == 0) {
            __threadfence();
            *done = tile + 1;
        }
    }
}
