#pragma once
// The canonical text of every stage, as the command line shows it and golden files keep it.

#include "engine/execute/executor.h"
#include "engine/pipeline/stage.h"

#include <span>
#include <string>

namespace sw {

// kernel: only this one, for stages that have kernels; invalid: all.
[[nodiscard]] std::string stageText(const Stage &stage, KernelId kernel = {});
[[nodiscard]] std::string codeText(const LoweredProgram &program, std::span<const RenderedSource> sources, KernelId kernel = {});
// "k0_softmax:", or "k0_softmax on c:" where there are several devices.
[[nodiscard]] std::string kernelHeading(const LoweredProgram &program, const LoweredKernel &kernel);
// The heading as a comment of the language.
[[nodiscard]] std::string codeHeading(const LoweredProgram &program, const LoweredKernel &kernel, TargetLanguage language);
[[nodiscard]] std::string machineText(const CompiledProgram &program, KernelId kernel = {});

} // namespace sw
