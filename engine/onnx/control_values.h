#pragma once
// The values that control flow makes: what is chosen when the model runs, and what steps give, side by side.

#include "engine/onnx/node_call.h"

#include <vector>

namespace sw::onnx {

using Values = std::vector<Value *>;

[[nodiscard]] Value *keepConstant(NodeCall &call, HostTensor tensor);
[[nodiscard]] Value *keepNode(NodeCall &call, NodeId node, Narrow narrow);
[[nodiscard]] Outputs outputsOf(NodeCall &call, const Values &values);

[[nodiscard]] Result<bool> isTrue(NodeCall &call, const HostTensor &condition);
// A computed condition as a scalar node.
[[nodiscard]] Result<NodeId> conditionNode(NodeCall &call, Value &condition);
// `yes` where the condition holds, else `no`. Both must be of one type and shape.
[[nodiscard]] Result<Value *> chosen(NodeCall &call, NodeId condition, Value *yes, Value *no, std::string_view what);

// Equal tensors side by side along a new axis; without any, a tensor with no elements of the type that the body says.
[[nodiscard]] Result<Value *> stackedOrEmpty(NodeCall &call, const Values &parts, const ValueInfo &info, std::int64_t axis);

// The operands from `first` on. None may be left out.
[[nodiscard]] Result<Values> operandsFrom(NodeCall &call, std::size_t first);
[[nodiscard]] Result<Done> checkOutputs(const NodeCall &call, const ModelGraph &body, std::size_t least);

} // namespace sw::onnx
