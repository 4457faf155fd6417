#pragma once
// Evaluates a node of the model during import when everything that it reads is already known.

#include "engine/onnx/operators.h"

#include <stop_token>

namespace sw::onnx {

struct FoldedNode {
    const OperatorRow &row;
    NodePlace place;
    language::LibraryCaller &library;
    SourceMapPtr sources;
};

class NodeFolder {
public:
    explicit NodeFolder(std::stop_token stop) : m_stop(std::move(stop)) {}

    // Returns the outputs as constants, or nothing if an operand is not known or is a weight, or if the computation is too large
    // for an import: such a node becomes part of the graph like any other.
    [[nodiscard]] Result<std::optional<Outputs>> fold(const FoldedNode &folded, const std::vector<Value *> &operands);

private:
    std::stop_token m_stop;
    std::int64_t m_computedElements = 0;
};

} // namespace sw::onnx
