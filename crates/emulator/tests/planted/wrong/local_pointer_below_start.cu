// Mistake: an insertion sort looks one element before its local array.
// launch: grid=1 block=32
// finds: out-of-bounds
__device__ void local_pointer_below_start_sort(unsigned *values, int count) {
    for (int i = 0; i < count; i++) {
        const unsigned value = values[i];
        int at = i - 1;
        while (values[at] > value && at >= 0) {
            values[at + 1] = values[at];
            at--;
        }
        values[at + 1] = value;
    }
}
extern "C" __global__ void local_pointer_below_start(const unsigned *in, unsigned *out) {
    unsigned own[5];
    for (unsigned i = 0; i < 5; i++) {
        own[i] = in[i * 32 + threadIdx.x];
    }
    local_pointer_below_start_sort(own, 5);
    out[threadIdx.x] = own[2];
}
