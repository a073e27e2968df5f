// Each half of a warp votes with a mask of its own.
// launch: grid=2 block=64

extern "C" __global__ void ballot_half(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % 32, votes;
    if (lane < 16)
        votes = __ballot_sync(0x0000ffffu, in[i] & 4);
    else
        votes = __ballot_sync(0xffff0000u, in[i] % 3 == 0) + (__any_sync(0xffff0000u, lane == 20) ? 1 : 0);
    out[i] = votes;
    out[i + 1024] = (unsigned)__all_sync(0xffffffffu, (in[i] | 1) != 0);
}
