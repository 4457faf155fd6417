#include "engine/loops/join.h"

#include "engine/base/assert.h"
#include "engine/base/text.h"
#include "engine/loops/join_rules.h"
#include "engine/loops/queries.h"
#include "engine/loops/transform_steps.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sw {

namespace {

// Whether two values of a nest are the same, if their operands are.
bool isSame(const Value &a, const Value &b)
{
    const auto facts = [](const Value &value) {
        return std::tie(value.kind, value.op, value.dtype, value.operands, value.constant, value.buffer, value.index,
                        value.conditions, value.reduction, value.scale, value.bound, value.boundAxis);
    };
    const bool hasNode = a.kind == ValueKind::Custom || (a.kind == ValueKind::Load && !a.buffer.isValid());
    return facts(a) == facts(b) && (!hasNode || a.node == b.node);
}

class Joiner {
public:
    Joiner(LoopNest &nest, ReductionId leader, ReductionId follower)
        : m_nest(nest),
          m_leader(nest.reductions[leader.value]),
          m_follower(nest.reductions[follower.value]),
          m_leaderId(leader),
          m_followerId(follower)
    {
    }

    std::optional<std::string> join()
    {
        if (auto problem = axesProblem())
            return problem;
        const std::vector<bool> before = living();
        if (auto problem = dependencyProblem())
            return problem;
        renameAxes();
        unify();
        const std::optional<Joined> joined = ruleOf();
        if (!joined)
            return format("a step of the reduction over {} needs the result of that over {}, and no rule carries both along",
                          namesOf(m_follower.axes), namesOf(m_leader.axes));
        if (resultOf(m_followerId) < m_leader.body)
            return format("the reduction over {} comes first; join that over {} to it", namesOf(m_follower.axes),
                          namesOf(m_leader.axes));
        m_follower.joined = joined;
        m_follower.axes = m_leader.axes;
        m_follower.order.clear();
        forgetUnused(before);
        return std::nullopt;
    }

private:
    [[nodiscard]] std::string namesOf(const std::vector<AxisId> &axes) const
    {
        return sw::join(axes, " ", [&](AxisId axis) { return m_nest.axes[axis.value].name; });
    }

    [[nodiscard]] ValueId resultOf(ReductionId id) const
    {
        const auto found = std::ranges::find_if(
            m_nest.values, [&](const Value &value) { return value.kind == ValueKind::Reduction && value.reduction == id; });
        return ValueId(static_cast<std::size_t>(found - m_nest.values.begin()));
    }

    std::optional<std::string> axesProblem() const
    {
        if (m_leaderId == m_followerId)
            return "a reduction is not joined to itself";
        if (m_leader.joined || m_follower.joined || !joinedTo(m_nest, m_followerId).empty())
            return "one of the reductions is joined already, and others may only be joined to the one that has the loops";
        const auto isWhole = [&](AxisId axis) {
            const Axis &one = m_nest.axes[axis.value];
            return !one.end.isValid() && one.existing == 0 && one.type == AxisType::Reduce;
        };
        for (const Reduction *one : {&std::as_const(m_leader), &std::as_const(m_follower)}) {
            if (one->order != one->axes || !std::ranges::all_of(one->axes, isWhole) || one->isTiled)
                return format("the axes of the reduction over {} are split, padded, divided into tiles, or end in a run; "
                              "reductions are joined before that",
                              namesOf(one->axes));
        }
        const auto extentOf = [&](AxisId axis) { return m_nest.axes[axis.value].extent; };
        if (m_leader.axes.empty() || !std::ranges::equal(m_leader.axes, m_follower.axes, {}, extentOf, extentOf))
            return format("the reductions over {} and {} have not the same steps", namesOf(m_leader.axes),
                          namesOf(m_follower.axes));
        if (!m_nest.packs.empty() || !m_nest.prefetches.empty() || !m_nest.streams.empty())
            return "reductions are joined before what they read is copied or fetched";
        return std::nullopt;
    }

