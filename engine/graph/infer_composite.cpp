// Type rules of composite nodes, which a pass expands into simpler ones before scheduling.

#include "engine/graph/contraction.h"
#include "engine/graph/custom_expression.h"
#include "engine/graph/infer_rules.h"

#include <algorithm>
#include <utility>

namespace sw::infer {

namespace {

constexpr std::int64_t kBytesPerCell = 16; // the bytes of a u32x4

std::vector<std::int64_t> extentsOf(const Shape &shape)
{
    return {shape.begin(), shape.end()};
}

Result<Done> checkWholeNumberOp(const Node &node, Op op, DType dtype)
{
    if (accepts(op, dtype))
        return Done{};
    return fault(Code::Type, "{} does not take elements of type {}", operationText(node), nameOf(dtype));
}

} // namespace

Result<InferredType> threefry(const Node &node, Inputs inputs)
{
    SW_TRY(const ThreefryAttributes *attributes, expected<ThreefryAttributes>(node));
    const Node &key = *inputs[0];
    const Node &counter = *inputs[1];
    if (key.dtype != counter.dtype || key.shape != counter.shape)
        return fault(key.dtype == counter.dtype ? Code::ShapeMismatch : Code::Type,
                     "threefry needs a key and a counter of one type and shape, not {} and {}", typeText(key), typeText(counter));
    if (attributes->variant != ThreefryVariant::TwoByThirtyTwo) {
        if (counter.dtype != DType::U32x4)
            return fault(Code::Type, "threefry 4x32 takes a key and a counter of type u32x4, not {}", nameOf(counter.dtype));
        return ownType(counter);
    }
    if (counter.dtype != DType::U32 && counter.dtype != DType::I32)
        return fault(Code::Type, "threefry 2x32 takes a key and a counter of type u32 or i32, not {}", nameOf(counter.dtype));
    if (attributes->stream != RandomStream::Random123)
        return fault(Code::Argument, "threefry 2x32 has the stream random123 only");
    if (counter.shape.rank() == 0 || counter.shape[counter.shape.rank() - 1] != 2)
        return fault(Code::ShapeMismatch, "threefry 2x32 takes pairs along the last axis, which needs extent 2, not {}",
                     typeText(counter));
    return ownType(counter);
}

Result<InferredType> uniform(const Node &node, const Node &input)
{
    SW_TRY(const UniformAttributes *attributes, expected<UniformAttributes>(node));
    if (input.dtype != DType::U32x4)
        return fault(Code::Type, "{} takes u32x4, not {}", operationText(node), typeText(input));
    if (!isFloat(node.dtype) && !isInteger(node.dtype))
        return fault(Code::Type, "{} gives floats or integers, not {}", operationText(node), nameOf(node.dtype));
    if (attributes->form == UniformForm::Scalar)
        return InferredType{node.dtype, input.shape};
    std::vector<std::int64_t> extents = extentsOf(input.shape);
    if (extents.empty())
        extents.push_back(1);
    if (__builtin_mul_overflow(extents.back(), kBytesPerCell / bytesOf(node.dtype), &extents.back()))
        return fault(Code::Limit, "{} of {} overflows", operationText(node), typeText(input));
    SW_TRY(Shape shape, Shape::checked(std::move(extents)));
    return InferredType{node.dtype, std::move(shape)};
}

Result<InferredType> scatter(const Node &node, Inputs inputs)
{
    SW_TRY(const ScatterAttributes *attributes, expected<ScatterAttributes>(node));
    const Node &base = *inputs[0];
    const Node &indices = *inputs[1];
    const Node &updates = *inputs[2];
    SW_CHECK(checkIndices(node, indices));
    if (updates.dtype != base.dtype)
        return fault(Code::Type, "scatter into {} needs updates of its type, not {}", typeText(base), typeText(updates));
    if (updates.shape != indices.shape)
        return fault(Code::ShapeMismatch, "scatter needs an index for each update, not {} for {}", typeText(indices),
                     typeText(updates));
    if (attributes->axis >= base.shape.rank())
        return fault(Code::ShapeMismatch, "scatter axis {} is out of range for shape {}", attributes->axis, toText(base.shape));
    bool fits = updates.shape.rank() == base.shape.rank();
    for (std::size_t axis = 0; fits && axis < base.shape.rank(); ++axis)
        fits = axis == attributes->axis || updates.shape[axis] <= base.shape[axis];
    if (!fits)
        return fault(Code::ShapeMismatch,
                     "scatter along axis {} into {} needs updates of its rank, no larger on the other axes, not {}",
                     attributes->axis, typeText(base), typeText(updates));
    if (attributes->mode != ScatterMode::Set)
        SW_CHECK(checkWholeNumberOp(node, *combiningOp(attributes->mode), base.dtype));
    return ownType(base);
}

// Takes and gives only types that devices compute with directly.
Result<InferredType> custom(const Node &node, Inputs inputs)
{
    SW_TRY(const CustomAttributes *attributes, expected<CustomAttributes>(node));
    if (attributes->name.empty() || (attributes->sources.empty() && !attributes->hasReference))
        return fault(Code::Argument, "custom {} needs a name, and an expression for some device or a reference",
                     quoted(attributes->name));
    const std::size_t operands = inputs.size() - (attributes->hasReference ? 1 : 0);
    if (operands == 0)
        return fault(Code::Argument, "custom {} needs an operand", quoted(attributes->name));
    for (const auto &[language, source] : attributes->sources)
        if (const std::string wrong = faultOfExpression(source, operands); !wrong.empty())
            return fault(Code::Argument, "the expression {} for {} of custom {}: {}", quoted(source), language,
                         quoted(attributes->name), wrong);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const DType dtype = inputs[i]->dtype;
        if (!accepts(Op::Cmpeq, dtype) || computeType(dtype) != dtype || computeType(node.dtype) != node.dtype)
            return fault(Code::Type, "custom {} takes and gives types that devices compute with, not {} to {}",
                         quoted(attributes->name), nameOf(dtype), nameOf(node.dtype));
        if (inputs[i]->shape != inputs[0]->shape || (i == operands && dtype != node.dtype))
            return fault(Code::ShapeMismatch,
                         "custom {} needs operands of one shape and a reference of the result's type, not {} "
                         "and {}",
                         quoted(attributes->name), typeText(*inputs[0]), typeText(*inputs[i]));
    }
    return InferredType{node.dtype, inputs[0]->shape};
}

