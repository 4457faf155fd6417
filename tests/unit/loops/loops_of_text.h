#pragma once
// The loops that the compiler chooses for a program.

#include "engine/loops/printer.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/runner.h"
#include "tests/support/graph_of_text.h"
#include "tests/support/one_kernel.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace sw::test {

// Of all kernels.
[[nodiscard]] inline std::string loopsOn(const DeviceInfo &device, const std::string &text, const CompileOptions &options)
{
    const GraphPtr graph = graphOfText(text);
    if (graph == nullptr)
        return {};
    const PipelineRun run = runPipeline(graph, standardPipeline(), {device, TargetLanguage::Llvm, options}, {});
    EXPECT_TRUE(run.succeeded) << toText(run.diagnostics);
    std::string loops;
    for (const PassStep &step : run.steps)
        if (const auto *made = std::get_if<LoopProgramPtr>(&step.after))
            loops = toText(**made);
    return loops;
}

// A core with vectors of 32 bytes, 16 registers and such caches of its own.
[[nodiscard]] inline DeviceInfo smallCore(std::uint32_t threads, std::uint32_t firstLevelBytes, std::uint32_t firstLevelWays,
                                          std::uint32_t ownBytes)
{
    DeviceInfo device = vectorDevice(threads, 32);
    device.vectorRegisters = 16;
    device.firstLevelBytes = firstLevelBytes;
    device.firstLevelWays = firstLevelWays;
    setCaches(device, ownBytes);
    return device;
}

// Of all kernels, on a device with vectors of 64 bytes and 1 MiB of cache.
[[nodiscard]] inline std::string allLoopsOfText(const std::string &text, std::uint32_t threads, const CompileOptions &options,
                                                std::uint32_t tensorInstructions = 0)
{
    DeviceInfo device = vectorDevice(threads, 64);
    device.tensorInstructions = tensorInstructions;
    return loopsOn(device, text, options);
}

// Of the last kernel. Convolutions are sums of all their products.
[[nodiscard]] inline std::string loopsOfText(const std::string &text, std::uint32_t threads = 1)
{
    const std::string loops = allLoopsOfText(text, threads, {.winograd = false});
    return loops.substr(loops.rfind("kernel k"));
}

} // namespace sw::test
