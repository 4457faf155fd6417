#pragma once
// The helpers that the type rules share, and the rules by node family; see infer.cpp.

#include "engine/graph/infer.h"

#include <span>
#include <string>

namespace sw::infer {

using Inputs = std::span<const Node *const>;

template <class... Args>
[[nodiscard]] Diagnostic fault(Code code, fmt::format_string<Args...> pattern, Args &&...args)
{
    return Diagnostic::error(code, {}, pattern, std::forward<Args>(args)...);
}

[[nodiscard]] inline std::string typeText(const Node &node)
{
    return sw::typeText(node.dtype, node.shape);
}

[[nodiscard]] inline InferredType ownType(const Node &node)
{
    return {node.dtype, node.shape};
}

// Returns the node's attributes as type T, or an error when they belong to another kind.
template <class T>
[[nodiscard]] Result<const T *> expected(const Node &node)
{
    const T *found = std::get_if<T>(&node.attributes);
    if (found == nullptr)
        return fault(Code::InvalidIr, "{} has attributes of another kind of node", operationText(node));
    return found;
}

[[nodiscard]] Result<Done> checkIndices(const Node &node, const Node &indices); // integers

// ---- infer_movement.cpp
[[nodiscard]] Result<InferredType> view(const Node &node, const Node &input);
[[nodiscard]] Result<InferredType> reshape(const Node &node, const Node &input);
[[nodiscard]] Result<InferredType> permute(const Node &node, const Node &input);
[[nodiscard]] Result<InferredType> expand(const Node &node, const Node &input);
[[nodiscard]] Result<InferredType> pad(const Node &node, const Node &input);
[[nodiscard]] Result<InferredType> shrink(const Node &node, const Node &input);
[[nodiscard]] Result<InferredType> flip(const Node &node, const Node &input);
[[nodiscard]] Result<Done> checkAxisSet(const Node &node, const Shape &shape); // sorted, unique, in range

// ---- infer_composite.cpp
[[nodiscard]] Result<InferredType> threefry(const Node &node, Inputs inputs);
[[nodiscard]] Result<InferredType> uniform(const Node &node, const Node &input);
[[nodiscard]] Result<InferredType> scatter(const Node &node, Inputs inputs);
[[nodiscard]] Result<InferredType> custom(const Node &node, Inputs inputs);
[[nodiscard]] Result<InferredType> assign(const Node &node, Inputs inputs);
[[nodiscard]] Result<InferredType> bufferView(const Node &node, const Node &input);
[[nodiscard]] Result<InferredType> valid(const Node &node);
[[nodiscard]] Result<InferredType> gep(const Node &node, const Node &input);
[[nodiscard]] Result<InferredType> vectorize(Inputs inputs);
[[nodiscard]] Result<InferredType> wmma(Inputs inputs);
[[nodiscard]] Result<InferredType> contract(const Node &node, Inputs inputs);
[[nodiscard]] Result<InferredType> choose(Inputs inputs);
[[nodiscard]] Result<InferredType> unroll(const Node &node, const Node &input);
[[nodiscard]] Result<InferredType> crop(const Node &node, const Node &value, const Node &count);
[[nodiscard]] Result<Done> cropFits(const Node &value, const Node &count, std::size_t axis);
[[nodiscard]] Result<InferredType> kernel(const Node &node, const Node &value);
[[nodiscard]] Result<InferredType> unique(const Node &node, const Node &input);

// ---- infer_symbolic.cpp
// Computes the type with dimensions known only at run time, given the type for the largest extents.
[[nodiscard]] Result<InferredType> symbolic(const Node &node, Inputs inputs, InferredType largest);

// ---- infer_symbolic_view.cpp
[[nodiscard]] Result<Shape> symbolicView(const Node &node, const Node &input);

// ---- infer_scan.cpp
[[nodiscard]] Result<InferredType> scanCarry(const Node &node, const Node &initial);
[[nodiscard]] Result<InferredType> scanSlice(const Node &node, const Node &whole);
[[nodiscard]] Result<InferredType> scanLast(const Node &node, Inputs nexts);
[[nodiscard]] Result<InferredType> scanRows(const Node &node, Inputs nextsAndRow);

// ---- infer_placement.cpp
[[nodiscard]] Result<InferredType> device(const Node &node, const Node &input);
[[nodiscard]] Result<InferredType> copy(const Node &node, const Node &input);
[[nodiscard]] Result<InferredType> multi(const Node &node, Inputs inputs);

} // namespace sw::infer
