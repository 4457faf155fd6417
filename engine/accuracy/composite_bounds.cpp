#include "engine/accuracy/composite_bounds.h"

#include "engine/accuracy/error_rules.h"
#include "engine/graph/evaluate_node.h"

#include <cmath>
#include <functional>

namespace sw {

namespace {

using Inputs = std::span<const BoundedInput>;

HostTensor everywhere(const Shape &shape, double bound)
{
    return HostTensor::filled(Scalar::of(DType::F64, bound), shape);
}

bool isExact(const BoundedInput &input)
{
    for (std::int64_t i = 0; i < input.bounds->elements(); ++i)
        if (input.bounds->at(i).asDouble() != 0)
            return false;
    return true;
}

// Evaluates the node in f64 with other elements in place of the inputs listed in `replaced`.
HostTensor evaluatedOf(Node node, Inputs inputs, std::span<const std::size_t> replaced,
                       const std::function<double(const BoundedInput &, std::int64_t)> &elementOf)
{
    std::vector<HostTensor> values;
    for (const BoundedInput &input : inputs)
        values.push_back(*input.value);
    for (const std::size_t i : replaced) {
        HostTensor made(DType::F64, inputs[i].value->shape());
        for (std::int64_t at = 0; at < made.elements(); ++at)
            made.set(at, Scalar::of(DType::F64, elementOf(inputs[i], at)));
        values[i] = std::move(made);
    }
    node.dtype = DType::F64;
    return evaluateNode(node, values, {}).value();
}

double sizeOf(const BoundedInput &input, std::int64_t at)
{
    return std::abs(input.value->at(at).asDouble());
}

double boundOf(const BoundedInput &input, std::int64_t at)
{
    return input.bounds->at(at).asDouble();
}

double largestSizeOf(const BoundedInput &input, std::int64_t at)
{
    return sizeOf(input, at) + boundOf(input, at);
}

std::vector<std::size_t> allOf(Inputs inputs)
{
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        all.push_back(i);
    return all;
}

// The bounds of a sum of products added in any order, fused or not.
HostTensor sumBounds(const Node &node, const HostTensor &result, const HostTensor &sizes, const HostTensor &largest,
                     double roundings)
{
    HostTensor out(DType::F64, node.shape);
    const FloatLimits format = limitsOf(computeType(node.dtype));
    for (std::int64_t i = 0; i < out.elements(); ++i) {
        const double size = sizes.at(i).asDouble();
        const double spread = largest.at(i).asDouble() - size;
        const bool isUnsafe = !std::isfinite(spread) || !(largest.at(i).asDouble() < limitsOf(node.dtype).largest / 2);
        const double error = spread + roundings * (format.epsilon * largest.at(i).asDouble() + format.smallest);
        out.set(i, Scalar::of(DType::F64, isUnsafe ? kAnything : rounded(result.at(i), error)));
    }
    return out;
}

HostTensor productBounds(const Node &node, const HostTensor &result, Inputs inputs)
{
    if (!isFloat(node.dtype)) {
        for (const BoundedInput &input : inputs)
            if (!isExact(input))
                return everywhere(node.shape, kAnything);
        return HostTensor(DType::F64, node.shape);
    }
    double terms = 2;
    for (const BoundedInput &input : inputs)
        terms += static_cast<double>(inputs.size()) * static_cast<double>(input.value->elements());
    const auto all = allOf(inputs);
    return sumBounds(node, result, evaluatedOf(node, inputs, all, sizeOf), evaluatedOf(node, inputs, all, largestSizeOf), terms);
}

HostTensor scatterBounds(const Node &node, const HostTensor &result, Inputs inputs)
{
    const ScatterMode mode = attributesOf<ScatterAttributes>(node).mode;
    constexpr std::array<std::size_t, 2> kValues = {0, 2};
    if (!isExact(inputs[1]))
        return everywhere(node.shape, kAnything);
    if (mode == ScatterMode::Set)
        return evaluatedOf(node, inputs, kValues, boundOf);
    if (!isFloat(node.dtype))
        return isExact(inputs[0]) && isExact(inputs[2]) ? HostTensor(DType::F64, node.shape) : everywhere(node.shape, kAnything);
    Node sums = node;
    std::get<ScatterAttributes>(sums.attributes).mode = ScatterMode::Add;
    if (mode == ScatterMode::Add)
        return sumBounds(node, result, evaluatedOf(sums, inputs, kValues, sizeOf),
                         evaluatedOf(sums, inputs, kValues, largestSizeOf), static_cast<double>(inputs[2].value->elements()) + 1);
    const HostTensor errors = evaluatedOf(sums, inputs, kValues, boundOf);
    HostTensor out(DType::F64, node.shape);
    for (std::int64_t i = 0; i < out.elements(); ++i)
        out.set(i, Scalar::of(DType::F64, rounded(result.at(i), errors.at(i).asDouble())));
    return out;
}

HostTensor movedBounds(const Node &node, Inputs inputs)
{
    return evaluatedOf(node, inputs, allOf(inputs), boundOf);
}

} // namespace

HostTensor compositeBounds(const Node &node, const HostTensor &result, std::span<const BoundedInput> inputs)
{
    if (node.kind == NodeKind::Scatter)
        return scatterBounds(node, result, inputs);
    if (node.kind == NodeKind::Wmma || node.kind == NodeKind::Contract)
        return productBounds(node, result, inputs);
    if (node.kind == NodeKind::Valid)
        return HostTensor(DType::F64, node.shape);
    if (node.kind == NodeKind::Threefry || node.kind == NodeKind::Uniform) {
        for (const BoundedInput &input : inputs)
            if (!isExact(input))
                return everywhere(node.shape, kAnything);
        return HostTensor(DType::F64, node.shape);
    }
    return movedBounds(node, inputs);
}

} // namespace sw
