// Bytes set to one value by memset.
// launch: grid=2 block=64
// kernel: memset_kernel

struct memset_record { unsigned a; unsigned short b; unsigned char c[6]; };

extern "C" __global__ void memset_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    memset_record record;
    memset(&record, 0xa5, sizeof record);
    record.c[in[i] % 6] = 1;
    __shared__ unsigned words[64];
    memset(&words[threadIdx.x], (int)(in[i] & 0xff), 4);
    __syncthreads();
    out[i] = record.a + record.b + record.c[3] * 256 + words[63 - threadIdx.x];
}
