#include "engine/graph/infer_rules.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace infer {

Result<Done> checkIndices(const Node &node, const Node &indices)
{
    if (!isInteger(indices.dtype))
        return fault(Code::Type, "{} takes integer indices, not {}", operationText(node), typeText(indices));
    return Done{};
}

} // namespace infer

namespace {

using namespace infer;

Result<Done> checkInputCount(const Node &node, std::size_t count)
{
    const NodeKindInfo &info = infoOf(node.kind);
    if (count >= info.minInputs && count <= info.maxInputs)
        return Done{};
    if (info.minInputs == info.maxInputs)
        return fault(Code::Argument, "{} takes {} inputs, not {}", operationText(node), info.minInputs, count);
    if (info.maxInputs == kAnyInputs)
        return fault(Code::Argument, "{} takes at least {} inputs, not {}", operationText(node), info.minInputs, count);
    return fault(Code::Argument, "{} takes {} to {} inputs, not {}", operationText(node), info.minInputs, info.maxInputs, count);
}

// ---- leaves

Result<InferredType> inferPlaceholder(const Node &node)
{
    SW_TRY(const PlaceholderAttributes *attributes, expected<PlaceholderAttributes>(node));
    if (attributes->name.empty())
        return fault(Code::InvalidIr, "a placeholder of type {} has no name", typeText(node));
    const HostTensor *initial = attributes->initial.get();
    if (initial != nullptr && (initial->dtype() != node.dtype || initial->shape() != node.shape.largest()))
        return fault(Code::ShapeMismatch, "the initial value of {} has type {}; {} was declared", quoted(attributes->name),
                     sw::typeText(initial->dtype(), initial->shape()), typeText(node));
    if (attributes->role == PlaceholderRole::Dimension &&
        (node.dtype != DType::I64 || node.shape.rank() != 0 || !attributes->dimension))
        return fault(Code::InvalidIr, "the dimension {} is an i64[] with bounds, not {}", quoted(attributes->name),
                     typeText(node));
    if (attributes->given.isSymbolic() && attributes->given.largest() != node.shape)
        return fault(Code::ShapeMismatch, "{} is given as {}, which is at most {}, not {}", quoted(attributes->name),
                     toText(attributes->given), toText(attributes->given.largest()), toText(node.shape));
    return ownType(node);
}

Result<InferredType> inferBuffer(const Node &node)
{
    if (node.shape.rank() != 1)
        return fault(Code::ShapeMismatch, "a buffer has one axis, not shape {}", toText(node.shape));
    return ownType(node);
}

Result<InferredType> inferConstScalar(const Node &node)
{
    SW_TRY(const ScalarAttributes *attributes, expected<ScalarAttributes>(node));
    return InferredType{attributes->value.dtype(), Shape()};
}

Result<InferredType> inferVconst(const Node &node)
{
    SW_TRY(const TensorAttributes *attributes, expected<TensorAttributes>(node));
    if (attributes->value == nullptr)
        return fault(Code::InvalidIr, "a vconst of type {} has no value", typeText(node));
    return InferredType{attributes->value->dtype(), attributes->value->shape()};
}

Result<InferredType> inferIota(const Node &node)
{
    if (node.dtype != DType::I64 || node.shape.rank() != 1)
        return fault(Code::ShapeMismatch, "an iota is an i64 of one axis, not {}", typeText(node));
    return ownType(node);
}

Result<InferredType> inferDefineVar(const Node &node)
{
    SW_TRY(const DimensionAttributes *attributes, expected<DimensionAttributes>(node));
    const SymbolicVariable &variable = attributes->variable;
    if (variable.name.empty() || variable.low < 0 || variable.high < variable.low)
        return fault(Code::Argument, "the dimension {} lies between {} and {}: it needs bounds from 0, the lower one first",
                     quoted(variable.name), variable.low, variable.high);
    return InferredType{DType::I64, Shape()};
}

Result<InferredType> inferBind(const Node &node, const Node &input)
{
    SW_TRY(const BoundAttributes *attributes, expected<BoundAttributes>(node));
    if (input.kind != NodeKind::DefineVar)
        return fault(Code::Argument, "bind takes a dimension, not {}", operationText(input));
    const SymbolicVariable &variable = attributesOf<DimensionAttributes>(input).variable;
    if (attributes->value < variable.low || attributes->value > variable.high)
        return fault(Code::Argument, "{} is bound to {}, which is not between {} and {}", variable.name, attributes->value,
                     variable.low, variable.high);
    return InferredType{DType::I64, Shape()};
}

// ---- elementwise

Result<Done> checkSameShapes(const Node &node, Inputs inputs)
{
    for (const Node *input : inputs.subspan(1))
        if (input->shape != inputs[0]->shape)
            return fault(Code::ShapeMismatch, "{} needs operands of one shape, not {}", operationText(node),
                         join(inputs, ", ", [](const Node *operand) { return typeText(*operand); }));
    return Done{};
}

Result<InferredType> inferElementwise(const Node &node, Inputs inputs)
{
    if (arityOf(node.op) != inputs.size())
        return fault(Code::Argument, "{} takes {} operands, not {}", nameOf(node.op), arityOf(node.op), inputs.size());
    SW_CHECK(checkSameShapes(node, inputs));
    const std::size_t first = firstTypedOperand(node.op);
    for (std::size_t i = 0; i < first; ++i)
        if (inputs[i]->dtype != DType::Bool)
            return fault(Code::Type, "the condition of {} is bool, not {}", nameOf(node.op), typeText(*inputs[i]));
    const DType dtype = inputs[first]->dtype;
    for (const Node *input : inputs.subspan(first))
        if (input->dtype != dtype)
            return fault(Code::Type, "{} needs operands of one type, not {}", nameOf(node.op),
                         join(inputs.subspan(first), ", ", [](const Node *operand) { return typeText(*operand); }));
    if (!accepts(node.op, dtype))
        return fault(Code::Type, "{} does not take operands of type {}", nameOf(node.op), nameOf(dtype));
    return InferredType{resultType(node.op, dtype), inputs[0]->shape};
}

Result<InferredType> inferBitcast(const Node &node, const Node &input)
{
    if (bytesOf(node.dtype) != bytesOf(input.dtype))
        return fault(Code::Type, "bitcast from {} to {} changes the size of an element from {} to {} bytes", nameOf(input.dtype),
                     nameOf(node.dtype), bytesOf(input.dtype), bytesOf(node.dtype));
    if (node.dtype == DType::Bool && input.dtype != DType::Bool)
        return fault(Code::Type, "bitcast from {} to bool could make a value other than 0 and 1", nameOf(input.dtype))
            .withHint("use cast, which is 'not zero'");
    return InferredType{node.dtype, input.shape};
}

// ---- other kinds

Result<InferredType> inferReduce(const Node &node, const Node &input)
{
    SW_CHECK(checkAxisSet(node, input.shape));
    const AxesAttributes &attributes = attributesOf<AxesAttributes>(node);
    if (attributes.axes.empty())
        return fault(Code::Argument, "{} of shape {} needs at least one axis", operationText(node), toText(input.shape));
    if (!has(infoOf(node.op).traits, Trait::ReduceOp))
        return fault(Code::Argument, "{} cannot reduce an axis", nameOf(node.op));
    if (!accepts(node.op, input.dtype))
        return fault(Code::Type, "{} does not take elements of type {}", operationText(node), nameOf(input.dtype));
    std::vector<std::int64_t> extents(input.shape.begin(), input.shape.end());
    for (const std::size_t axis : attributes.axes)
        extents[axis] = 1;
    return InferredType{input.dtype, Shape(std::move(extents))};
}

Result<InferredType> inferCat(const Node &node, Inputs inputs)
{
    SW_TRY(const AxisAttributes *attributes, expected<AxisAttributes>(node));
    const Node &first = *inputs[0];
    const std::size_t joined = attributes->axis;
    if (joined >= first.shape.rank())
        return fault(Code::ShapeMismatch, "cat axis {} is out of range for shape {}", joined, toText(first.shape));
    std::int64_t total = 0;
    for (const Node *input : inputs) {
        bool fits = input->dtype == first.dtype && input->shape.rank() == first.shape.rank();
        for (std::size_t axis = 0; fits && axis < first.shape.rank(); ++axis)
            fits = axis == joined || input->shape[axis] == first.shape[axis];
        if (!fits)
            return fault(input->dtype == first.dtype ? Code::ShapeMismatch : Code::Type,
                         "cat along axis {} joins tensors that agree on type and the other axes, not {} and {}", joined,
                         typeText(first), typeText(*input));
        if (__builtin_add_overflow(total, input->shape[joined], &total))
            return fault(Code::Limit, "cat along axis {} of {} overflows", joined, typeText(first));
    }
    std::vector<std::int64_t> extents(first.shape.begin(), first.shape.end());
    extents[joined] = total;
    SW_TRY(Shape shape, Shape::checked(std::move(extents)));
    return InferredType{first.dtype, std::move(shape)};
}

Result<InferredType> inferGather(const Node &node, const Node &source, const Node &indices)
{
    SW_TRY(const AxisAttributes *attributes, expected<AxisAttributes>(node));
    SW_CHECK(checkIndices(node, indices));
    if (attributes->axis >= source.shape.rank())
        return fault(Code::ShapeMismatch, "gather axis {} is out of range for shape {}", attributes->axis, toText(source.shape));
    bool fits = indices.shape.rank() == source.shape.rank();
    for (std::size_t axis = 0; fits && axis < source.shape.rank(); ++axis)
        fits = axis == attributes->axis || indices.shape[axis] <= source.shape[axis];
    if (!fits)
        return fault(Code::ShapeMismatch,
                     "gather along axis {} from {} needs indices of its rank, no larger on the other axes, not {}",
                     attributes->axis, typeText(source), typeText(indices));
    return InferredType{source.dtype, indices.shape};
}

Result<InferredType> inferCast(const Node &node, const Node &input)
{
    if (!hasValues(node.dtype))
        return fault(Code::Type, "a cast of {} to {} would leave no values", typeText(input), nameOf(node.dtype));
    return InferredType{node.dtype, input.shape};
}

Result<InferredType> inferIndex(const Node &node, Inputs inputs)
{
    SW_CHECK(checkIndices(node, *inputs[1]));
    if (inputs.size() == 3 && (inputs[2]->dtype != DType::Bool || inputs[2]->shape != inputs[1]->shape))
        return fault(inputs[2]->dtype == DType::Bool ? Code::ShapeMismatch : Code::Type,
                     "the valid input of index is bool and of the indices' shape {}, not {}", toText(inputs[1]->shape),
                     typeText(*inputs[2]));
    return InferredType{inputs[0]->dtype, inputs[1]->shape};
}

Result<InferredType> inferGradient(Inputs inputs)
{
    const Node &loss = *inputs[0];
    const Node &wanted = *inputs[1];
    if (!isFloat(loss.dtype) || !isFloat(wanted.dtype))
        return fault(Code::Type, "a gradient is of a floating-point tensor with respect to another, not of {} with respect to {}",
                     typeText(loss), typeText(wanted));
    if (inputs.size() == 2 && loss.shape.elements() != 1)
        return fault(Code::ShapeMismatch, "a gradient is of one element, not of {}", typeText(loss));
    if (inputs.size() == 3 && (inputs[2]->dtype != loss.dtype || inputs[2]->shape != loss.shape))
        return fault(inputs[2]->dtype == loss.dtype ? Code::ShapeMismatch : Code::Type,
                     "the weights of a gradient of {} have its type and shape, not {}", typeText(loss), typeText(*inputs[2]));
    return ownType(wanted);
}

Result<InferredType> inferSink(const Node &node, Inputs inputs)
{
    SW_TRY(const SinkAttributes *attributes, expected<SinkAttributes>(node));
    if (attributes->outputNames.size() != inputs.size())
        return fault(Code::InvalidIr, "a sink of {} outputs has {} names", inputs.size(), attributes->outputNames.size());
    if (!attributes->shapes.empty() && attributes->shapes.size() != inputs.size())
        return fault(Code::InvalidIr, "a sink of {} outputs has {} shapes", inputs.size(), attributes->shapes.size());
    for (std::size_t place = 0; place < attributes->shapes.size(); ++place)
        if (attributes->shapes[place].largest() != inputs[place]->shape)
            return fault(Code::InvalidIr, "output {} of a sink is {} and gives {}", place, typeText(*inputs[place]),
                         toText(attributes->shapes[place]));
    for (const std::size_t place : attributes->cells) {
        const bool exists = place < inputs.size();
        const std::size_t rank = exists ? inputs[place]->shape.rank() : 0;
        if (rank == 0 || inputs[place]->dtype != DType::U32 || inputs[place]->shape[rank - 1] != 4)
            return fault(Code::InvalidIr, "output {} of a sink stands for u32x4 and is {}", place,
                         exists ? typeText(*inputs[place]) : "not there");
    }
    for (const OutputCrop &crop : attributes->crops) {
        if (crop.output >= inputs.size() || crop.count >= inputs.size())
            return fault(Code::InvalidIr, "a crop of output {} by output {} of a sink of {} outputs", crop.output, crop.count,
                         inputs.size());
        SW_CHECK(infer::cropFits(*inputs[crop.output], *inputs[crop.count], crop.axis));
    }
    return InferredType{};
}

// What lies behind a count may be anything, so nothing is computed from it.
Result<Done> checkCrops(const Node &node, Inputs inputs)
{
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i]->kind == NodeKind::Crop && node.kind != NodeKind::Sink && (node.kind != NodeKind::Crop || i > 0))
            return fault(Code::Argument, "{} reads what is cropped, and only outputs are cropped", operationText(node));
    return Done{};
}

