// Small kernels with exactly one mistake each, and the right ones beside the tricky mistakes. The line of a mistake is
// marked; `emulated_checker.rs` looks the marks up. Blocks have 64 threads where the test does not say otherwise.

#include "repro.cuh"

// ---- outside of memory

KERNEL void past_the_end(float *d, int n) {
    if (blockIdx.x == 1 && threadIdx.x == 5) {
        d[n] = 1.0f; // planted: past the end
    }
}

KERNEL void before_the_start(const float *d, float *out) {
    if (threadIdx.x == 3) {
        out[0] = d[(int)threadIdx.x - 4]; // planted: before the start
    }
}

KERNEL void far_from_any_buffer(float *d) {
    if (threadIdx.x == 0) {
        float *nowhere = (float *)(size_t)d[0];
        nowhere[3] = 1.0f; // planted: far
    }
}

KERNEL void half_past_the_end(float *d, int n) {
    if (threadIdx.x == 0) {
        *(float4 *)(d + n - 4) = make_float4(0.0f, 1.0f, 2.0f, 3.0f);
        *(float2 *)((char *)d + n * 4 - 4) = make_float2(0.0f, 1.0f); // planted: half past the end
    }
}

KERNEL void four_at_an_odd_place(float *d) {
    const float4 four = *(const float4 *)(d + 4 * threadIdx.x);
    if (threadIdx.x == 3) {
        *(float4 *)(d + 5) = four; // planted: misaligned store
    }
}

KERNEL void double_at_an_odd_place(float *d) {
    if (threadIdx.x == 3) {
        const long long two = *(const long long *)(d + 1); // planted: misaligned load
        *(long long *)d = two + 1;
    }
}

struct Pair {
    float a, b;
};
KERNEL void pairs_at_odd_places(Pair *d) {
    Pair *odd = (Pair *)((float *)d + 1);
    const Pair own = odd[threadIdx.x];
    __syncthreads();
    odd[63 - threadIdx.x] = own;
}

KERNEL void beyond_shared_array(float *d) {
    __shared__ float c[32];
    __shared__ float behind[64];
    behind[threadIdx.x] = 0.0f;
    c[threadIdx.x] = d[threadIdx.x]; // planted: beyond shared array
    d[threadIdx.x] = c[threadIdx.x] + behind[threadIdx.x];
}

KERNEL void pointer_out_of_shared_array(float *d) {
    __shared__ float c[64];
    __shared__ float behind[64];
    c[threadIdx.x] = 0.0f;
    behind[threadIdx.x] = 0.0f;
    __syncthreads();
    float *own = c + threadIdx.x + (int)d[0];
    own[8] = 1.0f; // planted: pointer out of shared array
    __syncthreads();
    d[threadIdx.x] = c[threadIdx.x] + behind[threadIdx.x];
}

KERNEL void pointer_before_shared_array(float *d) {
    __shared__ float before[64];
    __shared__ float c[64];
    before[threadIdx.x] = c[threadIdx.x] = 0.0f;
    __syncthreads();
    float *own = c + (int)threadIdx.x - (int)d[0];
    const float left = own[-1]; // planted: pointer before shared array
    __syncthreads();
    d[threadIdx.x] = left + before[threadIdx.x];
}

template <int COUNT>
static __device__ __noinline__ float *shared_of_template(int own) {
    __shared__ float c[COUNT];
    __shared__ float last[COUNT];
    c[own % COUNT] = own;
    last[own % COUNT] = own;
    return c + own % COUNT;
}

KERNEL void shared_arrays_of_templates(float *d) {
    static __shared__ float own[64], more[64];
    DYNAMIC_SHARED(float, dynamic);
    float *first = shared_of_template<64>(threadIdx.x);
    float *second = shared_of_template<128>(threadIdx.x);
    own[threadIdx.x] = *first;
    more[threadIdx.x] = *second;
    dynamic[threadIdx.x] = own[threadIdx.x] + more[threadIdx.x];
    d[threadIdx.x] = dynamic[threadIdx.x];
}

// ---- races in a block

KERNEL void neighbour_without_barrier(float *d) {
    __shared__ float c[64];
    c[threadIdx.x] = d[threadIdx.x]; // planted: neighbour written
    d[threadIdx.x] = c[threadIdx.x ^ 1]; // planted: neighbour read
}

KERNEL void neighbour_with_barrier(float *d) {
    __shared__ float c[64];
    c[threadIdx.x] = d[threadIdx.x];
    __syncthreads();
    d[threadIdx.x] = c[threadIdx.x ^ 1];
}

KERNEL void other_warp_after_warp_barrier(float *d) {
    __shared__ float c[64];
    c[threadIdx.x] = 0.0f;
    __syncthreads();
    c[threadIdx.x] = d[threadIdx.x]; // planted: other warp
    __syncwarp();
    d[threadIdx.x] = c[threadIdx.x ^ 32]; // planted: other warp
}

