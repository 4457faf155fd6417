#include "tests/benchmarks/plain_loops.h"

#include <math.h>

void plainSoftmax(const float *x, float *y, size_t rows, size_t columns)
{
    for (size_t row = 0; row < rows; ++row) {
        const float *in = x + row * columns;
        float *out = y + row * columns;
        float largest = in[0];
        for (size_t i = 1; i < columns; ++i)
            largest = fmaxf(largest, in[i]);
        float sum = 0;
        for (size_t i = 0; i < columns; ++i) {
            out[i] = expf(in[i] - largest);
            sum += out[i];
        }
        for (size_t i = 0; i < columns; ++i)
            out[i] /= sum;
    }
}

void plainGelu(const float *x, float *y, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        y[i] = 0.5F * x[i] * (1.0F + erff(x[i] * 0.70710678F));
}
