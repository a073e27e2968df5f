// Functions that return vectors, whose members are read at once.
// launch: grid=2 block=64

__device__ float4 float4_return_of(unsigned value) { return make_float4((float)(value & 7), (float)(value & 31), (float)(value >> 28), 1.5f); }

extern "C" __global__ void float4_return(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (unsigned)(float4_return_of(in[i]).y + float4_return_of(in[i] >> 4).z) + __float_as_uint(float4_return_of(in[i]).w);
}
