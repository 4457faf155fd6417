// Looks up names and calls the functions that they stand for.

#include "engine/language/builtins.h"
#include "engine/language/elaborator.h"
#include "engine/language/suggest.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <numbers>
#include <utility>

namespace sw::language {

namespace {

constexpr std::size_t kMaxCallDepth = 64;

struct NamedNumber {
    std::string_view name;
    double value = 0;
};

constexpr std::array<NamedNumber, 3> kNumbers = {{
    {"inf", std::numeric_limits<double>::infinity()},
    {"nan", std::numeric_limits<double>::quiet_NaN()},
    {"pi", std::numbers::pi},
}};

std::string_view parametersOf(Op op)
{
    if (op == Op::Where)
        return "condition, x, y";
    return arityOf(op) == 1 ? "x" : arityOf(op) == 2 ? "x, y" : "x, y, z";
}

} // namespace

std::optional<Value> Elaborator::findVariable(std::string_view name)
{
    const auto local = m_tracer.frame().names.find(name);
    if (local != m_tracer.frame().names.end())
        return local->second;
    // The program's functions see its variables; the library's do not.
    if (m_tracer.frame().module != &m_module)
        return std::nullopt;
    const auto &globals = m_tracer.topFrame().names;
    const auto global = globals.find(name);
    return global == globals.end() ? std::nullopt : std::optional(global->second);
}

std::optional<Value> Elaborator::findFunction(std::string_view name)
{
    const Module &module = *m_tracer.frame().module;
    const auto own = module.functions.find(name);
    if (own != module.functions.end())
        return Value{FunctionValue{.name = own->first, .module = &module, .definition = own->second}};
    if (const Builtin *builtin = builtinNamed(name))
        return Value{FunctionValue{.name = builtin->name, .builtin = builtin}};
    if (const auto op = opNamed(name))
        return Value{FunctionValue{.name = nameOf(*op), .op = op}};
    return findInLibrary(name);
}

std::optional<Value> Elaborator::findInLibrary(std::string_view name)
{
    Diagnostics diagnostics;
    const auto found = m_library.find(name, *m_sources, diagnostics);
    m_tracer.report(diagnostics);
    if (!found)
        return std::nullopt;
    const std::string_view stored = found->module->functions.find(name)->first;
    return Value{FunctionValue{.name = stored, .module = found->module, .definition = found->definition}};
}

Result<Value> Elaborator::lookup(std::string_view name, ExprId id)
{
    if (const auto variable = findVariable(name)) {
        if (variable->isA<Broken>())
            return Failure({});
        return *variable;
    }
    if (m_tracer.frame().module->functions.contains(name))
        return *findFunction(name);
    if (const auto dtype = dtypeNamed(name))
        return Value{*dtype};
    for (const NamedNumber &number : kNumbers) {
        if (number.name == name)
            return Value{number.value};
    }
    if (name == "newaxis")
        return Value{Nothing{}};
    if (const auto function = findFunction(name))
        return *function;
    return unknownName(name, id);
}

std::vector<std::string> Elaborator::knownNames()
{
    std::vector<std::string> names = m_library.names();
    for (const auto &[name, value] : m_tracer.frame().names)
        names.emplace_back(name);
    if (m_tracer.frame().module == &m_module) {
        for (const auto &[name, value] : m_tracer.topFrame().names)
            names.emplace_back(name);
    }
    for (const auto &[name, definition] : m_tracer.frame().module->functions)
        names.emplace_back(name);
    std::ranges::move(builtinNames(), std::back_inserter(names));
    for (const Op op : allOps())
        names.emplace_back(nameOf(op));
    for (const DType dtype : allDTypes())
        names.emplace_back(nameOf(dtype));
    return names;
}

Failure Elaborator::unknownName(std::string_view name, ExprId id)
{
    const std::string_view instead = unsupportedFunction(name);
    Failure failure = !instead.empty() ? m_tracer.fail(id, Code::Unsupported, "{} is not supported", name)
                                       : m_tracer.fail(id, Code::UnknownName, "unknown name {}", name);
    std::string &hint = failure.diagnostics.front().hint;
    if (!instead.empty())
        hint = instead;
    else if (name == "load" || name == "random")
        hint = format("{}(...) gives the value of a parameter: param w: f32[2] = {}(...)", name, name);
    else
        hint = suggestion(name, knownNames());
    return failure;
}

Signature Elaborator::signatureOf(const FunctionValue &function)
{
    if (function.builtin != nullptr)
        return parseSignature(function.name, function.builtin->parameters);
    if (function.op)
        return parseSignature(function.name, parametersOf(*function.op));
    Signature out{function.name, {}, {}};
    const Statement &definition = function.module->tree.statement(function.definition);
    std::string shown;
    for (const ParameterSyntax &parameter : definition.parameters) {
        out.parameters.push_back({parameter.name.text, parameter.defaultValue.isValid(), false});
        shown += shown.empty() ? "" : ", ";
        shown += parameter.name.text;
        if (!parameter.defaultValue.isValid())
            continue;
        shown += " = ";
        shown += function.module->source.slice(function.module->tree.expr(parameter.defaultValue).range);
    }
    out.text = format("{}({})", function.name, shown);
    return out;
}

// Evaluates the callee of f(x), or of x.f(y), which means f(x, y).
Result<Value> Elaborator::evaluateCallee(const Expr &callee, ExprId id, std::vector<Argument> &arguments)
{
    if (callee.kind != ExprKind::Attribute)
        return evaluate(id);
    SW_TRY(Operand object, operandOf(callee.operands.front()));
    arguments.push_back({std::move(object), {}});
    const auto function = findFunction(callee.text);
    if (!function)
        return unknownName(callee.text, id);
    return *function;
}

Result<Value> Elaborator::evaluateCall(ExprId id, const Expr &expr)
{
    std::vector<Argument> arguments;
    Diagnostics errors;
    bool isWhole = true;
    const auto failed = [&](const Diagnostics &found) {
        isWhole = false;
        errors.insert(errors.end(), found.begin(), found.end());
    };
    const Result<Value> callee = evaluateCallee(m_tracer.expr(expr.operands.front()), expr.operands.front(), arguments);
    if (!callee)
        failed(callee.error());
    for (std::size_t i = 1; i < expr.operands.size(); ++i) {
        Result<Operand> operand = operandOf(expr.operands[i]);
        if (operand)
            arguments.push_back({std::move(operand).value(), expr.keywords[i - 1]});
        else
            failed(operand.error());
    }
    if (!isWhole)
        return Failure(std::move(errors));
    const Place item(m_tracer, id);
    if (const FunctionValue *function = callee->as<FunctionValue>())
        return call(*function, arguments, item);
    // f32(x) converts, as in NumPy.
    if (const DType *dtype = callee->as<DType>(); dtype != nullptr && arguments.size() == 1) {
        arguments.push_back({{Value{*dtype}, expr.operands.front()}, {}});
        return call(*findFunction("cast")->as<FunctionValue>(), arguments, item);
    }
    return m_tracer.fail(expr.operands.front(), Code::Type, "expected a function to call, found {}", m_tracer.describe(*callee));
}

Result<Value> Elaborator::call(const FunctionValue &function, std::span<const Argument> arguments, const Place &item)
{
    if (function.op)
        return callOp(*function.op, arguments, item);
    if (function.builtin == nullptr)
        return callDefinition(function, arguments, item);
    Signature signature = signatureOf(function);
    SW_TRY(BoundArguments bound, bindArguments(m_tracer, signature, arguments, item));
    return function.builtin->call(BuiltinCall(m_tracer, item, std::move(signature), std::move(bound)));
}

Result<Value> Elaborator::callOp(Op op, std::span<const Argument> arguments, const Place &item)
{
    SW_TRY(const BoundArguments bound, bindArguments(m_tracer, parseSignature(nameOf(op), parametersOf(op)), arguments, item));
    std::vector<Operand> operands;
    for (const auto &operand : bound)
        operands.push_back(*operand);
    return applyOp(m_tracer, op, operands, item);
}

Result<Value> Elaborator::callDefinition(const FunctionValue &function, std::span<const Argument> arguments, const Place &place)
{
    const SourceId item = place;
    if (m_tracer.callDepth() >= kMaxCallDepth) {
        m_tracer.stop();
        return m_tracer.fail(item, Code::Limit, "calls nest deeper than {}: does {} call itself without end?", kMaxCallDepth,
                             function.name);
    }
    const Statement &definition = function.module->tree.statement(function.definition);
    if (definition.isBroken)
        return Failure({});
    SW_TRY(const BoundArguments bound, bindArguments(m_tracer, signatureOf(function), arguments, item));
    const ScopeId scope = m_sources->addScope({std::string(function.name), m_tracer.frame().scope, item});
    return runDefinition(function, bound, scope, item);
}

Result<Value> Elaborator::runDefinition(const FunctionValue &function, const BoundArguments &bound, ScopeId scope, SourceId item)
{
    const Statement &definition = function.module->tree.statement(function.definition);
    m_tracer.enter({.module = function.module, .scope = scope, .caller = item, .function = function.name});
    Result<Done> bindingDone = bindParameters(definition, bound, item);
    Result<Value> made = bindingDone ? runBody(definition, item) : Result<Value>(bindingDone.failure());
    m_tracer.leave();
    return made;
}

Result<Value> Elaborator::callLibrary(const LibraryCall &made)
{
    m_module.file = SourceMap::programFile();
    m_tracer.enter({.module = &m_module, .scope = made.scope});
    const std::optional<Value> found = findInLibrary(made.function);
    if (!found && m_tracer.hasErrors())
        return Failure(m_tracer.takeDiagnostics());
    if (!found)
        return m_tracer.fail(made.caller, Code::File, "the library has no function {}, which should be in {}.sw", made.function,
                             made.function);
    const auto &function = *found->as<FunctionValue>();
    std::vector<Argument> arguments;
    for (const LibraryArgument &argument : made.arguments)
        arguments.push_back({{argument.value, ExprId()}, argument.name});
    SW_TRY(const BoundArguments bound, bindArguments(m_tracer, signatureOf(function), arguments, made.caller));
    const ScopeId scope = m_sources->addScope({made.scopeName, made.scope, made.caller});
    Result<Value> result = function.module->tree.statement(function.definition).isBroken
                               ? Result<Value>(Failure({}))
                               : runDefinition(function, bound, scope, made.caller);
    m_tracer.leave();
    if (result && !m_tracer.hasErrors())
        return result;
    if (!result)
        m_tracer.report(result.error());
    return Failure(m_tracer.takeDiagnostics());
}

Result<Done> Elaborator::bindParameters(const Statement &definition, const BoundArguments &bound, SourceId item)
{
    for (std::size_t i = 0; i < bound.size(); ++i) {
        const ParameterSyntax &parameter = definition.parameters[i];
        Value value;
        if (bound[i]) {
            value = bound[i]->value;
        } else {
            SW_TRY(value, evaluate(parameter.defaultValue));
        }
        if (parameter.type && !value.isA<Nothing>()) {
            SW_TRY(value, checkedType(*parameter.type, value, item, true));
        }
        m_tracer.frame().names.insert_or_assign(parameter.name.text, std::move(value));
    }
    return Done{};
}

Result<Value> Elaborator::runBody(const Statement &definition, SourceId item)
{
    executeBlock(definition.body);
    const std::optional<Value> &result = m_tracer.frame().result;
    if (m_tracer.isStopped() || (result && result->isA<Broken>()))
        return Failure({});
    if (!result)
        return m_tracer.fail(item, Code::Argument, "{} ends without a return", definition.targets.front().text);
    return *result;
}

} // namespace sw::language
