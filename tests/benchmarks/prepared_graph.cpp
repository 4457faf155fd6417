#include "tests/benchmarks/prepared_graph.h"

#include "engine/execute/input_values.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/runner.h"
#include "tests/benchmarks/prepared_program.h"

#include <utility>

namespace sw::benchmark {

namespace {

template <class T>
T valueOrEnd(Result<T> result)
{
    if (!result)
        giveUp(result.error());
    return std::move(*result);
}

} // namespace

PreparedGraph::PreparedGraph(const BackendRegistry &registry, const GraphPtr &graph, const CompileOptions &options,
                             std::uint32_t threads, std::span<const NamedTensor> given)
    : m_device(valueOrEnd(OpenedDevice::open(registry, "llvm", {.threads = threads})))
{
    CompiledProgramPtr program;
    m_compileTime = timeOf([&] {
        const CompileTarget target{m_device->info(), m_device->renderer().language(), options};
        const PipelineRun lowered = runPipeline(graph, standardPipeline(), target, {});
        if (!lowered.succeeded)
            giveUp(lowered.diagnostics);
        const auto kernels = std::get<LoweredProgramPtr>(lowered.last);
        m_kernelCount = kernels->kernels.size();
        auto sources = valueOrEnd(renderProgram(*kernels, m_device->renderer(), m_device->info()));
        auto artifacts = valueOrEnd(m_device->compile(sources, {}));
        program = std::make_shared<const CompiledProgram>(CompiledProgram{kernels, std::move(artifacts)});
    });
    const std::vector<HostTensor> values = valueOrEnd(placeholderValues(*graph, given, 1));
    m_executor = valueOrEnd(Executor::prepare(*m_device, std::move(program), values));
}

ExecutionResult PreparedGraph::run()
{
    return valueOrEnd(m_executor->run({.warmup = 0, .repeats = 1}, {}));
}

} // namespace sw::benchmark
