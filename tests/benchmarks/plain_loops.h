#pragma once
/* What a person writes down in C: one loop after the other, with the functions of libm. Compiled with -O3. */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void plainSoftmax(const float *x, float *y, size_t rows, size_t columns);
void plainGelu(const float *x, float *y, size_t count);

#ifdef __cplusplus
}
#endif
