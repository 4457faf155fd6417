#pragma once
// The life of one value, as text and as JSON.

#include "app/commands/arguments.h"
#include "app/commands/command.h"
#include "engine/api/compilation.h"

#include <stop_token>

namespace sw::command {

// value: a node of the graph (%3 or 3), or a value's path ("softmax/exp").
[[nodiscard]] Outcome lifeOf(const std::string &value, const Compilation &compilation, const Arguments &arguments,
                             const std::stop_token &stop);

} // namespace sw::command