KERNEL void neighbour_after_shuffle(float *d) {
    __shared__ float c[64];
    c[threadIdx.x] = d[threadIdx.x]; // planted: after shuffle
    const float first = __shfl_sync(0xffffffffu, d[threadIdx.x], 0);
    d[threadIdx.x] = c[threadIdx.x ^ 1] + first; // planted: after shuffle
}

KERNEL void neighbour_after_warp_barrier(float *d) {
    __shared__ float c[64];
    c[threadIdx.x] = d[threadIdx.x];
    __syncwarp();
    const float neighbour = c[threadIdx.x ^ 1];
    __syncwarp();
    c[threadIdx.x] = neighbour;
    __syncwarp();
    d[threadIdx.x] = c[threadIdx.x ^ 2];
}

KERNEL void overwritten_before_all_have_read(float *d, int steps) {
    __shared__ float c[64];
    for (int step = 0; step < steps; ++step) {
        c[threadIdx.x] = d[threadIdx.x] + step; // planted: overwritten
        __syncthreads();
        d[threadIdx.x] = c[63 - threadIdx.x]; // planted: overwritten
    }
}

KERNEL void overwritten_after_all_have_read(float *d, int steps) {
    __shared__ float c[64];
    for (int step = 0; step < steps; ++step) {
        c[threadIdx.x] = d[threadIdx.x] + step;
        __syncthreads();
        d[threadIdx.x] = c[63 - threadIdx.x];
        __syncthreads();
    }
}

KERNEL void bytes_of_one_word(float *d) {
    __shared__ char c[64];
    c[threadIdx.x] = threadIdx.x; // planted: bytes
    d[threadIdx.x] = c[threadIdx.x / 4 * 4]; // planted: bytes
}

KERNEL void shorts_of_one_word(float *d) {
    __shared__ short c[64];
    c[threadIdx.x] = threadIdx.x; // planted: shorts
    __syncwarp();
    d[threadIdx.x] = c[threadIdx.x ^ 32]; // planted: shorts
}

KERNEL void bytes_of_their_own(float *d) {
    __shared__ char c[64];
    c[threadIdx.x] = threadIdx.x;
    c[threadIdx.x] += 1;
    __syncthreads();
    d[threadIdx.x] = c[threadIdx.x ^ 1];
}

KERNEL void all_store_one_word(float *d) {
    d[0] = threadIdx.x; // planted: all store
}

KERNEL void one_of_a_block_stores(float *d) {
    if (threadIdx.x == 0) {
        d[blockIdx.x] = 7.0f;
    }
    __syncthreads();
    d[gridDim.x + blockIdx.x * blockDim.x + threadIdx.x] = d[blockIdx.x];
}

// ---- races between blocks

KERNEL void blocks_store_one_word(float *d) {
    if (threadIdx.x == 9) {
        d[0] = blockIdx.x; // planted: blocks store
    }
}

KERNEL void block_reads_what_another_writes(float *d) {
    if (threadIdx.x == 0) {
        const float from_next = d[(blockIdx.x + 1) % gridDim.x]; // planted: block reads
        d[blockIdx.x] = from_next + 1.0f; // planted: block reads
    }
}

KERNEL void atomic_beside_plain_read(float *d) {
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        atomicAdd(&d[0], 1.0f); // planted: atomic beside plain
    }
    if (threadIdx.x == 0 && blockIdx.x == 1) {
        d[1] = d[0]; // planted: atomic beside plain
    }
}

KERNEL void atomic_and_plain_read_of_one_thread(float *d, float *out) {
    atomicAdd(&d[0], 1.0f); // planted: own plain read
    out[threadIdx.x] = d[0]; // planted: own plain read
}

KERNEL void atomics_alone(int *d, float *sum) {
    atomicAdd(sum, 1.0f);
    atomicMax(&d[0], (int)(blockIdx.x * blockDim.x + threadIdx.x));
    atomicCAS(&d[1], 0, 1);
}

KERNEL void atomics_after_plain_reads(int *d) {
    __shared__ int count;
    if (threadIdx.x == 0) {
        count = 5;
    }
    __syncthreads();
    const int before = count;
    __syncthreads();
    atomicAdd(&count, 1);
    __syncthreads();
    d[threadIdx.x] = before + count;
}

KERNEL void warp_atomics_after_plain_reads(int *d) {
    __shared__ int count[2];
    int *own = &count[threadIdx.x / 32];
    if (threadIdx.x % 32 == 0) {
        *own = 5;
    }
    __syncwarp();
    const int before = *own;
    __syncwarp();
    atomicAdd(own, 1);
    __syncwarp();
    d[threadIdx.x] = before + *own;
}

