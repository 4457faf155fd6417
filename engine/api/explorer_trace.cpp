// Opens kernels of the last compilation.

#include "engine/api/explorer_implementation.h"
#include "engine/api/kernel_trace_parts.h"
#include "engine/execute/input_values.h"

#include <exception>

namespace sw {

Result<std::unique_ptr<KernelTrace>> Explorer::Implementation::trace(KernelId kernel, std::stop_token stop)
{
    SW_TRY(const auto values, placeholderValues(*compilation.graph, {}, seed, dimensions));
    return openTrace(compiler, compilation, kernel, {values, dimensions}, std::move(stop));
}

TraceOpening Explorer::openKernel(std::uint32_t kernel, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    if (own.compilation.lowered == nullptr || kernel >= own.compilation.lowered->kernels.size())
        return {nullptr, format("there is no kernel {}", kernel)};
    try {
        Result<std::unique_ptr<KernelTrace>> trace = own.trace(KernelId(kernel), std::move(stop));
        if (trace)
            return {std::move(*trace), {}};
        return {nullptr, toText(trace.error())};
    } catch (const std::exception &exception) {
        return {nullptr, toText(diagnosticOf(exception))};
    }
}

} // namespace sw
