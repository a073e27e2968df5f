// Mistake: the second launch expects in shared memory what the first one left there.
// launch: grid=1 block=32 repeat=2
// finds: unwritten
// line: 7
extern "C" __global__ void shared_of_last_launch(const unsigned *in, unsigned *out) {
    __shared__ unsigned kept[32];
    if (out[1000 + threadIdx.x]) out[threadIdx.x] = kept[threadIdx.x] * 3;
    kept[threadIdx.x] = in[threadIdx.x];
    out[1000 + threadIdx.x] = 1;
}
