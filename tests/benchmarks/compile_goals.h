#pragma once
// What compiling may take, and what it takes: one line per goal, with "met" or "MISSED".

#include "engine/backend/backend.h"

#include <string>

namespace sw::benchmark {

// model: the path of light_resnet50's model.onnx; empty: the lines about it are left out. The registry has native backends that
// keep no kernels on disk.
void measureGoals(const BackendRegistry &registry, const std::string &model);

// Only the lines about key presses.
void measureKeyPress(const BackendRegistry &registry);

} // namespace sw::benchmark
