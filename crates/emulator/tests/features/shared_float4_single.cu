// One vector in shared memory, written by one thread.
// launch: grid=2 block=64

extern "C" __global__ void shared_float4_single(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float4 four;
    if (threadIdx.x == 5) four = make_float4((float)(in[i] & 0xffff), 2.0f, 3.0f, (float)blockIdx.x);
    __syncthreads();
    out[i] = (unsigned)(four.x + four.y) * 16 + (unsigned)(four.z + four.w);
}
