// An insertion sort of a local array through a pointer.
// launch: grid=1 block=32
__device__ void local_sort_sort(unsigned *values, int count) {
    for (int i = 1; i < count; i++) {
        const unsigned value = values[i];
        int at = i - 1;
        while (at >= 0 && values[at] > value) {
            values[at + 1] = values[at];
            at--;
        }
        values[at + 1] = value;
    }
}
extern "C" __global__ void local_sort(const unsigned *in, unsigned *out) {
    unsigned own[9];
    for (unsigned i = 0; i < 9; i++) {
        own[i] = in[i * 32 + threadIdx.x];
    }
    local_sort_sort(own, 9);
    out[threadIdx.x] = own[threadIdx.x % 9];
}
