// Every thread of every block changes the same words, each by atomics whose result does not depend on the order.
// launch: grid=4 block=64
extern "C" __global__ void atomics_on_one_word(const unsigned *in, unsigned *out) {
    const unsigned value = in[blockIdx.x * 64 + threadIdx.x];
    atomicAdd(&out[0], value);
    atomicMax(&out[1], value);
    atomicOr(&out[2], value & 0x00ff00ff);
    atomicXor(&out[3], value);
    atomicAdd(reinterpret_cast<unsigned long long *>(out + 4), (unsigned long long)value);
    atomicInc(&out[6], 9);
}
