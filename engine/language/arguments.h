#pragma once
// Arguments of a call: they are matched to parameters by place and name, then read as the types that a built-in function needs.

#include "engine/language/tracer.h"

#include <optional>
#include <span>

namespace sw::language {

struct Argument {
    Operand operand;
    std::string_view keyword; // empty: the argument is positional
};

struct Signature {
    struct Parameter {
        std::string_view name;
        bool isOptional = false;
        bool takesRest = false; // takes all remaining arguments, as a list when there are several
    };
    std::string_view function;
    std::string text; // "softmax(x, axis = -1)"
    std::vector<Parameter> parameters;
};

// Parses "x, axis = None" or "x, *shape", the form in which built-in functions declare their parameters.
[[nodiscard]] Signature parseSignature(std::string_view function, std::string_view parameters);

// One per parameter; empty if the argument was left out and the parameter has a default.
using BoundArguments = std::vector<std::optional<Operand>>;
Result<BoundArguments> bindArguments(Tracer &tracer, const Signature &signature, std::span<const Argument> arguments,
                                     const Place &item);

// A call of a built-in function. Parameters are numbered from 0; an argument None counts as left out.
class BuiltinCall {
public:
    BuiltinCall(Tracer &tracer, const Place &item, Signature signature, BoundArguments arguments)
        : m_tracer(tracer), m_item(item), m_signature(std::move(signature)), m_arguments(std::move(arguments))
    {
    }

    [[nodiscard]] Tracer &tracer() const { return m_tracer; }
    [[nodiscard]] GraphBuilder &builder() const { return m_tracer.builder(); }
    [[nodiscard]] const Place &item() const { return m_item; }
    [[nodiscard]] Origin origin() const { return Origin(SourceId(m_item)); }
    [[nodiscard]] std::string_view function() const { return m_signature.function; }

    [[nodiscard]] bool has(std::size_t index) const;
    [[nodiscard]] const Operand &operand(std::size_t index) const;
    [[nodiscard]] const Value &value(std::size_t index) const { return operand(index).value; }

    Result<NodeId> tensor(std::size_t index) const;
    Result<NodeId> tensor(std::size_t index, DType type) const; // numbers become constants of the type
    Result<std::int64_t> integer(std::size_t index) const;
    Result<std::string> text(std::size_t index) const;
    Result<bool> flag(std::size_t index, bool otherwise) const;
    Result<std::vector<SymbolicExpr>> extents(std::size_t index) const;  // integers and dimensions
    Result<std::vector<std::int64_t>> integers(std::size_t index) const; // one integer counts as a list of one
    Result<DType> dtype(std::size_t index) const;
    Result<Shape> shape(std::size_t index) const;
    Result<std::size_t> axis(std::size_t index, std::size_t rank) const;
    Result<std::vector<std::size_t>> axes(std::size_t index, std::size_t rank) const; // all axes if left out
    Result<Op> reduceOp(std::size_t index) const;

    template <class... Args>
    [[nodiscard]] Failure fail(Code code, fmt::format_string<Args...> pattern, Args &&...args) const
    {
        return m_tracer.fail(m_item, code, pattern, std::forward<Args>(args)...);
    }
    // Reports "pad: widths: expected a list ..., found ...", with the signature as a hint.
    [[nodiscard]] Failure wrongArgument(std::size_t index, std::string_view expected) const;

    // Returns the builder's node as a value, or its failure placed at the call.
    Result<Value> made(Result<NodeId> node) const;
    // Likewise, but `make` runs in a scope named after the function, so that the nodes a pass writes for it can be folded.
    template <class Make>
    Result<Value> madeInScope(Make make) const
    {
        enterScope();
        Result<NodeId> node = make();
        m_tracer.builder().setScope(m_tracer.frame().scope);
        return made(std::move(node));
    }

private:
    void enterScope() const;

    Tracer &m_tracer;
    Place m_item;
    Signature m_signature;
    BoundArguments m_arguments;
};

} // namespace sw::language
