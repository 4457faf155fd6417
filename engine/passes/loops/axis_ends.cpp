#include "engine/passes/loops/axis_ends.h"

#include "engine/graph/dimension_terms.h"
#include "engine/loops/printer.h"
#include "engine/loops/queries.h"
#include "engine/ops/symbolic_op.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace sw {

namespace {

// The value of an expression of dimensions, as values of the nest.
class EndWriter {
public:
    EndWriter(const Schedule &schedule, LoopNest &nest, Origin origin)
        : m_schedule(schedule), m_nest(nest), m_origin(std::move(origin))
    {
    }

    // Whether the kernel is given every dimension of the expression.
    [[nodiscard]] bool canWrite(const SymbolicExpr &expr) const
    {
        return std::ranges::all_of(expr.variables(),
                                   [&](const SymbolicVariable &variable) { return bufferOf(variable.name).isValid(); });
    }

    ValueId sum(const SymbolicExpr &expr)
    {
        ValueId total;
        for (const SymbolicTerm &term : expr.terms())
            total = combined(Op::Add, total, product(term));
        return total.isValid() ? total : constant(0);
    }

private:
    ValueId product(const SymbolicTerm &term)
    {
        ValueId total;
        for (const SymbolicAtom &atom : term.atoms)
            total = combined(Op::Mul, total, value(atom));
        if (term.coefficient != 1 || !total.isValid())
            total = combined(Op::Mul, total, constant(term.coefficient));
        return total;
    }

    ValueId value(const SymbolicAtom &atom)
    {
        if (!atom.function)
            return dimension(atom.variable.name);
        const ValueId left = sum(*atom.left);
        return combined(opOf(*atom.function), left, sum(*atom.right));
    }

    ValueId dimension(const std::string &name)
    {
        const BufferId buffer = bufferOf(name);
        return made({.kind = ValueKind::Load,
                     .dtype = DType::I64,
                     .constant = Scalar::of(DType::I64, std::int64_t{0}),
                     .buffer = buffer,
                     .index = m_nest.arena.constant(0),
                     .node = m_schedule.buffer(buffer).node,
                     .origin = m_origin});
    }

    ValueId constant(std::int64_t number)
    {
        return made({.kind = ValueKind::Constant,
                     .dtype = DType::I64,
                     .constant = Scalar::of(DType::I64, number),
                     .node = root(),
                     .origin = m_origin});
    }

    ValueId combined(Op op, ValueId left, ValueId right)
    {
        if (!left.isValid())
            return right;
        return made({.kind = ValueKind::Alu,
                     .op = op,
                     .dtype = DType::I64,
                     .operands = {left, right},
                     .node = root(),
                     .origin = m_origin});
    }

    // Among what the kernel reads.
    [[nodiscard]] BufferId bufferOf(const std::string &name) const
    {
        for (const BufferId read : m_schedule.kernel(m_nest.kernel).reads) {
            const auto *given =
                std::get_if<PlaceholderAttributes>(&m_schedule.graph->node(m_schedule.buffer(read).node).attributes);
            if (given != nullptr && given->dimension && given->dimension->name == name)
                return read;
        }
        return BufferId();
    }
    [[nodiscard]] NodeId root() const { return m_schedule.kernel(m_nest.kernel).root; }

    ValueId made(Value value)
    {
        m_nest.values.push_back(std::move(value));
        return ValueId(m_nest.values.size() - 1);
    }

