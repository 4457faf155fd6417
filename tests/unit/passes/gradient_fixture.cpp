#include "tests/unit/passes/gradient_fixture.h"

#include "engine/passes/graph/decompose_nodes.h"

#include <cmath>
#include <utility>

namespace sw::test {

namespace {

constexpr double kStep = 1e-5;
constexpr double kTolerance = 1e-6;

// Weights of both signs, all different.
HostTensor weightsFor(const Shape &shape)
{
    HostTensor weights(DType::F64, shape);
    for (std::int64_t i = 0; i < weights.elements(); ++i)
        weights.set(i, Scalar::of(DType::F64, std::cos(1.0 + 0.7 * static_cast<double>(i))));
    return weights;
}

struct Problem {
    Graph function;  // its one output
    Graph gradients; // one output per input that a gradient is taken of
    HostTensor weights;
};

std::vector<NodeId> inputsOf(TestGraph &graph, const std::vector<HostTensor> &inputs)
{
    std::vector<NodeId> ids;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        ids.push_back(graph.input(inputs[i].dtype(), inputs[i].shape(), format("x{}", i)));
    return ids;
}

Problem problemOf(const GraphFunction &function, const std::vector<HostTensor> &inputs, std::size_t differentiable)
{
    TestGraph plain;
    const NodeId value = function(plain, inputsOf(plain, inputs));
    HostTensor weights = weightsFor(plain.builder.node(value).shape);
    TestGraph asked;
    const std::vector<NodeId> ids = inputsOf(asked, inputs);
    const NodeId result = function(asked, ids);
    const NodeId weightsId = asked.builder.vconst(asked.here, weights);
    std::vector<NodeId> gradients;
    for (std::size_t i = 0; i < differentiable; ++i)
        gradients.push_back(asked.builder.gradient(asked.here, result, ids[i], weightsId).value());
    return {plain.finish({value}), asked.finish(gradients), std::move(weights)};
}

double lossOf(const Problem &problem, const std::vector<HostTensor> &inputs)
{
    const HostTensor value = meaningOf(problem.function, inputs).value().front();
    double loss = 0;
    for (std::int64_t i = 0; i < value.elements(); ++i)
        loss += value.at(i).asDouble() * problem.weights.at(i).asDouble();
    return loss;
}

HostTensor moved(const HostTensor &tensor, std::int64_t element, double distance)
{
    HostTensor out(tensor.dtype(), tensor.shape());
    for (std::int64_t i = 0; i < out.elements(); ++i)
        out.set(i, i == element ? Scalar::of(DType::F64, tensor.at(i).asDouble() + distance) : tensor.at(i));
    return out;
}

double differenceAt(const Problem &problem, std::vector<HostTensor> inputs, std::size_t input, std::int64_t element)
{
    const HostTensor here = inputs[input];
    inputs[input] = moved(here, element, kStep);
    const double above = lossOf(problem, inputs);
    inputs[input] = moved(here, element, -kStep);
    return (above - lossOf(problem, inputs)) / (2 * kStep);
}

} // namespace

Differentiated runDifferentiate(const Graph &graph, std::uint32_t budget)
{
    const DeviceInfo device;
    const CompileOptions options;
    PassContext context(device, TargetLanguage::C, options, {}, budget);
    // As the pipeline does: gradients are taken of what composite nodes are written as.
    PassContext before(device, TargetLanguage::C, options, {});
    const std::optional<Graph> simpler = decomposeNodes(graph, before).value();
    auto made = differentiate(simpler ? *simpler : graph, context);
    if (made && !*made && simpler)
        made = std::optional(*simpler);
    return {std::move(made), context.rewrites().events()};
}

HostTensor tensorOf(const Shape &shape, std::initializer_list<double> values)
{
    HostTensor out(DType::F64, shape);
    std::int64_t i = 0;
    for (const double value : values)
        out.set(i++, Scalar::of(DType::F64, value));
    return out;
}

HostTensor sampleOf(const Shape &shape, std::uint32_t seed)
{
    constexpr double kGolden = 0.6180339887498949;
    HostTensor out(DType::F64, shape);
    for (std::int64_t i = 0; i < out.elements(); ++i) {
        const double turn = (static_cast<double>(i) + 1 + 17.3 * seed) * kGolden;
        // In (0.05, 0.45) above one of -2, -1.5 .. 1.5.
        const double fraction = turn - std::floor(turn);
        const double place = std::floor(std::fmod(turn * 5, 8)) / 2 - 2;
        out.set(i, Scalar::of(DType::F64, place + 0.05 + 0.4 * fraction));
    }
    return out;
}

std::string gradientFault(const GraphFunction &function, const std::vector<HostTensor> &inputs, std::size_t differentiable)
{
    const Problem problem = problemOf(function, inputs, differentiable);
    const auto found = meaningOf(problem.gradients, inputs);
    if (!found)
        return toText(found.error());
    for (std::size_t input = 0; input < differentiable; ++input) {
        for (std::int64_t element = 0; element < inputs[input].elements(); ++element) {
            const double expected = differenceAt(problem, inputs, input, element);
            const double actual = (*found)[input].at(element).asDouble();
            if (!(std::abs(actual - expected) <= kTolerance * std::max(1.0, std::abs(expected))))
                return format("input {}, element {}: {} instead of {}", input, element, actual, expected);
        }
    }
    return {};
}

std::string secondGradientFault(const GraphFunction &function, const std::vector<HostTensor> &inputs, std::size_t differentiable)
{
    const GraphFunction gradient = [&function](TestGraph &graph, std::span<const NodeId> ids) {
        const NodeId value = function(graph, ids);
        const NodeId weights = graph.builder.vconst(graph.here, weightsFor(graph.builder.node(value).shape));
        return graph.builder.gradient(graph.here, value, ids[0], weights).value();
    };
    return gradientFault(gradient, inputs, differentiable);
}

} // namespace sw::test
