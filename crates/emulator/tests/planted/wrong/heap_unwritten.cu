// Mistake: memory from the device's heap is added to before anything was stored in it.
// launch: grid=1 block=32
// finds: unwritten
// line: 7
extern "C" __global__ void heap_unwritten(const unsigned *in, unsigned *out) {
    volatile unsigned *sum = static_cast<volatile unsigned *>(malloc(4));
    *sum = *sum + in[threadIdx.x];
    out[threadIdx.x] = *sum;
    free(const_cast<unsigned *>(sum));
}
