#pragma once
// What tracing writes to: the graph, the source map, the call stack, and diagnostics with their place. It knows nothing about
// statements; the elaborator drives it. The graph may be one that others build too.
//
// An empty Failure from here means that its cause was already reported.

#include "engine/graph/dimension_nodes.h"
#include "engine/language/module.h"
#include "engine/language/value.h"

#include <deque>
#include <memory>
#include <stop_token>
#include <unordered_map>
#include <vector>

namespace sw::language {

struct Frame {
    const Module *module = nullptr;
    ScopeId scope = SourceMap::rootScope();
    SourceId caller = {};           // the call that runs this body; invalid at the top level
    std::string_view function = {}; // empty at the top level
    std::unordered_map<std::string_view, Value> names = {};
    std::optional<Value> result = {}; // set by a return statement
};

// A value and the expression of the current frame that gave it. The expression is the origin if the value becomes a constant.
struct Operand {
    Value value;
    ExprId expr;
};

class Tracer;

// The place of an event: an existing item of the source map, or one that is made when it is first needed. Most values computed
// while tracing leave no node behind, and so need no item.
class Place {
public:
    Place(SourceId item) : m_item(item) {}
    Place(Tracer &tracer, ExprId expr) : m_tracer(&tracer), m_expr(expr) {} // in the current frame
    operator SourceId() const;

private:
    Tracer *m_tracer = nullptr;
    ExprId m_expr;
    mutable std::optional<SourceId> m_item;
};

class Tracer {
public:
    // Borrows the builder, which writes to the same source map.
    Tracer(std::shared_ptr<SourceMap> sources, GraphBuilder &builder, std::stop_token stop);

    [[nodiscard]] GraphBuilder &builder() { return m_builder; }
    [[nodiscard]] SourceMap &sources() { return *m_sources; }
    [[nodiscard]] const Node &node(NodeId id) const { return m_builder.node(id); }
    [[nodiscard]] std::string describe(const Value &value) const { return language::describe(value, m_builder); }

    // ---- frames
    [[nodiscard]] Frame &frame() { return m_frames.back(); }
    [[nodiscard]] const Frame &frame() const { return m_frames.back(); }
    [[nodiscard]] Frame &topFrame() { return m_frames.front(); }
    [[nodiscard]] std::size_t callDepth() const { return m_frames.size() - 1; }
    void enter(Frame frame);
    Frame leave();
    // Of what the frame makes from now on.
    void setScope(ScopeId scope);

    // ---- places. Each evaluation of an expression is an item of its own: a loop's turns can be told apart.
    [[nodiscard]] const Expr &expr(ExprId id) const { return frame().module->tree.expr(id); }
    SourceId itemOf(ExprId id);
    SourceId itemAt(TextRange range, std::string label);

    // ---- diagnostics
    [[nodiscard]] Diagnostic diagnostic(SourceId item, Code code, std::string message) const;
    template <class... Args>
    [[nodiscard]] Failure fail(const Place &item, Code code, fmt::format_string<Args...> pattern, Args &&...args) const
    {
        return Failure({diagnostic(item, code, fmt::format(pattern, std::forward<Args>(args)...))});
    }
    template <class... Args>
    [[nodiscard]] Failure fail(ExprId id, Code code, fmt::format_string<Args...> pattern, Args &&...args)
    {
        return fail(itemOf(id), code, pattern, std::forward<Args>(args)...);
    }
    // Places the diagnostics of a helper without places at the item.
    [[nodiscard]] Failure placed(SourceId item, const Failure &failure) const;
    template <class T>
    [[nodiscard]] Result<T> placed(const Place &item, Result<T> result) const
    {
        return result ? std::move(result) : Result<T>(placed(item, result.failure()));
    }
    // Reports each message once per place. Too many errors end the tracing.
    void report(const Diagnostics &diagnostics);
    [[nodiscard]] Diagnostics takeDiagnostics() { return std::move(m_diagnostics); }
    [[nodiscard]] bool hasErrors() const;

    // ---- limits: a cancelled or endless program ends here
    Result<Done> countStep(SourceId item);
    Result<Done> countStep(ExprId id);
    // Counts work that grows with a list: one step covers several of its items.
    Result<Done> countItems(const Place &item, std::size_t items);
    // Ends the tracing: otherwise endless recursion would be tried again at every level on the way back.
    void stop() { m_isStopped = true; }
    [[nodiscard]] bool isStopped() const { return m_isStopped; }

    // ---- dimensions
    void addDimension(const std::string &name, NodeId node) { m_dimensions.insert_or_assign(name, node); }

    // ---- values
    Result<Value> makeList(const Place &item, std::vector<Value> items);
    // Turns a number or a nested list of numbers into a constant of the type; returns a tensor unchanged.
    Result<NodeId> tensorOf(const Operand &operand, DType type);
    // Likewise, with the value's own type.
    Result<NodeId> tensorOf(const Operand &operand);
    Result<Scalar> scalarOf(const Value &value, DType type, SourceId item) const;
    Result<HostTensor> constantOf(const Value &value, DType type, SourceId item) const;

private:
    struct ConstantFill {
        HostTensor out;
        std::int64_t next = 0;
    };
    Result<Done> fillConstant(const Value &value, std::size_t depth, ConstantFill &fill, SourceId item) const;

    std::shared_ptr<SourceMap> m_sources;
    GraphBuilder &m_builder;
    std::deque<Frame> m_frames; // a deque, because references to frames must survive pushes and pops
    DimensionNodes m_dimensions;
    Diagnostics m_diagnostics;
    std::stop_token m_stop;
    std::uint64_t m_steps = 0;
    bool m_isStopped = false;
};

} // namespace sw::language