// Infers the type with the largest extents in place of symbolic ones.
Result<InferredType> inferLargest(const Node &node, Inputs inputs)
{
    switch (node.kind) {
    case NodeKind::Placeholder:
        return inferPlaceholder(node);
    case NodeKind::Buffer:
        return inferBuffer(node);
    case NodeKind::ConstScalar:
        return inferConstScalar(node);
    case NodeKind::Vconst:
        return inferVconst(node);
    case NodeKind::Iota:
        return inferIota(node);
    case NodeKind::DefineVar:
        return inferDefineVar(node);
    case NodeKind::Bind:
        return inferBind(node, *inputs[0]);
    case NodeKind::Unary:
    case NodeKind::Binary:
    case NodeKind::Ternary:
        return inferElementwise(node, inputs);
    case NodeKind::View:
        return infer::view(node, *inputs[0]);
    case NodeKind::Reshape:
        return infer::reshape(node, *inputs[0]);
    case NodeKind::Permute:
        return infer::permute(node, *inputs[0]);
    case NodeKind::Expand:
        return infer::expand(node, *inputs[0]);
    case NodeKind::Pad:
        return infer::pad(node, *inputs[0]);
    case NodeKind::Shrink:
        return infer::shrink(node, *inputs[0]);
    case NodeKind::Flip:
        return infer::flip(node, *inputs[0]);
    case NodeKind::ReduceAxis:
        return inferReduce(node, *inputs[0]);
    case NodeKind::Cast:
        return inferCast(node, *inputs[0]);
    case NodeKind::Bitcast:
        return inferBitcast(node, *inputs[0]);
    case NodeKind::Contiguous:
    case NodeKind::Detach:
    case NodeKind::ContiguousBackward:
        return ownType(*inputs[0]);
    case NodeKind::Gradient:
        return inferGradient(inputs);
    case NodeKind::Cat:
        return inferCat(node, inputs);
    case NodeKind::Gather:
        return inferGather(node, *inputs[0], *inputs[1]);
    case NodeKind::Index:
        return inferIndex(node, inputs);
    case NodeKind::Scatter:
        return infer::scatter(node, inputs);
    case NodeKind::Custom:
        return infer::custom(node, inputs);
    case NodeKind::Assign:
        return infer::assign(node, inputs);
    case NodeKind::BufferView:
        return infer::bufferView(node, *inputs[0]);
    case NodeKind::Valid:
        return infer::valid(node);
    case NodeKind::Gep:
        return infer::gep(node, *inputs[0]);
    case NodeKind::Vectorize:
        return infer::vectorize(inputs);
    case NodeKind::Wmma:
        return infer::wmma(inputs);
    case NodeKind::Contract:
        return infer::contract(node, inputs);
    case NodeKind::Threefry:
        return infer::threefry(node, inputs);
    case NodeKind::Uniform:
        return infer::uniform(node, *inputs[0]);
    case NodeKind::Fuse:
    case NodeKind::Noop:
        return ownType(*inputs[0]);
    case NodeKind::Crop:
        return infer::crop(node, *inputs[0], *inputs[1]);
    case NodeKind::Kernel:
        return infer::kernel(node, *inputs[0]);
    case NodeKind::Unroll:
        return infer::unroll(node, *inputs[0]);
    case NodeKind::Unique:
        return infer::unique(node, *inputs[0]);
    case NodeKind::Device:
        return infer::device(node, *inputs[0]);
    case NodeKind::Copy:
        return infer::copy(node, *inputs[0]);
    case NodeKind::Multi:
        return infer::multi(node, inputs);
    case NodeKind::Choose:
        return infer::choose(inputs);
    case NodeKind::ScanCarry:
        return infer::scanCarry(node, *inputs[0]);
    case NodeKind::ScanSlice:
        return infer::scanSlice(node, *inputs[0]);
    case NodeKind::ScanLast:
        return infer::scanLast(node, inputs);
    case NodeKind::ScanRows:
        return infer::scanRows(node, inputs);
    case NodeKind::Sink:
        return inferSink(node, inputs);
    }
    SW_UNREACHABLE();
}

} // namespace

Result<InferredType> inferType(const Node &node, std::span<const Node *const> inputs)
{
    SW_CHECK(checkInputCount(node, inputs.size()));
    SW_CHECK(checkCrops(node, inputs));
    SW_TRY(InferredType largest, inferLargest(node, inputs));
    return infer::symbolic(node, inputs, std::move(largest));
}

} // namespace sw
