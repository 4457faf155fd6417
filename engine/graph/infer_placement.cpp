#include "engine/graph/infer_rules.h"

#include <algorithm>
#include <utility>

namespace sw::infer {

namespace {

Result<Done> checkName(const Node &node, const std::string &device)
{
    if (device.empty())
        return fault(Code::Argument, "{} needs the name of a device", operationText(node));
    return Done{};
}

bool isPartOf(const Node &part, const Node &first, std::size_t axis)
{
    if (part.dtype != first.dtype || part.shape.rank() != first.shape.rank())
        return false;
    for (std::size_t i = 0; i < first.shape.rank(); ++i)
        if (i != axis && part.shape[i] != first.shape[i])
            return false;
    return true;
}

Result<InferredType> joined(const MultiAttributes &multi, Inputs inputs)
{
    const Node &first = *inputs[0];
    const std::size_t axis = *multi.axis;
    if (axis >= first.shape.rank())
        return fault(Code::ShapeMismatch, "multi axis {} is out of range for shape {}", axis, toText(first.shape));
    std::int64_t total = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!isPartOf(*inputs[i], first, axis))
            return fault(Code::ShapeMismatch, "the shards of one value agree on type and all axes but {}, not {} and {}", axis,
                         typeText(first), typeText(*inputs[i]));
        if (isReal(multi, i) && __builtin_add_overflow(total, inputs[i]->shape[axis], &total))
            return fault(Code::Limit, "multi along axis {} of {} overflows", axis, typeText(first));
    }
    std::vector<std::int64_t> extents(first.shape.begin(), first.shape.end());
    extents[axis] = total;
    SW_TRY(Shape shape, Shape::checked(std::move(extents)));
    return InferredType{first.dtype, std::move(shape)};
}

} // namespace

Result<InferredType> device(const Node &node, const Node &input)
{
    SW_TRY(const DeviceAttributes *attributes, expected<DeviceAttributes>(node));
    SW_CHECK(checkName(node, attributes->device));
    return ownType(input);
}

Result<InferredType> copy(const Node &node, const Node &input)
{
    SW_TRY(const CopyAttributes *attributes, expected<CopyAttributes>(node));
    SW_CHECK(checkName(node, attributes->device));
    return ownType(input);
}

Result<InferredType> multi(const Node &node, Inputs inputs)
{
    SW_TRY(const MultiAttributes *attributes, expected<MultiAttributes>(node));
    if (!attributes->real.empty() && attributes->real.size() != inputs.size())
        return fault(Code::InvalidIr, "multi says of {} shards whether they are real, and has {}", attributes->real.size(),
                     inputs.size());
    if (!attributes->real.empty() && std::ranges::find(attributes->real, true) == attributes->real.end())
        return fault(Code::InvalidIr, "multi has no shard that is real");
    if (attributes->axis)
        return joined(*attributes, inputs);
    for (const Node *input : inputs)
        if (input->dtype != inputs[0]->dtype || input->shape != inputs[0]->shape)
            return fault(Code::ShapeMismatch, "the copies of one value have one type, not {} and {}", typeText(*inputs[0]),
                         typeText(*input));
    return ownType(*inputs[0]);
}

} // namespace sw::infer
