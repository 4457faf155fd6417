#include "tests/benchmarks/peer_threads.h"

#include <math.h>
#include <omp.h>

void setPeerThreads(uint32_t threads)
{
    omp_set_num_threads((int)threads);
}

void maskScores(float *scores, int64_t matrices, int64_t columns)
{
#pragma omp parallel for
    for (int64_t row = 0; row < matrices * columns; ++row) {
        float *in = scores + row * columns;
        for (int64_t column = row % columns + 1; column < columns; ++column)
            in[column] = -INFINITY;
    }
}
