// Matrices of 8 by 8 halves from shared memory, plain and turned around.
// launch: grid=2 block=32

extern "C" __global__ void more_ldmatrix(const unsigned *in, unsigned *out) {
    __shared__ alignas(16) unsigned words[128];
    for (unsigned k = 0; k < 4; ++k) words[threadIdx.x + 32 * k] = in[threadIdx.x + 32 * k + 128 * blockIdx.x];
    __syncwarp();
    unsigned place = (unsigned)__cvta_generic_to_shared(&words[4 * ((threadIdx.x * 5) % 32)]), a, b, c, d, e, f, g;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(place) : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(e), "=r"(f) : "r"(place) : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared::cta.b16 {%0}, [%1];" : "=r"(g) : "r"(place) : "memory");
    out[128 * blockIdx.x + threadIdx.x] = a ^ (b * 3);
    out[128 * blockIdx.x + threadIdx.x + 32] = c ^ (d * 3);
    out[128 * blockIdx.x + threadIdx.x + 64] = e ^ (f * 3);
    out[128 * blockIdx.x + threadIdx.x + 96] = g;
}
