#pragma once
// The canonical text of every stage, as the command line shows it and golden files keep it.

#include "engine/execute/executor.h"
#include "engine/graph/printer.h"
#include "engine/passes/stage.h"

#include <span>
#include <string>

namespace sw {

// kernel: limits stages that have kernels to this one; invalid: all. files: receives the tensors that are too large for the
// text; null: they stay in the text, unless they are larger than maxTensorBytes: see GraphPrintOptions.
[[nodiscard]] std::string stageText(const Stage &stage, KernelId kernel = {}, TensorFiles *files = nullptr,
                                    std::int64_t maxTensorBytes = kAllBytes);
[[nodiscard]] std::string codeText(const LoweredProgram &program, std::span<const RenderedSource> sources, KernelId kernel = {});
// "k0_softmax:", or "k0_softmax on c:" where there are several devices. kernel: its number, as in KernelId.
[[nodiscard]] std::string kernelHeading(const LoweredProgram &program, std::size_t kernel);
// The heading as a comment of the language.
[[nodiscard]] std::string codeHeading(const LoweredProgram &program, std::size_t kernel, TargetLanguage language);
// By KernelId; kernels that were not read are left out.
[[nodiscard]] std::string machineText(const LoweredProgram &program, std::span<const MachineListing> listings);
// Why there is no machine code, in one line.
[[nodiscard]] std::string machineNote(const Diagnostics &errors);

} // namespace sw
