/* Reads the arguments of the kernel, and compares what it wrote with what is expected. launch.h says which files there are. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum Family { FAMILY_BITS, FAMILY_SIGNED, FAMILY_UNSIGNED, FAMILY_FLOAT };

/* An element type. Floating point: the bits of exponent and fraction; f8e4m3 has no infinities. */
struct Type {
    const char *name;
    int bytes;
    enum Family family;
    int exponentBits;
    int fractionBits;
    int hasInfinity;
};

struct Argument {
    const char *name;
    struct Type type;
    long long elements;
    int same;             /* the argument that is the same buffer: itself, or one before it */
    const char *file;     /* what it holds before the launch */
    const char *expected; /* what it holds after it; null: the kernel only reads it */
};

#include "launch.h"

/* A result that differs by so many units in the last place, its own or those of the largest expected value, is right but for
   rounding. Integers have to be equal. */
#define MOST_ULPS 4.0

static void *checked(void *memory)
{
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return memory;
}

static size_t bytesOf(const struct Argument *argument)
{
    return (size_t)argument->elements * (size_t)argument->type.bytes;
}

/* At a multiple of 64 bytes, as kernels expect it; at least one byte. */
static void *allocate(size_t bytes)
{
    const size_t size = (bytes / 64 + 1) * 64;
    void *memory = checked(aligned_alloc(64, size));
    memset(memory, 0, size);
    return memory;
}

/* The elements of a .npy file of version 1. */
static void *readTensor(const char *file, size_t bytes)
{
    unsigned char head[10];
    FILE *stream = fopen(file, "rb");
    void *data = allocate(bytes);
    if (!stream) {
        fprintf(stderr, "cannot open %s: run this in its own folder\n", file);
        exit(2);
    }
    if (fread(head, 1, sizeof head, stream) != sizeof head || memcmp(head, "\x93NUMPY\x01", 7) != 0 ||
        fseek(stream, head[8] + 256L * head[9], SEEK_CUR) != 0 || fread(data, 1, bytes, stream) != bytes ||
        fgetc(stream) != EOF) {
        fprintf(stderr, "%s does not hold the %zu bytes that the kernel expects\n", file, bytes);
        exit(2);
    }
    fclose(stream);
    return data;
}

static uint64_t bitsAt(const void *data, struct Type type, long long index)
{
    uint64_t bits = 0; /* little-endian */
    memcpy(&bits, (const char *)data + index * type.bytes, (size_t)type.bytes);
    return bits;
}

static double floatOf(uint64_t bits, struct Type type)
{
    const uint64_t fraction = bits & ((UINT64_C(1) << type.fractionBits) - 1);
    const int exponent = (int)(bits >> type.fractionBits) & ((1 << type.exponentBits) - 1);
    const int bias = (1 << (type.exponentBits - 1)) - 1;
    const int isTop = exponent == (1 << type.exponentBits) - 1;
    const int isNegative = (int)(bits >> (type.exponentBits + type.fractionBits)) & 1;
    double value;
    if (isTop && type.hasInfinity)
        value = fraction ? NAN : INFINITY;
    else if (isTop && fraction == (UINT64_C(1) << type.fractionBits) - 1)
        value = NAN;
    else if (exponent == 0)
        value = ldexp((double)fraction, 1 - bias - type.fractionBits);
    else
        value = ldexp((double)(fraction | UINT64_C(1) << type.fractionBits), exponent - bias - type.fractionBits);
    return isNegative ? -value : value;
}

static double valueOf(uint64_t bits, struct Type type)
{
    const int unused = 64 - 8 * type.bytes;
    switch (type.family) {
    case FAMILY_FLOAT:
        return floatOf(bits, type);
    case FAMILY_SIGNED:
        return (double)((int64_t)(bits << unused) >> unused);
    case FAMILY_BITS:
    case FAMILY_UNSIGNED:
        break;
    }
    return (double)bits;
}

