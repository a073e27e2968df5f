// Asynchronous copies from global to shared memory, in groups that a thread commits and waits for.
#pragma once

#include "cuda_awbarrier_primitives.h"

CUDA_FUNCTION void __pipeline_memcpy_async(void *__restrict__ shared, const void *__restrict__ global, size_t bytes, size_t zeros = 0) {
    if ((bytes != 4 && bytes != 8 && bytes != 16) || zeros > bytes) {
        emulated_misuse(EMULATED_MISALIGNED, (unsigned)bytes, "__pipeline_memcpy_async copies 4, 8 or 16 bytes, of which no more can be zeros");
    }
    emulated_copy_async(shared, global, (unsigned)bytes, (unsigned)(bytes - zeros));
}
CUDA_FUNCTION void __pipeline_commit() {
    emulated_copy_commit();
}
CUDA_FUNCTION void __pipeline_wait_prior(size_t pending) {
    emulated_copy_wait((unsigned)pending);
}
CUDA_FUNCTION void __pipeline_arrive_on(__mbarrier_t *barrier) {
    emulated_copy_arrive((emulated_u64 *)barrier, 0);
}
