#include "tests/benchmarks/prepared_program.h"

#include "engine/api/resources.h"
#include "engine/execute/input_values.h"

#include <cstdlib>

namespace sw::benchmark {

void giveUp(const Diagnostics &diagnostics)
{
    print(toText(diagnostics));
    std::exit(1);
}

PreparedProgram::PreparedProgram(const BackendRegistry &registry, const std::string &text, std::uint32_t threads,
                                 const CompileOptions &options, std::span<const NamedTensor> given)
    : m_compiler(registry)
{
    CompileRequest request;
    request.program.fileName = "benchmark.sw";
    request.program.text = text;
    request.program.isText = true;
    request.program.resourceFolder = findResourceFolder();
    request.threads = threads;
    request.options = options;
    const Compilation compilation = m_compiler.compile(request, {});
    if (!compilation.succeeded)
        giveUp(compilation.diagnostics);
    auto values = placeholderValues(*compilation.graph, given, 1);
    if (!values)
        giveUp(values.error());
    m_inputs = std::move(*values);
    const auto device = m_compiler.openedDevice(request.device, threads);
    if (!device)
        giveUp(device.error());
    auto executor = Executor::prepare(**device, compilation.program, m_inputs);
    if (!executor)
        giveUp(executor.error());
    m_executor = std::move(*executor);
}

// One round, as a peer's call is one: copies to and from the device in between would leave caches in another state than peers
// find.
Nanoseconds PreparedProgram::run()
{
    const auto time = m_executor->runRound(Round::Measured, {});
    if (!time)
        giveUp(time.error());
    return *time;
}

Nanoseconds PreparedProgram::meanOf(int runs)
{
    const Nanoseconds all = timeOf([&] {
        for (int i = 0; i < runs; ++i)
            if (const auto time = m_executor->runRound(Round::WarmUp, {}); !time)
                giveUp(time.error());
    });
    return all / runs;
}

HostTensor PreparedProgram::output()
{
    return outputs().front();
}

std::vector<HostTensor> PreparedProgram::outputs()
{
    const auto result = m_executor->run({}, {});
    if (!result)
        giveUp(result.error());
    std::vector<HostTensor> values;
    for (const NamedTensor &output : result->outputs)
        values.push_back(output.value);
    return values;
}

} // namespace sw::benchmark
