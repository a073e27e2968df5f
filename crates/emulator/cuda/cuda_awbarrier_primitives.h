// Barriers in shared memory: arriving and waiting apart.
#pragma once

typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;

static __forceinline__ emulated_u64 emulated_on_mbarrier(EmulatedMbarrier what, __mbarrier_t *barrier, emulated_u64 a = 0, emulated_u64 b = 0) {
    return emulated_mbarrier(what, (emulated_u64 *)barrier, a, b);
}
CUDA_FUNCTION unsigned __mbarrier_maximum_count() {
    return (1u << 20) - 1;
}
CUDA_FUNCTION void __mbarrier_init(__mbarrier_t *barrier, unsigned expected) {
    emulated_on_mbarrier(EMULATED_MBARRIER_INIT, barrier, expected);
}
CUDA_FUNCTION void __mbarrier_inval(__mbarrier_t *barrier) {
    emulated_on_mbarrier(EMULATED_MBARRIER_INVALIDATE, barrier);
}
CUDA_FUNCTION __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier) {
    return emulated_on_mbarrier(EMULATED_MBARRIER_ARRIVE, barrier, 1);
}
CUDA_FUNCTION __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *barrier) {
    return emulated_on_mbarrier(EMULATED_MBARRIER_ARRIVE_DROP, barrier, 1);
}
CUDA_FUNCTION bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token) {
    return emulated_on_mbarrier(EMULATED_MBARRIER_TEST, barrier, token) != 0;
}
CUDA_FUNCTION bool __mbarrier_test_wait_parity(__mbarrier_t *barrier, bool parity) {
    return emulated_on_mbarrier(EMULATED_MBARRIER_TEST_PARITY, barrier, parity) != 0;
}
#if __CUDA_ARCH__ >= 900
CUDA_FUNCTION bool __mbarrier_try_wait(__mbarrier_t *barrier, __mbarrier_token_t token, unsigned = 0) {
    return emulated_on_mbarrier(EMULATED_MBARRIER_TRY, barrier, token) != 0;
}
CUDA_FUNCTION bool __mbarrier_try_wait_parity(__mbarrier_t *barrier, bool parity, unsigned = 0) {
    return emulated_on_mbarrier(EMULATED_MBARRIER_TRY_PARITY, barrier, parity) != 0;
}
#endif
CUDA_FUNCTION unsigned __mbarrier_token_pending_count(__mbarrier_token_t token) {
    return (unsigned)emulated_mbarrier_pending(token);
}
