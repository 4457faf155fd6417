#pragma once
// Evaluating a node of the model while importing, when all that it reads is known then.

#include "engine/onnx/operators.h"

#include <stop_token>

namespace sw::onnx {

struct FoldedNode {
    const OperatorRow &row;
    const ModelNode &node;
    std::int64_t opset = 0;
    Origin origin;
    SourceMapPtr sources;
};

class NodeFolder {
public:
    explicit NodeFolder(std::stop_token stop) : m_stop(std::move(stop)) {}

    // The outputs as constants. Nothing when an operand is not known or is a weight, and when there is more to compute than
    // belongs into an import: such a node becomes a part of the graph like any other.
    [[nodiscard]] Result<std::optional<Outputs>> fold(const FoldedNode &folded, const std::vector<Value *> &operands);

private:
    std::stop_token m_stop;
    std::int64_t m_computedElements = 0;
};

} // namespace sw::onnx
