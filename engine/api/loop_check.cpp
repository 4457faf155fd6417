#include "engine/api/loop_check.h"

#include "engine/loops/join.h"
#include "engine/loops/transform.h"
#include "engine/loops/verifier.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace sw {

namespace {

constexpr std::array kReduceTypes = {AxisType::Reduce, AxisType::Unroll, AxisType::Vector, AxisType::Local};
constexpr std::array kDomainTypes = {AxisType::Loop,  AxisType::Thread, AxisType::Global,
                                     AxisType::Local, AxisType::Upcast, AxisType::Vector};

std::vector<LoopAxis> axesOf(const LoopNest &nest)
{
    std::vector<LoopAxis> axes;
    const auto add = [&](AxisId id) {
        const Axis &axis = nest.axes[id.value];
        axes.push_back({axis.name, axis.extent, std::string(nameOf(axis.type)), axis.isReduce});
    };
    std::ranges::for_each(nest.order, add);
    for (const Reduction &reduction : nest.reductions)
        std::ranges::for_each(reduction.order, add);
    return axes;
}

std::string namesOf(const std::vector<LoopAxis> &axes, bool withExtents)
{
    return join(axes, ", ",
                [&](const LoopAxis &axis) { return withExtents ? format("{} ({})", axis.name, axis.extent) : axis.name; });
}

std::string typesFor(bool isReduce)
{
    const std::span<const AxisType> types = isReduce ? std::span<const AxisType>(kReduceTypes) : kDomainTypes;
    return join(types, ", ", [](AxisType type) { return std::string(nameOf(type)); });
}

// The loops of one list stand together: those of the domain, then those of each reduction.
std::string ordersOf(const LoopNest &nest)
{
    const auto listText = [&](const std::vector<AxisId> &order) {
        return join(order, " ", [&](AxisId id) { return nest.axes[id.value].name; });
    };
    std::string text = "reorder " + listText(nest.order);
    for (const Reduction &reduction : nest.reductions)
        if (!reduction.joined)
            text += ", or reorder " + listText(reduction.order);
    text += ", in any order";
    return leadersIn(nest) == 1 ? text + "; the outer part of the reduction may stand among the domain's" : text;
}

std::string legalInstead(const LoopNest &nest, std::string_view line)
{
    const std::vector<LoopAxis> axes = axesOf(nest);
    const std::string_view kind = line.substr(0, line.find(' '));
    if (kind == "split")
        return format("split AXIS FACTOR, the factor from 1 to the extent of {}", namesOf(axes, true));
    if (kind == "set_type")
        return format("set_type AXIS TYPE, the axis one of {}; of the domain: {}; of a reduction: {}", namesOf(axes, false),
                      typesFor(false), typesFor(true));
    if (kind == "reorder")
        return ordersOf(nest);
    if (kind == "merge")
        return format("merge AXIS AXIS, two neighbours that were not split, of {}", namesOf(axes, false));
    if (kind == "join")
        return format("join AXIS AXIS, of two reductions with the same steps, before their axes are split; the loops are {}",
                      namesOf(axes, true));
    if (kind == "divide")
        return format("divide AXIS NUMBER, an axis that was not split, of {}", namesOf(axes, true));
    if (kind == "unroll")
        return format("unroll AXIS COPIES, the axis a loop of {}", namesOf(axes, false));
    if (kind == "pad")
        return format("pad AXIS MULTIPLE, an axis that was not split, of {}", namesOf(axes, true));
    if (kind == "share")
        return format(
            "share LOAD LOOP AXES APART, a load such as v0, the loop of its copies, the axes of a copy, and the elements "
            "between its rows; the loops are {}",
            namesOf(axes, true));
    if (kind == "prefetch")
        return format("prefetch LOAD LOOP ROUNDS, a load such as v0 and a loop around it, of {}", namesOf(axes, true));
    if (kind == "stream")
        return format("stream LOAD LOOP, a load such as v0 and a loop of the domain around it, of {}", namesOf(axes, true));
    if (kind == "group" || kind == "pack" || kind == "tensorize" || kind == "non_temporal")
        return format("the loops are {}", namesOf(axes, true));
    return "split, reorder, set_type, merge, divide, pack, non_temporal, group, unroll, mask, tensorize, share, pad, prefetch, "
           "stream, join";
}

// The list may begin with the transformations that the nest has: they are not done again.
std::size_t alreadyDone(const LoopNest &nest, std::span<const std::string> lines)
{
    const auto textOf = [](const Transform &one) { return toText(one); };
    const bool hasAll = lines.size() >= nest.transforms.size() &&
                        std::ranges::equal(nest.transforms, lines.first(nest.transforms.size()), {}, textOf);
    return hasAll ? nest.transforms.size() : 0;
}

} // namespace

LoopCheck checkLoops(const LoopNest &nest, const Schedule &schedule, const std::vector<std::string> &lines)
{
    LoopCheck check;
    LoopNest now = nest;
    const std::size_t done = alreadyDone(nest, lines);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string &text = lines[i];
        CheckedTransform line{text, {}, {}, axesOf(now)};
        if (check.problem.empty() && i >= done) {
            const Result<Transform> transform = parseTransform(text);
            Result<LoopNest> next = transform ? applyTransform(now, *transform) : Result<LoopNest>(transform.failure());
            if (next) {
                now = std::move(*next);
            } else {
                line.problem = next.error().front().message;
                line.legal = legalInstead(now, text);
                check.problem = line.problem;
            }
        }
        check.lines.push_back(std::move(line));
    }
    check.axes = axesOf(now);
    if (check.problem.empty())
        if (const Result<Done> whole = verifyLoops(now, schedule); !whole)
            check.problem = whole.error().front().message;
    return check;
}

std::vector<std::string> possibleTransforms(const std::vector<LoopAxis> &axes)
{
    std::vector<std::string> texts;
    for (const LoopAxis &axis : axes) {
        for (const std::int64_t factor : {4, 8, 16, 64})
            if (factor < axis.extent)
                texts.push_back(format("split {} {}", axis.name, factor));
        const std::span<const AxisType> types = axis.isReduce ? std::span<const AxisType>(kReduceTypes) : kDomainTypes;
        for (const AxisType type : types)
            if (nameOf(type) != axis.type)
                texts.push_back(format("set_type {} {}", axis.name, nameOf(type)));
        if (axis.type == nameOf(AxisType::Loop) || axis.type == nameOf(AxisType::Reduce))
            texts.push_back(format("unroll {} 4", axis.name));
    }
    return texts;
}

} // namespace sw
