#include "engine/language/subscripts.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace sw::language {

namespace {

// A slice clamped to the extent, as in Python: the elements begin, begin + step, ..., `count` of them.
struct ResolvedSlice {
    std::int64_t begin = 0;
    std::int64_t step = 1;
    std::int64_t count = 0;
};

Result<ResolvedSlice> resolved(Tracer &tracer, const SubscriptItem &slice, std::int64_t extent)
{
    const std::int64_t step = slice.step.value_or(1);
    if (step == 0)
        return tracer.fail(slice.expr, Code::Argument, "the step of a slice must not be 0");
    const bool isForward = step > 0;
    // A backward slice has stops one lower: it runs from the last element down to before the first.
    const std::int64_t lowest = isForward ? 0 : -1;
    const std::int64_t highest = isForward ? extent : extent - 1;
    const auto clamped = [&](std::optional<std::int64_t> at, std::int64_t otherwise) {
        if (!at)
            return otherwise;
        return std::clamp(*at < 0 ? *at + extent : *at, lowest, highest);
    };
    ResolvedSlice out;
    out.begin = clamped(slice.begin, isForward ? lowest : highest);
    const std::int64_t end = clamped(slice.end, isForward ? highest : lowest);
    out.step = std::clamp(step, -extent - 1, extent + 1);
    const std::int64_t distance = isForward ? end - out.begin : out.begin - end;
    const std::int64_t size = isForward ? out.step : -out.step;
    out.count = std::max<std::int64_t>((distance + size - 1) / size, 0);
    return out;
}

Result<std::int64_t> resolvedIndex(Tracer &tracer, const SubscriptItem &item, std::int64_t extent, std::string_view what)
{
    const std::int64_t index = item.value.asInt();
    if (index < -extent || index >= extent)
        return tracer.fail(item.expr, Code::IndexOutOfRange, "index {} is out of range for {} of {}", index, what, extent);
    return index < 0 ? index + extent : index;
}

Result<Value> subscriptList(Tracer &tracer, const ListValue &list, std::span<const SubscriptItem> items, const Place &item)
{
    if (items.size() != 1)
        return tracer.fail(item, Code::Type, "a list takes one index, found {}; write x[i][j]", items.size());
    const auto length = static_cast<std::int64_t>(list.items->size());
    if (items.front().isSlice) {
        SW_TRY(const ResolvedSlice slice, resolved(tracer, items.front(), length));
        std::vector<Value> out;
        for (std::int64_t i = 0; i < slice.count; ++i)
            out.push_back((*list.items)[static_cast<std::size_t>(slice.begin + i * slice.step)]);
        return tracer.makeList(item, std::move(out));
    }
    if (!items.front().value.isA<std::int64_t>())
        return tracer.fail(items.front().expr, Code::Type, "a list is indexed by an integer, found {}",
                           tracer.describe(items.front().value));
    SW_TRY(const std::int64_t index, resolvedIndex(tracer, items.front(), length, "a list"));
    return (*list.items)[static_cast<std::size_t>(index)];
}

// One axis of the tensor and what the subscript does to it.
struct AxisPlan {
    ResolvedSlice slice = {}; // for the largest extent
    bool isDropped = false;   // x[3]
    bool isNew = false;       // x[None]
    std::int64_t extent = 1;  // of the tensor's axis
    SymbolicExpr count = {};  // number of elements taken, if it differs from the slice's count
};

// A slice or an index of an axis whose extent is known only at run time.
class SymbolicSlice {
public:
    SymbolicSlice(Tracer &tracer, const SubscriptItem &item, const SymbolicExpr &extent)
        : m_tracer(tracer), m_item(item), m_extent(extent)
    {
    }

    Result<AxisPlan> plan() const
    {
        AxisPlan made{.extent = m_extent.bounds().high};
        if (!m_item.isSlice) {
            const std::int64_t index = m_item.value.asInt();
            if (index < 0 || index >= m_extent.bounds().low)
                return unknown(format("whether there is an element {}", index));
            made.slice = {index, 1, 1};
            made.count = SymbolicExpr(1);
            made.isDropped = true;
            return made;
        }
        const std::int64_t step = m_item.step.value_or(1);
        const bool isReversal = step == -1 && !m_item.begin && !m_item.end;
        if (step != 1 && !isReversal)
            return unknown("what a slice with a step takes");
        const std::int64_t begin = m_item.begin.value_or(0);
        if (begin < 0 || begin > m_extent.bounds().low)
            return unknown(format("where a slice from {} begins", begin));
        SW_TRY(const SymbolicExpr last, end());
        SW_TRY(const SymbolicExpr distance, subtract(last, begin));
        SW_TRY(made.count, maximum(distance, SymbolicExpr()));
        made.slice = {isReversal ? made.extent - 1 : begin, step, made.count.bounds().high};
        return made;
    }

private:
    Result<SymbolicExpr> end() const
    {
        if (!m_item.end)
            return m_extent;
        return *m_item.end < 0 ? add(m_extent, *m_item.end) : minimum(m_extent, *m_item.end);
    }

