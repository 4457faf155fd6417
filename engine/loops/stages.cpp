#include "engine/loops/stages.h"

#include "engine/base/cache_line.h"
#include "engine/base/checked_size.h"
#include "engine/loops/queries.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <span>

namespace sw {

namespace {

constexpr std::int64_t kMostPartsInFewSets = 8; // as many as a set of most first levels has lines

// Whether the two axes are of the same rows, split alike.
bool areAlike(const LoopNest &a, AxisId inA, const LoopNest &b, AxisId inB)
{
    const Axis &first = a.axes[inA.value];
    const Axis &second = b.axes[inB.value];
    if (first.extent != second.extent || first.factor != second.factor || first.source.isValid() != second.source.isValid())
        return false;
    if (first.source.isValid())
        return areAlike(a, first.source, b, second.source);
    const auto rowOf = [](const LoopNest &nest, AxisId axis) {
        return static_cast<std::size_t>(std::ranges::find(nest.domain, axis) - nest.domain.begin());
    };
    return rowOf(a, inA) == rowOf(b, inB) && rowOf(a, inA) < a.rowAxes;
}

bool isLoop(const Axis &axis)
{
    return axis.type == AxisType::Thread || axis.type == AxisType::Loop;
}

// How many steps of its own the axis goes through inside of the shared loops, from the first to the last index. What a split
// leaves over counts where none of its loops is shared; else it is the shared loops' own round.
std::int64_t spanInside(const LoopNest &nest, AxisId axis, std::span<const AxisId> shared)
{
    const std::vector<AxisId> leaves = leavesOf(nest, axis);
    const auto isShared = [&](AxisId leaf) { return std::ranges::find(shared, leaf) != shared.end(); };
    if (std::ranges::none_of(leaves, isShared))
        return nest.axes[axis.value].extent;
    std::vector<AxisId> parts; // the outer one first
    for (std::size_t part = axis.value + 1; part < nest.axes.size(); ++part)
        if (nest.axes[part].source == axis)
            parts.emplace_back(part);
    if (parts.empty())
        return 1;
    return (spanInside(nest, parts.at(0), shared) - 1) * nest.axes[parts[0].value].factor + spanInside(nest, parts.at(1), shared);
}

// A row's stride in what the stage stores.
std::int64_t rowStride(const LoopNest &stage, AxisId row)
{
    std::int64_t stride = 0;
    return stage.arena.linearIn(stage.stores.front().index, row, stride) ? stride : 0;
}

// The elements of the stage's value for one index of all the rows.
std::int64_t rowElements(const LoopNest &stage)
{
    std::int64_t last = 0;
    for (const auto &[factor, part] : stage.arena.sumOf(stage.stores.front().index).terms) {
        const IndexExpr &term = stage.arena.at(part);
        const auto rows = std::span(stage.domain).first(stage.rowAxes);
        if (term.kind != ExprKind::Axis || std::ranges::find(rows, term.axis) == rows.end())
            last += factor * term.high;
    }
    return last + 1;
}

// A load of what a stage stores must read, for one index of the rows, that row alone.
std::optional<std::string> readProblemOf(const LoopNest &reader, ValueId id, const LoopNest &stage)
{
    const Value &value = reader.values[id.value];
    std::vector<AxisId> moving;
    const IndexArena::Sum sum = reader.arena.sumOf(value.index);
    std::int64_t low = sum.constant;
    std::int64_t high = sum.constant;
    for (const auto &[factor, part] : sum.terms) {
        const IndexExpr &term = reader.arena.at(part);
        const auto row = std::find(reader.domain.begin(), reader.domain.begin() + static_cast<std::ptrdiff_t>(reader.rowAxes),
                                   term.kind == ExprKind::Axis ? term.axis : AxisId());
        const auto place = static_cast<std::size_t>(row - reader.domain.begin());
        if (place < reader.rowAxes) {
            if (factor != rowStride(stage, stage.domain[place]))
                return format("v{} reads other rows than those that it computes", id.value);
            moving.push_back(*row);
            continue;
        }
        for (std::size_t axis = 0; axis < reader.rowAxes; ++axis)
            if (reader.arena.dependsOn(part, reader.domain[axis]))
                return format("v{} does not read along rows", id.value);
        low += std::min(factor * term.low, factor * term.high);
        high += std::max(factor * term.low, factor * term.high);
    }
    if (moving.size() != reader.rowAxes || low < 0 || high >= rowElements(stage))
        return format("v{} reads more than one row for each index of the rows", id.value);
    return std::nullopt;
}

std::optional<std::string> oneStageProblemOf(const LoopNest &nest, const LoopNest &stage, std::size_t shared)
{
    for (std::size_t i = 0; i < stage.order.size(); ++i) {
        const Axis &axis = stage.axes[stage.order[i].value];
        const bool isWorkItem = axis.type == AxisType::Thread || axis.type == AxisType::Global || axis.type == AxisType::Local;
        if (isWorkItem && i >= shared)
            return format("{} is {}, but not one of the loops over rows that the orders of all stages begin with", axis.name,
                          nameOf(axis.type));
    }
    for (const Reduction &reduction : stage.reductions)
        for (const AxisId leaf : reduction.order)
            if (&stage != &nest && stage.axes[leaf.value].type == AxisType::Local)
                return format("{} is local, and a group shares the steps of a kernel's last stage alone",
                              stage.axes[leaf.value].name);
    for (const Pack &pack : stage.packs) {
        const auto at = std::ranges::find(stage.order, pack.at) - stage.order.begin();
        if (!stage.values[pack.load.value].buffer.isValid() && static_cast<std::size_t>(at) < shared)
            return format("v{} is what a stage hands on; a copy of it is made inside of the loops of its reader",
                          pack.load.value);
    }
    for (std::size_t i = 0; i < stage.values.size(); ++i) {
        const Value &value = stage.values[i];
        if (value.kind != ValueKind::Load || value.buffer.isValid())
            continue;
        const auto made = std::ranges::find_if(
            nest.stages, [&](const LoopNest &one) { return !one.stores.empty() && one.stores.front().node == value.node; });
        if (made == nest.stages.end() || &*made == &stage)
            return format("v{} reads what no stage before it stores", i);
        if (auto problem = readProblemOf(stage, ValueId(i), *made))
            return problem;
    }
    return std::nullopt;
}

} // namespace

std::size_t sharedLoopsOf(const LoopNest &nest)
{
    std::size_t shared = 0;
    for (; !nest.stages.empty() && shared < nest.order.size(); ++shared) {
        const AxisId leaf = nest.order[shared];
        const AxisId whole = unsplitAxis(nest, leaf);
        const auto rows = std::span(nest.domain).first(nest.rowAxes);
        if (!isLoop(nest.axes[leaf.value]) || std::ranges::find(rows, whole) == rows.end())
            break;
        const bool isOfAll = std::ranges::all_of(nest.stages, [&](const LoopNest &stage) {
            return shared < stage.order.size() && areAlike(nest, leaf, stage, stage.order[shared]) &&
                   stage.axes[stage.order[shared].value].type == nest.axes[leaf.value].type;
        });
        if (!isOfAll)
            break;
    }
    return shared;
}

std::int64_t keptElementsOf(const LoopNest &stage, std::size_t shared)
{
    CheckedSize elements = rowElements(stage);
    for (std::size_t row = 0; row < stage.rowAxes; ++row) {
        const std::int64_t span = spanInside(stage, stage.domain[row], std::span(stage.order).first(shared));
        elements += CheckedSize(span - 1) * rowStride(stage, stage.domain[row]);
    }
    return elements.saturated();
}

std::vector<std::int64_t> keptStridesOf(const Shape &shape, std::size_t rowAxes, DType dtype, std::int64_t wayBytes)
{
    std::vector<std::int64_t> strides = rowMajorStrides(shape);
    if (rowAxes == 0 || rowAxes > shape.rank())
        return strides;
    const auto bytes = static_cast<std::int64_t>(bytesOf(dtype));
    const std::int64_t line = kCacheLineBytes / bytes;
    const auto isOfFewSets = [&](std::int64_t stride) { return stride * bytes % (wayBytes / 2) == 0; };
    // The parts of a row that lie so far apart, those of an axis and of all axes of the row before it.
    const auto crowdAt = [&](std::size_t axis) {
        return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(rowAxes),
                               shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, std::int64_t{1}, std::multiplies());
    };
    for (std::size_t axis = shape.rank() - 1; axis-- > 0;) {
        strides[axis] = strides[axis + 1] * shape[axis + 1];
        const bool isRow = axis + 1 == rowAxes;
        const bool isLong = strides[axis] * bytes >= wayBytes; // short parts are rather read as one
        const bool isCrowded = axis >= rowAxes && isLong && crowdAt(axis) > kMostPartsInFewSets;
        if (isOfFewSets(strides[axis]) && (isRow || isCrowded))
            strides[axis] += line;
    }
    return strides;
}

