// Values from other lanes, in whole warps and in parts.
// launch: grid=2 block=64

extern "C" __global__ void shfl(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned all = 0xffffffffu, lane = threadIdx.x % 32;
    unsigned a = __shfl_sync(all, in[i], (lane * 7 + 3) % 32), b = __shfl_up_sync(all, in[i], 3);
    int c = __shfl_down_sync(all, (int)in[i], 5, 8);
    float d = __shfl_xor_sync(all, (float)(in[i] & 0xffff), 17);
    out[i] = a ^ (b << 1);
    out[i + 1024] = (unsigned)c + (unsigned)d;
    out[i + 2048] = __shfl_sync(all, in[i], 35) + __shfl_sync(all, in[i], lane + 1, 4) + __shfl_up_sync(all, in[i], 2, 16);
}
