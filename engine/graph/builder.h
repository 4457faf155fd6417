#pragma once
// Makes graphs. Each function checks its operands and infers the type and shape of the new node, which it returns; a mistake that
// a user's program can make becomes a diagnostic at the origin. Equal nodes are not merged here; a pass does that.

#include "engine/graph/graph.h"

#include <optional>
#include <span>

namespace sw {

class GraphBuilder {
public:
    explicit GraphBuilder(SourceMapPtr sources);
    // For a graph that is made from another one: it has the same sources, and room for as many nodes.
    explicit GraphBuilder(const Graph &from);

    // The scope of all nodes made from now on, and the name of one node.
    void setScope(ScopeId scope) { m_scope = scope; }
    void setName(NodeId id, std::string name);

    [[nodiscard]] const Node &node(NodeId id) const { return m_nodes.at(id.value); }
    [[nodiscard]] std::size_t size() const { return m_nodes.size(); }

    NodeId placeholder(Origin origin, DType dtype, Shape shape, PlaceholderAttributes attributes);
    Result<NodeId> dimension(Origin origin, SymbolicVariable variable); // i64[]
    Result<NodeId> bind(Origin origin, NodeId dimension, std::int64_t value);
    Result<NodeId> buffer(Origin origin, DType dtype, std::int64_t elements);
    NodeId constScalar(Origin origin, Scalar value);
    NodeId vconst(Origin origin, HostTensor value);
    Result<NodeId> iota(Origin origin, Shape shape); // has one axis

    // The operands must have one shape and type; broadcasted takes mixed ones.
    Result<NodeId> elementwise(Origin origin, Op op, std::span<const NodeId> operands);
    Result<NodeId> cast(Origin origin, NodeId input, DType dtype);           // returns the input when it already has the type
    Result<NodeId> saturatingCast(Origin origin, NodeId input, DType dtype); // likewise
    Result<NodeId> bitcast(Origin origin, NodeId input, DType dtype);        // sizes must agree

    // The operands must have one shape; see CustomAttributes.
    Result<NodeId> custom(Origin origin, std::span<const NodeId> inputs, DType dtype, CustomAttributes attributes);

    Result<NodeId> view(Origin origin, NodeId input, Shape shape, ViewAttributes attributes);
    Result<NodeId> reshape(Origin origin, NodeId input, Shape shape); // returns the input when it already has the shape
    Result<NodeId> permute(Origin origin, NodeId input, std::vector<std::size_t> axes);
    Result<NodeId> expand(Origin origin, NodeId input, Shape shape); // same rank; returns the input if the shapes are equal
    Result<NodeId> pad(Origin origin, NodeId input, PadAttributes attributes);
    // Give the shape of the result when one of its extents differs from the number in the attributes.
    Result<NodeId> shrink(Origin origin, NodeId input, ShrinkAttributes attributes, Shape shape = {});
    Result<NodeId> flip(Origin origin, NodeId input, std::vector<std::size_t> axes);

    // Sorts the axes and removes duplicates. Without axes it returns the input.
    Result<NodeId> reduce(Origin origin, Op op, NodeId input, std::vector<std::size_t> axes);

    Result<NodeId> contiguous(Origin origin, NodeId input);
    Result<NodeId> detach(Origin origin, NodeId input);
    Result<NodeId> contiguousBackward(Origin origin, NodeId input);
    // The gradient of a loss of one element, or of sum(weights * loss) when weights are given.
    Result<NodeId> gradient(Origin origin, NodeId loss, NodeId wanted, std::optional<NodeId> weights = {});
    Result<NodeId> cat(Origin origin, std::span<const NodeId> inputs, std::size_t axis);
    Result<NodeId> gather(Origin origin, NodeId source, NodeId indices, std::size_t axis);
    // axis: the axis that a fault reports, when this node stands for indexing along one axis.
    Result<NodeId> index(Origin origin, NodeId source, NodeId indices, std::optional<NodeId> valid,
                         std::optional<std::size_t> axis = std::nullopt);
    // Returns the base with the updates written at the indices along the axis.
    Result<NodeId> scatter(Origin origin, NodeId base, NodeId indices, NodeId updates, ScatterAttributes attributes);

