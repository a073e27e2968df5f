// Shared memory whose size the launch gives.
// launch: grid=2 block=64 dynamic=768

extern __shared__ unsigned extern_shared_words[];

extern "C" __global__ void extern_shared(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *first = extern_shared_words;
    float *second = (float *)(extern_shared_words + blockDim.x);
    unsigned short *third = (unsigned short *)(second + blockDim.x);
    first[threadIdx.x] = in[i];
    second[threadIdx.x] = (float)(in[i] & 0xff);
    third[threadIdx.x] = (unsigned short)in[i];
    __syncthreads();
    unsigned other = 63 - threadIdx.x;
    out[i] = first[other] + (unsigned)second[other] + third[other];
}