Result<InferredType> assign(const Node &node, Inputs inputs)
{
    SW_TRY(const AssignAttributes *attributes, expected<AssignAttributes>(node));
    const Node &target = *inputs[0];
    const std::size_t rank = target.shape.rank();
    if (attributes->ranges.size() + 1 != inputs.size())
        return fault(Code::InvalidIr, "assign has {} updates and {} ranges", inputs.size() - 1, attributes->ranges.size());
    for (std::size_t i = 0; i < attributes->ranges.size(); ++i) {
        const Node &update = *inputs[i + 1];
        const auto &ranges = attributes->ranges[i];
        if (update.dtype != target.dtype)
            return fault(Code::Type, "assign to {} needs updates of its type, not {}", typeText(target), typeText(update));
        bool fits = update.shape.rank() == rank && (ranges.empty() || ranges.size() == rank);
        for (std::size_t axis = 0; fits && axis < rank; ++axis) {
            const auto [first, end] = ranges.empty() ? std::pair(std::int64_t{0}, target.shape[axis]) : ranges[axis];
            fits = first >= 0 && end >= first && end <= target.shape[axis] && update.shape[axis] == end - first;
        }
        if (!fits)
            return fault(
                Code::ShapeMismatch, "assign of {} to {} of {}: the update has the shape of the range, which lies within",
                typeText(update),
                ranges.empty()
                    ? std::string("the whole")
                    : "[" + join(ranges, ", ", [](const auto &range) { return format("[{}, {}]", range.first, range.second); }) +
                          "]",
                typeText(target));
    }
    return ownType(target);
}

