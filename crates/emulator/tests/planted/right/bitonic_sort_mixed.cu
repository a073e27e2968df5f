// Steps within a warp need __syncwarp only; a step that leaves the warp has a barrier of the block before and after it.
// launch: grid=1 block=128
extern "C" __global__ void bitonic_sort_mixed(const unsigned *in, unsigned *out) {
    __shared__ unsigned keys[128];
    const unsigned thread = threadIdx.x;
    keys[thread] = in[thread];
    for (unsigned size = 2; size <= 128; size *= 2)
        for (unsigned step = size / 2; step; step /= 2) {
            if (step >= 16) __syncthreads();
            else __syncwarp();
            const unsigned other = thread ^ step, mine = keys[thread], theirs = keys[other];
            if (step >= 16) __syncthreads();
            else __syncwarp();
            const bool smaller = (other > thread) == ((thread & size) == 0);
            keys[thread] = smaller == (mine < theirs) ? mine : theirs;
        }
    out[thread] = keys[thread];
}
