// Names that a program for nvcc has from the host's headers and that its kernels use: numbers, types, and functions that run when they are compiled.
#pragma once

#undef __CUDACC_RTC__
#define __NVCC__ 1
#define CUDA_VERSION CUDART_VERSION
#define __linux__ 1
#define __unix__ 1

#include "cuda/std/climits"
#include "cuda/std/cstdint"
// Where the file names `std`: all of them take a tenth of the time that a small kernel takes.
#ifdef EMULATED_STD
#include "cuda/std/cmath"
#include "cuda/std/limits"
#include "cuda/std/type_traits"
#include "cuda/std/utility"

namespace std {
using namespace cuda::std;
} // namespace std
#endif
#ifndef INFINITY
#define INFINITY __builtin_huge_valf()
#define NAN __builtin_nanf("")
#endif

typedef long ssize_t;
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;

#define RAND_MAX 2147483647

#define FLT_MAX 3.40282346638528859812e+38F
#define FLT_MIN 1.17549435082228750797e-38F
#define FLT_EPSILON 1.19209289550781250000e-7F
#define DBL_MAX 1.79769313486231570815e+308
#define DBL_MIN 2.22507385850720138309e-308
#define DBL_EPSILON 2.22044604925031308085e-16

#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define HUGE_VALF INFINITY
#define HUGE_VAL __builtin_huge_val()
