// An array of vectors of a thread's own, filled and summed in loops.
// launch: grid=2 block=64

extern "C" __global__ void float4_local_arr(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 values[4];
    for (int k = 0; k < 4; ++k) values[k] = make_float4((float)(in[i + k] & 0xff), (float)k, (float)(in[i] >> 24), 1.0f);
    float sum = 0.0f;
    for (int k = 3; k >= 0; --k) sum += values[k].x + values[(in[i] + k) % 4].y + values[k].z;
    out[i] = (unsigned)sum;
}
