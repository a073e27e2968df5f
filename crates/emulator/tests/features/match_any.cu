// Which lanes of a warp hold the same value.
// launch: grid=2 block=64

extern "C" __global__ void match_any(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned same = __match_any_sync(0xffffffffu, in[i] % 5);
    unsigned wide = __match_any_sync(0xffffffffu, (unsigned long long)(i / 3) << 33);
    int equal;
    unsigned all = __match_all_sync(0xffffffffu, in[blockIdx.x * threadIdx.x], &equal);
    out[i] = same ^ (wide << 1);
    out[i + 1024] = all + (equal ? 7 : 0);
}
