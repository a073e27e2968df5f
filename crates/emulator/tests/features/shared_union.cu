// One piece of shared memory, used as floats and then as words.
// launch: grid=2 block=64

union shared_union_buffer {
    float floats[64];
    unsigned words[64];
    unsigned short halves[128];
};

extern "C" __global__ void shared_union(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ shared_union_buffer buffer;
    buffer.floats[threadIdx.x] = (float)(in[i] & 0xffff);
    __syncthreads();
    float value = buffer.floats[threadIdx.x ^ 1];
    __syncthreads();
    buffer.halves[threadIdx.x] = (unsigned short)in[i];
    buffer.halves[threadIdx.x + 64] = (unsigned short)value;
    __syncthreads();
    out[i] = buffer.halves[127 - threadIdx.x] * 65536u + (unsigned)value + sizeof(buffer);
}
