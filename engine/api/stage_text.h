#pragma once
// The canonical text of every stage, as the command line shows it and golden files keep it.

#include "engine/execute/executor.h"
#include "engine/graph/printer.h"
#include "engine/pipeline/stage.h"

#include <span>
#include <string>

namespace sw {

// kernel: only this one, for stages that have kernels; invalid: all. files: takes the tensors that are too large for the text;
// null: they are in it.
[[nodiscard]] std::string stageText(const Stage &stage, KernelId kernel = {}, TensorFiles *files = nullptr);
[[nodiscard]] std::string codeText(std::span<const RenderedSource> sources, KernelId kernel = {});
// "k0_softmax:", or "k0_softmax on c:" where there are several devices.
[[nodiscard]] std::string kernelHeading(const LoweredProgram &program, const LoweredKernel &kernel);
[[nodiscard]] std::string machineText(const CompiledProgram &program, KernelId kernel = {});

} // namespace sw
