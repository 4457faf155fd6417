#pragma once
// One node of the model while it becomes graph nodes: its operands, its attributes and the builder's functions. It holds all that
// an operator's handler needs, and nothing else.

#include "engine/graph/builder.h"
#include "engine/language/library_caller.h"
#include "engine/onnx/known_values.h"
#include "engine/onnx/model.h"

#include <initializer_list>

namespace sw::onnx {

struct Value;
using Sequence = std::vector<Value *>;

// An axis of which only the first elements count: as many as a node, an integer without axes, says when the run ends.
struct CountedAxis {
    std::size_t axis = 0;
    NodeId count;
    bool operator==(const CountedAxis &) const = default;
};

// A value of the model: a tensor or a sequence of them. It enters the graph when something there reads it; a value used only as a
// shape never does.
struct Value {
    DType dtype = DType::F32;
    Shape shape = {};
    Origin origin;
    std::string name = {};
    NodeId node = {};                                     // invalid until something reads it
    std::shared_ptr<const HostTensor> constant = nullptr; // set when it is known now
    bool isParameter = false;                             // an initializer, to be kept as a parameter
    Narrow narrow = Narrow::None;                         // what the model takes the elements for
    std::shared_ptr<const Sequence> sequence = nullptr;   // set when it is a sequence, and then nothing of the above is
    std::optional<CountedAxis> counted = {};              // the shape is the largest one
};

// The form in which a handler returns each of its outputs: a node, a constant or a sequence.
struct OutputValue {
    OutputValue(NodeId id, Narrow type = Narrow::None) : node(id), narrow(type) {}
    OutputValue(HostTensor value) : constant(std::make_shared<const HostTensor>(std::move(value))) {}

    NodeId node;
    std::shared_ptr<const HostTensor> constant;
    Narrow narrow = Narrow::None;
    std::shared_ptr<const Sequence> sequence;
    std::optional<CountedAxis> counted;

    [[nodiscard]] bool isMade() const { return constant || node.isValid() || sequence; }
};
using Outputs = std::vector<OutputValue>;

// The node of the model that is being imported, and where it stands.
struct NodePlace {
    const ModelNode &node;
    std::int64_t opset = 0; // of the node's domain
    SourceId source;
    ScopeId scope;
};

// The graphs around a node and those that belong to it.
class Bodies {
public:
    virtual ~Bodies() = default;
    // Keeps a value until the import has ended.
    [[nodiscard]] virtual Value *keep(Value value) = 0;
    // The value of that name which the node sees. Null: there is none, or what makes it failed.
    [[nodiscard]] virtual Value *find(const std::string &name) = 0;
    // Imports the body with these values for its inputs, in a scope of this name. Nothing: one of its nodes failed, and was
    // reported.
    [[nodiscard]] virtual Result<std::optional<std::vector<Value *>>>
    call(const ModelGraph &body, const std::vector<Value *> &inputs, const std::string &scopeName) = 0;

    // What the import has made so far.
    struct Mark {
        std::size_t nodes = 0;
        std::size_t diagnostics = 0;
        bool hasFailed = false;
    };
    [[nodiscard]] virtual Mark mark() const = 0;
    // Undoes what was made and reported since. No value that was made since may be used any more.
    virtual void takeBackTo(const Mark &mark) = 0;
};

// What a node is made with.
struct NodeTools {
    GraphBuilder &builder;
    KnownValues &known;
    language::LibraryCaller &library;
    Bodies *bodies = nullptr; // of nodes that are not folded
};

class NodeCall {
public:
    // A null operand stands for an optional input that is left out.
    NodeCall(NodeTools tools, NodePlace place, std::vector<Value *> operands);

    [[nodiscard]] const ModelNode &node() const { return m_place.node; }
    [[nodiscard]] std::int64_t opset() const { return m_place.opset; }
    [[nodiscard]] GraphBuilder &builder() { return m_tools.builder; }
    [[nodiscard]] const Origin &origin() const { return m_origin; }

    // ---- operands
    [[nodiscard]] std::size_t operandCount() const { return m_operands.size(); }
    [[nodiscard]] bool has(std::size_t index) const { return index < m_operands.size() && m_operands[index] != nullptr; }
    [[nodiscard]] const Shape &shape(std::size_t index) const { return operand(index).shape; }
    [[nodiscard]] DType dtype(std::size_t index) const { return operand(index).dtype; }
    [[nodiscard]] Narrow narrow(std::size_t index) const { return has(index) ? operand(index).narrow : Narrow::None; }
    [[nodiscard]] NodeId input(std::size_t index); // brings the value into the graph
    [[nodiscard]] std::vector<NodeId> inputs();    // all that are present
    // The value of an operand that must be known during import; `role` says what it is for ("shape"). An input that it depends on
    // becomes part of the program.
    [[nodiscard]] Result<HostTensor> constant(std::size_t index, std::string_view role);
    [[nodiscard]] Result<Scalar> constantScalar(std::size_t index, std::string_view role); // for one element
    [[nodiscard]] Result<std::vector<std::int64_t>> constantIntegers(std::size_t index, std::string_view role);
    // The same for another value.
    [[nodiscard]] Result<HostTensor> constantOf(const Value &value, std::string_view role);
    [[nodiscard]] Value *value(std::size_t index) { return has(index) ? m_operands[index] : nullptr; } // null: left out
    // The value of an operand that is known, or found with little work; nothing where it is not.
    [[nodiscard]] std::optional<HostTensor> quickConstant(std::size_t index) { return quickConstantOf(operand(index)); }
    [[nodiscard]] std::optional<HostTensor> quickConstantOf(const Value &value);
    // Whether a computed value depends on an input of the model, given or not.
    [[nodiscard]] bool needsInput(const Value &value) const { return m_tools.known.needsInput(value.node); }
    // The value of an operand that is a constant of the model; null if it is not constant.
    [[nodiscard]] const HostTensor *knownConstant(std::size_t index) const { return operand(index).constant.get(); }
    [[nodiscard]] bool wantsOutput(std::size_t index) const
    {
        return index < node().outputs.size() && !node().outputs[index].empty();
    }