    // Both are done at the same place of the loops, and need no other reduction there.
    std::optional<std::string> dependencyProblem() const
    {
        const auto dependencies = valueDependencies(m_nest);
        if (dependencies[resultOf(m_leaderId).value] != dependencies[resultOf(m_followerId).value])
            return format("the reductions over {} and {} are not done for the same points", namesOf(m_leader.axes),
                          namesOf(m_follower.axes));
        const auto needsOther = [&](const Reduction &reduction, ReductionId allowed) {
            return std::ranges::any_of(valuesUnder(m_nest, reduction.body, ThroughReductions::Yes), [&](ValueId id) {
                const Value &value = m_nest.values[id.value];
                return value.kind == ValueKind::Reduction && value.reduction != allowed;
            });
        };
        if (needsOther(m_leader, ReductionId()) || needsOther(m_follower, m_leaderId))
            return format("a step of the reduction over {} or {} needs another reduction", namesOf(m_leader.axes),
                          namesOf(m_follower.axes));
        return std::nullopt;
    }

    void renameAxes()
    {
        const auto renamed = [&](ExprId expr) {
            return m_nest.arena.substitute(expr, [&](AxisId id) {
                const auto at = std::ranges::find(m_follower.axes, id);
                const AxisId axis =
                    at == m_follower.axes.end() ? id : m_leader.axes[static_cast<std::size_t>(at - m_follower.axes.begin())];
                return m_nest.arena.axis(axis, m_nest.axes[axis.value].extent);
            });
        };
        for (const ValueId id : valuesUnder(m_nest, m_follower.body, ThroughReductions::No)) {
            Value &value = m_nest.values[id.value];
            if (value.index.isValid())
                value.index = renamed(value.index);
            for (RangeCondition &condition : value.conditions)
                condition.expr = renamed(condition.expr);
        }
    }

    // What both compute is one value, the one that stands first.
    void unify()
    {
        std::vector<ValueId> all = valuesUnder(m_nest, m_leader.body, ThroughReductions::No);
        for (const ValueId id : valuesUnder(m_nest, m_follower.body, ThroughReductions::No))
            all.push_back(id);
        std::ranges::sort(all);
        const auto again = std::ranges::unique(all);
        all.erase(again.begin(), again.end());
        for (std::size_t i = 0; i < all.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (!isSame(m_nest.values[all[i].value], m_nest.values[all[j].value]))
                    continue;
                replace(all[i], all[j]);
                break;
            }
        }
    }

    void replace(ValueId from, ValueId to)
    {
        for (Value &value : m_nest.values)
            std::ranges::replace(value.operands, from, to);
        for (Reduction &reduction : m_nest.reductions)
            if (reduction.body == from)
                reduction.body = to;
        for (StoreStatement &store : m_nest.stores)
            if (store.value == from)
                store.value = to;
    }

    std::optional<Joined> ruleOf()
    {
        const std::optional<JoinMatch> match = joinMatchOf(m_nest, m_leaderId, m_followerId);
        if (!match)
            return std::nullopt;
        m_follower.body = match->body;
        return match->joined;
    }

    [[nodiscard]] std::vector<bool> living() const
    {
        std::vector<bool> is(m_nest.values.size(), false);
        const auto mark = [&](ValueId root) {
            for (const ValueId id : valuesUnder(m_nest, root, ThroughReductions::Yes))
                is[id.value] = true;
        };
        for (const StoreStatement &store : m_nest.stores)
            mark(store.value);
        for (const Reduction &reduction : m_nest.reductions)
            mark(reduction.body);
        for (const Axis &axis : m_nest.axes)
            if (axis.end.isValid())
                mark(axis.end);
        return is;
    }

    // What nobody computes any more loads nothing. The numbers of the values stay.
    void forgetUnused(const std::vector<bool> &before)
    {
        const std::vector<bool> now = living();
        for (std::size_t i = 0; i < now.size(); ++i) {
            Value &value = m_nest.values[i];
            if (before[i] && !now[i] && value.kind != ValueKind::Reduction)
                value = Value{.kind = ValueKind::Constant,
                              .dtype = value.dtype,
                              .constant = Scalar::of(value.dtype, std::int64_t{0}),
                              .node = value.node,
                              .origin = value.origin};
        }
    }

    LoopNest &m_nest;
    Reduction &m_leader;
    Reduction &m_follower;
    ReductionId m_leaderId;
    ReductionId m_followerId;
};

