#include "tests/fuzz/device_under_test.h"

#include "engine/accuracy/error_bounds.h"
#include "engine/accuracy/first_difference.h"
#include "engine/pipeline/pipeline.h"

#include <utility>

namespace sw {

Result<DeviceUnderTest> DeviceUnderTest::open(const BackendRegistry &registry, const std::string &id,
                                              const DeviceOptions &options, const std::vector<std::string> &others)
{
    DeviceUnderTest made;
    std::vector<std::string> ids{id};
    ids.insert(ids.end(), others.begin(), others.end());
    for (const std::string &one : ids) {
        SW_TRY(auto opened, OpenedDevice::open(registry, one, options));
        made.m_devices.push_back(std::move(opened));
    }
    return made;
}

CompileTarget DeviceUnderTest::target(const CompileOptions &options) const
{
    const OpenedDevice &home = *m_devices.front();
    CompileTarget made{home.info(), home.renderer().language(), options};
    for (const auto &other : std::span(m_devices).subspan(1))
        made.others.push_back({other->info(), other->renderer().language()});
    return made;
}

Result<std::vector<NamedTensor>> DeviceUnderTest::run(const RandomGraph &random, const CompileOptions &options)
{
    const PipelineRun lowered = runPipeline(std::make_shared<const Graph>(random.graph), standardPipeline(), target(options), {});
    if (!lowered.succeeded)
        return Failure(lowered.diagnostics);
    return runProgram(std::get<LoweredProgramPtr>(lowered.last), random.inputs);
}

Result<std::vector<NamedTensor>> DeviceUnderTest::runProgram(const LoweredProgramPtr &program, std::span<const HostTensor> inputs)
{
    std::vector<OpenedDevice *> devices;
    std::vector<RenderTarget> renderers;
    for (const auto &device : m_devices) {
        devices.push_back(device.get());
        renderers.push_back({&device->renderer(), &device->info()});
    }
    SW_TRY(auto sources, renderProgram(*program, renderers));
    SW_TRY(auto artifacts, compileProgram(*program, sources, devices, {}));
    m_kernels += artifacts.size();
    auto compiled = std::make_shared<const CompiledProgram>(CompiledProgram{program, std::move(artifacts)});
    // Nodes may have gone; the inputs stay, in their order.
    SW_TRY(const auto executor, Executor::prepare(std::move(devices), std::move(compiled), inputs));
    SW_TRY(ExecutionResult result, executor->run({.warmup = 0, .repeats = 1}, {}));
    return std::move(result.outputs);
}

// What is wrong with the outputs of one graph, the first of which is outputs[first].
std::string faultOf(const RandomGraph &random, const std::vector<NamedTensor> &outputs, std::size_t first)
{
    const auto expected = interpretWithBounds(random.graph, random.inputs);
    if (!expected)
        return toText(expected.error());
    for (std::size_t i = 0; i < expected->values.size(); ++i)
        if (const auto difference = firstDifference(expected->values[i], outputs.at(first + i).value, expected->bounds[i]))
            return format("output {}: {}", i, *difference);
    return {};
}

} // namespace sw
