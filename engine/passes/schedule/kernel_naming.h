#pragma once
// Names of kernels for people, and symbols that are equal where the kernels' texts are.

#include "engine/passes/schedule/node_facts.h"
#include "engine/schedule/schedule.h"

#include <span>
#include <string>

namespace sw {

// "softmax": the innermost named call around all of the kernel's main work, else the operation.
[[nodiscard]] std::string kernelLabel(const Graph &graph, const std::vector<NodeFacts> &facts, const ScheduledKernel &kernel);

// Equal for kernels that differ only in which buffers they are given.
[[nodiscard]] std::uint64_t structureHash(const Graph &graph, const Dataflow &flow, const ScheduledKernel &kernel);

// Fills in name and symbol of all kernels, which are in execution order and complete otherwise.
void nameKernels(const Graph &graph, const Dataflow &flow, std::span<ScheduledKernel> kernels);

} // namespace sw
