// Host functions of the C library, declared by hand since the emulated device, like NVRTC, has none of its headers. Within a
// kernel file there they are ordinary calls of the process that runs it. On a GPU such a file does not link.
#pragma once

extern "C" {
__device__ long syscall(long number, ...);
__device__ int open(const char *path, int flags, ...);
__device__ long read(int file, void *to, size_t bytes);
__device__ long write(int file, const void *from, size_t bytes);
__device__ long pread(int file, void *to, size_t bytes, long at);
__device__ long pwrite(int file, const void *from, size_t bytes, long at);
__device__ int close(int file);
__device__ int fork();
__device__ int setsid();
__device__ int getppid();
__device__ int getpid();
__device__ int kill(int process, int signal);
__device__ unsigned sleep(unsigned seconds);
__device__ char *getenv(const char *name);
__device__ int setenv(const char *name, const char *value, int replace);
__device__ int system(const char *command);
__device__ void _exit(int code);
__device__ void abort();
__device__ void *mmap(void *at, size_t bytes, int protection, int flags, int file, long offset);
__device__ int mprotect(void *at, size_t bytes, int protection);
__device__ void bcopy(const void *from, void *to, size_t bytes);
__device__ int pthread_create(unsigned long *thread, const void *attributes, void *(*start)(void *), void *of);
}
