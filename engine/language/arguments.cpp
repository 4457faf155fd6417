#include "engine/language/arguments.h"

#include "engine/language/suggest.h"

#include <algorithm>
#include <utility>

namespace sw::language {

namespace {

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return text;
}

Failure withSignature(Failure failure, const Signature &signature)
{
    std::string &hint = failure.diagnostics.front().hint;
    hint = hint.empty() ? signature.text : format("{} {}", hint, signature.text);
    return failure;
}

Failure unknownKeyword(Tracer &tracer, const Signature &signature, const Argument &argument, const Place &item)
{
    std::vector<std::string> names;
    for (const Signature::Parameter &parameter : signature.parameters)
        names.emplace_back(parameter.name);
    Failure failure = tracer.fail(item, Code::Argument, "{} has no parameter {}", signature.function, argument.keyword);
    failure.diagnostics.front().hint = suggestion(argument.keyword, names);
    return withSignature(std::move(failure), signature);
}

} // namespace

Signature parseSignature(std::string_view function, std::string_view parameters)
{
    Signature out{function, {}, {}};
    std::string shown;
    while (!parameters.empty()) {
        const std::size_t comma = std::min(parameters.find(','), parameters.size());
        std::string_view one = trimmed(parameters.substr(0, comma));
        parameters.remove_prefix(std::min(comma + 1, parameters.size()));
        const bool takesRest = one.starts_with('*');
        one.remove_prefix(takesRest ? 1 : 0);
        shown += shown.empty() ? "" : ", ";
        shown += one;
        const std::size_t equals = one.find('=');
        const std::string_view name = trimmed(one.substr(0, std::min(equals, one.size())));
        out.parameters.push_back({name, equals != std::string_view::npos, takesRest});
    }
    out.text = format("{}({})", function, shown);
    return out;
}

Result<BoundArguments> bindArguments(Tracer &tracer, const Signature &signature, std::span<const Argument> arguments,
                                     const Place &item)
{
    BoundArguments bound(signature.parameters.size());
    std::size_t next = 0;
    std::vector<Value> rest; // the arguments that a last parameter collects, when there are several
    for (const Argument &argument : arguments) {
        std::size_t place = next;
        if (!argument.keyword.empty()) {
            const auto found = std::ranges::find(signature.parameters, argument.keyword, &Signature::Parameter::name);
            if (found == signature.parameters.end())
                return unknownKeyword(tracer, signature, argument, item);
            place = static_cast<std::size_t>(found - signature.parameters.begin());
        } else if (next > 0 && signature.parameters[next - 1].takesRest) {
            // Further arguments of the rest join the first one in a list.
            const Value &first = bound[next - 1]->value;
            if (const ListValue *list = first.as<ListValue>(); rest.empty() && list != nullptr)
                rest = *list->items;
            else if (rest.empty())
                rest.push_back(first);
            rest.push_back(argument.operand.value);
            continue;
        } else if (next == bound.size()) {
            return withSignature(tracer.fail(item, Code::Argument, "{} takes {} argument{}, found {}", signature.function,
                                             bound.size(), bound.size() == 1 ? "" : "s", arguments.size()),
                                 signature);
        } else {
            ++next;
        }
        if (bound[place])
            return withSignature(
                tracer.fail(item, Code::Argument, "{} is given twice to {}", argument.keyword, signature.function), signature);
        bound[place] = argument.operand;
    }
    if (!rest.empty()) {
        SW_TRY(bound[next - 1]->value, tracer.makeList(item, std::move(rest)));
    }
    for (std::size_t i = 0; i < bound.size(); ++i) {
        if (!bound[i] && !signature.parameters[i].isOptional)
            return withSignature(
                tracer.fail(item, Code::Argument, "{} needs the argument {}", signature.function, signature.parameters[i].name),
                signature);
    }
    return bound;
}

bool BuiltinCall::has(std::size_t index) const
{
    return m_arguments[index].has_value() && !m_arguments[index]->value.isA<Nothing>();
}

const Operand &BuiltinCall::operand(std::size_t index) const
{
    SW_ASSERT(m_arguments[index].has_value(), "an argument that was given");
    return *m_arguments[index];
}

Failure BuiltinCall::wrongArgument(std::size_t index, std::string_view expected) const
{
    Failure failure = fail(Code::Argument, "{} of {}: expected {}, found {}", m_signature.parameters[index].name, function(),
                           expected, m_tracer.describe(value(index)));
    return withSignature(std::move(failure), m_signature);
}

Result<Value> BuiltinCall::made(Result<NodeId> node) const
{
    SW_TRY(const NodeId id, m_tracer.placed(m_item, std::move(node)));
    return Value{TensorValue{id}};
}