Result<InferredType> bufferView(const Node &node, const Node &input)
{
    SW_TRY(const BufferViewAttributes *attributes, expected<BufferViewAttributes>(node));
    if (node.shape.rank() != 1)
        return fault(Code::ShapeMismatch, "a buffer view has one axis, not shape {}", toText(node.shape));
    std::int64_t end = 0;
    const bool overflows = __builtin_add_overflow(attributes->offset, node.shape[0], &end);
    if (overflows || attributes->offset < 0 || end > input.shape.elements())
        return fault(Code::ShapeMismatch, "a buffer view of {} elements from {} is not within {}, which has {}", node.shape[0],
                     attributes->offset, typeText(input), input.shape.elements());
    return InferredType{input.dtype, node.shape};
}

Result<InferredType> valid(const Node &node)
{
    SW_TRY(const ViewAttributes *attributes, expected<ViewAttributes>(node));
    const Shape &shape = node.shape;
    if (attributes->strides.size() != shape.rank() || (!attributes->mask.empty() && attributes->mask.size() != shape.rank()))
        return fault(Code::ShapeMismatch, "the validity of a view of shape {} needs {} strides and ranges, not {} and {}",
                     toText(shape), shape.rank(), attributes->strides.size(), attributes->mask.size());
    for (std::size_t axis = 0; axis < attributes->mask.size(); ++axis) {
        const auto [first, last] = attributes->mask[axis];
        if (first < 0 || last < first || last > shape[axis])
            return fault(Code::ShapeMismatch, "the mask [{}, {}) of axis {} is not a range within shape {}", first, last, axis,
                         toText(shape));
    }
    return InferredType{DType::Bool, shape};
}

Result<InferredType> gep(const Node &node, const Node &input)
{
    SW_TRY(const LanesAttributes *attributes, expected<LanesAttributes>(node));
    std::vector<std::int64_t> extents = extentsOf(input.shape);
    if (extents.empty())
        return fault(Code::ShapeMismatch, "gep takes lanes of the last axis, and {} has none", typeText(input));
    for (const std::int64_t lane : attributes->lanes)
        if (lane < 0 || lane >= extents.back())
            return fault(Code::ShapeMismatch, "gep takes lane {} of {}, which has {}", lane, typeText(input), extents.back());
    extents.back() = static_cast<std::int64_t>(attributes->lanes.size());
    SW_TRY(Shape shape, Shape::checked(std::move(extents)));
    return InferredType{input.dtype, std::move(shape)};
}

Result<InferredType> vectorize(Inputs inputs)
{
    for (const Node *input : inputs)
        if (input->dtype != inputs[0]->dtype || input->shape != inputs[0]->shape)
            return fault(input->dtype == inputs[0]->dtype ? Code::ShapeMismatch : Code::Type,
                         "vectorize packs tensors of one type and shape, not {} and {}", typeText(*inputs[0]), typeText(*input));
    std::vector<std::int64_t> extents = extentsOf(inputs[0]->shape);
    extents.push_back(static_cast<std::int64_t>(inputs.size()));
    SW_TRY(Shape shape, Shape::checked(std::move(extents)));
    return InferredType{inputs[0]->dtype, std::move(shape)};
}

