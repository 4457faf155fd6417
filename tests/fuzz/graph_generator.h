#pragma once
// The parts of the random graph generator: each make function appends what it needs to the builder and returns the new value, or
// nothing when no value so far can be its operand.

#include "engine/graph/builder.h"
#include "tests/fuzz/random_graph.h"
#include "tests/fuzz/random_source.h"

#include <initializer_list>
#include <optional>

namespace sw {

class GraphGenerator {
public:
    explicit GraphGenerator(const RandomGraphOptions &options);

    RandomGraph run();

private:
    using Made = std::optional<NodeId>;

    // One value of the kind.
    Made make(NodeKind kind);
    NodeId cropped(NodeId output); // itself, if it has no axes
    Made makeLeaf(NodeKind kind);
    Made makeElementwise(std::size_t arity);
    Made makeCast();
    Made makeBitcast();
    Made makeReduce();
    Made makeCat();
    Made makeChoose(); // one of two values of one type and shape, by a value of the graph
    Made makeGather();
    Made makeIndex();
    Made makeReshape();
    Made makePermute();
    Made makeExpand();
    Made makePad();
    Made makeShrink();
    Made makeFlip();
    Made makeView();
    Made makeScatter();
    Made makeAssign();
    Made makeBufferView();
    Made makeValid();
    Made makeGep();
    Made makeVectorize();
    Made makeWmma();
    Made makeContract();
    Made makeThreefry();
    Made makeUniform();
    Made makeMarker(NodeKind kind);
    Made makeKernel();
    Made makeMulti();
    Made makeScan(NodeKind kind);     // of one or two carried values, and gives the last value or all rows
    NodeId cells(const Shape &shape); // of type u32x4

    // Several nodes that programs often have together, and that are compiled in ways of their own.
    Made makePattern();
    NodeId makeProduct();
    NodeId makeNormalized();
    NodeId makeWindows();
    NodeId makePieces();
    NodeId makeShared();
    NodeId makeJoined();
    // A value of this many axes, none of them empty: one there is, or a new input with longer axes than most.
    NodeId operandOfRank(std::size_t rank);
    NodeId operandOf(const Shape &shape, DType dtype);
    NodeId combined(Op op, std::initializer_list<NodeId> operands);
    NodeId reduced(Op op, NodeId input, std::vector<std::size_t> axes);
    NodeId asFloat(NodeId id);

    // An integer tensor with values in [0, extent), or around it when faults are wanted.
    NodeId makeIndices(const Shape &shape, std::int64_t extent);
    NodeId placeholder(const HostTensor &value);
    // The operands converted to a type that the operation takes.
    std::vector<NodeId> acceptable(Op op, std::vector<NodeId> operands);

    // Prefers recent values, so that chains of operations arise.
    [[nodiscard]] NodeId anyValue();
    // A value that rules care about: 0, 1, -1, 2, -0, the extremes of the type.
    [[nodiscard]] Scalar notableScalar(DType dtype);
    [[nodiscard]] Made anyValueOfRank(std::size_t atLeast);
    [[nodiscard]] Made partnerOf(NodeId id);
    [[nodiscard]] const Node &node(NodeId id) const { return m_builder.node(id); }
    [[nodiscard]] const Shape &shapeOf(NodeId id) const { return node(id).shape; }
    [[nodiscard]] DType anyDType() { return m_random.pick(m_options.dtypes); }
    [[nodiscard]] Shape anyShape();
    [[nodiscard]] Shape anyShapeOf(std::int64_t elements);
    [[nodiscard]] Scalar anyScalar(DType dtype);
    [[nodiscard]] HostTensor anyTensor(DType dtype, const Shape &shape);
    [[nodiscard]] std::vector<std::size_t> someAxes(const Shape &shape);
    [[nodiscard]] Origin nextOrigin();

    RandomGraphOptions m_options;
    bool m_cropsOutputs = false;
    RandomSource m_random;
    GraphBuilder m_builder;
    Origin m_origin;
    std::vector<NodeId> m_values;
    std::vector<HostTensor> m_inputs;
    std::uint32_t m_nextItem = 0;
};

} // namespace sw
