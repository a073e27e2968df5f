// Every thread that finds something says so by the same volatile store, and nobody reads it in this launch.
// launch: grid=2 block=64
extern "C" __global__ void volatile_end_of_all(const unsigned *in, unsigned *out) {
    volatile unsigned *found = out + 512;
    if (in[blockIdx.x * 64 + threadIdx.x] % 3 == 0) {
        *found = 1;
    }
}
