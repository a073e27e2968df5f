// Mistake: a thread arrives at the cluster's barrier twice without waiting in between.
// launch: grid=2 block=32 cluster=2
// finds: barrier-misuse divergent-barrier stuck
// line: 7 8 9
extern "C" __global__ void cluster_barrier_arrived_twice(const unsigned *in, unsigned *out) {
    out[blockIdx.x * 32 + threadIdx.x] = in[threadIdx.x];
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