    // ---- nodes that a pass writes as simpler ones
    // `ranges` holds a range for each update; see AssignAttributes.
    Result<NodeId> assign(Origin origin, NodeId target, std::span<const NodeId> updates, AssignAttributes ranges);
    Result<NodeId> bufferView(Origin origin, NodeId input, std::int64_t offset, std::int64_t elements);
    Result<NodeId> valid(Origin origin, Shape shape, ViewAttributes view);
    Result<NodeId> gep(Origin origin, NodeId input, std::vector<std::int64_t> lanes);
    Result<NodeId> vectorize(Origin origin, std::span<const NodeId> inputs);
    Result<NodeId> wmma(Origin origin, NodeId a, NodeId b, NodeId c);
    Result<NodeId> contract(Origin origin, std::span<const NodeId> inputs, std::string subscripts);
    Result<NodeId> threefry(Origin origin, NodeId key, NodeId counter, ThreefryAttributes attributes);
    Result<NodeId> uniform(Origin origin, NodeId input, DType dtype, UniformForm form);
    // whenTrue where the condition, one bool without axes, holds, else whenFalse, which has its type and shape. See branches.h.
    Result<NodeId> choose(Origin origin, NodeId condition, NodeId whenTrue, NodeId whenFalse);
    // ---- where values are: names of devices, or kDefaultDevice
    Result<NodeId> onDevice(Origin origin, NodeId input, std::string device);
    Result<NodeId> copy(Origin origin, NodeId input, CopyAttributes attributes);
    Result<NodeId> multi(Origin origin, std::span<const NodeId> shards, MultiAttributes attributes);
    // ---- scans, see scan.h; the nodes of one scan have equal numbers and steps in their attributes
    Result<NodeId> scanCarry(Origin origin, NodeId initial, ScanAttributes attributes);
    Result<NodeId> scanSlice(Origin origin, NodeId whole, ScanAttributes attributes);
    Result<NodeId> scanLast(Origin origin, std::span<const NodeId> nexts, ScanAttributes attributes);
    Result<NodeId> scanRows(Origin origin, std::span<const NodeId> nexts, NodeId row, ScanAttributes attributes);
    // The path from the value back to its leaves must read each of the inputs.
    // An output of which only the first `count` elements along the axis count.
    Result<NodeId> crop(Origin origin, NodeId value, NodeId count, std::size_t axis);
    Result<NodeId> kernel(Origin origin, NodeId value, std::span<const NodeId> inputs, std::string name);
    // `kind` is Fuse, Unroll, Unique or Noop.
    Result<NodeId> marker(Origin origin, NodeKind kind, NodeId input, NodeAttributes attributes);

    // ---- helpers that make several nodes

    // Applies Reshape and Expand by NumPy's broadcast rule.
    Result<NodeId> broadcastTo(Origin origin, NodeId input, const Shape &shape);
    // Promotes and broadcasts the operands by the rules of the operation, then applies it.
    Result<NodeId> broadcasted(Origin origin, Op op, std::span<const NodeId> operands);
    // A scalar constant broadcast to a shape.
    Result<NodeId> full(Origin origin, Scalar value, const Shape &shape);

    // Adds the Sink and completes the graph. Each output needs a name of its own.
    Result<Graph> finish(Origin origin, std::vector<NodeId> outputs, std::vector<std::string> names) &&;

    // For the parser and the rewriter, which know every field of a node: adds it unchanged; finish or verifyGraph checks it.
    NodeId addUnchecked(Node node);
    // Removes the nodes from index `size` on and returns them; no remaining node may read them.
    std::vector<Node> takeBack(std::size_t size);
    // Records that the node also stands for what the origin names.
    void mergeOrigin(NodeId id, const Origin &origin);
    // Completes a graph made with addUnchecked: the last node added must be the Sink.
    [[nodiscard]] Graph finishUnchecked() &&;

private:
    // Makes a diagnostic at the origin's place in the user's program.
    template <class... Args>
    Diagnostic error(Code code, const Origin &origin, fmt::format_string<Args...> pattern, Args &&...args) const
    {
        return Diagnostic::error(code, m_sources->programRange(origin), pattern, std::forward<Args>(args)...);
    }
    // Returns the failure with its diagnostics placed at the origin.
    Failure placed(const Origin &origin, Failure failure) const;
    Node make(NodeKind kind, Origin origin) const;
    NodeId add(Node node);
    // Adds the node with the type and shape that inferType gives it.
    Result<NodeId> addChecked(Node made);

    std::vector<Node> m_nodes;
    SourceMapPtr m_sources;
    ScopeId m_scope = SourceMap::rootScope();
};

} // namespace sw