    const Schedule &m_schedule;
    LoopNest &m_nest;
    Origin m_origin;
};

// x < bound follows from expr < end, where x is the axis; nothing: no bound is known.
std::optional<SymbolicExpr> boundOf(const IndexArena &arena, ExprId expr, const SymbolicExpr &end, AxisId axis)
{
    const IndexArena::Sum sum = arena.sumOf(expr);
    const bool isGrowing =
        std::ranges::all_of(sum.terms, [&](const auto &term) { return term.first > 0 && arena.at(term.second).low >= 0; });
    if (!isGrowing)
        return std::nullopt;
    for (const auto &[factor, part] : sum.terms) {
        const IndexExpr &term = arena.at(part);
        if (!arena.dependsOn(part, axis) || term.kind == ExprKind::Mod)
            continue;
        // factor * part + constant + (what is not negative) < end
        Result<SymbolicExpr> least = add(end, factor - 1 - sum.constant);
        Result<SymbolicExpr> below = least ? divide(*least, factor) : std::move(least);
        if (below && term.kind == ExprKind::Div)
            below = multiply(*below, term.number);
        if (!below)
            continue;
        if (term.kind == ExprKind::Axis)
            return std::move(below).value();
        if (const auto bound = boundOf(arena, term.a, *below, axis))
            return bound;
    }
    return std::nullopt;
}

// Where the points end that the store is needed for, along an axis that its index moves with.
SymbolicExpr endOfStore(const LoopNest &nest, const NeededEnds &ends, const std::vector<ExprId> &index, AxisId axis)
{
    SymbolicExpr end = nest.axes[axis.value].extent;
    for (std::size_t i = 0; i < index.size(); ++i) {
        const auto bound = boundOf(nest.arena, index[i], ends[i], axis);
        if (Result<SymbolicExpr> least = bound ? minimum(end, *bound) : Result<SymbolicExpr>(end))
            end = std::move(least).value();
    }
    return end;
}

// Where the points end that any store is needed for.
std::optional<SymbolicExpr> endOfAxis(const NeededExtents &needed, const ValuePuller &puller, const LoopNest &nest, AxisId axis)
{
    const std::int64_t extent = nest.axes[axis.value].extent;
    const auto rows = std::span(nest.domain).first(nest.rowAxes);
    const bool isRow = std::ranges::find(rows, axis) != rows.end();
    std::optional<SymbolicExpr> end;
    for (const StoreStatement &store : nest.stores) {
        const bool isKept = !store.buffer.isValid();
        if (!nest.arena.dependsOn(store.index, axis) || (isKept && isRow))
            continue; // any one point will do, or those that other stages ask for
        const NeededEnds *ends = needed.of(store.node);
        const SymbolicExpr own =
            ends == nullptr ? SymbolicExpr(extent) : endOfStore(nest, *ends, *puller.indexOf(store.node), axis);
        const Result<SymbolicExpr> most = end ? maximum(*end, own) : Result<SymbolicExpr>(own);
        end = most ? *most : SymbolicExpr(extent);
    }
    return end;
}

// Whether the value is the same at every point.
bool isFixed(const LoopNest &nest, ValueId id)
{
    return std::ranges::all_of(valuesUnder(nest, id, ThroughReductions::No), [&](ValueId part) {
        const Value &value = nest.values[part.value];
        const bool isPlain = value.kind == ValueKind::Constant || value.kind == ValueKind::Alu || value.kind == ValueKind::Cast ||
                             (value.kind == ValueKind::Load && nest.arena.axesOf(value.index).empty());
        return isPlain && value.conditions.empty();
    });
}

// index < end as axis < end - rest, where the rest moves with axes of the domain alone.
struct AxisBound {
    AxisId axis;
    ExprId rest;
    ValueId end;
};

// What the condition says about one of these axes that has no end yet.
std::optional<AxisBound> boundIn(LoopNest &nest, ValueId condition, const std::vector<AxisId> &axes)
{
    const Value &compared = nest.values[condition.value];
    if (compared.kind != ValueKind::Alu || compared.op != Op::Cmplt)
        return std::nullopt;
    const Value &place = nest.values[compared.operands[0].value];
    const Value &end = nest.values[compared.operands[1].value];
    if (place.kind != ValueKind::IndexValue || end.dtype != DType::I64 || !isFixed(nest, compared.operands[1]))
        return std::nullopt;
    for (const AxisId axis : axes) {
        std::int64_t stride = 0;
        if (nest.axes[axis.value].end.isValid() || !nest.arena.linearIn(place.index, axis, stride) || stride != 1)
            continue;
        const ExprId own = nest.arena.axis(axis, nest.axes[axis.value].extent);
        const ExprId rest = nest.arena.add(place.index, nest.arena.multiply(own, -1));
        const std::vector<AxisId> others = nest.arena.axesOf(rest);
        if (std::ranges::none_of(others, [&](AxisId other) { return nest.axes[other.value].isReduce; }))
            return AxisBound{axis, rest, compared.operands[1]};
    }
    return std::nullopt;
}

// end - rest
ValueId endOf(LoopNest &nest, const AxisBound &bound, NodeId node, const Origin &origin)
{
    const IndexExpr &rest = nest.arena.at(bound.rest);
    if (rest.kind == ExprKind::Constant && rest.number == 0)
        return bound.end;
    nest.values.push_back(
        {.kind = ValueKind::IndexValue, .dtype = DType::I64, .index = bound.rest, .node = node, .origin = origin});
    nest.values.push_back({.kind = ValueKind::Alu,
                           .op = Op::Sub,
                           .dtype = DType::I64,
                           .operands = {bound.end, ValueId(nest.values.size() - 1)},
                           .node = node,
                           .origin = origin});
    return ValueId(nest.values.size() - 1);
}

} // namespace