    Failure unknown(const std::string &what) const
    {
        Failure failure = m_tracer.fail(m_item.expr, Code::Unsupported, "{} along an axis of extent {} is known only at run time",
                                        what, toText(m_extent));
        failure.diagnostics.front().hint = "read at computed places with gather(source, indices, axis)";
        return failure;
    }

    Tracer &m_tracer;
    const SubscriptItem &m_item;
    const SymbolicExpr &m_extent;
};

class TensorSubscript {
public:
    TensorSubscript(Tracer &tracer, NodeId input, const Place &item) : m_tracer(tracer), m_node(input), m_item(item) {}

    Result<Value> apply(std::span<const SubscriptItem> items)
    {
        SW_CHECK(plan(items));
        SW_CHECK(shrink());
        SW_CHECK(flip());
        SW_CHECK(stride());
        return finish();
    }

private:
    Result<Done> plan(std::span<const SubscriptItem> items)
    {
        const Shape shape = m_tracer.node(m_node).shape;
        const auto isDots = [](const SubscriptItem &item) { return !item.isSlice && item.value.isA<Dots>(); };
        const auto isNew = [](const SubscriptItem &item) { return !item.isSlice && item.value.isA<Nothing>(); };
        const auto dots = std::ranges::count_if(items, isDots);
        const auto named = static_cast<std::size_t>(
            std::ranges::count_if(items, [&](const SubscriptItem &item) { return !isDots(item) && !isNew(item); }));
        if (dots > 1)
            return m_tracer.fail(m_item, Code::Argument, "'...' can stand only once in a subscript");
        if (named > shape.rank())
            return m_tracer.fail(m_item, Code::ShapeMismatch, "{} indices for shape {}, which has {} axes", named, toText(shape),
                                 shape.rank());
        std::size_t axis = 0;
        for (const SubscriptItem &item : items) {
            if (isDots(item)) {
                for (std::size_t i = shape.rank() - named; i > 0; --i)
                    keepAxis(shape.extent(axis++));
            } else if (isNew(item)) {
                m_plans.push_back({.isNew = true, .count = SymbolicExpr(1)});
            } else {
                SW_CHECK(planAxis(item, shape.extent(axis++)));
            }
        }
        while (axis < shape.rank())
            keepAxis(shape.extent(axis++));
        return Done{};
    }

    void keepAxis(const SymbolicExpr &extent)
    {
        const std::int64_t largest = extent.bounds().high;
        m_plans.push_back({.slice = {0, 1, largest}, .extent = largest, .count = extent});
    }

    Result<Done> planAxis(const SubscriptItem &item, const SymbolicExpr &symbolic)
    {
        if (!symbolic.isConstant() && (item.isSlice || item.value.isA<std::int64_t>())) {
            SW_TRY(AxisPlan made, placed(SymbolicSlice(m_tracer, item, symbolic).plan()));
            m_plans.push_back(std::move(made));
            return Done{};
        }
        const std::int64_t extent = symbolic.bounds().high;
        AxisPlan made{.extent = extent};
        if (item.isSlice) {
            SW_TRY(made.slice, resolved(m_tracer, item, extent));
        } else if (item.value.isA<std::int64_t>()) {
            SW_TRY(const std::int64_t index, resolvedIndex(m_tracer, item, extent, "an axis"));
            made.slice = {index, 1, 1};
            made.isDropped = true;
        } else {
            Failure failure =
                m_tracer.fail(item.expr, item.value.isA<TensorValue>() ? Code::Unsupported : Code::Type,
                              "a tensor is indexed by integers, slices, None and '...', found {}", m_tracer.describe(item.value));
            if (item.value.isA<TensorValue>())
                failure.diagnostics.front().hint = "read at computed places with gather(source, indices, axis)";
            return failure;
        }
        made.count = SymbolicExpr(made.slice.count);
        m_plans.push_back(made);
        return Done{};
    }

    // The range from the first to the last taken element, and the rest of a whole step after the last one if it
    // exists.
    static std::pair<std::int64_t, std::int64_t> takenRange(const ResolvedSlice &slice, std::int64_t extent)
    {
        if (slice.count == 0)
            return {0, 0};
        if (slice.count == 1)
            return {slice.begin, slice.begin + 1};
        if (slice.step > 0)
            return {slice.begin, std::min(slice.begin + slice.count * slice.step, extent)};
        return {std::max<std::int64_t>(slice.begin + slice.count * slice.step + 1, 0), slice.begin + 1};
    }

