#include "engine/language/tracer.h"

#include "engine/base/call_notes.h"
#include "engine/types/npy.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sw::language {

namespace {

constexpr std::uint64_t kMaxSteps = 5'000'000;
constexpr std::size_t kMaxNodes = 500'000;
constexpr std::size_t kMaxErrors = 100;
constexpr std::size_t kLabelLength = 40;

// The shape of a nested list; all lists at one depth must have the same length.
Result<Shape> shapeOfNested(const Value &value)
{
    std::vector<std::int64_t> extents;
    const Value *inner = &value;
    while (const ListValue *list = inner->as<ListValue>()) {
        extents.push_back(static_cast<std::int64_t>(list->items->size()));
        if (list->items->empty())
            break;
        inner = &list->items->front();
    }
    return Shape::checked(std::move(extents));
}

} // namespace

Place::operator SourceId() const
{
    if (!m_item)
        m_item = m_tracer->itemOf(m_expr);
    return *m_item;
}

Tracer::Tracer(std::shared_ptr<SourceMap> sources, GraphBuilder &builder, std::stop_token stop)
    : m_sources(std::move(sources)), m_builder(builder), m_stop(std::move(stop))
{
}

void Tracer::enter(Frame frame)
{
    m_builder.setScope(frame.scope);
    m_frames.push_back(std::move(frame));
}

Frame Tracer::leave()
{
    Frame left = std::move(m_frames.back());
    m_frames.pop_back();
    if (!m_frames.empty())
        m_builder.setScope(m_frames.back().scope);
    return left;
}

void Tracer::setScope(ScopeId scope)
{
    frame().scope = scope;
    m_builder.setScope(scope);
}

SourceId Tracer::itemOf(ExprId id)
{
    const Expr &found = expr(id);
    if (found.kind == ExprKind::Call) {
        const Expr &callee = expr(found.operands.front());
        if (!callee.text.empty())
            return itemAt(found.range, std::string(callee.text));
    }
    std::string label(frame().module->source.slice(found.range).substr(0, kLabelLength));
    std::ranges::replace(label, '\n', ' ');
    if (found.range.end - found.range.begin > kLabelLength)
        label += "...";
    return itemAt(found.range, std::move(label));
}

SourceId Tracer::itemAt(TextRange range, std::string label)
{
    const Module &module = *frame().module;
    return m_sources->addItem({module.file, module.source.rangeOf(range), frame().scope, frame().caller, std::move(label)});
}

Diagnostic Tracer::diagnostic(SourceId item, Code code, std::string message) const
{
    return toldAt(*m_sources, Origin(item), {Severity::Error, code, std::move(message), {}, {}, {}});
}

Failure Tracer::placed(SourceId item, const Failure &failure) const
{
    Diagnostics out;
    for (const Diagnostic &found : failure.diagnostics)
        out.push_back(diagnostic(item, found.code, found.message).withHint(found.hint));
    return Failure(std::move(out));
}

void Tracer::report(const Diagnostics &diagnostics)
{
    for (const Diagnostic &found : diagnostics) {
        const auto alike = std::ranges::count(m_diagnostics, found.severity, &Diagnostic::severity);
        const bool isKnown = std::ranges::any_of(
            m_diagnostics, [&](const Diagnostic &d) { return d.where == found.where && d.message == found.message; });
        if (isKnown || static_cast<std::size_t>(alike) >= kMaxErrors)
            continue;
        m_diagnostics.push_back(found);
        m_isStopped = m_isStopped || (found.severity == Severity::Error && static_cast<std::size_t>(alike) + 1 == kMaxErrors);
    }
}

bool Tracer::hasErrors() const
{
    return std::ranges::any_of(m_diagnostics, [](const Diagnostic &d) { return d.severity == Severity::Error; });
}

Result<Done> Tracer::countStep(ExprId id)
{
    // The item is only needed for the message.
    const bool isNear = m_isStopped || m_steps + 1 >= kMaxSteps || m_builder.size() > kMaxNodes ||
                        ((m_steps + 1) % 1024 == 0 && m_stop.stop_requested());
    if (isNear)
        return countStep(itemOf(id));
    ++m_steps;
    return Done{};
}

Result<Done> Tracer::countStep(SourceId item)
{
    ++m_steps;
    if (m_isStopped)
        return Failure({});
    m_isStopped = m_steps >= kMaxSteps || m_builder.size() > kMaxNodes || m_stop.stop_requested();
    if (!m_isStopped)
        return Done{};
    if (m_stop.stop_requested())
        return fail(item, Code::Cancelled, "the compilation was cancelled");
    return fail(item, Code::Limit, "the program is too long once its loops and calls are unrolled: more than {} {}",
                m_builder.size() > kMaxNodes ? kMaxNodes : kMaxSteps, m_builder.size() > kMaxNodes ? "nodes" : "steps");
}

Result<Done> Tracer::countItems(const Place &item, std::size_t items)
{
    constexpr std::size_t kItemsPerStep = 8;
    m_steps += items / kItemsPerStep;
    return m_steps < kMaxSteps ? Result<Done>(Done{}) : countStep(SourceId(item));
}

