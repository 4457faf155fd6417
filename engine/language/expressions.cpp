// Evaluates expressions, except names and calls.

#include "engine/language/elaborator.h"
#include "engine/language/integers.h"
#include "engine/language/suggest.h"

#include <array>
#include <utility>

namespace sw::language {

namespace {

constexpr std::uint32_t kMaxDepth = 500;

} // namespace

Result<Value> Elaborator::evaluate(ExprId id)
{
    if (m_depth >= kMaxDepth)
        return m_tracer.fail(id, Code::Limit, "expressions and calls nest deeper than {} levels here", kMaxDepth);
    SW_CHECK(m_tracer.countStep(id));
    ++m_depth;
    Result<Value> made = evaluateKind(id, m_tracer.expr(id));
    --m_depth;
    return made;
}

Result<Value> Elaborator::evaluateKind(ExprId id, const Expr &expr)
{
    switch (expr.kind) {
    case ExprKind::Error:
        return Failure({});
    case ExprKind::Int:
        return *integerValue(expr.intValue);
    case ExprKind::Float:
        return Value{expr.floatValue};
    case ExprKind::Bool:
        return Value{expr.intValue != 0};
    case ExprKind::None:
        return Value{Nothing{}};
    case ExprKind::String:
        return Value{expr.stringValue};
    case ExprKind::Name:
        return lookup(expr.text, id);
    case ExprKind::List:
        return evaluateList(id, expr);
    case ExprKind::Unary: {
        SW_TRY(const Operand operand, operandOf(expr.operands.front()));
        return applyUnary(m_tracer, expr.text, operand, Place(m_tracer, id));
    }
    case ExprKind::Binary:
        return evaluateBinary(id);
    case ExprKind::Logical:
        return evaluateLogical(expr);
    case ExprKind::Conditional:
        return evaluateConditional(expr);
    case ExprKind::Call:
        return evaluateCall(id, expr);
    case ExprKind::Attribute:
        return evaluateAttribute(id, expr);
    case ExprKind::Subscript:
        return evaluateSubscript(id, expr);
    case ExprKind::Slice:
        return m_tracer.fail(id, Code::Syntax, "a slice stands only in a subscript");
    case ExprKind::Ellipsis:
        return Value{Dots{}};
    case ExprKind::Comprehension:
        return evaluateComprehension(id, expr);
    }
    SW_UNREACHABLE();
}

Result<Operand> Elaborator::operandOf(ExprId id)
{
    SW_TRY(Value value, evaluate(id));
    return Operand{std::move(value), id};
}

Result<Value> Elaborator::evaluateList(ExprId id, const Expr &expr)
{
    std::vector<Value> items;
    Diagnostics errors;
    bool isWhole = true;
    for (const ExprId operand : expr.operands) {
        Result<Value> value = evaluate(operand);
        if (value) {
            items.push_back(std::move(value).value());
            continue;
        }
        isWhole = false;
        errors.insert(errors.end(), value.error().begin(), value.error().end());
    }
    if (!isWhole)
        return Failure(std::move(errors));
    return m_tracer.makeList(Place(m_tracer, id), std::move(items));
}

// a + b + c + ... may be arbitrarily long, so a loop follows the left operands.
Result<Value> Elaborator::evaluateBinary(ExprId id)
{
    std::vector<ExprId> chain;
    for (ExprId at = id; m_tracer.expr(at).kind == ExprKind::Binary; at = m_tracer.expr(at).operands[0])
        chain.push_back(at);
    Result<Operand> left = operandOf(m_tracer.expr(chain.back()).operands[0]);
    while (true) {
        const ExprId at = chain.back();
        Result<Value> made = combine(at, left);
        chain.pop_back();
        if (chain.empty())
            return made;
        const Result<Done> counted = m_tracer.countStep(at);
        left = !counted ? Result<Operand>(counted.failure())
               : made   ? Result<Operand>(Operand{std::move(made).value(), at})
                        : Result<Operand>(made.failure());
        if (m_tracer.isStopped())
            return left.failure();
    }
}

// Evaluates both sides, so that errors in both are reported.
Result<Value> Elaborator::combine(ExprId id, const Result<Operand> &left)
{
    const Expr &expr = m_tracer.expr(id);
    const Result<Operand> right = operandOf(expr.operands[1]);
    if (!left || !right) {
        Diagnostics errors = left ? Diagnostics() : left.error();
        if (!right)
            errors.insert(errors.end(), right.error().begin(), right.error().end());
        return Failure(std::move(errors));
    }
    const Place item(m_tracer, id);
    return expr.text == "@" ? multiplyMatrices(*left, *right, item) : applyBinary(m_tracer, expr.text, *left, *right, item);
}

// The matrix product is a library function like any other.
Result<Value> Elaborator::multiplyMatrices(const Operand &left, const Operand &right, const Place &item)
{
    for (const Operand *operand : {&left, &right}) {
        if (!operand->value.isA<TensorValue>())
            return m_tracer.fail(operand->expr, Code::Type, "@ multiplies tensors, found {}", m_tracer.describe(operand->value));
    }
    const auto function = findFunction("matmul");
    if (!function)
        return m_tracer.fail(item, Code::File, "the library has no matmul, which @ stands for");
    const std::array arguments = {Argument{left, {}}, Argument{right, {}}};
    return call(*function->as<FunctionValue>(), arguments, item);
}

Result<Value> Elaborator::evaluateLogical(const Expr &expr)
{
    SW_TRY(const Operand left, operandOf(expr.operands[0]));
    SW_TRY(const bool truth, truthOf(m_tracer, left));
    if (truth == (expr.text == "or"))
        return left.value;
    SW_TRY(const Operand right, operandOf(expr.operands[1]));
    SW_CHECK(truthOf(m_tracer, right));
    return right.value;
}

Result<Value> Elaborator::evaluateConditional(const Expr &expr)
{
    SW_TRY(const Operand condition, operandOf(expr.operands[1]));
    SW_TRY(const bool truth, truthOf(m_tracer, condition));
    return evaluate(expr.operands[truth ? 0 : 2]);
}

Result<Value> Elaborator::evaluateAttribute(ExprId id, const Expr &expr)
{
    SW_TRY(const Value object, evaluate(expr.operands.front()));
    const TensorValue *tensor = object.as<TensorValue>();
    if (tensor == nullptr)
        return m_tracer.fail(id, Code::Type, "{} has no attribute {}", m_tracer.describe(object), expr.text);
    const Node &node = m_tracer.node(tensor->node);
    if (expr.text == "shape")
        return extentsOf(node.shape);
    if (expr.text == "rank" || expr.text == "ndim")
        return Value{static_cast<std::int64_t>(node.shape.rank())};
    if (expr.text == "dtype")
        return Value{node.dtype};
    if (expr.text == "size") {
        SW_TRY(const SymbolicExpr count, m_tracer.placed(Place(m_tracer, id), elementsOf(node.shape)));
        return extentValue(count);
    }
    if (expr.text == "T") {
        std::vector<std::size_t> axes;
        for (std::size_t axis = node.shape.rank(); axis-- > 0;)
            axes.push_back(axis);
        const SourceId item = m_tracer.itemOf(id);
        SW_TRY(const NodeId made, m_tracer.placed(item, m_tracer.builder().permute(Origin(item), tensor->node, std::move(axes))));
        return Value{TensorValue{made}};
    }
    const std::vector<std::string> known = {"shape", "rank", "dtype", "size", "T"};
    Failure failure = m_tracer.fail(id, Code::UnknownName, "a tensor has no attribute {}", expr.text);
    const std::string near = suggestion(expr.text, known);
    failure.diagnostics.front().hint = findFunction(expr.text)
                                           ? format("{} is a function: call it, x.{}(...)", expr.text, expr.text)
                                       : near.empty() ? "a tensor has shape, rank, dtype, size and T"
                                                      : near;
    return failure;
}

Result<std::optional<std::int64_t>> Elaborator::evaluateBound(ExprId id)
{
    if (!id.isValid())
        return std::optional<std::int64_t>();
    SW_TRY(const Value value, evaluate(id));
    if (value.isA<Nothing>())
        return std::optional<std::int64_t>();
    if (!value.isA<std::int64_t>())
        return m_tracer.fail(id, Code::Type, "a bound of a slice must be an integer that is known while compiling, found {}",
                             m_tracer.describe(value));
    return std::optional(value.asInt());
}

Result<SubscriptItem> Elaborator::evaluateSubscriptItem(ExprId id)
{
    SubscriptItem item{.expr = id};
    const Expr &expr = m_tracer.expr(id);
    if (expr.kind != ExprKind::Slice) {
        SW_TRY(item.value, evaluate(id));
        return item;
    }
    item.isSlice = true;
    SW_TRY(item.begin, evaluateBound(expr.operands[0]));
    SW_TRY(item.end, evaluateBound(expr.operands[1]));
    SW_TRY(item.step, evaluateBound(expr.operands[2]));
    return item;
}

Result<Value> Elaborator::evaluateSubscript(ExprId id, const Expr &expr)
{
    SW_TRY(const Value object, evaluate(expr.operands.front()));
    std::vector<SubscriptItem> items;
    for (std::size_t i = 1; i < expr.operands.size(); ++i) {
        SW_TRY(SubscriptItem item, evaluateSubscriptItem(expr.operands[i]));
        items.push_back(std::move(item));
    }
    return subscript(m_tracer, object, items, Place(m_tracer, id));
}

Result<Value> Elaborator::evaluateComprehension(ExprId id, const Expr &expr)
{
    SW_TRY(const Value sequence, evaluate(expr.operands[1]));
    const ListValue *list = sequence.as<ListValue>();
    if (list == nullptr)
        return m_tracer.fail(expr.operands[1], Code::Type, "a loop goes through a list or range(n), found {}",
                             m_tracer.describe(sequence));
    std::vector<NameSyntax> names;
    for (const std::string_view name : expr.keywords)
        names.push_back({name, expr.range});
    std::vector<Value> items;
    for (const Value &value : *list->items) {
        SW_CHECK(bindNames(names, value, expr.operands[1]));
        bool isTaken = true;
        if (expr.operands[2].isValid()) {
            SW_TRY(const Operand condition, operandOf(expr.operands[2]));
            SW_TRY(isTaken, truthOf(m_tracer, condition));
        }
        if (!isTaken)
            continue;
        SW_TRY(Value made, evaluate(expr.operands[0]));
        items.push_back(std::move(made));
    }
    return m_tracer.makeList(Place(m_tracer, id), std::move(items));
}

} // namespace sw::language
