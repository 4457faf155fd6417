// Gradients, and functions that control them.

#include "engine/language/builtins.h"

#include <array>
#include <utility>

namespace sw::language {

namespace {

Result<NodeId> tensorOnly(const BuiltinCall &call, std::size_t index, const Value &value, std::string_view expected)
{
    const TensorValue *tensor = value.as<TensorValue>();
    if (tensor == nullptr)
        return call.wrongArgument(index, expected);
    if (isFloat(call.tracer().node(tensor->node).dtype))
        return tensor->node;
    return call.tracer().fail(call.operand(index).expr, Code::Type,
                              "grad: gradients are of floating-point tensors, with respect to floating-point tensors, not {}",
                              call.tracer().describe(value));
}

// The factors for the elements of the loss before they are summed.
Result<std::optional<NodeId>> weightsOf(const BuiltinCall &call, NodeId loss)
{
    if (call.has(2)) {
        const DType dtype = call.tracer().node(loss).dtype;
        const Shape shape = call.tracer().node(loss).shape;
        SW_TRY(const NodeId weights, call.tracer().tensorOf(call.operand(2), dtype));
        SW_TRY(const NodeId converted, call.builder().cast(call.origin(), weights, dtype));
        SW_TRY(const NodeId spread,
               call.tracer().placed(call.item(), call.builder().broadcastTo(call.origin(), converted, shape)));
        return std::optional(spread);
    }
    if (call.tracer().node(loss).shape.elements() == 1)
        return std::optional<NodeId>();
    Failure failure = call.tracer().fail(call.operand(0).expr, Code::ShapeMismatch,
                                         "grad: expected a loss of one element, found {}", call.tracer().describe(call.value(0)));
    failure.diagnostics.front().hint = "sum(x) and mean(x) have one element; weights = w stands for sum(w * x)";
    return failure;
}

Result<Value> grad(const BuiltinCall &call)
{
    SW_TRY(const NodeId loss, tensorOnly(call, 0, call.value(0), "a tensor"));
    SW_TRY(const std::optional<NodeId> weights, weightsOf(call, loss));
    const auto gradientTo = [&](const Value &value) -> Result<Value> {
        SW_TRY(const NodeId wanted, tensorOnly(call, 1, value, "a tensor or a list of tensors"));
        return call.made(call.builder().gradient(call.origin(), loss, wanted, weights));
    };
    const ListValue *list = call.value(1).as<ListValue>();
    if (list == nullptr)
        return gradientTo(call.value(1));
    std::vector<Value> gradients;
    for (const Value &value : *list->items) {
        SW_TRY(Value gradient, gradientTo(value));
        gradients.push_back(std::move(gradient));
    }
    return call.tracer().makeList(call.item(), std::move(gradients));
}

Result<Value> detach(const BuiltinCall &call)
{
    if (call.value(0).isNumber()) // already a constant
        return call.value(0);
    SW_TRY(const NodeId input, call.tensor(0));
    return call.made(call.builder().detach(call.origin(), input));
}

Result<Value> contiguousBackward(const BuiltinCall &call)
{
    SW_TRY(const NodeId input, call.tensor(0));
    return call.made(call.builder().contiguousBackward(call.origin(), input));
}

constexpr std::array<Builtin, 3> kTable = {{
    {"grad", "loss, wanted, weights = None", grad,
     "How a loss of one element changes with a tensor: a tensor of its shape. With a list, a list; with weights, of sum(weights "
     "* loss)."},
    {"detach", "x", detach, "The same value, which counts as a constant when a gradient is taken."},
    {"contiguous_backward", "x", contiguousBackward, "The same value; the gradient that goes through it is stored."},
}};

} // namespace

std::span<const Builtin> gradientBuiltins()
{
    return kTable;
}

} // namespace sw::language
