#pragma once
/* The threads of oneDNN are those of the OpenMP runtime of GCC, which C alone speaks here: another C++ compiler would bring a
   runtime of its own along, and set the threads of that one. */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For the operations that the calling thread starts from now on. */
void setPeerThreads(uint32_t threads);

/* Writes minus infinity behind the diagonal of each [columns, columns] matrix of scores, on the peer's threads. */
void maskScores(float *scores, int64_t matrices, int64_t columns);

#ifdef __cplusplus
}
#endif
