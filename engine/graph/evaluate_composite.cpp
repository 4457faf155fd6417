// Evaluates composite nodes, which a pass expands into simpler ones before scheduling, directly by their definition.

#include "engine/graph/contraction.h"
#include "engine/graph/evaluate_node.h"

#include <array>
#include <cstring>

namespace sw {

namespace {

// The row-major strides of an operand, one for each of all labels; 0 for labels that the operand lacks.
std::vector<std::int64_t> stridesByLabel(const std::string &labels, const Shape &shape, const std::string &all)
{
    std::vector<std::int64_t> strides(all.size(), 0);
    const std::vector<std::int64_t> own = rowMajorStrides(shape);
    for (std::size_t axis = 0; axis < labels.size(); ++axis)
        strides[all.find(labels[axis])] = own[axis];
    return strides;
}

} // namespace

HostTensor evaluateAssign(const Node &node, std::span<const HostTensor> inputs)
{
    const auto &updates = attributesOf<AssignAttributes>(node).ranges;
    HostTensor out(inputs[0].dtype(), node.shape);
    if (out.byteSize() != 0)
        std::memcpy(out.mutableBytes().data(), inputs[0].bytes().data(), out.byteSize());
    const std::vector<std::int64_t> strides = rowMajorStrides(node.shape);
    std::vector<std::int64_t> at(node.shape.rank());
    for (std::size_t update = 0; update < updates.size(); ++update) {
        const HostTensor &from = inputs[update + 1];
        for (std::int64_t i = 0; i < from.elements(); ++i) {
            unravel(i, from.shape(), at);
            for (std::size_t axis = 0; axis < updates[update].size(); ++axis)
                at[axis] += updates[update][axis].first;
            out.set(ravel(at, strides), from.at(i));
        }
    }
    return out;
}

HostTensor evaluateBufferView(const Node &node, const HostTensor &input)
{
    HostTensor out(node.dtype, node.shape);
    const std::size_t begin = static_cast<std::size_t>(attributesOf<BufferViewAttributes>(node).offset) * bytesOf(node.dtype);
    if (out.byteSize() != 0)
        std::memcpy(out.mutableBytes().data(), input.bytes().data() + begin, out.byteSize());
    return out;
}

HostTensor evaluateValid(const Node &node)
{
    const auto &mask = attributesOf<ViewAttributes>(node).mask;
    HostTensor out(node.dtype, node.shape);
    std::vector<std::int64_t> at(node.shape.rank());
    for (std::int64_t i = 0; i < out.elements(); ++i) {
        unravel(i, node.shape, at);
        bool isValid = true;
        for (std::size_t axis = 0; axis < mask.size(); ++axis)
            isValid = isValid && at[axis] >= mask[axis].first && at[axis] < mask[axis].second;
        out.set(i, Scalar::ofBool(isValid));
    }
    return out;
}

HostTensor evaluateGep(const Node &node, const HostTensor &input)
{
    const auto &lanes = attributesOf<LanesAttributes>(node).lanes;
    const auto count = static_cast<std::int64_t>(lanes.size());
    const std::int64_t extent = input.shape()[input.shape().rank() - 1];
    HostTensor out(node.dtype, node.shape);
    for (std::int64_t i = 0; i < out.elements(); ++i)
        out.set(i, input.at(i / count * extent + lanes[static_cast<std::size_t>(i % count)]));
    return out;
}

HostTensor evaluateVectorize(const Node &node, std::span<const HostTensor> inputs)
{
    const auto count = static_cast<std::int64_t>(inputs.size());
    HostTensor out(node.dtype, node.shape);
    for (std::int64_t i = 0; i < out.elements(); ++i)
        out.set(i, inputs[static_cast<std::size_t>(i % count)].at(i / count));
    return out;
}

// Multiplies and sums in the compute type of the result and rounds once.
Result<HostTensor> evaluateWmma(const Node &node, std::span<const HostTensor> inputs, const EvaluateContext &context)
{
    const DType computed = computeType(node.dtype);
    const std::size_t rank = node.shape.rank();
    const std::int64_t m = node.shape[rank - 2];
    const std::int64_t n = node.shape[rank - 1];
    const std::int64_t k = inputs[0].shape()[rank - 1];
    HostTensor out(node.dtype, node.shape);
    const bool isDone = forPieces(out.elements(), context.stop, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t tile = i / (m * n);
            const std::int64_t row = i / n % m;
            Scalar sum = Scalar::of(computed, std::int64_t{0});
            for (std::int64_t inner = 0; inner < k; ++inner) {
                const Scalar a = inputs[0].at((tile * m + row) * k + inner).castTo(computed);
                const Scalar b = inputs[1].at((tile * k + inner) * n + i % n).castTo(computed);
                sum = evaluate(Op::Add, computed, std::array{sum, evaluate(Op::Mul, computed, std::array{a, b})});
            }
            sum = evaluate(Op::Add, computed, std::array{sum, inputs[2].at(i).castTo(computed)});
            out.set(i, sum.castTo(node.dtype));
        }
    });
    if (!isDone)
        return cancelled();
    return out;
}

