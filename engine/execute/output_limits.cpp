#include "engine/execute/output_limits.h"

#include "engine/accuracy/error_bounds.h"
#include "engine/execute/dimensions.h"
#include "engine/execute/reference_graph.h"

#include <algorithm>

namespace sw {

namespace {

constexpr double kBothDevices = 2; // each may be off

std::vector<GivenShape> shapesOf(std::span<const HostTensor> values)
{
    std::vector<GivenShape> shapes;
    for (std::size_t i = 0; i < values.size(); ++i)
        shapes.push_back({i, values[i].shape()});
    return shapes;
}

Result<std::vector<HostTensor>> computedLimits(const GraphPtr &program, std::span<const HostTensor> values,
                                               const SymbolicBindings &wanted, const std::stop_token &stop,
                                               const LimitBudget &budget)
{
    SW_TRY(const SymbolicBindings dimensions, dimensionsOf(*program, shapesOf(values), wanted));
    SW_TRY(const GraphPtr graph, referenceGraphOf(program, dimensions));
    const BoundOptions options{.withTypical = true, .stop = stop};
    const BoundCost cost = costOfBounds(*graph, options);
    if (cost.operations > budget.operations)
        return Diagnostic::error(Code::Unsupported, {},
                                 "they would take {:.3g} operations of the reference interpreter, more than {:.3g}",
                                 cost.operations, budget.operations);
    if (cost.bytes > budget.bytes)
        return Diagnostic::error(Code::Unsupported, {}, "they would take {:.3g} bytes of memory, more than {:.3g}", cost.bytes,
                                 budget.bytes);
    SW_TRY(const BoundedOutputs bounded, interpretWithBounds(*graph, values, options));
    std::vector<HostTensor> limits;
    for (std::size_t i = 0; i < bounded.bounds.size(); ++i)
        limits.push_back(errorLimits(bounded.bounds[i], bounded.typical[i], kBothDevices));
    return limits;
}

} // namespace

HostTensor errorLimits(const HostTensor &guaranteed, const HostTensor &typical, double guaranteedErrors)
{
    HostTensor limits(DType::F64, guaranteed.shape());
    for (std::int64_t i = 0; i < limits.elements(); ++i)
        limits.set(i, Scalar::of(DType::F64, std::min(guaranteedErrors * guaranteed.at(i).asDouble(),
                                                      kTypicalErrors * typical.at(i).asDouble())));
    return limits;
}

OutputLimits outputLimitsOf(const GraphPtr &graph, std::span<const HostTensor> values, const SymbolicBindings &wanted,
                            const std::stop_token &stop, const LimitBudget &budget)
{
    OutputLimits out;
    auto limits = computedLimits(graph, values, wanted, stop, budget);
    if (limits)
        out.limits = std::move(*limits);
    else
        out.missing = limits.error().front().message;
    return out;
}

} // namespace sw
