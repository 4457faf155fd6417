#include "engine/onnx/forest.h"

#include <algorithm>

namespace sw::onnx {

namespace {

// The steps from the roots to the deepest leaf. Errors: a node is reached twice, so that a walk might never end.
Result<std::int64_t> depthOf(NodeCall &call, const Forest &forest)
{
    std::vector<std::int64_t> level = forest.roots;
    std::vector<bool> isSeen(static_cast<std::size_t>(forest.inner()), false);
    for (std::int64_t depth = 0;; ++depth) {
        std::vector<std::int64_t> next;
        for (const std::int64_t node : level) {
            if (node >= forest.inner())
                continue;
            const auto at = static_cast<std::size_t>(node);
            if (isSeen[at])
                return call.error(Code::MalformedModel, "node {} has more than one way to it", node);
            isSeen[at] = true;
            next.push_back(forest.whenTrue[at]);
            next.push_back(forest.whenFalse[at]);
        }
        if (next.empty())
            return depth;
        level = std::move(next);
    }
}

language::LibraryArgument tensorOf(NodeCall &call, DType dtype, const std::vector<double> &values)
{
    return {language::TensorValue{
        call.tensorConstant(HostTensor::ofValues(dtype, Shape{static_cast<std::int64_t>(values.size())}, values))}};
}

language::LibraryArgument tensorOf(NodeCall &call, const std::vector<std::int64_t> &values)
{
    return tensorOf(call, DType::I64, {values.begin(), values.end()});
}

// Rows of different lengths, as a matrix filled up with NaN.
language::Value matrixOf(NodeCall &call, DType dtype, const std::vector<std::vector<double>> &rows)
{
    std::size_t width = 1;
    for (const std::vector<double> &row : rows)
        width = std::max(width, row.size());
    std::vector<double> values;
    for (const std::vector<double> &row : rows) {
        values.insert(values.end(), row.begin(), row.end());
        values.resize(values.size() + width - row.size(), std::numeric_limits<double>::quiet_NaN());
    }
    Shape shape{static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(width)};
    return language::TensorValue{call.tensorConstant(HostTensor::ofValues(dtype, std::move(shape), values))};
}

} // namespace

Result<std::vector<std::int64_t>> integersOf(NodeCall &call, std::string_view name, std::size_t count)
{
    std::vector<std::int64_t> list = call.integers(name).value_or(std::vector<std::int64_t>());
    if (list.size() != count)
        return call.error(Code::Argument, "{} has {} elements, expected {}", name, list.size(), count);
    return list;
}

Result<std::vector<double>> tensorElements(NodeCall &call, std::string_view name)
{
    SW_TRY(const HostTensor tensor, call.tensor(name));
    std::vector<double> list;
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        list.push_back(tensor.at(i).asDouble());
    return list;
}

Result<Done> checkTreeRange(NodeCall &call, std::string_view what, std::span<const std::int64_t> list, std::int64_t end)
{
    for (const std::int64_t each : list)
        if (each < 0 || each >= end)
            return call.error(Code::Argument, "{} {} is out of range, expected 0 to {}", what, each, end - 1);
    return Done{};
}

void leadLeavesToThemselves(Forest &forest)
{
    for (std::int64_t leaf = forest.inner(); leaf < forest.size(); ++leaf) {
        forest.whenTrue.push_back(leaf);
        forest.whenFalse.push_back(leaf);
    }
}

Result<NodeId> growForest(NodeCall &call, const Forest &forest)
{
    const Shape &shape = call.shape(0);
    if (shape.rank() != 2)
        return call.error(Code::ShapeMismatch, "expected rows of features, found {}", toText(shape));
    if (forest.roots.empty() || forest.weights.empty())
        return call.error(Code::MalformedModel, "there are no trees");
    SW_CHECK(checkTreeRange(call, "feature", forest.features, shape[1]));
    SW_CHECK(checkTreeRange(call, "mode", forest.modes, Member + 1));
    SW_CHECK(checkTreeRange(call, "node", forest.whenTrue, forest.size()));
    SW_CHECK(checkTreeRange(call, "node", forest.whenFalse, forest.size()));
    SW_CHECK(checkTreeRange(call, "root", forest.roots, forest.size()));
    SW_TRY(const std::int64_t depth, depthOf(call, forest));
    const DType dtype = isFloat(call.dtype(0)) ? call.dtype(0) : DType::F32;
    language::Value sets;
    if (!forest.members.empty())
        sets = matrixOf(call, dtype, forest.members);
    language::Value base;
    if (!forest.base.empty())
        base = tensorOf(call, dtype, forest.base).value;
    language::Value nodes;
    if (forest.inner() > 0) {
        // A list of the tensors that say what the inner nodes decide.
        SW_TRY(nodes, call.callFunction("tree_nodes", {tensorOf(call, forest.features),
                                                       tensorOf(call, forest.modes),
                                                       tensorOf(call, dtype, forest.splits),
                                                       tensorOf(call, forest.takesMissing),
                                                       {sets}}));
    }
    return call.callTensor("tree_ensemble", {{language::TensorValue{call.input(0)}},
                                             {nodes},
                                             tensorOf(call, forest.whenTrue),
                                             tensorOf(call, forest.whenFalse),
                                             tensorOf(call, forest.roots),
                                             {matrixOf(call, dtype, forest.weights)},
                                             {depth},
                                             {std::string(kTreeAggregates[forest.aggregate])},
                                             {base},
                                             {forest.after}});
}

} // namespace sw::onnx
