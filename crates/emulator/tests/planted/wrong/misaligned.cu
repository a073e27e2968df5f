// === misaligned_atomic
// Mistake: a 64-bit atomic at an address that is a multiple of 4 only.
// launch: grid=1 block=32
// finds: misaligned
// line: 6
extern "C" __global__ void misaligned_atomic(const unsigned *in, unsigned *out) {
    atomicAdd(reinterpret_cast<unsigned long long *>(out + 1 + 2 * threadIdx.x), (unsigned long long)in[threadIdx.x]);
}

// === misaligned_bulk_bytes
// Mistake: a bulk copy of 248 bytes, which is no multiple of 16.
// launch: grid=1 block=62
// finds: misaligned
// line: 12 13 27
static __device__ void misaligned_bulk_bytes_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void misaligned_bulk_bytes_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void misaligned_bulk_bytes_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void misaligned_bulk_bytes_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void misaligned_bulk_bytes(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) misaligned_bulk_bytes_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        misaligned_bulk_bytes_expect(&barrier, 248);
        misaligned_bulk_bytes_load(tile, in, 248, &barrier);
    }
    misaligned_bulk_bytes_wait(&barrier, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}

// === misaligned_bulk_source
// Mistake: the source of a bulk copy is a multiple of 8, not of 16.
// launch: grid=1 block=64
// finds: misaligned
// line: 12 13 27
static __device__ void misaligned_bulk_source_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void misaligned_bulk_source_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void misaligned_bulk_source_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void misaligned_bulk_source_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void misaligned_bulk_source(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) misaligned_bulk_source_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        misaligned_bulk_source_expect(&barrier, 256);
        misaligned_bulk_source_load(tile, in + 2, 256, &barrier);
    }
    misaligned_bulk_source_wait(&barrier, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}

// === misaligned_bulk_store
// Mistake: the bulk store's source in shared memory is 4 bytes past a multiple of 16.
// launch: grid=1 block=64
// finds: misaligned
// line: 6 7 15
static __device__ void misaligned_bulk_store_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes) : "memory");
}
extern "C" __global__ void misaligned_bulk_store(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[68];
    tile[threadIdx.x + 1] = in[threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        misaligned_bulk_store_store(out, tile + 1, 256);
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// === misaligned_double
// Mistake: a double lies at the second word of a structure that was packed by hand.
// launch: grid=1 block=32
// finds: misaligned
// line: 8
// says: writes 8 bytes of a global buffer of 16384 bytes at byte ... at no multiple of 8
extern "C" __global__ void misaligned_double(const unsigned *in, unsigned *out) {
    out[3 * threadIdx.x] = in[threadIdx.x];
    *reinterpret_cast<double *>(out + 3 * threadIdx.x + 1) = double(in[threadIdx.x]);
}

// === misaligned_half_word
// Mistake: two bytes are read as one number at an odd address.
// launch: grid=1 block=32
// finds: misaligned
// line: 6
extern "C" __global__ void misaligned_half_word(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = *reinterpret_cast<const unsigned short *>(reinterpret_cast<const unsigned char *>(in) + 3 * threadIdx.x);
}

// === misaligned_mbarrier
// Mistake: the barrier lies at an address that is a multiple of 4 and not of 8.
// launch: grid=1 block=32
// finds: misaligned
// line: 6 9 12 13 14 19 21 22
static __device__ void misaligned_mbarrier_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void misaligned_mbarrier_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void misaligned_mbarrier_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void misaligned_mbarrier(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned words[8];
    unsigned long long *barrier = reinterpret_cast<unsigned long long *>(words + 1);
    if (threadIdx.x == 0) misaligned_mbarrier_init(barrier, 32);
    __syncwarp();
    misaligned_mbarrier_arrive(barrier);
    misaligned_mbarrier_wait(barrier, 0);
    out[threadIdx.x] = in[threadIdx.x];
}

// === misaligned_shared_array
// Mistake: a vector of shared words at an odd word's address, seen by the index and not by the declaration.
// launch: grid=1 block=32
// finds: misaligned
// line: 9
extern "C" __global__ void misaligned_shared_array(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned values[132];
    for (unsigned k = threadIdx.x; k < 132; k += 32) values[k] = in[k];
    __syncwarp();
    const float4 v = *reinterpret_cast<float4 *>(values + threadIdx.x * 4 + 2);
    out[threadIdx.x] = __float_as_uint(v.x) ^ __float_as_uint(v.w);
}

// === misaligned_vector_load
// Mistake: a vector of 16 bytes is read at an address that is a multiple of 4 only.
// launch: grid=1 block=32
// finds: misaligned
// line: 7
// says: reads 16 bytes of a global buffer of 16384 bytes at byte ... at no multiple of 16
extern "C" __global__ void misaligned_vector_load(const unsigned *in, unsigned *out) {
    const uint4 v = *reinterpret_cast<const uint4 *>(in + threadIdx.x * 4 + 1);
    out[threadIdx.x] = v.x ^ v.y ^ v.z ^ v.w;
}

// === misaligned_vector_store
// Mistake: rows of 33 words are written by vectors of 8 bytes: every other row begins at an odd word.
// launch: grid=1 block=32
// finds: misaligned
// line: 7
extern "C" __global__ void misaligned_vector_store(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[32][33];
    for (unsigned k = 0; k < 16; k++) *reinterpret_cast<uint2 *>(&tile[threadIdx.x][2 * k]) = make_uint2(in[k], threadIdx.x);
    __syncwarp();
    for (unsigned k = 0; k < 32; k++) out[k * 32 + threadIdx.x] = tile[k][threadIdx.x];
}

// === misaligned_wmma
// Mistake: a matrix begins at a multiple of 16 bytes, where a multiple of 32 is asked for.
// launch: grid=1 block=32
// finds: misaligned
// line: 14
#include <mma.h>
extern "C" __global__ void misaligned_wmma(const unsigned *in, unsigned *out) {
    using namespace nvcuda;
    __shared__ __align__(32) __half a[264];
    for (unsigned k = threadIdx.x; k < 264; k += 32) {
        a[k] = __float2half((float)(in[k] & 7));
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> rows;
    wmma::load_matrix_sync(rows, a + 8, 16);
    out[threadIdx.x] = (unsigned)(float)rows.x[0];
}

// === misaligned_wmma_rows
// Mistake: rows of a matrix are 34 bytes apart, which is no multiple of 16.
// launch: grid=1 block=32
// finds: misaligned
// line: 14
#include <mma.h>
extern "C" __global__ void misaligned_wmma_rows(const unsigned *in, unsigned *out) {
    using namespace nvcuda;
    __shared__ __align__(32) __half a[272];
    for (unsigned k = threadIdx.x; k < 272; k += 32) {
        a[k] = __float2half((float)(in[k] & 7));
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> rows;
    wmma::load_matrix_sync(rows, a, 17);
    out[threadIdx.x] = (unsigned)(float)rows.x[0];
}
