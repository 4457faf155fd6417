#pragma once
// The values that overrides name, among what kernels compute.

#include "engine/graph/value_path.h"
#include "engine/passes/schedule/dataflow.h"
#include "engine/schedule/schedule.h"

#include <string>

namespace sw {

// What a kernel computes for the value: for a view, what it reads.
[[nodiscard]] NodeId computedFor(const Dataflow &flow, NodeId id);
// There is no value of that path; the outcome names similar ones.
[[nodiscard]] OverrideOutcome unknownValue(const ValuePaths &paths, const std::string &path);

} // namespace sw
