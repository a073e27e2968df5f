// A number for a matrix: the sum of numbers for its entries, so that any order of adding gives the same.
#pragma once

#include "repro.cuh"

static __device__ __forceinline__ unsigned bits_of(float value) {
    return (unsigned)__float_as_int(value);
}
static __device__ __forceinline__ unsigned bits_of(int value) {
    return (unsigned)value;
}

/// Depends on every bit of an entry, and on its place in the matrix.
static __device__ __forceinline__ unsigned long long name_of(distance entry, unsigned long long place) {
    unsigned long long mixed = (unsigned long long)bits_of(entry) ^ (place * 0x9e3779b97f4a7c15ull);
    mixed = (mixed ^ (mixed >> 32)) * 0xd6e8feb86659fd93ull;
    mixed = (mixed ^ (mixed >> 32)) * 0xd6e8feb86659fd93ull;
    return mixed ^ (mixed >> 32);
}

/// Adds what the threads of a block have found.
static __device__ __forceinline__ void add_up(unsigned long long own, unsigned long long *sum) {
    __shared__ unsigned long long of_block;
    if (threadIdx.x == 0) {
        of_block = 0;
    }
    __syncthreads();
    atomicAdd(&of_block, own);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(sum, of_block);
    }
}