    Result<Done> shrink()
    {
        ShrinkAttributes limits;
        std::vector<SymbolicExpr> extents;
        bool changes = false;
        for (const AxisPlan &axis : m_plans) {
            if (axis.isNew)
                continue;
            const ResolvedSlice &slice = axis.slice;
            const auto [begin, end] = takenRange(slice, axis.extent);
            limits.begin.push_back(begin);
            limits.end.push_back(end);
            extents.push_back(axis.count.isConstant() ? SymbolicExpr(end - begin) : axis.count);
            changes = changes || extents.back() != m_tracer.node(m_node).shape.extent(extents.size() - 1);
        }
        if (changes) {
            SW_TRY(Shape shape, placed(Shape::checkedSymbolic(std::move(extents))));
            SW_TRY(m_node,
                   placed(m_tracer.builder().shrink(Origin(SourceId(m_item)), m_node, std::move(limits), std::move(shape))));
        }
        return Done{};
    }

    Result<Done> flip()
    {
        std::vector<std::size_t> axes;
        std::size_t at = 0;
        for (const AxisPlan &axis : m_plans) {
            if (axis.isNew)
                continue;
            if (axis.slice.step < 0 && axis.slice.count > 1)
                axes.push_back(at);
            ++at;
        }
        if (!axes.empty()) {
            SW_TRY(m_node, placed(m_tracer.builder().flip(Origin(SourceId(m_item)), m_node, std::move(axes))));
        }
        return Done{};
    }

    // Takes steps above 1, one axis at a time: reshapes the axis into a table with a row per step and keeps the first column.
    Result<Done> stride()
    {
        std::size_t at = 0;
        for (const AxisPlan &axis : m_plans) {
            if (axis.isNew)
                continue;
            const std::int64_t step = std::abs(axis.slice.step);
            if (step > 1 && axis.slice.count > 1)
                SW_CHECK(strideAxis(at, step, axis.slice.count));
            ++at;
        }
        return Done{};
    }

    Result<Done> strideAxis(std::size_t axis, std::int64_t step, std::int64_t count)
    {
        GraphBuilder &builder = m_tracer.builder();
        const Shape shape = m_tracer.node(m_node).shape;
        PadAttributes pad{std::vector<std::int64_t>(shape.rank(), 0), std::vector<std::int64_t>(shape.rank(), 0),
                          Scalar::of(m_tracer.node(m_node).dtype, std::int64_t{0})};
        pad.after[axis] = count * step - shape[axis];
        SW_TRY(const NodeId padded, placed(builder.pad(Origin(SourceId(m_item)), m_node, std::move(pad))));
        std::vector<SymbolicExpr> table = shape.symbolicExtents();
        table[axis] = SymbolicExpr(count);
        SW_TRY(Shape result, placed(Shape::checkedSymbolic(table)));
        table.insert(table.begin() + static_cast<std::ptrdiff_t>(axis) + 1, SymbolicExpr(step));
        SW_TRY(const Shape tableShape, placed(Shape::checkedSymbolic(table)));
        SW_TRY(const NodeId rows, placed(builder.reshape(Origin(SourceId(m_item)), padded, tableShape)));
        ShrinkAttributes first{std::vector<std::int64_t>(table.size(), 0), {tableShape.begin(), tableShape.end()}};
        first.end[axis + 1] = 1;
        table[axis + 1] = SymbolicExpr(1);
        SW_TRY(Shape columnShape, placed(Shape::checkedSymbolic(std::move(table))));
        SW_TRY(const NodeId column,
               placed(builder.shrink(Origin(SourceId(m_item)), rows, std::move(first), std::move(columnShape))));
        SW_TRY(m_node, placed(builder.reshape(Origin(SourceId(m_item)), column, std::move(result))));
        return Done{};
    }

    Result<Value> finish()
    {
        std::vector<SymbolicExpr> extents;
        for (const AxisPlan &axis : m_plans) {
            if (!axis.isDropped)
                extents.push_back(axis.count);
        }
        SW_TRY(Shape shape, placed(Shape::checkedSymbolic(std::move(extents))));
        SW_TRY(m_node, placed(m_tracer.builder().reshape(Origin(SourceId(m_item)), m_node, std::move(shape))));
        return Value{TensorValue{m_node}};
    }

    template <class T>
    Result<T> placed(Result<T> result) const
    {
        return m_tracer.placed(m_item, std::move(result));
    }

    Tracer &m_tracer;
    NodeId m_node;
    Place m_item;
    std::vector<AxisPlan> m_plans;
};

} // namespace

Result<Value> subscript(Tracer &tracer, const Value &object, std::span<const SubscriptItem> items, const Place &item)
{
    if (const ListValue *list = object.as<ListValue>())
        return subscriptList(tracer, *list, items, item);
    if (const TensorValue *tensor = object.as<TensorValue>())
        return TensorSubscript(tracer, tensor->node, item).apply(items);
    return tracer.fail(item, Code::Type, "{} cannot be indexed", tracer.describe(object));
}

} // namespace sw::language