    // ---- attributes; one of another type than asked for is a problem of the node
    [[nodiscard]] bool hasAttribute(std::string_view name) const { return find(name) != nullptr; }
    [[nodiscard]] const Attribute *attribute(std::string_view name) const { return find(name); } // null if it is left out
    [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t otherwise);
    [[nodiscard]] double number(std::string_view name, double otherwise);
    [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise);
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(std::string_view name);
    [[nodiscard]] std::optional<std::vector<float>> numbers(std::string_view name);
    [[nodiscard]] Result<HostTensor> tensor(std::string_view name);
    [[nodiscard]] bool isOn(std::string_view name) { return integer(name, 0) != 0; }
    [[nodiscard]] Result<Subgraph> body(std::string_view name);
    [[nodiscard]] Bodies &bodies() { return *m_tools.bodies; } // only for rows that are never folded

    // ---- building
    [[nodiscard]] const Shape &shapeOf(NodeId id) const { return m_tools.builder.node(id).shape; }
    [[nodiscard]] DType dtypeOf(NodeId id) const { return m_tools.builder.node(id).dtype; }
    [[nodiscard]] std::size_t rankOf(NodeId id) const { return shapeOf(id).rank(); }
    Result<NodeId> apply(Op op, std::initializer_list<NodeId> operands); // promotes and broadcasts
    Result<NodeId> reshape(NodeId input, std::vector<std::int64_t> extents);
    Result<NodeId> broadcastTo(NodeId input, std::vector<std::int64_t> extents);
    Result<NodeId> permute(NodeId input, std::vector<std::size_t> axes);
    Result<NodeId> reduce(Op op, NodeId input, std::vector<std::size_t> axes); // axes are kept with extent 1
    Result<NodeId> cast(NodeId input, DType dtype);
    NodeId scalar(DType dtype, double value);
    // Adds a small constant tensor.
    NodeId tensorConstant(HostTensor value);
    // Calls a function of the library; its nodes get a scope with the operator's name.
    // It must return a tensor for callTensor.
    Result<NodeId> callTensor(std::string_view function, std::vector<language::LibraryArgument> arguments);
    Result<language::Value> callFunction(std::string_view function, std::vector<language::LibraryArgument> arguments);
    // Checks an axis, from an attribute or an element, which must be in [-rank, rank).
    [[nodiscard]] Result<std::size_t> axis(std::int64_t axis, std::size_t rank) const;
    [[nodiscard]] Result<std::vector<std::size_t>> axes(const std::vector<std::int64_t> &axes, std::size_t rank) const;

    // ---- diagnostics; the importer adds the node and its place
    template <class... Args>
    [[nodiscard]] Diagnostic error(Code code, fmt::format_string<Args...> pattern, Args &&...args) const
    {
        return Diagnostic::error(code, {}, pattern, std::forward<Args>(args)...);
    }
    template <class... Args>
    [[nodiscard]] Diagnostic unsupported(fmt::format_string<Args...> pattern, Args &&...args) const
    {
        return Diagnostic::error(Code::Unsupported, {}, pattern, std::forward<Args>(args)...);
    }
    // Collects diagnostics found on the way; they are reported when the handler is done.
    void note(Diagnostics problems);
    [[nodiscard]] const Diagnostics &problems() const { return m_problems; }

private:
    [[nodiscard]] const Value &operand(std::size_t index) const;
    [[nodiscard]] const Attribute *find(std::string_view name) const;
    template <class T>
    [[nodiscard]] const T *get(std::string_view name, std::string_view expected);

    NodeTools m_tools;
    NodePlace m_place;
    Origin m_origin;
    std::vector<Value *> m_operands;
    Diagnostics m_problems;
};

[[nodiscard]] inline std::vector<std::int64_t> extentsOf(const Shape &shape)
{
    return {shape.begin(), shape.end()};
}

// For operators to which what lies behind a count would be wrong input.
[[nodiscard]] Result<Done> checkNotCounted(const NodeCall &call, const Value &value, std::string_view what);

// Brings a value into the graph; does so only once per value.
NodeId materialize(GraphBuilder &builder, Value &value);

// What a node makes, as a value of that name.
[[nodiscard]] Value valueOf(const GraphBuilder &builder, const OutputValue &output, Origin origin, std::string name);
// A value as what a node makes.
[[nodiscard]] OutputValue outputOf(GraphBuilder &builder, Value &value);

} // namespace sw::onnx
