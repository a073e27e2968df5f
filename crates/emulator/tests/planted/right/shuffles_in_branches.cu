// Both branches shuffle, each with a mask of exactly its own lanes.
// launch: grid=1 block=64
extern "C" __global__ void shuffles_in_branches(const unsigned *in, unsigned *out) {
    unsigned value = in[threadIdx.x];
    if (threadIdx.x % 32 < 12) {
        value += __shfl_sync(0x00000fff, value, 11 - threadIdx.x % 32);
        value *= 3;
    } else {
        for (int k = 0; k < 3; k++) value ^= __shfl_sync(0xfffff000, value, 31 - k);
    }
    out[threadIdx.x] = value;
}
