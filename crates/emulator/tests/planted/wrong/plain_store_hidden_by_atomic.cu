// Mistake: an atomic and a plain store of two threads meet in one word; a later atomic of the storing thread hides nothing.
// launch: grid=1 block=64
// finds: race-in-block
// line: 6 7
extern "C" __global__ void plain_store_hidden_by_atomic(const unsigned *in, unsigned *out) {
    if (threadIdx.x == 40) out[7] = in[1];
    atomicMax(&out[7], in[threadIdx.x]);
}
