#pragma once
// Names of kernels for people, and symbols that are equal where the kernels' texts are.

#include "engine/passes/schedule/node_facts.h"
#include "engine/schedule/schedule.h"

#include <span>
#include <string>

namespace sw {

// Fills in name and symbol of all kernels, which are in execution order and complete otherwise. A name tells the innermost named
// call around all of the kernel's main work ("k3_softmax"), else the operation. Kernels that differ only in which buffers they
// are given have the same symbol.
void nameKernels(const Graph &graph, const Dataflow &flow, std::span<ScheduledKernel> kernels);

} // namespace sw
