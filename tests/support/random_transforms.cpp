#include "tests/support/random_transforms.h"

#include "engine/loops/queries.h"
#include "engine/loops/share_queries.h"
#include "engine/loops/transform.h"
#include "engine/loops/verifier.h"

#include <algorithm>
#include <span>
#include <utility>

namespace sw::test {

namespace {

constexpr std::int64_t kMostItems = 64; // in a group: the interpreter takes its time for each
constexpr std::size_t kDraws = 24;      // of what has too many places to list them

bool applyIfLegal(LoopNest &nest, const Transform &transform)
{
    Result<LoopNest> changed = applyTransform(nest, transform);
    if (changed)
        nest = std::move(*changed);
    return changed.has_value();
}

// Of the domain and of the reductions.
std::vector<AxisId> leavesIn(const LoopNest &nest)
{
    std::vector<AxisId> leaves = nest.order;
    for (const Reduction &reduction : nest.reductions)
        leaves.insert(leaves.end(), reduction.order.begin(), reduction.order.end());
    return leaves;
}

std::vector<ValueId> loadsIn(const LoopNest &nest)
{
    std::vector<ValueId> loads;
    for (std::size_t i = 0; i < nest.values.size(); ++i)
        if (nest.values[i].kind == ValueKind::Load)
            loads.emplace_back(i);
    return loads;
}

} // namespace

std::string RandomTransforms::anyLeaf(const LoopNest &nest)
{
    const std::vector<AxisId> leaves = leavesIn(nest);
    return leaves.empty() ? std::string() : nest.axes[anyOf(leaves).value].name;
}

Transform RandomTransforms::anyReorder(const LoopNest &nest)
{
    std::vector<AxisId> order = nest.order;
    const std::int64_t which = upTo(0, 3);
    if (which == 0 && !nest.reductions.empty())
        order = anyOf(nest.reductions).order;
    if (which == 1 && !nest.reductions.empty() && !nest.reductions.front().order.empty())
        order.push_back(nest.reductions.front().order.front()); // in blocks
    std::ranges::shuffle(order, m_random);
    Transform made{.kind = TransformKind::Reorder};
    for (const AxisId leaf : order)
        made.axes.push_back(nest.axes[leaf.value].name);
    return made;
}

// The axis itself, or those of its parts that are inside of the copy.
template <class IsOutside>
void RandomTransforms::addParts(const LoopNest &nest, AxisId axis, const IsOutside &isOutside, std::vector<std::string> &names)
{
    const std::vector<AxisId> leaves = leavesOf(nest, axis);
    const bool isTile = tileOf(nest, unsplitAxis(nest, axis)) == axis;
    if (std::ranges::none_of(leaves, isOutside) && (leaves.size() == 1 || isTile || upTo(0, 1) == 0)) {
        names.push_back(nest.axes[axis.value].name);
        return;
    }
    for (std::size_t part = 0; part < nest.axes.size(); ++part)
        if (nest.axes[part].source == axis)
            addParts(nest, AxisId(part), isOutside, names);
}

Transform RandomTransforms::anyPack(const LoopNest &nest)
{
    const std::vector<ValueId> loads = loadsIn(nest);
    if (loads.empty() || nest.order.empty())
        return {.kind = TransformKind::Pack};
    Transform made{.kind = TransformKind::Pack, .value = anyOf(loads)};
    const auto at = static_cast<std::size_t>(upTo(0, static_cast<std::int64_t>(nest.order.size()) - 1));
    const auto outside = std::span(nest.order).first(at + 1);
    const auto isOutside = [&](AxisId leaf) { return std::ranges::find(outside, leaf) != outside.end(); };
    std::vector<std::string> names;
    const auto dependencies = valueDependencies(nest);
    for (const AxisId axis : dependencies[made.value.value])
        addParts(nest, axis, isOutside, names);
    if (upTo(0, 5) == 0)
        names.push_back(anyLeaf(nest));
    std::ranges::shuffle(names, m_random);
    made.axes.push_back(nest.axes[nest.order[at].value].name);
    made.axes.insert(made.axes.end(), names.begin(), names.end());
    return made;
}

// At any loop, also of a reduction.
Transform RandomTransforms::anyShare(const LoopNest &nest)
{
    const std::vector<ValueId> loads = loadsIn(nest);
    const std::vector<AxisId> leaves = leavesIn(nest);
    if (loads.empty() || leaves.empty())
        return {.kind = TransformKind::Share};
    const Pack pack{.load = anyOf(loads), .at = anyOf(leaves), .order = {}, .isShared = true};
    const std::vector<AxisId> outside = loopsOutsideOf(nest, pack);
    std::vector<std::string> names;
    const auto dependencies = valueDependencies(nest);
    const auto isOutside = [&](AxisId leaf) { return std::ranges::find(outside, leaf) != outside.end(); };
    for (const AxisId axis : dependencies[pack.load.value])
        addParts(nest, axis, isOutside, names);
    std::ranges::shuffle(names, m_random);
    Transform made{
        .kind = TransformKind::Share, .axes = {nest.axes[pack.at.value].name}, .factor = upTo(0, 3), .value = pack.load};
    made.axes.insert(made.axes.end(), names.begin(), names.end());
    return made;
}

Transform RandomTransforms::anyMerge(const LoopNest &nest)
{
    std::vector<AxisId> order = nest.order;
    if (upTo(0, 1) == 0 && !nest.reductions.empty() && !nest.reductions.front().order.empty())
        order = nest.reductions.front().order;
    if (order.empty())
        return {.kind = TransformKind::Merge};
    const auto at = static_cast<std::size_t>(upTo(0, static_cast<std::int64_t>(order.size()) - 1));
    return {.kind = TransformKind::Merge,
            .axes = {nest.axes[order[at].value].name, nest.axes[order[(at + 1) % order.size()].value].name}};
}

// A prefetch or a stream of any value, whether it is a load or not.
Transform RandomTransforms::anyFetch(const LoopNest &nest, TransformKind kind)
{
    Transform made{.kind = kind, .axes = {anyLeaf(nest)}, .factor = kind == TransformKind::Prefetch ? upTo(1, 3) : 0};
    made.value = ValueId(static_cast<std::size_t>(upTo(0, static_cast<std::int64_t>(nest.values.size()) - 1)));
    return made;
}

Transform RandomTransforms::anyTransform(const LoopNest &nest)
{
    switch (upTo(0, 21)) {
    case 0:
    case 1:
    case 2:
        return {.kind = TransformKind::Split, .axes = {anyLeaf(nest)}, .factor = upTo(1, 6)};
    case 3:
    case 4:
        return anyReorder(nest);
    case 5:
    case 6:
    case 7:
    case 8:
        return {.kind = TransformKind::SetType, .axes = {anyLeaf(nest)}, .type = anyOf(kEveryAxisType)};
    case 9:
        return anyMerge(nest);
    case 10:
        return anyPack(nest);
    case 11:
        return {.kind = TransformKind::Group, .axes = {anyLeaf(nest)}, .factor = upTo(1, 5)};
    case 12:
        return {.kind = TransformKind::Unroll, .axes = {anyLeaf(nest)}, .factor = upTo(1, 4)};
    case 15:
        return anyShare(nest);
    case 16:
        return {.kind = TransformKind::Pad, .axes = {anyLeaf(nest)}, .factor = upTo(1, 6)};
    case 17:
    case 18:
        return anyFetch(nest, TransformKind::Prefetch);
    case 19:
    case 20:
        return anyFetch(nest, TransformKind::Stream);
    case 21:
        return {.kind = TransformKind::Divide, .axes = {anyLeaf(nest)}, .factor = upTo(2, 6)};
    case 13:
        return {.kind = TransformKind::Mask, .axes = {anyLeaf(nest)}};
    default:
        if (nest.reductions.empty())
            return {.kind = TransformKind::NonTemporal, .factor = upTo(0, 1)};
        return {.kind = TransformKind::Tensorize, .axes = {anyLeaf(nest)}};
    }
}

// Splits a loop of the part, a stage or the nest itself, and repeats the inner half, or gives the outer one to work items.
void RandomTransforms::applyTile(LoopNest &nest, const LoopNest &part)
{
    const std::string leaf = anyLeaf(part);
    const std::optional<AxisId> split = axisNamed(part, leaf);
    const bool isReduce = split && part.axes[split->value].isReduce;
    if (!applyIfLegal(nest, {.kind = TransformKind::Split, .axes = {leaf}, .factor = upTo(2, 5)}))
        return;
    if (!isReduce && upTo(0, 3) == 0) {
        const AxisType items = anyOf(std::array{AxisType::Thread, AxisType::Global});
        applyIfLegal(nest, {.kind = TransformKind::SetType, .axes = {leaf + ".o"}, .type = items});
        applyIfLegal(nest, {.kind = TransformKind::Group, .axes = {leaf + ".o"}, .factor = upTo(2, 5)});
        return;
    }
    const AxisType repeated = isReduce ? AxisType::Unroll : AxisType::Upcast;
    applyIfLegal(
        nest,
        {.kind = TransformKind::SetType, .axes = {leaf + ".i"}, .type = anyOf(std::array{repeated, repeated, AxisType::Vector})});
    if (upTo(0, 1) == 0)
        applyIfLegal(nest, {.kind = TransformKind::Mask, .axes = {leaf + ".i"}});
}

// A tile for each group: padded axes, whose inner parts tell the work items apart or are repeated, and copies for the group.
void RandomTransforms::applyGroup(LoopNest &nest)
{
    for (const AxisId axis : std::vector(nest.domain)) {
        if (upTo(0, 3) == 0)
            continue;
        const std::int64_t factor = upTo(2, 4);
        AxisId whole = axis;
        if (applyIfLegal(nest, {.kind = TransformKind::Pad, .axes = {nest.axes[whole.value].name}, .factor = factor}))
            whole = AxisId(nest.axes.size() - 1);
        const std::string name = nest.axes[whole.value].name;
        if (!applyIfLegal(nest, {.kind = TransformKind::Split, .axes = {name}, .factor = factor}))
            continue;
        const AxisType inner = anyOf(std::array{AxisType::Local, AxisType::Local, AxisType::Upcast});
        applyIfLegal(nest, {.kind = TransformKind::SetType, .axes = {name + ".i"}, .type = inner});
        if (upTo(0, 1) == 0)
            applyIfLegal(nest, {.kind = TransformKind::SetType, .axes = {name + ".o"}, .type = AxisType::Global});
    }
    for (const Reduction &reduction : std::vector(nest.reductions)) {
        if (reduction.axes.empty())
            continue;
        std::string name = nest.axes[anyOf(reduction.axes).value].name;
        const std::int64_t factor = upTo(2, 4);
        if (upTo(0, 2) != 0 && applyIfLegal(nest, {.kind = TransformKind::Pad, .axes = {name}, .factor = factor}))
            name = nest.axes.back().name;
        applyIfLegal(nest, {.kind = TransformKind::Split, .axes = {name}, .factor = factor});
    }
    for (int copies = 0; copies < 4; ++copies)
        applyIfLegal(nest, anyShare(nest));
}

// The last axis as vectors, and products of tiles if the kernel is one of products.
void RandomTransforms::applyProduct(LoopNest &nest)
{
    if (nest.domain.empty() || nest.reductions.front().axes.empty())
        return;
    const std::string columns = nest.axes[nest.domain.back().value].name;
    applyIfLegal(nest, {.kind = TransformKind::Split, .axes = {columns}, .factor = upTo(2, 5)});
    applyIfLegal(nest, {.kind = TransformKind::SetType, .axes = {columns + ".i"}, .type = AxisType::Vector});
    if (upTo(0, 1) == 0)
        applyIfLegal(nest, {.kind = TransformKind::Mask, .axes = {columns + ".i"}});
    const AxisId depth = nest.reductions.front().axes.front();
    applyIfLegal(nest, {.kind = TransformKind::Tensorize, .axes = {nest.axes[depth.value].name}});
}

// Two reductions, in any order; most pairs have nothing to share.
Transform RandomTransforms::anyJoin(const LoopNest &nest)
{
    Transform made{.kind = TransformKind::Join};
    for (int i = 0; i < 2 && !nest.reductions.empty(); ++i)
        if (const std::vector<AxisId> axes = anyOf(nest.reductions).axes; !axes.empty())
            made.axes.push_back(nest.axes[axes.front().value].name);
    return made;
}

void RandomTransforms::transform(LoopNest &nest)
{
    while (nest.reductions.size() > 1 && upTo(0, 2) > 0)
        applyIfLegal(nest, anyJoin(nest));
    if (!nest.reductions.empty() && upTo(0, 3) == 0)
        applyProduct(nest);
    if (upTo(0, 3) == 0)
        applyGroup(nest);
    const std::int64_t count = upTo(1, 8);
    for (std::int64_t i = 0; i < count; ++i) {
        if (upTo(0, 2) == 0)
            applyTile(nest, nest);
        else
            applyIfLegal(nest, anyTransform(nest));
    }
}

// Blocks of rows, perhaps for the threads: alike in all stages, or they are no loops of the kernel as a whole.
void RandomTransforms::transformRows(LoopNest &nest)
{
    const auto row = static_cast<std::size_t>(upTo(0, static_cast<std::int64_t>(nest.rowAxes) - 1));
    const std::string name = nest.axes[nest.domain[row].value].name;
    const auto applyToAll = [&](Transform made) {
        LoopNest changed = nest;
        const std::string axis = made.axes.front();
        for (std::size_t stage = 0; stage <= nest.stages.size(); ++stage) {
            made.axes.front() = stage < nest.stages.size() ? format("s{}_{}", stage, axis) : axis;
            if (!applyIfLegal(changed, made))
                return false;
        }
        if (!isLegal(changed))
            return false;
        nest = std::move(changed);
        return true;
    };
    const bool isSplit = upTo(0, 3) > 0 && applyToAll({.kind = TransformKind::Split, .axes = {name}, .factor = upTo(2, 6)});
    if (upTo(0, 1) == 0)
        applyToAll({.kind = TransformKind::SetType, .axes = {isSplit ? name + ".o" : name}, .type = AxisType::Thread});
}

// What is inside of the rows each stage does by itself. Most lists for several stages are not legal as a whole, so each
// transformation is looked at.
void RandomTransforms::transformStages(LoopNest &nest)
{
    if (nest.rowAxes > 0)
        transformRows(nest);
    const std::int64_t count = upTo(2, 10);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto stage = static_cast<std::size_t>(upTo(0, static_cast<std::int64_t>(nest.stages.size())));
        const LoopNest &part = stage < nest.stages.size() ? nest.stages[stage] : nest;
        LoopNest changed = nest;
        if (upTo(0, 2) == 0)
            applyTile(changed, part);
        else
            applyIfLegal(changed, anyTransform(part));
        if (isLegal(changed))
            nest = std::move(changed);
    }
}

