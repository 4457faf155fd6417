#pragma once
// The tensor graph: SSA nodes in topological order, immutable once built. Operands of elementwise nodes already have equal shapes
// and types: the front ends make broadcasting and promotion explicit with Reshape, Expand and Cast nodes. Reductions keep their
// axes with extent 1. Every node records where it came from.

#include "engine/base/origin.h"
#include "engine/ops/op.h"
#include "engine/types/host_tensor.h"
#include "engine/types/threefry.h"

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sw {

inline constexpr std::size_t kAnyInputs = std::numeric_limits<std::size_t>::max();

enum class NodeKind : std::uint8_t {
#define SW_NODE(kind, ...) kind,
#include "engine/graph/node_kinds.def"
#undef SW_NODE
};

// Leaf: has no inputs. Movement: a view, free by itself; some return their input and only say something about it. Indexing: reads
// at computed places. Composite: a pass expands it into simpler nodes before scheduling. Marker: returns its input; a pass
// removes it before scheduling.
enum class NodeFamily : std::uint8_t { Leaf, Elementwise, Movement, Reduce, Structural, Indexing, Composite, Marker, Root };

// What Node::op means: nothing; the operation that the node is; the operation that the node uses.
enum class NodeOp : std::uint8_t { None, Is, Uses };

// How a node of the family Movement reads its input. Identity reads it in row-major order.
enum class Movement : std::uint8_t { None, Identity, Reshape, Permute, Expand, Shrink, Flip, Pad, View };

// The cost of computing one element, apart from reading it. OfOperation: the price in ops.def. Lookup: unknown, or an access that
// may miss the caches.
enum class NodeCost : std::uint8_t { None, Cheap, OfOperation, Lookup };

struct NodeKindInfo {
    std::string_view name = {};
    std::size_t minInputs = 0;
    std::size_t maxInputs = 0;
    NodeFamily family = NodeFamily::Leaf;
    NodeOp op = NodeOp::None;
    Movement movement = Movement::None;
    std::uint32_t operations = 0; // per element of the result; for a reduction, per element that it reads
    NodeCost cost = NodeCost::None;
    std::string_view doc = {};
};

[[nodiscard]] const NodeKindInfo &infoOf(NodeKind kind);
[[nodiscard]] std::span<const NodeKind> allNodeKinds();
[[nodiscard]] inline std::string_view nameOf(NodeKind kind)
{
    return infoOf(kind).name;
}
[[nodiscard]] inline NodeFamily familyOf(NodeKind kind)
{
    return infoOf(kind).family;
}

// ---- attributes: one struct per kind that has any

// Dimension: the value of a dimension, an i64, once all shapes consist of numbers.
enum class PlaceholderRole : std::uint8_t { Input, Param, Dimension };

struct NoAttributes {
    bool operator==(const NoAttributes &) const = default;
};
struct PlaceholderAttributes {
    std::string name;
    PlaceholderRole role = PlaceholderRole::Input;
    std::shared_ptr<const HostTensor> initial;            // a loaded parameter; null: given at run time or made from the seed
    std::uint64_t seed = 0;                               // of a random parameter
    bool isRandom = false;                                // param x: T = random(seed)
    Shape given = {};                                     // symbolic: the shape of the given values, when the node is larger
    std::optional<SymbolicVariable> dimension = {};       // for the role Dimension
    std::optional<std::int64_t> bound = {};               // the dimension's value when the run gives none
    bool operator==(const PlaceholderAttributes &) const; // compares initial by value
};
struct DimensionAttributes { // DefineVar
    SymbolicVariable variable;
    bool operator==(const DimensionAttributes &) const = default;
};
struct BoundAttributes { // Bind
    std::int64_t value = 0;
    bool operator==(const BoundAttributes &) const = default;
};
struct ScalarAttributes {
    Scalar value;
    bool operator==(const ScalarAttributes &) const = default;
};
struct TensorAttributes {
    std::shared_ptr<const HostTensor> value;         // never null
    bool operator==(const TensorAttributes &) const; // by value
};
// Element i of the result: mask[k].first <= i[k] < mask[k].second for all k ? input[offset + sum(i[k] * strides[k])] : 0
struct ViewAttributes {
    std::vector<std::int64_t> strides; // per axis of the result, in elements
    std::int64_t offset = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> mask; // empty: everything is valid
    bool operator==(const ViewAttributes &) const = default;
};
struct AxesAttributes { // Permute: the permutation. Flip, ReduceAxis: a sorted set
    std::vector<std::size_t> axes;
    bool operator==(const AxesAttributes &) const = default;
};
struct PadAttributes {
    std::vector<std::int64_t> before;
    std::vector<std::int64_t> after;
    Scalar fill;
    bool operator==(const PadAttributes &) const = default;
};
struct ShrinkAttributes {
    std::vector<std::int64_t> begin;
    std::vector<std::int64_t> end;
    bool operator==(const ShrinkAttributes &) const = default;
};
struct AxisAttributes { // Cat, Crop, Gather. Index: the axis that a fault reports, when the node indexes along one
    std::size_t axis = 0;
    bool operator==(const AxisAttributes &) const = default;
};
struct SaturateAttributes { // Cast: values that are too large become the largest number instead of infinity or their low bits
    bool operator==(const SaturateAttributes &) const = default;
};
struct ThreefryAttributes {
    ThreefryVariant variant = ThreefryVariant::TwoByThirtyTwo;
    RandomStream stream = RandomStream::Random123;
    bool operator==(const ThreefryAttributes &) const = default;
};
enum class UniformForm : std::uint8_t { Vector, Scalar };
struct UniformAttributes {
    UniformForm form = UniformForm::Vector;
    bool operator==(const UniformAttributes &) const = default;
};
enum class ScatterMode : std::uint8_t { Set, Add, Min, Max };
struct ScatterAttributes {
    std::size_t axis = 0;
    ScatterMode mode = ScatterMode::Set;
    bool operator==(const ScatterAttributes &) const = default;
};
struct CustomAttributes {
    std::string name;
    // Per language, by name (nameOf(TargetLanguage)): an expression in which {0}, {1} ... are the operands.
    std::vector<std::pair<std::string, std::string>> sources;
    bool hasReference = false; // it is the last input
    bool operator==(const CustomAttributes &) const = default;
};
struct AssignAttributes {
    // For each update: first and end per axis; empty: the whole target.
    std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> ranges;
    bool operator==(const AssignAttributes &) const = default;
};
struct BufferViewAttributes { // the shape says how many elements
    std::int64_t offset = 0;
    bool operator==(const BufferViewAttributes &) const = default;
};
struct LanesAttributes { // Gep
    std::vector<std::int64_t> lanes;
    bool operator==(const LanesAttributes &) const = default;
};
struct ContractAttributes {
    std::string subscripts; // "ij,jk->ik", see contraction.h
    bool operator==(const ContractAttributes &) const = default;
};
struct UnrollAttributes {
    std::int64_t factor = 1;
    bool operator==(const UnrollAttributes &) const = default;
};
struct KernelAttributes {
    std::string name; // of the kernel; empty: the usual automatic name
    bool operator==(const KernelAttributes &) const = default;
};
struct UniqueAttributes {
    std::int64_t id = 0;
    bool operator==(const UniqueAttributes &) const = default;
};
// Device: where the value is computed. A device's name, or "default" for the device that the program is compiled for.
struct DeviceAttributes {
    std::string device;
    bool operator==(const DeviceAttributes &) const = default;
};
struct CopyAttributes {
    std::string device;   // where the copy is; named as in DeviceAttributes
    bool isClone = false; // the copy gets its own memory even when the value is there already
    bool operator==(const CopyAttributes &) const = default;
};
struct MultiAttributes {
    std::optional<std::size_t> axis; // the axis that the shards split, in order; nothing: each shard is the whole value
    std::vector<bool> real;          // per input: is it part of the value? Empty: all are
    bool operator==(const MultiAttributes &) const = default;
};
// Of a scan that only its condition ends.
inline constexpr std::int64_t kUnboundedSteps = std::int64_t{1} << 62U;
inline constexpr std::int64_t kNoCondition = -1;
// How many steps estimates count with: one where nobody knows.
[[nodiscard]] constexpr std::int64_t estimatedSteps(std::int64_t steps)
{
    return steps < kUnboundedSteps ? steps : 1;
}
struct ScanAttributes {     // ScanCarry, ScanSlice, ScanLast, ScanRows
    std::int64_t scan = 0;  // nodes of one number are one scan
    std::int64_t steps = 1; // at least 1; equal in all nodes of a scan
    std::int64_t index = 0; // ScanCarry, ScanLast: of the carried value
    // Of a carried bool, equal in all nodes of a scan: once a step hands on false, the steps left, which would change no carried
    // value and give rows of zeros, are not made. kNoCondition: all steps are made.
    std::int64_t condition = kNoCondition;
    bool isReversed = false; // ScanSlice, ScanRows: the first step has the last row
    bool operator==(const ScanAttributes &) const = default;
};
// Of an output, only the first elements along the axis count.
struct OutputCrop {
    std::size_t output = 0; // the indices of inputs of the sink
    std::size_t axis = 0;
    std::size_t count = 0; // one integer: how many. What it only counts with is no output of the program.
    bool operator==(const OutputCrop &) const = default;
};
struct SinkAttributes {
    std::vector<std::string> outputNames; // one per input, unique
    // The indices of outputs whose values stand for u32x4: they are u32 with a last axis of extent 4.
    std::vector<std::size_t> cells = {};
    // One per output, or empty: symbolic where the value is larger than what the program returns.
    std::vector<Shape> shapes = {};
    std::vector<OutputCrop> crops = {}; // instead of Crop nodes, once nodes are decomposed
    bool operator==(const SinkAttributes &) const = default;
};

using AnyAttributes =
    std::variant<NoAttributes, PlaceholderAttributes, DimensionAttributes, BoundAttributes, ScalarAttributes, TensorAttributes,
                 ViewAttributes, AxesAttributes, PadAttributes, ShrinkAttributes, AxisAttributes, SaturateAttributes,
                 ThreefryAttributes, UniformAttributes, ScatterAttributes, CustomAttributes, AssignAttributes,
                 BufferViewAttributes, LanesAttributes, ContractAttributes, UnrollAttributes, KernelAttributes, UniqueAttributes,
                 DeviceAttributes, CopyAttributes, MultiAttributes, ScanAttributes, SinkAttributes>;

// A variant whose copies, moves and end are compiled once: they have a case for each alternative, and most files copy nodes.
class NodeAttributes : public AnyAttributes {
public:
    using AnyAttributes::AnyAttributes;
    using AnyAttributes::operator=;
    NodeAttributes() noexcept;
    NodeAttributes(const NodeAttributes &other);
    NodeAttributes(NodeAttributes &&other) noexcept;
    NodeAttributes &operator=(const NodeAttributes &other);
    NodeAttributes &operator=(NodeAttributes &&other) noexcept;
    ~NodeAttributes();
};

struct Node {
    NodeKind kind = NodeKind::Sink;
    Op op = Op::Add; // Unary, Binary, Ternary: the operation. ReduceAxis: combines the elements
    DType dtype = DType::F32;
    Shape shape;
    std::vector<NodeId> inputs; // all come before this node
    NodeAttributes attributes;
    Origin origin;
    ScopeId scope = SourceMap::rootScope();
    std::string name; // the program's or the model's name for the value; may be empty; need not be unique

    // A copy for another graph, where made[i] replaces node i of this one.
    [[nodiscard]] Node readingFrom(std::span<const NodeId> made) const;
};

// The inputs of the only Sink, which is the last node, are the program's outputs.
class Graph {
public:
    // Asserts that inputs precede their users and that the last node is the only Sink. verifyGraph checks the other rules.
    Graph(std::vector<Node> nodes, SourceMapPtr sources);

    [[nodiscard]] const Node &node(NodeId id) const { return m_nodes.at(id.value); }
    [[nodiscard]] std::span<const Node> nodes() const { return m_nodes; }
    [[nodiscard]] std::size_t size() const { return m_nodes.size(); }
    [[nodiscard]] const SourceMap &sources() const { return *m_sources; }
    [[nodiscard]] const SourceMapPtr &sourcesPtr() const { return m_sources; }

    [[nodiscard]] NodeId sink() const { return NodeId(m_nodes.size() - 1); }
    [[nodiscard]] std::span<const NodeId> outputs() const { return m_nodes.back().inputs; }
    [[nodiscard]] const std::vector<std::string> &outputNames() const;
    [[nodiscard]] std::vector<NodeId> placeholders() const; // in node order
    [[nodiscard]] bool isSymbolic() const;                  // whether some node has dimensions known only at run time

    // The readers of each node, indexed by node id; a node that reads another twice appears twice.
    [[nodiscard]] std::vector<std::vector<NodeId>> users() const;

private:
    std::vector<Node> m_nodes;
    SourceMapPtr m_sources;
};

using GraphPtr = std::shared_ptr<const Graph>;

// Returns the typed attributes of a node, which must have them.
template <class T>
[[nodiscard]] const T &attributesOf(const Node &node)
{
    const T *found = std::get_if<T>(&node.attributes);
    SW_ASSERT(found != nullptr, "a node of a kind with these attributes");
    return *found;
}

[[nodiscard]] inline bool isOfScan(NodeKind kind)
{
    return kind == NodeKind::ScanCarry || kind == NodeKind::ScanSlice || kind == NodeKind::ScanLast || kind == NodeKind::ScanRows;
}
// Whether ScanAttributes::index means something.
[[nodiscard]] inline bool isOfCarriedValue(NodeKind kind)
{
    return kind == NodeKind::ScanCarry || kind == NodeKind::ScanLast;
}
// The schedule makes a transfer of it, not a part of a kernel: it takes its input from memory and is in memory itself.
[[nodiscard]] inline bool isTransfer(NodeKind kind)
{
    return kind == NodeKind::Copy || kind == NodeKind::Choose || isOfScan(kind);
}

// A constant that kernels hold or compute themselves, so reading its elements needs no buffer.
[[nodiscard]] inline bool isLiteral(const Node &node)
{
    return node.kind == NodeKind::ConstScalar || node.kind == NodeKind::Iota;
}

// Returns nothing for Set.
[[nodiscard]] std::optional<Op> combiningOp(ScatterMode mode);
[[nodiscard]] bool isReal(const MultiAttributes &multi, std::size_t input);
// Where a program runs unless it says otherwise.
inline constexpr std::string_view kDefaultDevice = "default";
// The axis that a fault of an Index node reports.
[[nodiscard]] std::size_t reportedAxis(const Node &index);
// The words used in the text forms and in the language: "set", "2x32", "random123".
[[nodiscard]] std::string_view nameOf(PlaceholderRole role);
[[nodiscard]] std::string_view nameOf(ScatterMode mode);
[[nodiscard]] std::string_view nameOf(ThreefryVariant variant);
[[nodiscard]] std::string_view nameOf(RandomStream stream);
[[nodiscard]] std::optional<ScatterMode> scatterModeNamed(std::string_view name);
[[nodiscard]] std::optional<ThreefryVariant> threefryVariantNamed(std::string_view name);
[[nodiscard]] std::optional<RandomStream> randomStreamNamed(std::string_view name);

// "add", "reduce_axis max", "cast": what a node does, for labels and messages.
[[nodiscard]] std::string operationText(const Node &node);
// "f32[2, 3]"
[[nodiscard]] std::string typeText(DType dtype, const Shape &shape);

} // namespace sw