Result<Value> Tracer::makeList(const Place &item, std::vector<Value> items)
{
    SW_CHECK(countItems(item, items.size()));
    if (items.size() > kMaxListItems)
        return fail(item, Code::Limit, "a list of {} items is too long; at most {} are allowed", items.size(), kMaxListItems);
    Value made = listOf(std::move(items));
    if (made.as<ListValue>()->depth > kMaxListDepth)
        return fail(item, Code::Limit, "lists nest deeper than {} levels", kMaxListDepth);
    return made;
}

Result<Scalar> Tracer::scalarOf(const Value &value, DType type, SourceId item) const
{
    if (type == DType::U32x4 || type == DType::Unit) {
        Failure failure = fail(item, Code::Type, "a number cannot be of type {}", nameOf(type));
        if (type == DType::U32x4)
            failure.diagnostics.front().hint = "a u32x4 is written as a list of its 4 words, or made with cast(x, u32x4)";
        return failure;
    }
    if (value.isA<double>()) {
        if (!isFloat(type))
            return fail(item, Code::Type, "the number {} is not of type {}", floatText(value.asDouble()), nameOf(type));
        return Scalar::of(type, value.asDouble());
    }
    if (!value.isNumber())
        return fail(item, Code::Type, "expected a number of type {}, found {}", nameOf(type), describe(value));
    const LargeInteger *large = value.as<LargeInteger>();
    const std::int64_t number = large == nullptr ? value.asInt() : 0;
    const Scalar made = large == nullptr ? Scalar::of(type, number) : Scalar::of(type, large->value);
    const bool keepsNumber = large == nullptr ? made.asInt() == number && (number >= 0 || !isUnsigned(type)) : type == DType::U64;
    if (!isFloat(type) && !keepsNumber)
        return fail(item, Code::Type, "{} does not fit into {}, which goes from {} to {}", plainText(value, m_builder),
                    nameOf(type), toText(lowestOf(type)), toText(highestOf(type)));
    return made;
}

Result<Done> Tracer::fillConstant(const Value &value, std::size_t depth, ConstantFill &fill, SourceId item) const
{
    const ListValue *list = value.as<ListValue>();
    const Shape &shape = fill.out.shape();
    if (depth == shape.rank()) {
        if (list != nullptr)
            return fail(item, Code::ShapeMismatch, "expected a number at depth {} of the nested list, found {}", depth,
                        describe(value));
        SW_TRY(const Scalar scalar, scalarOf(value, fill.out.dtype(), item));
        fill.out.set(fill.next++, scalar);
        return Done{};
    }
    if (list == nullptr || static_cast<std::int64_t>(list->items->size()) != shape[depth])
        return fail(item, Code::ShapeMismatch, "the rows of a nested list must be equally long: expected {} items, found {}",
                    shape[depth], describe(value));
    for (const Value &inner : *list->items)
        SW_CHECK(fillConstant(inner, depth + 1, fill, item));
    return Done{};
}

Result<HostTensor> Tracer::constantOf(const Value &value, DType type, SourceId item) const
{
    SW_TRY(Shape shape, placed(item, shapeOfNested(value)));
    if (type == DType::U32x4) { // its words form the innermost list
        SW_TRY(const HostTensor words, constantOf(value, DType::U32, item));
        const auto cells = fromRawBits(words, type);
        if (!cells)
            return fail(item, Code::ShapeMismatch, "a constant of type u32x4 needs lists of 4 words, found shape {}",
                        toText(shape));
        return *cells;
    }
    ConstantFill fill{HostTensor(type, std::move(shape))};
    SW_CHECK(fillConstant(value, 0, fill, item));
    return std::move(fill.out);
}

Result<NodeId> Tracer::tensorOf(const Operand &operand, DType type)
{
    if (const TensorValue *tensor = operand.value.as<TensorValue>())
        return tensor->node;
    const SourceId item = itemOf(operand.expr);
    if (const DimensionValue *dimension = operand.value.as<DimensionValue>()) {
        SW_TRY(const NodeId value, placed(item, dimensionValue(m_builder, Origin(item), *dimension->expr, m_dimensions)));
        return placed(item, m_builder.cast(Origin(item), value, type));
    }
    if (operand.value.isNumber()) {
        SW_TRY(const Scalar scalar, scalarOf(operand.value, type, item));
        return m_builder.constScalar(Origin(item), scalar);
    }
    SW_TRY(HostTensor constant, constantOf(operand.value, type, item));
    return m_builder.vconst(Origin(item), std::move(constant));
}

Result<NodeId> Tracer::tensorOf(const Operand &operand)
{
    if (operand.value.isA<Broken>())
        return Failure({});
    const auto type = operand.value.isA<TensorValue>() ? DType::F32 : defaultType(operand.value);
    if (!type)
        return fail(operand.expr, Code::Type, "expected a tensor, found {}", describe(operand.value));
    return tensorOf(operand, *type);
}

} // namespace sw::language