bool RandomTransforms::isLegal(const LoopNest &nest) const
{
    return verifyLoops(nest, m_schedule) && groupItemsOf(nest) <= kMostItems;
}

LoopNest RandomTransforms::anyNest(const LoopNest &plain)
{
    LoopNest nest = plain;
    if (plain.stages.empty())
        transform(nest);
    else
        transformStages(nest);
    while (!isLegal(nest)) {
        const std::vector<Transform> all = nest.transforms;
        nest = withFirstTransforms(plain, all, all.size() - 1);
    }
    return nest;
}

std::vector<Transform> RandomTransforms::placesFor(const LoopNest &part, TransformKind kind)
{
    std::vector<Transform> places;
    const auto atLeaves = [&](auto factorOf) {
        for (const AxisId leaf : leavesIn(part))
            places.push_back({.kind = kind, .axes = {part.axes[leaf.value].name}, .factor = factorOf()});
    };
    const auto draw = [&](auto make) {
        for (std::size_t i = 0; i < kDraws; ++i)
            places.push_back(make());
    };
    switch (kind) {
    case TransformKind::Split:
    case TransformKind::Group:
    case TransformKind::Unroll:
    case TransformKind::Pad:
    case TransformKind::Divide:
        atLeaves([&] { return upTo(2, 5); });
        break;
    case TransformKind::Mask:
    case TransformKind::Tensorize:
        atLeaves([] { return std::int64_t{0}; });
        break;
    case TransformKind::NonTemporal:
        for (std::size_t store = 0; store < part.stores.size(); ++store)
            places.push_back({.kind = kind, .factor = static_cast<std::int64_t>(store)});
        break;
    case TransformKind::Prefetch:
    case TransformKind::Stream:
        for (const ValueId load : loadsIn(part))
            for (const AxisId leaf : leavesIn(part))
                places.push_back({.kind = kind,
                                  .axes = {part.axes[leaf.value].name},
                                  .factor = kind == TransformKind::Prefetch ? upTo(1, 3) : 0,
                                  .value = load});
        break;
    case TransformKind::SetType:
        draw([&] { return Transform{.kind = kind, .axes = {anyLeaf(part)}, .type = anyOf(kEveryAxisType)}; });
        break;
    case TransformKind::Reorder:
        draw([&] { return anyReorder(part); });
        break;
    case TransformKind::Merge:
        draw([&] { return anyMerge(part); });
        break;
    case TransformKind::Pack:
        draw([&] { return anyPack(part); });
        break;
    case TransformKind::Share:
        draw([&] { return anyShare(part); });
        break;
    case TransformKind::Join:
        draw([&] { return anyJoin(part); });
        break;
    }
    return places;
}

LoopNest RandomTransforms::withAnother(LoopNest nest, TransformKind kind)
{
    const auto stage = static_cast<std::size_t>(upTo(0, static_cast<std::int64_t>(nest.stages.size())));
    std::vector<Transform> places = placesFor(stage < nest.stages.size() ? nest.stages[stage] : nest, kind);
    std::ranges::shuffle(places, m_random);
    for (const Transform &place : places) {
        LoopNest changed = nest;
        if (applyIfLegal(changed, place) && isLegal(changed))
            return changed;
    }
    return nest;
}

} // namespace sw::test
