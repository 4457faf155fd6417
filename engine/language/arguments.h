#pragma once
// Arguments of a call: matched with the parameters by place and by name, then read with the type that a built-in function needs.

#include "engine/language/tracer.h"

#include <optional>
#include <span>

namespace sw::language {

struct Argument {
    Operand operand;
    std::string_view keyword; // empty: given by its place
};

struct Signature {
    struct Parameter {
        std::string_view name;
        bool isOptional = false;
        bool takesRest = false; // the arguments from here on, as a list when there are several
    };
    std::string_view function;
    std::string text; // "softmax(x, axis = -1)"
    std::vector<Parameter> parameters;
};

// "x, axis = None" and "x, *shape": the form in which built-in functions say what they take.
[[nodiscard]] Signature parseSignature(std::string_view function, std::string_view parameters);

// One per parameter; empty for one that was left out and has a default.
using BoundArguments = std::vector<std::optional<Operand>>;
Result<BoundArguments> bindArguments(Tracer &tracer, const Signature &signature, std::span<const Argument> arguments,
                                     const Place &item);

// A call of a built-in function. Places of parameters count from 0; None counts as left out.
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
    Result<std::vector<std::int64_t>> integers(std::size_t index) const; // one integer is a list of one
    Result<DType> dtype(std::size_t index) const;
    Result<Shape> shape(std::size_t index) const;
    Result<std::size_t> axis(std::size_t index, std::size_t rank) const;
    Result<std::vector<std::size_t>> axes(std::size_t index, std::size_t rank) const; // left out: all of them
    Result<Op> reduceOp(std::size_t index) const;

    template <class... Args>
    [[nodiscard]] Failure fail(Code code, fmt::format_string<Args...> pattern, Args &&...args) const
    {
        return m_tracer.fail(m_item, code, pattern, std::forward<Args>(args)...);
    }
    // "pad: widths: expected a list ..., found ...", with the signature as a hint.
    [[nodiscard]] Failure wrongArgument(std::size_t index, std::string_view expected) const;

    // What the builder gave, placed and wrapped.
    Result<Value> made(Result<NodeId> node) const;
    // Likewise for what `make` builds in a scope of the function's name, so that what a pass writes for it can be folded.
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