DomainEnds endsOfDomain(const NeededExtents &needed, const ValuePuller &puller, const LoopNest &nest)
{
    DomainEnds ends;
    for (const AxisId axis : nest.domain)
        ends.push_back(endOfAxis(needed, puller, nest, axis));
    return ends;
}

void endDomain(const Schedule &schedule, const DomainEnds &ends, LoopNest &nest, NestSteps &steps)
{
    for (std::size_t place = 0; place < nest.domain.size(); ++place) {
        const AxisId axis = nest.domain[place];
        const SymbolicExpr end = ends.at(place).value_or(nest.axes[axis.value].extent);
        EndWriter writer(schedule, nest, nest.axes[axis.value].origin);
        if (end.isConstant() || !writer.canWrite(end))
            continue;
        nest.axes[axis.value].end = writer.sum(end);
        steps.done("end-loop", schedule.kernel(nest.kernel).root, [&] {
            return format("{} ends at {} of {}", nest.axes[axis.value].name, toText(end), nest.axes[axis.value].extent);
        });
    }
}

namespace {

// Drops the masks from the reduction's body.
void endAsComputed(const Schedule &schedule, LoopNest &nest, Reduction &reduction, NestSteps &steps)
{
    const Scalar identity = identityOf(reduction.op, schedule.graph->node(reduction.node).dtype);
    while (true) {
        const Value body = nest.values[reduction.body.value];
        if (body.kind != ValueKind::Alu || body.op != Op::Where)
            return;
        const Value &otherwise = nest.values[body.operands[2].value];
        if (otherwise.kind != ValueKind::Constant || !(otherwise.constant == identity))
            return;
        const std::optional<AxisBound> bound = boundIn(nest, body.operands[0], reduction.axes);
        if (!bound)
            return;
        const AxisId axis = bound->axis;
        const ValueId end = endOf(nest, *bound, reduction.node, reduction.origin);
        nest.axes[axis.value].end = end;
        reduction.body = body.operands[1];
        steps.done("end-loop", reduction.node, [&] {
            return format("{} ends at {} of {}, where the values are masked", nest.axes[axis.value].name,
                          endText(nest, schedule, axis), nest.axes[axis.value].extent);
        });
    }
}

// The mask may have been applied where the input was stored.
void endAsStored(const Schedule &schedule, LoopNest &nest, const Reduction &reduction, const std::vector<ExprId> &index,
                 NestSteps &steps)
{
    const Node &node = schedule.graph->node(reduction.node);
    for (const BelowEnd &below : maskedEndsOf(*schedule.graph, node)) {
        const IndexExpr &place = nest.arena.at(index[below.axis]);
        if (place.kind != ExprKind::Axis || nest.axes[place.axis.value].end.isValid())
            continue;
        const AxisId axis = place.axis;
        EndWriter writer(schedule, nest, reduction.origin);
        if (!writer.canWrite(below.end))
            continue;
        nest.axes[axis.value].end = writer.sum(below.end);
        steps.done("end-loop", reduction.node, [&] {
            return format("{} ends at {} of {}, where the stored values are masked", nest.axes[axis.value].name,
                          toText(below.end), nest.axes[axis.value].extent);
        });
    }
}

} // namespace

void endReduction(const Schedule &schedule, LoopNest &nest, Reduction &reduction, const std::vector<ExprId> &index,
                  NestSteps &steps)
{
    endAsComputed(schedule, nest, reduction, steps);
    endAsStored(schedule, nest, reduction, index, steps);
}

} // namespace sw