// A place must grow from step to step of each part, so that the first one wins: by `order`, outer loops count by more.
bool isCountedInOrder(const LoopNest &nest, ValueId place, const std::vector<AxisId> &order)
{
    const ValueId counted = nest.values[place.value].kind == ValueKind::Cast ? nest.values[place.value].operands.front() : place;
    std::int64_t before = 0;
    for (const AxisId leaf : order) {
        if (isRepeated(nest.axes[leaf.value].type))
            continue;
        std::int64_t stride = 0;
        if (!nest.arena.linearIn(nest.values[counted.value].index, unsplitAxis(nest, leaf), stride) || stride <= 0)
            return false;
        stride *= stepOf(nest, leaf);
        if (before != 0 && stride > before)
            return false;
        before = stride;
    }
    return true;
}

} // namespace

std::string_view nameOf(JoinRule rule)
{
    switch (rule) {
    case JoinRule::Beside:
        return "beside";
    case JoinRule::Place:
        return "place";
    case JoinRule::Distances:
        return "distances";
    case JoinRule::Rescaled:
        return "rescaled";
    }
    SW_UNREACHABLE();
}

std::vector<ReductionId> joinedTo(const LoopNest &nest, ReductionId leader)
{
    std::vector<ReductionId> found;
    for (std::size_t i = 0; i < nest.reductions.size(); ++i)
        if (nest.reductions[i].joined && nest.reductions[i].joined->leader == leader)
            found.emplace_back(i);
    return found;
}

const std::vector<AxisId> &orderOf(const LoopNest &nest, const Reduction &reduction)
{
    return reduction.joined ? nest.reductions[reduction.joined->leader.value].order : reduction.order;
}

std::size_t leadersIn(const LoopNest &nest)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(nest.reductions, [](const Reduction &reduction) { return !reduction.joined; }));
}

std::optional<std::string> joinReductions(LoopNest &nest, ReductionId leader, ReductionId follower)
{
    if (auto problem = Joiner(nest, leader, follower).join())
        return problem;
    return joinedProblemOf(nest);
}

void keepJoined(LoopNest &nest)
{
    for (Reduction &reduction : nest.reductions)
        if (reduction.joined)
            reduction.axes = nest.reductions[reduction.joined->leader.value].axes;
}

std::optional<std::string> joinedProblemOf(const LoopNest &nest)
{
    for (const Reduction &reduction : nest.reductions) {
        if (!reduction.joined)
            continue;
        const Reduction &leader = nest.reductions[reduction.joined->leader.value];
        if (leader.isTiled)
            return "steps that are products of tiles are those of one reduction, and this one is joined with another";
        for (const AxisId axis : leader.axes)
            if (nest.axes[axis.value].existing != 0)
                return format("{} belongs to joined reductions, whose steps all exist; it is not padded",
                              nest.axes[axis.value].name);
        if (std::ranges::any_of(nest.packs, &Pack::isShared))
            return "the items of a group share a copy, and its reductions are joined";
        for (const AxisId leaf : leader.order)
            if (nest.axes[leaf.value].type == AxisType::Local)
                return format("{} belongs to joined reductions, which the items of a group do not share",
                              nest.axes[leaf.value].name);
        if (reduction.joined->rule == JoinRule::Place && !isCountedInOrder(nest, reduction.body, leader.order))
            return "the reduction takes the first place of a maximum or minimum; its loops must run through the places in order";
    }
    return std::nullopt;
}

Result<Done> applyJoin(LoopNest &nest, const Transform &transform)
{
    if (transform.axes.size() != 2)
        return invalid(transform, "join takes an axis of each of two reductions");
    std::vector<ReductionId> reductions;
    for (const std::string &name : transform.axes) {
        SW_TRY(const AxisId leaf, leafNamed(nest, transform, name));
        const auto found = std::ranges::find_if(
            nest.reductions, [&](const Reduction &one) { return std::ranges::find(one.axes, leaf) != one.axes.end(); });
        if (found == nest.reductions.end())
            return invalid(transform, format("{} is no whole axis of a reduction", quoted(name)));
        reductions.emplace_back(static_cast<std::size_t>(found - nest.reductions.begin()));
    }
    if (const auto problem = joinReductions(nest, reductions[0], reductions[1]))
        return invalid(transform, *problem);
    return Done{};
}

} // namespace sw
