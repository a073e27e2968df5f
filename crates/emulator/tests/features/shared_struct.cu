// Structs with arrays in shared memory.
// launch: grid=2 block=64

struct shared_struct_buffers {
    unsigned words[64];
    unsigned char bytes[64];
    double wide[32];
};

extern "C" __global__ void shared_struct(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ shared_struct_buffers buffers;
    buffers.words[threadIdx.x] = in[i];
    buffers.bytes[threadIdx.x] = (unsigned char)(in[i] >> 3);
    if (threadIdx.x < 32) buffers.wide[threadIdx.x] = (double)in[i] * 0.5;
    __syncthreads();
    unsigned other = 63 - threadIdx.x;
    out[i] = buffers.words[other] + buffers.bytes[other] + (unsigned)(buffers.wide[other / 2] * 2.0) + sizeof(buffers);
}