KERNEL void declared_the_same_and_changed(float *d) {
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        store_the_same_while_read(&d[0], d[0] + 1.0f); // planted: changed
    }
    if (threadIdx.x == 0 && blockIdx.x == 1) {
        d[1] = d[0]; // planted: changed
    }
}

KERNEL void declared_after_a_plain_store(float *d) {
    if (threadIdx.x == 0) {
        d[0] = 5.0f;
        store_the_same_while_read(&d[0], 5.0f);
    }
    if (threadIdx.x == 32) {
        d[1] = d[0]; // planted: read of plain
    }
}

KERNEL void declared_the_same_and_kept(float *d) {
    store_the_same_while_read(&d[0], relax(d[0], d[0], d[0]));
    d[1 + blockIdx.x * blockDim.x + threadIdx.x] = d[0];
}

KERNEL void declared_lower_and_raised(float *d) {
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        lower_while_read(&d[0], d[0] + 1.0f); // planted: raised
    }
    if (threadIdx.x == 0 && blockIdx.x == 1) {
        d[1] = d[0]; // planted: raised
    }
}

KERNEL void declared_lower_by_two(float *d) {
    if (threadIdx.x == 0) {
        lower_while_read(&d[0], -1.0f); // planted: lowered by two
    }
}

KERNEL void declared_lower_and_lowered(float *d) {
    const float before = d[0];
    d[1 + blockIdx.x * blockDim.x + threadIdx.x] = before;
    if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
        lower_while_read(&d[0], before - 1.0f);
    }
}

// ---- barriers

KERNEL void barrier_after_return(float *d, int n) {
    if (threadIdx.x >= n) {
        return;
    }
    __syncthreads(); // planted: after return
    d[threadIdx.x] = 1.0f;
}

KERNEL void barrier_in_both_arms(float *d) {
    if (threadIdx.x % 2 == 0) {
        d[threadIdx.x] = 1.0f;
        __syncthreads(); // planted: first arm
    } else {
        d[threadIdx.x] = 2.0f;
        __syncthreads(); // planted: second arm
    }
}

KERNEL void barrier_in_an_arm_that_all_take(float *d, int n) {
    if (n > 0) {
        d[threadIdx.x] = 1.0f;
        __syncthreads();
    } else {
        d[threadIdx.x] = 2.0f;
        __syncthreads();
    }
    d[threadIdx.x ^ 1] += 1.0f;
}

KERNEL void barrier_between_two_guards(float *d, int n) {
    __shared__ float c[64];
    const bool mine = threadIdx.x < n;
    if (mine) {
        c[threadIdx.x] = d[threadIdx.x];
    }
    __syncthreads();
    if (mine) {
        d[threadIdx.x] = c[threadIdx.x];
    }
}

KERNEL void half_a_warp_waits_for_all(float *d) {
    if (threadIdx.x % 32 < 16) {
        __syncwarp(); // planted: half a warp
    } else {
        __syncthreads();
    }
    d[threadIdx.x] = 1.0f;
}

KERNEL void half_a_warp_shuffles_with_all(float *d) {
    float value = threadIdx.x;
    if (threadIdx.x % 32 < 16) {
        value = __shfl_sync(0xffffffffu, value, 20); // planted: shuffle
    }
    __syncthreads();
    d[threadIdx.x] = value;
}

KERNEL void not_in_its_own_mask(float *d) {
    __syncwarp(0xfffefffeu); // planted: own mask
    d[threadIdx.x] = 1.0f;
}

KERNEL void half_a_warp_waits_for_itself(float *d) {
    __shared__ float c[64];
    c[threadIdx.x] = threadIdx.x;
    if (threadIdx.x % 32 < 16) {
        __syncwarp(0x0000ffffu);
        d[threadIdx.x] = c[threadIdx.x ^ 1];
    }
}

KERNEL void lanes_that_returned_are_not_waited_for(float *d) {
    if (threadIdx.x % 32 >= 24) {
        return;
    }
    __syncwarp();
    d[threadIdx.x] = __ballot_sync(0xffffffffu, 1);
}

// ---- what nothing wrote

KERNEL void fresh_global(const float *fresh, float *d) {
    d[threadIdx.x] = fresh[threadIdx.x]; // planted: fresh global
}

KERNEL void fresh_shared(float *d) {
    __shared__ float c[64];
    if (threadIdx.x < 16) {
        c[threadIdx.x] = d[threadIdx.x];
    }
    __syncthreads();
    d[threadIdx.x] = c[threadIdx.x]; // planted: fresh shared
}

KERNEL void left_by_another_block(float *d) {
    __shared__ float c[64];
    if (blockIdx.x == 0) {
        c[threadIdx.x] = d[threadIdx.x];
    }
    __syncthreads();
    d[blockIdx.x * 64 + threadIdx.x] = c[threadIdx.x]; // planted: another block
}

KERNEL void written_by_the_launch_before(float *d) {
    d[threadIdx.x] = 1.0f;
}
