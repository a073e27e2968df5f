// Mistake: all four blocks store into the first one's array at the same places.
// launch: grid=4 block=32 cluster=4
// finds: race-between-blocks
// line: 14 19
static __device__ void cluster_write_collides_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_write_collides_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ void cluster_write_collides_write(unsigned there, unsigned value) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(value) : "memory");
}
extern "C" __global__ void cluster_write_collides(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    cluster_write_collides_cluster_sync();
    cluster_write_collides_write(cluster_write_collides_map(&values[threadIdx.x], 0), in[blockIdx.x * 32 + threadIdx.x]);
    cluster_write_collides_cluster_sync();
    if (blockIdx.x == 0) out[threadIdx.x] = values[threadIdx.x];
}