/* Neighbours among floating-point numbers are neighbours among these. */
static double placeOf(uint64_t bits, struct Type type)
{
    const uint64_t sign = UINT64_C(1) << (type.exponentBits + type.fractionBits);
    return bits & sign ? -(double)(bits & ~sign) : (double)bits;
}

/* Returns whether the results are right. */
static int compare(const struct Argument *argument, const void *found, const void *expected)
{
    const struct Type type = argument->type;
    const int isFloat = type.family == FAMILY_FLOAT;
    double largest = 0, maxAbs = 0, maxUlps = 0;
    long long different = 0, wrong = 0, worst = -1;
    for (long long i = 0; isFloat && i < argument->elements; ++i) {
        const double value = fabs(floatOf(bitsAt(expected, type, i), type));
        if (isfinite(value) && value > largest)
            largest = value;
    }
    for (long long i = 0; i < argument->elements; ++i) {
        const uint64_t a = bitsAt(found, type, i), b = bitsAt(expected, type, i);
        if (a == b)
            continue;
        const double x = valueOf(a, type), y = valueOf(b, type);
        if (isFloat && isnan(x) && isnan(y))
            continue;
        const double ulps = isFloat ? fabs(placeOf(a, type) - placeOf(b, type)) : 0;
        const double apart = isfinite(x) && isfinite(y) ? fabs(x - y) : INFINITY;
        const int isRounding =
            isFloat && isfinite(apart) && (ulps <= MOST_ULPS || apart <= MOST_ULPS * ldexp(largest, -type.fractionBits));
        ++different;
        wrong += !isRounding;
        if (ulps > maxUlps)
            maxUlps = ulps;
        if (apart > maxAbs || worst < 0) {
            maxAbs = apart;
            worst = i;
        }
    }
    printf("%s, %s[%lld]: ", argument->name, type.name, argument->elements);
    if (different == 0) {
        printf("equal, bit for bit\n");
        return 1;
    }
    printf("%s: %lld elements differ, max abs %g at element %lld (found %.9g, expected %.9g)",
           wrong ? "DIFFERENT" : "within rounding", different, maxAbs, worst, valueOf(bitsAt(found, type, worst), type),
           valueOf(bitsAt(expected, type, worst), type));
    if (isFloat)
        printf(", max %.0f ULP", maxUlps);
    printf("\n");
    return wrong == 0;
}

/* Reports indices out of range that the kernel met; it read and wrote nothing for them. */
static void tellFaults(const int64_t *faults)
{
    for (int i = 0; i < INDEX_CHECKS; ++i)
        if (faults[2 * i] != 0)
            printf("index check %d: %lld indices out of range, the first %lld\n", i, (long long)faults[2 * i],
                   (long long)faults[2 * i + 1]);
}

static int compareTimes(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void tellTimes(double *microseconds, int runs)
{
    qsort(microseconds, (size_t)runs, sizeof *microseconds, compareTimes);
    printf("median time %.3f us, least %.3f us, of %d runs\n", microseconds[runs / 2], microseconds[0], runs);
}

static int runsFrom(int count, char **words)
{
    const int runs = count > 1 ? atoi(words[1]) : 21;
    if (runs < 1 || runs > 1000000) {
        fprintf(stderr, "usage: %s [RUNS]\n", words[0]);
        exit(2);
    }
    return runs;
}

/* Compares all that the kernel wrote; returns the exit code of the program. */
static int finish(void *const *found)
{
    int isRight = 1, compared = 0;
    for (int i = 0; i < ARGUMENTS; ++i) {
        if (!kArguments[i].expected)
            continue;
        void *expected = readTensor(kArguments[i].expected, bytesOf(&kArguments[i]));
        isRight &= compare(&kArguments[i], found[kArguments[i].same], expected);
        ++compared;
        free(expected);
    }
    printf("%s\n", !compared ? "NOT COMPARED: nothing is known of what it should write" : isRight ? "PASSED" : "FAILED");
    return isRight ? 0 : 1;
}
