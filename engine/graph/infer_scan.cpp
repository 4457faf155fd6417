#include "engine/graph/infer_rules.h"

#include <utility>

namespace sw::infer {

namespace {

constexpr std::int64_t kMostNumber = std::int64_t{1} << 30U;
constexpr std::int64_t kMostCarried = std::int64_t{1} << 16U;

Result<const ScanAttributes *> attributesOfScan(const Node &node)
{
    SW_TRY(const ScanAttributes *attributes, expected<ScanAttributes>(node));
    if (attributes->scan < 0 || attributes->scan > kMostNumber)
        return fault(Code::InvalidIr, "the number of a scan is {}, expected 0 to {}", attributes->scan, kMostNumber);
    if (attributes->steps < 1)
        return fault(Code::Argument, "a scan needs at least one step, not {}", attributes->steps);
    if (attributes->condition < kNoCondition || attributes->condition >= kMostCarried)
        return fault(Code::InvalidIr, "the number of the condition of a scan is {}, expected {} (none) to {}",
                     attributes->condition, kNoCondition, kMostCarried - 1);
    if (attributes->steps >= kUnboundedSteps && attributes->condition == kNoCondition)
        return fault(Code::Argument, "a scan without a bound needs a condition that ends it");
    return attributes;
}

} // namespace

Result<InferredType> scanCarry(const Node &node, const Node &initial)
{
    SW_TRY(const ScanAttributes *attributes, attributesOfScan(node));
    if (attributes->index < 0 || attributes->index >= kMostCarried)
        return fault(Code::InvalidIr, "the number of a carried value is {}, expected 0 to {}", attributes->index,
                     kMostCarried - 1);
    return ownType(initial);
}

Result<InferredType> scanSlice(const Node &node, const Node &whole)
{
    SW_TRY(const ScanAttributes *attributes, attributesOfScan(node));
    if (attributes->steps >= kUnboundedSteps)
        return fault(Code::ShapeMismatch, "a scan without a bound has no steps to read {} by", typeText(whole));
    if (whole.shape.rank() == 0 || whole.shape[0] != attributes->steps)
        return fault(Code::ShapeMismatch, "a scan of {} steps reads {}, expected a first axis of that extent", attributes->steps,
                     typeText(whole));
    SW_TRY(Shape shape, Shape::checked({whole.shape.begin() + 1, whole.shape.end()}));
    return InferredType{whole.dtype, std::move(shape)};
}

Result<InferredType> scanLast(const Node &node, Inputs nexts)
{
    SW_TRY(const ScanAttributes *attributes, attributesOfScan(node));
    if (attributes->index < 0 || static_cast<std::size_t>(attributes->index) >= nexts.size())
        return fault(Code::InvalidIr, "carried value {} is not among the {} that a step hands on", attributes->index,
                     nexts.size());
    return ownType(*nexts[static_cast<std::size_t>(attributes->index)]);
}

Result<InferredType> scanRows(const Node &node, Inputs nextsAndRow)
{
    SW_TRY(const ScanAttributes *attributes, attributesOfScan(node));
    const Node &row = *nextsAndRow.back();
    if (attributes->steps >= kUnboundedSteps)
        return fault(Code::Argument, "a scan without a bound cannot collect rows: nobody knows how many there will be");
    std::vector<std::int64_t> extents{attributes->steps};
    extents.insert(extents.end(), row.shape.begin(), row.shape.end());
    SW_TRY(Shape shape, Shape::checked(std::move(extents)));
    return InferredType{row.dtype, std::move(shape)};
}

} // namespace sw::infer
