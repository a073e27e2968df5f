// The lesser of two, and which of them it was.
// launch: grid=2 block=64

extern "C" __global__ void vibmin(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    bool first, high, low, greater;
    int least = __vibmin_s32((int)in[i], (int)in[i + 1], &first);
    unsigned most = __vibmax_u32(in[i] & 3, in[i + 1] & 3, &greater);
    unsigned halves = __vibmin_u16x2(in[i], in[i + 2], &high, &low);
    out[i] = (unsigned)least ^ most;
    out[i + 1024] = halves;
    out[i + 2048] = first + 2 * greater + 4 * high + 8 * low;
}
