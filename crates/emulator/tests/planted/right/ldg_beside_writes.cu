// Read-only loads and stores hit neighbouring words of one buffer, never the same one.
// launch: grid=2 block=64
extern "C" __global__ void ldg_beside_writes(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    out[2 * i + 1] = __ldg(in + i) + __ldg(out + 2 * ((i + 64) % 128));
}