std::vector<std::size_t> keptMemoryOf(const LoopNest &nest)
{
    const std::size_t count = nest.stages.size();
    const auto dtypeOf = [&](std::size_t i) { return nest.stages[i].values[nest.stages[i].stores.front().value.value].dtype; };
    std::vector<std::size_t> lastReader(count, 0);
    std::size_t number = 0;
    forEachStage(nest, [&](const LoopNest &stage) {
        for (const Value &value : stage.values)
            for (std::size_t i = 0; i < count; ++i)
                if (value.kind == ValueKind::Load && !value.buffer.isValid() && value.node == nest.stages[i].stores.front().node)
                    lastReader[i] = number;
        ++number;
    });
    std::vector<std::size_t> memory;
    std::vector<std::size_t> lastUser; // by memory: the stage whose value it keeps
    for (std::size_t i = 0; i < count; ++i) {
        const auto isFree = [&](std::size_t user) { return lastReader[user] < i && dtypeOf(user) == dtypeOf(i); };
        const auto free = std::ranges::find_if(lastUser, isFree);
        memory.push_back(static_cast<std::size_t>(free - lastUser.begin()));
        if (free == lastUser.end())
            lastUser.push_back(i);
        else
            *free = i;
    }
    return memory;
}

std::optional<std::string> stageProblemOf(const LoopNest &nest)
{
    if (nest.stages.empty())
        return std::nullopt;
    const std::size_t shared = sharedLoopsOf(nest);
    std::optional<std::string> problem;
    forEachStage(nest, [&](const LoopNest &stage) {
        if (!problem && stage.rowAxes != nest.rowAxes)
            problem = "a stage has other rows than the kernel";
        if (!problem)
            problem = oneStageProblemOf(nest, stage, shared);
    });
    return problem;
}

} // namespace sw
