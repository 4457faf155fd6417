// choose(): a value of two, of which the run computes one.

#include "engine/language/builtins.h"

#include <array>
#include <optional>

namespace sw::language {

namespace {

Result<NodeId> conditionOf(const BuiltinCall &call)
{
    SW_TRY(const NodeId condition, call.tensor(0, DType::Bool));
    const Node &node = call.tracer().node(condition);
    if (node.dtype != DType::Bool || node.shape.isSymbolic() || node.shape.elements() != 1)
        return call.fail(Code::ShapeMismatch,
                         "choose needs a condition of one bool, found {}; where(condition, x, y) chooses for each element",
                         typeText(node.dtype, node.shape));
    return call.builder().reshape(call.origin(), condition, Shape());
}

// The two values in the type and the shape that they have in common. Numbers take the type of the tensor beside them.
Result<std::array<NodeId, 2>> branchesOf(const BuiltinCall &call)
{
    std::optional<DType> type;
    for (const std::size_t i : {1U, 2U})
        if (const auto *tensor = call.value(i).as<TensorValue>()) {
            const DType found = call.tracer().node(tensor->node).dtype;
            type = type ? promote(*type, found) : found;
        }
    std::array<NodeId, 2> nodes;
    for (const std::size_t i : {1U, 2U}) {
        SW_TRY(nodes[i - 1], type ? call.tensor(i, *type) : call.tensor(i));
    }
    if (!type)
        type = promote(call.tracer().node(nodes[0]).dtype, call.tracer().node(nodes[1]).dtype);
    const Result<Shape> shape = broadcast(call.tracer().node(nodes[0]).shape, call.tracer().node(nodes[1]).shape);
    if (!shape)
        return call.fail(Code::ShapeMismatch, "{}", shape.error().front().message);
    for (NodeId &node : nodes) {
        SW_TRY(const NodeId converted, call.builder().cast(call.origin(), node, *type));
        SW_TRY(node, call.builder().broadcastTo(call.origin(), converted, *shape));
    }
    return nodes;
}

Result<Value> choose(const BuiltinCall &call)
{
    SW_TRY(const NodeId condition, conditionOf(call));
    SW_TRY(const auto branches, branchesOf(call));
    return call.made(call.builder().choose(call.origin(), condition, branches[0], branches[1]));
}

constexpr std::array<Builtin, 1> kTable = {{
    {"choose", "condition, x, y", choose,
     "x where the condition, one bool, is true, else y. What only the other one needs is not computed, where that saves time."},
}};

} // namespace

std::span<const Builtin> choiceBuiltins()
{
    return kTable;
}

} // namespace sw::language
