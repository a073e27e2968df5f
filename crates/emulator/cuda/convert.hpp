// The bits of a number as those of another type.
#pragma once

CUDA_ARITHMETIC int __float_as_int(float value) {
    return emulated_bits<int>(value);
}
CUDA_ARITHMETIC unsigned __float_as_uint(float value) {
    return emulated_bits<unsigned>(value);
}
CUDA_ARITHMETIC float __int_as_float(int bits) {
    return emulated_bits<float>(bits);
}
CUDA_ARITHMETIC float __uint_as_float(unsigned bits) {
    return emulated_bits<float>(bits);
}
CUDA_ARITHMETIC long long __double_as_longlong(double value) {
    return emulated_bits<long long>(value);
}
CUDA_ARITHMETIC double __longlong_as_double(long long bits) {
    return emulated_bits<double>(bits);
}
CUDA_ARITHMETIC int __double2hiint(double value) {
    return (int)(emulated_bits<emulated_u64>(value) >> 32);
}
CUDA_ARITHMETIC int __double2loint(double value) {
    return (int)emulated_bits<emulated_u64>(value);
}
CUDA_ARITHMETIC double __hiloint2double(int high, int low) {
    return emulated_bits<double>((emulated_u64)(unsigned)high << 32 | (unsigned)low);
}