Result<InferredType> wmma(Inputs inputs)
{
    const Node &a = *inputs[0];
    const Node &b = *inputs[1];
    const Node &c = *inputs[2];
    const std::size_t rank = c.shape.rank();
    bool fits = rank >= 2 && a.shape.rank() == rank && b.shape.rank() == rank;
    for (std::size_t axis = 0; fits && axis + 2 < rank; ++axis)
        fits = a.shape[axis] == c.shape[axis] && b.shape[axis] == c.shape[axis];
    fits = fits && a.shape[rank - 2] == c.shape[rank - 2] && b.shape[rank - 1] == c.shape[rank - 1] &&
           a.shape[rank - 1] == b.shape[rank - 2];
    if (!fits)
        return fault(Code::ShapeMismatch, "wmma adds a [.., m, k] x [.., k, n] product to [.., m, n], not {} x {} to {}",
                     typeText(a), typeText(b), typeText(c));
    const bool areNumbers = accepts(Op::Mul, a.dtype) && accepts(Op::Add, c.dtype) && c.dtype != DType::Bool;
    if (a.dtype != b.dtype || !areNumbers || promote(a.dtype, c.dtype) != c.dtype)
        return fault(Code::Type, "wmma takes two tiles of one type, and a third whose type holds theirs, not {}, {} and {}",
                     nameOf(a.dtype), nameOf(b.dtype), nameOf(c.dtype));
    return ownType(c);
}

Result<InferredType> contract(const Node &node, Inputs inputs)
{
    SW_TRY(const ContractAttributes *attributes, expected<ContractAttributes>(node));
    SW_TRY(const Contraction contraction, parseContraction(attributes->subscripts));
    std::vector<Shape> shapes;
    for (const Node *input : inputs) {
        if (input->dtype != inputs[0]->dtype)
            return fault(Code::Type, "contract takes tensors of one type, not {} and {}", typeText(*inputs[0]), typeText(*input));
        shapes.push_back(input->shape);
    }
    SW_CHECK(checkWholeNumberOp(node, Op::Mul, inputs[0]->dtype));
    SW_TRY(const std::vector<std::int64_t> extents, labelExtents(contraction, shapes));
    std::vector<std::int64_t> result;
    for (const char label : contraction.result)
        result.push_back(extents[contraction.labels.find(label)]);
    SW_TRY(Shape shape, Shape::checked(std::move(result)));
    return InferredType{inputs[0]->dtype, std::move(shape)};
}

Result<InferredType> choose(Inputs inputs)
{
    if (inputs[0]->dtype != DType::Bool || inputs[0]->shape.rank() != 0)
        return fault(Code::ShapeMismatch, "choose needs a condition of one bool without axes, not {}", typeText(*inputs[0]));
    if (inputs[1]->dtype != inputs[2]->dtype || inputs[1]->shape.largest() != inputs[2]->shape.largest())
        return fault(Code::ShapeMismatch, "choose needs two values of one type and shape, not {} and {}", typeText(*inputs[1]),
                     typeText(*inputs[2]));
    return ownType(*inputs[1]);
}

Result<InferredType> unroll(const Node &node, const Node &input)
{
    SW_TRY(const UnrollAttributes *attributes, expected<UnrollAttributes>(node));
    if (attributes->factor < 1)
        return fault(Code::Argument, "unroll repeats a loop's body at least once, not {} times", attributes->factor);
    return ownType(input);
}

Result<Done> cropFits(const Node &value, const Node &count, std::size_t axis)
{
    if (axis >= value.shape.rank())
        return fault(Code::Argument, "crop cuts axis {} of {}, which has {} axes", axis, typeText(value), value.shape.rank());
    if (!isInteger(count.dtype) || count.shape.rank() != 0)
        return fault(Code::Type, "crop needs a count of one integer without axes, not {}", typeText(count));
    return Done{};
}

Result<InferredType> crop(const Node &node, const Node &value, const Node &count)
{
    SW_TRY(const AxisAttributes *attributes, expected<AxisAttributes>(node));
    SW_CHECK(cropFits(value, count, attributes->axis));
    return ownType(value);
}

Result<InferredType> kernel(const Node &node, const Node &value)
{
    SW_CHECK(expected<KernelAttributes>(node));
    return ownType(value);
}

Result<InferredType> unique(const Node &node, const Node &input)
{
    SW_TRY(const UniqueAttributes *attributes, expected<UniqueAttributes>(node));
    if (attributes->id < 0)
        return fault(Code::Argument, "the number of unique must be at least 0, not {}", attributes->id);
    return ownType(input);
}

} // namespace sw::infer
