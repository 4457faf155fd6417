/* Runs the kernel on one thread and compares what it wrote. Usage: ./reproduce [RUNS]. Exit code 0: as expected; 1: different. */
#define _POSIX_C_SOURCE 200809L
#include "tensors.h"

/* Runs the work items begin <= x < end of one row. For each index check, faults has the count and the first index. */
extern void kernelRange(void *const *arguments, int64_t begin, int64_t end, int64_t y, int64_t z,
                        int64_t *faults) __asm__(KERNEL_RANGE);

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

int main(int count, char **words)
{
    const int runs = runsFrom(count, words);
    double *times = checked(malloc((size_t)runs * sizeof *times));
    int64_t *faults = allocate(2 * sizeof(int64_t) * INDEX_CHECKS);
    void *before[ARGUMENTS + 1] = {0};
    void *arguments[ARGUMENTS + 1] = {0};
    for (int i = 0; i < ARGUMENTS; ++i) {
        const struct Argument *argument = &kArguments[i];
        if (argument->same == i) {
            before[i] = readTensor(argument->file, bytesOf(argument));
            arguments[i] = allocate(bytesOf(argument));
        } else {
            arguments[i] = arguments[argument->same];
        }
    }
    printf("%s on one thread\n", KERNEL_NAME);
    for (int run = 0; run < runs; ++run) {
        for (int i = 0; i < ARGUMENTS; ++i)
            if (kArguments[i].same == i)
                memcpy(arguments[i], before[i], bytesOf(&kArguments[i]));
        memset(faults, 0, 2 * sizeof(int64_t) * INDEX_CHECKS);
        const double begin = now();
        for (int64_t z = 0; z < kGlobalSize[2]; ++z)
            for (int64_t y = 0; y < kGlobalSize[1]; ++y)
                kernelRange(arguments, 0, kGlobalSize[0], y, z, faults);
        times[run] = now() - begin;
    }
    tellFaults(faults);
    tellTimes(times, runs);
    return finish(arguments);
}
