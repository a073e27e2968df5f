// __nv_bfloat16 and __nv_bfloat162.
#pragma once

#include "small_float.hpp"

#define EMULATED_TYPE __nv_bfloat16
#define EMULATED_RAW __nv_bfloat16_raw
#define EMULATED_PAIR __nv_bfloat162
#define EMULATED_PAIR_RAW __nv_bfloat162_raw
#define EMULATED_MANTISSA 7
#define EMULATED_FROM(x) __bfloat16##x
#define EMULATED_TO(x, y) x##bfloat16##y
#define EMULATED_FROM_PAIR(x) __bfloat162##x
#define EMULATED_TO_PAIR(x, y) x##bfloat162##y
#define EMULATED_PAIR_OF_ONE __bfloat162bfloat162
#define EMULATED_PAIR_OF_TWO __halves2bfloat162
#define EMULATED_MAKE_PAIR make_bfloat162
#include "small_float_type.hpp"

#include "small_float_functions.hpp"
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
