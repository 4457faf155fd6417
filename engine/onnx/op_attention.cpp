// Attention whose scores and weights go through graphs of the model.

#include "engine/onnx/handlers.h"

namespace sw::onnx {

namespace {

// What the graph makes of the tensor, which it gets in the type that its input says. Nothing: a node of it failed, and was
// reported.
Result<std::optional<NodeId>> through(NodeCall &call, const std::string &attribute, NodeId tensor)
{
    if (!call.hasAttribute(attribute))
        return std::optional(tensor);
    SW_TRY(const Subgraph body, call.body(attribute));
    if (body->inputs.size() != 1 || body->outputs.size() != 1)
        return call.error(Code::MalformedModel, "{} has {} inputs and {} outputs, expected one of each", attribute,
                          body->inputs.size(), body->outputs.size());
    SW_TRY(const DType wanted, body->inputs.front().dtype);
    SW_TRY(const NodeId given, call.cast(tensor, wanted));
    Value *value = call.bodies().keep(valueOf(call.builder(), OutputValue(given), call.origin(), attribute));
    SW_TRY(const auto made, call.bodies().call(*body, {value}, attribute));
    if (!made)
        return std::optional<NodeId>();
    if (made->front()->sequence || made->front()->shape != call.shapeOf(tensor))
        return call.error(Code::ShapeMismatch, "{} gives {}, expected the shape {}", attribute,
                          typeText(made->front()->dtype, made->front()->shape), toText(call.shapeOf(tensor)));
    return std::optional(materialize(call.builder(), *made->front()));
}

} // namespace

Result<Outputs> importFlexAttention(NodeCall &call)
{
    const language::Value scale = call.hasAttribute("scale") ? language::Value(call.number("scale", 0)) : language::Value();
    SW_TRY(const NodeId raw,
           call.callTensor("flex_scores",
                           {{language::TensorValue{call.input(0)}}, {language::TensorValue{call.input(1)}}, {scale, "scale"}}));
    SW_TRY(const auto scores, through(call, "score_mod", raw));
    if (!scores)
        return Outputs{};
    NodeId precise = *scores;
    if (call.hasAttribute("softmax_precision")) {
        SW_TRY(const DType precision, dtypeOfOnnx(static_cast<std::int32_t>(call.integer("softmax_precision", 0)), {}));
        SW_TRY(precise, call.cast(precise, precision));
    }
    SW_TRY(const NodeId weights, call.callTensor("softmax", {{language::TensorValue{precise}}, {std::int64_t{-1}, "axis"}}));
    SW_TRY(const auto changed, through(call, "prob_mod", weights));
    if (!changed)
        return Outputs{};
    SW_TRY(const NodeId mixed, call.callTensor("flex_mix", {{language::TensorValue{*changed}},
                                                            {language::TensorValue{call.input(2)}},
                                                            {language::TensorValue{call.input(0)}}}));
    return Outputs{mixed};
}

} // namespace sw::onnx
