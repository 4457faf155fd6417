// Opens kernels of the last compilation.

#include "engine/api/explorer_implementation.h"
#include "engine/api/kernel_trace_parts.h"
#include "engine/api/kernel_variant.h"

#include <exception>

namespace sw {

namespace {

// What `open` returns; an error where it throws.
template <class Open>
TraceOpening guarded(Open &&open)
{
    try {
        Result<std::unique_ptr<KernelTrace>> trace = open();
        if (trace)
            return {std::move(*trace), {}};
        return {nullptr, toText(trace.error())};
    } catch (const std::exception &exception) {
        return {nullptr, toText(diagnosticOf(exception))};
    }
}

} // namespace

Result<std::unique_ptr<KernelTrace>> Explorer::Implementation::trace(KernelId kernel, std::stop_token stop)
{
    SW_TRY(const auto values, inputValues(*compilation.graph, inputs));
    return openTrace(compiler, compilation, kernel, {values, inputs.dimensions}, std::move(stop));
}

TraceOpening Explorer::openKernel(std::uint32_t kernel, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    if (own.compilation.lowered == nullptr || kernel >= own.compilation.lowered->kernels.size())
        return {nullptr, format("there is no kernel {}", kernel)};
    return guarded([&] { return own.trace(KernelId(kernel), std::move(stop)); });
}

ChosenTransforms Explorer::chosenTransforms(std::uint32_t kernel) const
{
    const Compilation &compilation = m_implementation->compilation;
    ChosenTransforms chosen;
    if (compilation.loops == nullptr || kernel >= compilation.loops->nests.size())
        return chosen;
    for (const Transform &transform : compilation.loops->nests[kernel]->transforms)
        chosen.lines.push_back(toText(transform));
    const LoopNest *plain = plainNest(compilation, KernelId(kernel));
    chosen.first = plain == nullptr ? chosen.lines.size() : plain->transforms.size();
    return chosen;
}

TraceOpening Explorer::openKernelWith(std::uint32_t kernel, std::size_t transforms, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    if (own.compilation.lowered == nullptr || kernel >= own.compilation.lowered->kernels.size())
        return {nullptr, format("there is no kernel {}", kernel)};
    return guarded([&]() -> Result<std::unique_ptr<KernelTrace>> {
        SW_TRY(const Compilation variant, withTransforms(own.compilation, KernelId(kernel), transforms, stop));
        SW_TRY(const auto values, inputValues(*variant.graph, own.inputs));
        return openTrace(own.compiler, variant, KernelId(kernel), {values, own.inputs.dimensions}, stop);
    });
}

} // namespace sw
