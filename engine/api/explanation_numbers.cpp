#include "engine/api/explanation_numbers.h"

#include "engine/api/quantity.h"

#include <cmath>

namespace sw {

namespace {

std::string amountText(double amount, std::string_view unit)
{
    if (unit == "bytes")
        return bytesText(static_cast<std::int64_t>(amount));
    return amount == std::floor(amount) && std::abs(amount) < 1e15 ? format("{:.0f}", amount) : format("{:.3g}", amount);
}

} // namespace

WhyNumber countOf(std::string name, std::int64_t count, std::string origin)
{
    return {std::move(name), format("{}", count), static_cast<double>(count), std::move(origin), {}};
}

WhyNumber bytesOf(std::string name, std::int64_t bytes, std::string origin)
{
    return {std::move(name), bytesText(bytes), static_cast<double>(bytes), std::move(origin), {}};
}

WhyNumber timeOf(std::string name, std::int64_t nanoseconds, std::string origin)
{
    return {std::move(name), nanosecondsText(nanoseconds), static_cast<double>(nanoseconds), std::move(origin), {}};
}

WhyNumber numberOf(const DecisionNumber &number)
{
    WhyNumber made{std::string(number.name), amountText(number.value, number.unit), number.value, std::string(number.origin), {}};
    switch (number.limitKind) {
    case LimitKind::None:
        break;
    case LimitKind::AtLeast:
        made.limit = format("fused from {}: {}", amountText(number.limit, number.unit), number.limitOrigin);
        break;
    case LimitKind::AtMost:
        made.limit = format("fused up to {}: {}", amountText(number.limit, number.unit), number.limitOrigin);
        break;
    }
    return made;
}

std::vector<WhyNumber> estimateNumbers(const KernelEstimate &estimate, const DeviceFigures &figures)
{
    std::vector<WhyNumber> numbers{
        countOf("operations", estimate.flops, "the formulas of its values"),
        countOf("priced work", estimate.pricedWork,
                format("{} for each vector instruction: every operation by its price, what is fused counts once",
                       kOperationsPerInstruction))};
    for (const TensorWork &work : estimate.tensorWork)
        numbers.push_back(countOf(format("products by {}", infoOf(work.instruction).name), work.operations,
                                  "multiplications and additions of tiles"));
    numbers.push_back(bytesOf("reads", estimate.bytesRead, "its buffers, each once"));
    numbers.push_back(bytesOf("writes", estimate.bytesWritten, "its results, each once"));
    numbers.push_back(timeOf("estimated time", kernelNanoseconds(estimate, figures.rates),
                             format("{}, {}", formulaText(estimate, figures.rates), sourceOf(figures))));
    return numbers;
}

WhyNumber trafficOf(const Schedule &schedule, const FusionDecision &decision)
{
    const Node &value = schedule.graph->node(decision.producer);
    const std::int64_t elements = value.shape.elements();
    const auto size = static_cast<std::int64_t>(sw::bytesOf(value.dtype));
    if (decision.bytesSaved == 2 * elements * size)
        return bytesOf("traffic", decision.bytesSaved, format("{} elements x {} bytes, written and read", elements, size));
    if (decision.bytesSaved == elements * size)
        return bytesOf("traffic", decision.bytesSaved, format("{} elements x {} bytes, read once more", elements, size));
    if (decision.bytesSaved == 0 && elements > 0) // see joins.h
        return bytesOf("traffic", 0, "it is stored in its place, and nothing reads it to copy it");
    return bytesOf("traffic", decision.bytesSaved, "the value that both kernels would read");
}

WhyNumber trafficTimeOf(const FusionDecision &decision, const DeviceFigures &figures)
{
    const double rate = bytesRate(figures.rates, static_cast<double>(decision.bytesSaved));
    return timeOf("its time", std::llround(static_cast<double>(decision.bytesSaved) / rate),
                  format("traffic / {:.3g} GB/s, {}", rate, sourceOf(figures)));
}

} // namespace sw
