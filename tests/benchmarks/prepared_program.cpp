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
                                 const CompileOptions &options)
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
    auto values = placeholderValues(*compilation.graph, {}, 1);
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

// Inputs are brought to the device before each run that is asked for, so that they come from far in the first one.
ExecutionResult PreparedProgram::execute()
{
    auto result = m_executor->run({.warmup = 1, .repeats = 3}, {});
    if (!result)
        giveUp(result.error());
    return std::move(*result);
}

Nanoseconds PreparedProgram::run()
{
    return execute().total.median;
}

HostTensor PreparedProgram::output()
{
    return execute().outputs.front().value;
}

} // namespace sw::benchmark
