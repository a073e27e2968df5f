// half and half2.
#pragma once

#include "small_float.hpp"

#define EMULATED_TYPE __half
#define EMULATED_RAW __half_raw
#define EMULATED_PAIR __half2
#define EMULATED_PAIR_RAW __half2_raw
#define EMULATED_MANTISSA 10
#define EMULATED_FROM(x) __half##x
#define EMULATED_TO(x, y) x##half##y
#define EMULATED_FROM_PAIR(x) __half2##x
#define EMULATED_TO_PAIR(x, y) x##half2##y
#define EMULATED_PAIR_OF_ONE __half2half2
#define EMULATED_PAIR_OF_TWO __halves2half2
#define EMULATED_MAKE_PAIR make_half2
#include "small_float_type.hpp"

#include "small_float_functions.hpp"
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