Result<NodeId> BuiltinCall::tensor(std::size_t index) const
{
    const Value &given = value(index);
    if (!given.isA<TensorValue>() && !defaultType(given))
        return wrongArgument(index, "a tensor");
    return m_tracer.tensorOf(operand(index));
}

Result<NodeId> BuiltinCall::tensor(std::size_t index, DType type) const
{
    const Value &given = value(index);
    if (!given.isA<TensorValue>() && !defaultType(given))
        return wrongArgument(index, "a tensor");
    return m_tracer.tensorOf(operand(index), type);
}

void BuiltinCall::enterScope() const
{
    const SourceId item = m_item;
    m_tracer.builder().setScope(m_tracer.sources().addScope({std::string(function()), m_tracer.frame().scope, item}));
}

Result<std::string> BuiltinCall::text(std::size_t index) const
{
    const std::string *given = value(index).as<std::string>();
    if (given == nullptr)
        return wrongArgument(index, "a text");
    return *given;
}

Result<std::int64_t> BuiltinCall::integer(std::size_t index) const
{
    const std::int64_t *given = value(index).as<std::int64_t>();
    if (given == nullptr)
        return wrongArgument(index, "an integer");
    return *given;
}

Result<bool> BuiltinCall::flag(std::size_t index, bool otherwise) const
{
    if (!has(index))
        return otherwise;
    const bool *given = value(index).as<bool>();
    if (given == nullptr)
        return wrongArgument(index, "true or false");
    return *given;
}

Result<std::vector<std::int64_t>> BuiltinCall::integers(std::size_t index) const
{
    if (const std::int64_t *one = value(index).as<std::int64_t>())
        return std::vector{*one};
    const ListValue *list = value(index).as<ListValue>();
    if (list == nullptr)
        return wrongArgument(index, "a list of integers");
    std::vector<std::int64_t> out;
    for (const Value &item : *list->items) {
        const std::int64_t *integer = item.as<std::int64_t>();
        if (integer == nullptr)
            return wrongArgument(index, "a list of integers");
        out.push_back(*integer);
    }
    return out;
}

Result<DType> BuiltinCall::dtype(std::size_t index) const
{
    const DType *given = value(index).as<DType>();
    if (given == nullptr)
        return wrongArgument(index, "an element type such as f32");
    return *given;
}

Result<std::vector<SymbolicExpr>> BuiltinCall::extents(std::size_t index) const
{
    if (const auto one = asExtent(value(index)))
        return std::vector{*one};
    const ListValue *list = value(index).as<ListValue>();
    if (list == nullptr)
        return wrongArgument(index, "a list of integers");
    std::vector<SymbolicExpr> out;
    for (const Value &item : *list->items) {
        auto extent = asExtent(item);
        if (!extent)
            return wrongArgument(index, "a list of integers");
        out.push_back(std::move(*extent));
    }
    return out;
}

Result<Shape> BuiltinCall::shape(std::size_t index) const
{
    SW_TRY(std::vector<SymbolicExpr> given, extents(index));
    return m_tracer.placed(m_item, Shape::checkedSymbolic(std::move(given)));
}

Result<std::size_t> BuiltinCall::axis(std::size_t index, std::size_t rank) const
{
    SW_TRY(const std::int64_t given, integer(index));
    return m_tracer.placed(m_item, normalizedAxis(given, rank));
}

Result<std::vector<std::size_t>> BuiltinCall::axes(std::size_t index, std::size_t rank) const
{
    std::vector<std::size_t> out;
    if (!has(index)) {
        for (std::size_t axis = 0; axis < rank; ++axis)
            out.push_back(axis);
        return out;
    }
    SW_TRY(const std::vector<std::int64_t> given, integers(index));
    for (const std::int64_t axis : given) {
        SW_TRY(const std::size_t normal, m_tracer.placed(m_item, normalizedAxis(axis, rank)));
        if (std::ranges::find(out, normal) != out.end())
            return fail(Code::Argument, "axis {} is listed twice in [{}]", axis, join(given, ", "));
        out.push_back(normal);
    }
    return out;
}

Result<Op> BuiltinCall::reduceOp(std::size_t index) const
{
    const std::string *name = value(index).as<std::string>();
    const auto op = name == nullptr ? std::nullopt : opNamed(*name);
    if (!op || !sw::has(infoOf(*op).traits, Trait::ReduceOp)) {
        std::vector<std::string_view> names;
        for (const Op candidate : allOps()) {
            if (sw::has(infoOf(candidate).traits, Trait::ReduceOp))
                names.push_back(nameOf(candidate));
        }
        return wrongArgument(index, "one of the texts " + join(names, ", ", [](std::string_view n) { return quoted(n); }));
    }
    return *op;
}

} // namespace sw::language
