// The next element is loaded ahead in every round, the last time for nothing.
// launch: grid=1 block=32
extern "C" __global__ void unused_load_ahead(const unsigned *in, unsigned *out) {
    unsigned sum = 0, next = in[threadIdx.x];
    for (unsigned i = 1; i <= 8; i++) {
        const unsigned value = next;
        next = in[i * 32 + threadIdx.x];
        sum = sum * 31 + value;
    }
    out[threadIdx.x] = sum;
}
