#include "engine/graph/evaluate_node.h"

#include <cstring>

namespace sw {

namespace {

HostTensor reinterpreted(const Node &node, const HostTensor &input)
{
    HostTensor out(node.dtype, node.shape);
    std::memcpy(out.mutableBytes().data(), input.bytes().data(), input.byteSize());
    return out;
}

Result<HostTensor> castElements(const Node &node, const HostTensor &input, const EvaluateContext &context)
{
    const bool saturates = std::holds_alternative<SaturateAttributes>(node.attributes);
    HostTensor out(node.dtype, node.shape);
    const bool isDone = forPieces(out.elements(), context.stop, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            out.set(i, saturates ? input.at(i).saturatedTo(node.dtype) : input.at(i).castTo(node.dtype));
    });
    if (!isDone)
        return cancelled();
    return out;
}

} // namespace

Diagnostic cancelled()
{
    return Diagnostic::error(Code::Cancelled, {}, "the run was cancelled");
}

Result<HostTensor> evaluateNode(const Node &node, std::span<const HostTensor> inputs, const EvaluateContext &context)
{
    if (context.stop.stop_requested())
        return cancelled();
    switch (node.kind) {
    case NodeKind::Buffer:
        return HostTensor(node.dtype, node.shape);
    case NodeKind::ConstScalar:
        return HostTensor::ofScalar(attributesOf<ScalarAttributes>(node).value);
    case NodeKind::Vconst:
        return *attributesOf<TensorAttributes>(node).value;
    case NodeKind::Iota: {
        HostTensor numbers(node.dtype, node.shape);
        for (std::int64_t i = 0; i < numbers.elements(); ++i)
            numbers.set(i, Scalar::of(node.dtype, i));
        return numbers;
    }
    case NodeKind::Unary:
    case NodeKind::Binary:
    case NodeKind::Ternary:
        return evaluateElementwise(node, inputs, context);
    case NodeKind::View:
    case NodeKind::Permute:
    case NodeKind::Expand:
    case NodeKind::Pad:
    case NodeKind::Shrink:
    case NodeKind::Flip:
        return evaluateMovement(node, inputs[0]);
    case NodeKind::Reshape:
        return inputs[0].reshaped(node.shape);
    case NodeKind::ReduceAxis:
        return evaluateReduce(node, inputs[0], context);
    case NodeKind::Cast:
        return castElements(node, inputs[0], context);
    case NodeKind::Bitcast:
        return reinterpreted(node, inputs[0]);
    case NodeKind::Contiguous:
    case NodeKind::Detach:
    case NodeKind::ContiguousBackward:
        return inputs[0];
    case NodeKind::Cat:
        return evaluateCat(node, inputs);
    case NodeKind::Gather:
        return evaluateGather(node, inputs, context);
    case NodeKind::Index:
        return evaluateIndex(node, inputs, context);
    case NodeKind::Gradient:
        return Diagnostic::error(Code::Unsupported, {}, "a gradient is not evaluated as it stands")
            .withHint("the pass differentiate writes gradients out; what it makes can be evaluated");
    case NodeKind::DefineVar:
        return Diagnostic::error(Code::Unsupported, {}, "the dimension {} has no value",
                                 attributesOf<DimensionAttributes>(node).variable.name)
            .withHint("bindDimensions gives a graph numbers for its dimensions");
    case NodeKind::Bind:
        return inputs[0];
    case NodeKind::Scatter:
        return evaluateScatter(node, inputs, context);
    case NodeKind::Custom:
        if (attributesOf<CustomAttributes>(node).hasReference)
            return inputs.back();
        return Diagnostic::error(Code::Unsupported, {}, "custom {} has no reference, so it has no value here",
                                 quoted(attributesOf<CustomAttributes>(node).name))
            .withHint("give it one: custom(..., reference = an expression of the same value)");
    case NodeKind::Assign:
        return evaluateAssign(node, inputs);
    case NodeKind::BufferView:
        return evaluateBufferView(node, inputs[0]);
    case NodeKind::Valid:
        return evaluateValid(node);
    case NodeKind::Gep:
        return evaluateGep(node, inputs[0]);
    case NodeKind::Vectorize:
        return evaluateVectorize(node, inputs);
    case NodeKind::Wmma:
        return evaluateWmma(node, inputs, context);
    case NodeKind::Contract:
        return evaluateContract(node, inputs, context);
    case NodeKind::Threefry:
        return evaluateThreefry(node, inputs);
    case NodeKind::Uniform:
        return evaluateUniform(node, inputs[0]);
    case NodeKind::Fuse:
    case NodeKind::Unroll:
    case NodeKind::Unique:
    case NodeKind::Noop:
    case NodeKind::Crop:
    case NodeKind::Kernel:
    case NodeKind::Device:
    case NodeKind::Copy:
        return inputs[0];
    case NodeKind::Choose:
        return inputs[0].at(0).asBool() ? inputs[1] : inputs[2];
    case NodeKind::Multi:
        return evaluateMulti(node, inputs);
    case NodeKind::ScanCarry:
    case NodeKind::ScanSlice:
    case NodeKind::ScanLast:
    case NodeKind::ScanRows:
        return Diagnostic::error(Code::Unsupported, {}, "{} has no value without the steps of its scan", nameOf(node.kind));
    case NodeKind::Placeholder:
    case NodeKind::Sink:
        break;
    }
    SW_UNREACHABLE();
}

} // namespace sw
