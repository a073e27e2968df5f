// Pointers walk over local arrays to their ends, one array after the other.
// launch: grid=1 block=32
__device__ unsigned local_pointers_sum(const unsigned *from, const unsigned *end) {
    unsigned sum = 0;
    for (; from != end; from++) {
        sum = sum * 7 + *from;
    }
    return sum;
}
extern "C" __global__ void local_pointers(const unsigned *in, unsigned *out) {
    unsigned own[8], other[3];
    for (unsigned i = 0; i < 8; i++) {
        own[i] = in[i * 32 + threadIdx.x];
    }
    for (unsigned *p = other; p < other + 3; p++) {
        *p = own[p - other] + 1;
    }
    const unsigned *either = threadIdx.x & 1 ? own : other;
    out[threadIdx.x] = local_pointers_sum(own, own + 8) + local_pointers_sum(other, other + 3) + either[threadIdx.x % 3];
}