Result<HostTensor> evaluateContract(const Node &node, std::span<const HostTensor> inputs, const EvaluateContext &context)
{
    SW_TRY(const Contraction contraction, parseContraction(attributesOf<ContractAttributes>(node).subscripts));
    std::vector<Shape> shapes;
    std::vector<std::vector<std::int64_t>> strides;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        shapes.push_back(inputs[i].shape());
        strides.push_back(stridesByLabel(contraction.operands[i], shapes.back(), contraction.labels));
    }
    SW_TRY(std::vector<std::int64_t> extents, labelExtents(contraction, shapes));
    const auto kept = static_cast<std::ptrdiff_t>(contraction.result.size());
    const Shape summed(std::vector<std::int64_t>(extents.begin() + kept, extents.end()));
    const DType computed = computeType(node.dtype);
    HostTensor out(node.dtype, node.shape);
    std::vector<std::int64_t> at(extents.size());
    const bool isDone = forPieces(out.elements(), context.stop, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            unravel(i, node.shape, std::span(at).first(contraction.result.size()));
            Scalar sum = Scalar::of(computed, std::int64_t{0});
            for (std::int64_t j = 0; j < summed.elements(); ++j) {
                unravel(j, summed, std::span(at).subspan(contraction.result.size()));
                Scalar product = inputs[0].at(ravel(at, strides[0])).castTo(computed);
                for (std::size_t operand = 1; operand < inputs.size(); ++operand)
                    product = evaluate(Op::Mul, computed,
                                       std::array{product, inputs[operand].at(ravel(at, strides[operand])).castTo(computed)});
                sum = evaluate(Op::Add, computed, std::array{sum, product});
            }
            out.set(i, sum.castTo(node.dtype));
        }
    });
    if (!isDone)
        return cancelled();
    return out;
}

HostTensor evaluateScatter(const Node &node, std::span<const HostTensor> inputs, const EvaluateContext &context)
{
    const auto &attributes = attributesOf<ScatterAttributes>(node);
    const HostTensor &updates = inputs[2];
    const std::optional<Op> combining = combiningOp(attributes.mode);
    const DType computed = combining ? computeType(node.dtype) : node.dtype;
    std::vector<Scalar> values;
    for (std::int64_t i = 0; i < inputs[0].elements(); ++i)
        values.push_back(inputs[0].at(i).castTo(computed));
    const std::vector<std::int64_t> strides = rowMajorStrides(node.shape);
    std::vector<std::int64_t> at(node.shape.rank());
    IndexFaultCounter faults(context, attributes.axis, node.shape[attributes.axis]);
    for (std::int64_t i = 0; i < updates.elements(); ++i) {
        unravel(i, updates.shape(), at);
        at[attributes.axis] = inputs[1].at(i).asInt();
        if (!faults.isInRange(at[attributes.axis]))
            continue;
        Scalar &value = values[static_cast<std::size_t>(ravel(at, strides))];
        const Scalar update = updates.at(i).castTo(computed);
        value = combining ? evaluate(*combining, computed, std::array{value, update}) : update;
    }
    faults.report();
    HostTensor out(node.dtype, node.shape);
    for (std::int64_t i = 0; i < out.elements(); ++i)
        out.set(i, values[static_cast<std::size_t>(i)].castTo(node.dtype));
    return out;
}

} // namespace sw
