// A hundred kilobytes of local memory a thread, of which only what was written is read.
// launch: grid=1 block=32
extern "C" __global__ void local_array_large(const unsigned *in, unsigned *out) {
    unsigned values[25000];
    for (unsigned k = 0; k < 25000; k += 250) values[(k + in[threadIdx.x]) % 25000] = k * 3;
    unsigned sum = 0;
    for (unsigned k = 0; k < 25000; k += 250) sum = sum * 3 + values[(k + in[threadIdx.x]) % 25000];
    out[threadIdx.x] = sum;
}
