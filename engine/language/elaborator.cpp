#include "engine/language/elaborator.h"

#include "engine/language/parser.h"

#include <algorithm>
#include <utility>

namespace sw::language {

namespace {

// Tokens take much more memory than their text, and nobody writes this much; large constants belong in .npy files.
constexpr std::size_t kMostBytes = std::size_t{4} << 20;

bool isWithin(const SourceMap &sources, ScopeId scope, ScopeId outer)
{
    while (scope != outer && scope.isValid() && scope != SourceMap::rootScope())
        scope = sources.scope(scope).parent;
    return scope == outer;
}

ProgramResult tooLong(const ProgramSource &program)
{
    auto sources = std::make_shared<SourceMap>();
    sources->addFile({program.name, {}});
    const SourceRange start{program.name, 1, 1, 1, 1};
    return {
        std::nullopt,
        std::move(sources),
        {Diagnostic::error(Code::Limit, start, "the program has {} bytes, at most {} are read", program.text.size(), kMostBytes)
             .withHint("keep large constants in .npy files and load them")}};
}

} // namespace

Elaborator::Elaborator(const ProgramSource &program, ElaboratorParts parts)
    : m_program(program),
      m_sources(std::move(parts.sources)),
      m_tracer(m_sources, parts.builder, std::move(parts.stop)),
      m_library(parts.library),
      m_module(program.name, program.text)
{
}

ProgramResult Elaborator::run()
{
    if (m_program.text.size() > kMostBytes)
        return tooLong(m_program);
    m_module.file = m_sources->addFile({m_program.name, m_program.text});
    ParsedFile parsed = parse(m_module.source);
    m_module.tree = std::move(parsed.tree);
    listFunctions(m_module, parsed.diagnostics);
    m_tracer.report(parsed.diagnostics);

    m_tracer.enter({.module = &m_module});
    executeBlock(m_module.tree.program);
    const auto end = static_cast<std::uint32_t>(m_program.text.size());
    if (m_outputs.empty() && !m_tracer.hasErrors()) {
        const SourceId item = m_tracer.itemAt({end, end}, "end of the program");
        Failure failure = m_tracer.fail(item, Code::Argument, "the program has no output");
        failure.diagnostics.front().hint = "end it with a line such as: output x";
        m_tracer.report(failure.diagnostics);
    }
    ProgramResult result{std::nullopt, m_sources, {}};
    if (!m_tracer.hasErrors()) {
        auto graph = std::move(m_tracer.builder()).finish(Origin(m_outputItems), m_outputs, m_outputNames);
        if (graph)
            result.graph = std::move(graph).value();
        else
            m_tracer.report(graph.error());
    }
    result.diagnostics = m_tracer.takeDiagnostics();
    std::ranges::stable_sort(result.diagnostics, {}, [](const Diagnostic &d) { return std::pair(d.where.line, d.where.column); });
    return result;
}

void Elaborator::executeBlock(std::span<const StatementId> block)
{
    for (const StatementId id : block) {
        if (m_tracer.frame().result.has_value() || m_tracer.isStopped())
            return;
        execute(id);
    }
}

void Elaborator::execute(StatementId id)
{
    const Statement &statement = m_tracer.frame().module->tree.statement(id);
    if (!statement.isBroken) {
        ++m_depth;
        const Result<Done> done = tryExecute(statement);
        --m_depth;
        if (done)
            return;
        m_tracer.report(done.error());
    }
    breakNames(statement);
}

Result<Done> Elaborator::tryExecute(const Statement &statement)
{
    switch (statement.kind) {
    case StatementKind::Error:
        return Failure({});
    case StatementKind::Assign:
        return executeAssign(statement);
    case StatementKind::Expression:
        return executeExpression(statement);
    case StatementKind::Input:
        return declarePlaceholder(statement, PlaceholderRole::Input);
    case StatementKind::Param:
        return declarePlaceholder(statement, PlaceholderRole::Param);
    case StatementKind::Const:
        return declareConst(statement);
    case StatementKind::Output:
        return declareOutput(statement);
    case StatementKind::Dimension:
        return declareDimension(statement);
    case StatementKind::Def:
        if (m_tracer.callDepth() > 0)
            return m_tracer.fail(m_tracer.itemAt(statement.range, "def"), Code::Unsupported,
                                 "a function inside of a function is not supported; define it at the top level");
        return Done{};
    case StatementKind::Return:
        return executeReturn(statement);
    case StatementKind::If:
        return executeIf(statement);
    case StatementKind::For:
        return executeFor(statement);
    case StatementKind::Scope:
        return executeScope(statement);
    case StatementKind::Pass:
        return Done{};
    }
    SW_UNREACHABLE();
}

void Elaborator::bindName(std::string_view name, const Value &value)
{
    m_tracer.frame().names.insert_or_assign(name, value);
    // The first name given to a value is its name in the graph; a function does not name its arguments.
    const TensorValue *tensor = value.as<TensorValue>();
    if (tensor != nullptr && m_tracer.node(tensor->node).name.empty() &&
        isWithin(*m_sources, m_tracer.node(tensor->node).scope, m_tracer.frame().scope))
        m_tracer.builder().setName(tensor->node, std::string(name));
}

Result<Done> Elaborator::bindNames(std::span<const NameSyntax> names, const Value &value, ExprId from)
{
    if (names.size() == 1) {
        bindName(names.front().text, value);
        return Done{};
    }
    const ListValue *list = value.as<ListValue>();
    if (list == nullptr || list->items->size() != names.size())
        return m_tracer.fail(from, Code::Argument, "{} names on the left need a list of as many, found {}", names.size(),
                             m_tracer.describe(value));
    for (std::size_t i = 0; i < names.size(); ++i)
        bindName(names[i].text, (*list->items)[i]);
    return Done{};
}

Result<Done> Elaborator::executeAssign(const Statement &statement)
{
    SW_TRY(Operand right, operandOf(statement.value));
    if (!statement.text.empty()) { // x += 1
        const SourceId item = m_tracer.itemAt(statement.range, std::string(statement.targets.front().text));
        const std::string_view name = statement.targets.front().text;
        SW_TRY(Value old, lookup(name, statement.value));
        const Operand left{std::move(old), statement.value};
        if (statement.text == "@") {
            SW_TRY(right.value, multiplyMatrices(left, right, item));
        } else {
            SW_TRY(right.value, applyBinary(m_tracer, statement.text, left, right, item));
        }
    }
    if (statement.type) {
        SW_TRY(right.value, checkedType(*statement.type, right.value, Place(m_tracer, statement.value), false));
    }
    return bindNames(statement.targets, right.value, statement.value);
}

Result<Done> Elaborator::executeExpression(const Statement &statement)
{
    const bool isComment = m_tracer.expr(statement.value).kind == ExprKind::String;
    SW_TRY(const Value value, evaluate(statement.value));
    if (!isComment && !value.isA<Nothing>()) {
        const SourceId item = m_tracer.itemOf(statement.value);
        Diagnostic warning = m_tracer.diagnostic(item, Code::Argument, "the value of this line is not used");
        warning.severity = Severity::Warning;
        m_tracer.report({warning});
    }
    return Done{};
}

Result<Done> Elaborator::executeReturn(const Statement &statement)
{
    if (m_tracer.callDepth() == 0)
        return m_tracer.fail(m_tracer.itemAt(statement.range, "return"), Code::Syntax, "'return' stands outside of a function");
    Value value;
    if (statement.value.isValid()) {
        SW_TRY(value, evaluate(statement.value));
    }
    m_tracer.frame().result = std::move(value);
    return Done{};
}

Result<Done> Elaborator::executeIf(const Statement &statement)
{
    SW_TRY(const Operand condition, operandOf(statement.value));
    SW_TRY(const bool truth, truthOf(m_tracer, condition));
    executeBlock(truth ? statement.body : statement.otherwise);
    return Done{};
}

Result<Done> Elaborator::executeFor(const Statement &statement)
{
    SW_TRY(const Value sequence, evaluate(statement.value));
    const ListValue *list = sequence.as<ListValue>();
    if (list == nullptr)
        return m_tracer.fail(statement.value, Code::Type, "a loop goes through a list or range(n), found {}",
                             m_tracer.describe(sequence));
    for (const Value &value : *list->items) {
        SW_CHECK(m_tracer.countStep(statement.value));
        SW_CHECK(bindNames(statement.targets, value, statement.value));
        executeBlock(statement.body);
        if (m_tracer.frame().result.has_value())
            break;
    }
    return Done{};
}

// scope "encoder/layer.0": a scope within that of the frame for each part of the name. The same name means the same scope.
Result<Done> Elaborator::executeScope(const Statement &statement)
{
    const std::string &path = m_tracer.expr(statement.value).stringValue;
    Frame &frame = m_tracer.frame();
    const ScopeId outer = frame.scope;
    ScopeId inner = outer;
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string name = path.substr(begin, end - begin);
        if (name.empty())
            return m_tracer.fail(statement.value, Code::Argument, "a scope has a name, as in scope \"encoder/layer.0\", found {}",
                                 sw::quoted(path));
        const auto [found, isNew] = m_namedScopes.try_emplace({inner, name}, inner);
        if (isNew)
            found->second = m_sources->addScope({name, inner, m_tracer.itemAt(statement.range, name)});
        inner = found->second;
        begin = end + 1;
    }
    m_tracer.setScope(inner);
    executeBlock(statement.body);
    m_tracer.setScope(outer);
    return Done{};
}

// After a failed statement, the names that it and its blocks would have set become broken.
void Elaborator::breakNames(const Statement &statement)
{
    if (statement.kind == StatementKind::Def)
        return;
    if (statement.kind == StatementKind::Return && m_tracer.callDepth() > 0)
        m_tracer.frame().result = Value{Broken{}};
    // A failed check ends the function, because the rest relies on it.
    if (statement.kind == StatementKind::Expression && m_tracer.callDepth() > 0)
        m_tracer.frame().result = Value{Broken{}};
    for (const NameSyntax &name : statement.targets)
        m_tracer.frame().names.insert_or_assign(name.text, Value{Broken{}});
    const SyntaxTree &tree = m_tracer.frame().module->tree;
    for (const auto *block : {&statement.body, &statement.otherwise}) {
        for (const StatementId id : *block)
            breakNames(tree.statement(id));
    }
}

} // namespace sw::language
