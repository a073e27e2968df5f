// Matrices of 8 by 8 halves to shared memory, plain and turned around.
// launch: grid=2 block=32

extern "C" __global__ void more_stmatrix(const unsigned *in, unsigned *out) {
    __shared__ alignas(16) unsigned words[192];
    const unsigned *from = in + 128 * blockIdx.x + threadIdx.x;
    unsigned place = (unsigned)__cvta_generic_to_shared(&words[4 * threadIdx.x]);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(place), "r"(from[0]), "r"(from[32]), "r"(from[64]), "r"(from[96]) : "memory");
    unsigned second = (unsigned)__cvta_generic_to_shared(&words[128 + 4 * (threadIdx.x % 16)]);
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(second), "r"(from[5]), "r"(from[70]) : "memory");
    __syncwarp();
    for (unsigned k = threadIdx.x; k < 192; k += 32) out[192 * blockIdx.x + k] = words[k];
}
