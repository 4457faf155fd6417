#pragma once
// Makes graphs. Each function infers the type and shape of its node and checks the operands: what a person's program can get
// wrong comes back as a diagnostic placed at the origin; the new node otherwise. Equal nodes are not merged here; that is a pass.

#include "engine/graph/graph.h"

#include <optional>
#include <span>

namespace sw {

class GraphBuilder {
public:
    explicit GraphBuilder(SourceMapPtr sources);

    // The scope and the name for the nodes made from here on.
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
    Result<NodeId> iota(Origin origin, Shape shape); // of one axis

    // Operands of one shape and type; broadcasted takes mixed ones.
    Result<NodeId> elementwise(Origin origin, Op op, std::span<const NodeId> operands);
    Result<NodeId> cast(Origin origin, NodeId input, DType dtype);           // the input itself when it has the type
    Result<NodeId> saturatingCast(Origin origin, NodeId input, DType dtype); // likewise
    Result<NodeId> bitcast(Origin origin, NodeId input, DType dtype);        // sizes must agree

    // Operands of one shape; see CustomAttributes.
    Result<NodeId> custom(Origin origin, std::span<const NodeId> inputs, DType dtype, CustomAttributes attributes);

    Result<NodeId> view(Origin origin, NodeId input, Shape shape, ViewAttributes attributes);
    Result<NodeId> reshape(Origin origin, NodeId input, Shape shape); // the input itself when it has the shape
    Result<NodeId> permute(Origin origin, NodeId input, std::vector<std::size_t> axes);
    Result<NodeId> expand(Origin origin, NodeId input, Shape shape); // same rank; the input itself when it has the shape
    Result<NodeId> pad(Origin origin, NodeId input, PadAttributes attributes);
    // The shape: of the result, when an extent is not the number that the attributes give.
    Result<NodeId> shrink(Origin origin, NodeId input, ShrinkAttributes attributes, Shape shape = {});
    Result<NodeId> flip(Origin origin, NodeId input, std::vector<std::size_t> axes);

    // Axes are sorted and made unique here. No axes: the input itself.
    Result<NodeId> reduce(Origin origin, Op op, NodeId input, std::vector<std::size_t> axes);

    Result<NodeId> contiguous(Origin origin, NodeId input);
    Result<NodeId> detach(Origin origin, NodeId input);
    Result<NodeId> contiguousBackward(Origin origin, NodeId input);
    // Of one element; of sum(weights * loss) when there are weights.
    Result<NodeId> gradient(Origin origin, NodeId loss, NodeId wanted, std::optional<NodeId> weights = {});
    Result<NodeId> cat(Origin origin, std::span<const NodeId> inputs, std::size_t axis);
    Result<NodeId> gather(Origin origin, NodeId source, NodeId indices, std::size_t axis);
    // axis: the one that a fault names, when this stands for the indexing of one.
    Result<NodeId> index(Origin origin, NodeId source, NodeId indices, std::optional<NodeId> valid,
                         std::optional<std::size_t> axis = std::nullopt);
    // The base with the updates at the indices along the axis.
    Result<NodeId> scatter(Origin origin, NodeId base, NodeId indices, NodeId updates, ScatterAttributes attributes);

    // ---- nodes that a pass writes as simpler ones
    // Ranges: of each update, see AssignAttributes.
    Result<NodeId> assign(Origin origin, NodeId target, std::span<const NodeId> updates, AssignAttributes ranges);
    Result<NodeId> bufferView(Origin origin, NodeId input, std::int64_t offset, std::int64_t elements);
    Result<NodeId> valid(Origin origin, Shape shape, ViewAttributes view);
    Result<NodeId> gep(Origin origin, NodeId input, std::vector<std::int64_t> lanes);
    Result<NodeId> vectorize(Origin origin, std::span<const NodeId> inputs);
    Result<NodeId> wmma(Origin origin, NodeId a, NodeId b, NodeId c);
    Result<NodeId> contract(Origin origin, std::span<const NodeId> inputs, std::string subscripts);
    Result<NodeId> threefry(Origin origin, NodeId key, NodeId counter, ThreefryAttributes attributes);
    Result<NodeId> uniform(Origin origin, NodeId input, DType dtype, UniformForm form);
    // ---- where values are: names of devices, or kDefaultDevice
    Result<NodeId> onDevice(Origin origin, NodeId input, std::string device);
    Result<NodeId> copy(Origin origin, NodeId input, CopyAttributes attributes);
    Result<NodeId> multi(Origin origin, std::span<const NodeId> shards, MultiAttributes attributes);
    // Each input is read on the way from what has no inputs to the value.
    Result<NodeId> kernel(Origin origin, NodeId value, std::span<const NodeId> inputs, std::string name);
    // Fuse, Unroll, Unique or Noop.
    Result<NodeId> marker(Origin origin, NodeKind kind, NodeId input, NodeAttributes attributes);

    // ---- helpers that make several nodes

    // Reshape and Expand by NumPy's rule.
    Result<NodeId> broadcastTo(Origin origin, NodeId input, const Shape &shape);
    // Promotes and broadcasts the operands by the rules of the operation, then applies it.
    Result<NodeId> broadcasted(Origin origin, Op op, std::span<const NodeId> operands);
    // A scalar constant of a shape.
    Result<NodeId> full(Origin origin, Scalar value, const Shape &shape);

    // Adds the Sink and ends the building. Names must be unique, one per output.
    Result<Graph> finish(Origin origin, std::vector<NodeId> outputs, std::vector<std::string> names) &&;

    // For the parser and the rewriter, which know everything about a node: adds it as it is; finish or verifyGraph checks it.
    NodeId addUnchecked(Node node);
    // Removes the nodes from `size` on and returns them; nothing may read them.
    std::vector<Node> takeBack(std::size_t size);
    // The node also stands for what the origin names.
    void mergeOrigin(NodeId id, const Origin &origin);
    // The end for those: the last node added must be the Sink.
    [[nodiscard]] Graph finishUnchecked() &&;

private:
    // A diagnostic at the origin's place in the user's program.
    template <class... Args>
    Diagnostic error(Code code, const Origin &origin, fmt::format_string<Args...> pattern, Args &&...args) const
    {
        return Diagnostic::error(code, m_sources->programRange(origin), pattern, std::forward<Args>(args)...);
    }
    // The failure with its diagnostics placed at the origin.
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
