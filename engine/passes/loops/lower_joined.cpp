// Reductions that share their loops: see loops/join.h for how their results are carried along.

#include "engine/loops/join.h"
#include "engine/loops/queries.h"
#include "engine/passes/loops/kernel_lowering.h"
#include "engine/passes/loops/rescaled_powers.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace sw {

class KernelLowering::JoinedReductions {
public:
    JoinedReductions(KernelLowering &kernel, ReductionId leader)
        : m_kernel(kernel),
          m_builder(kernel.m_builder),
          m_leaderId(leader),
          m_leader(kernel.m_nest.reductions[leader.value]),
          m_ids(joinedTo(kernel.m_nest, leader)),
          m_powers(kernel.m_builder, m_leader.origin, m_leader.dtype)
    {
    }

    void emit(const std::vector<Point> &points)
    {
        const auto &[tiles, possible, fullLanes] = m_kernel.writtenOutSteps(m_leader);
        std::vector<std::map<Slot, Part>> parts(points.size());
        for (std::size_t i = 0; i < points.size(); ++i)
            for (const Point &one : possible)
                if (const Slot slot = slotOf(one, lanesOf(one), fullLanes); !parts[i].contains(slot))
                    parts[i].emplace(slot, partFor(with(points[i], one), std::max(lanesOf(points[i]), slot.lanes)));
        const auto step = [&] {
            for (const Point &one : m_kernel.stepsNow(tiles))
                for (std::size_t i = 0; i < points.size(); ++i)
                    addStep(parts[i].at(slotOf(one, lanesOf(one), fullLanes)), with(points[i], one));
        };
        m_kernel.emitLoops(m_kernel.m_tiling.loopsOf(m_leader.order), 0, [](std::size_t) {}, step);
        for (std::size_t i = 0; i < points.size(); ++i) {
            std::vector<Part> all;
            for (const auto &[slot, part] : parts[i])
                all.push_back(part);
            give(resultOf(all, lanesOf(points[i])), points[i]);
        }
    }

private:
    // Accumulators of one point, and of some of its steps.
    struct Part {
        std::uint32_t lanes = 1;
        InstructionId leader;
        std::vector<InstructionId> followers = {};
        InstructionId origin = {}; // Distances: an element, from which the others are counted
        InstructionId steps = {};  // Distances: how many there were
    };
    // What they come to, for the whole reduction or for a block of it.
    struct Results {
        InstructionId leader;
        std::vector<InstructionId> followers = {};
        InstructionId elements = {}; // Distances: how many there were
    };

    [[nodiscard]] const Reduction &reduction(ReductionId id) const { return m_kernel.m_nest.reductions[id.value]; }
    [[nodiscard]] JoinRule ruleOf(ReductionId id) const { return reduction(id).joined->rule; }
    [[nodiscard]] bool has(JoinRule rule) const
    {
        return std::ranges::any_of(m_ids, [&](ReductionId id) { return ruleOf(id) == rule; });
    }

    [[nodiscard]] std::uint32_t lanesOf(const Point &point) const { return m_kernel.lanesOf(point); }
    [[nodiscard]] std::uint32_t lanesOf(InstructionId value) const { return m_builder.at(value).lanes; }
    [[nodiscard]] static Point with(Point point, const Point &step)
    {
        point.insert(step.begin(), step.end());
        return point;
    }

    InstructionId alu(Op op, std::initializer_list<InstructionId> operands)
    {
        return m_builder.alu(m_leader.origin, op, std::vector<InstructionId>(operands));
    }
    InstructionId number(DType dtype, double value, std::uint32_t lanes)
    {
        return m_builder.constant(m_leader.origin, Scalar::of(dtype, value), lanes);
    }
    InstructionId wide(InstructionId value, std::uint32_t lanes)
    {
        return lanesOf(value) == lanes ? value : m_builder.broadcast(m_leader.origin, value, lanes);
    }
    InstructionId identity(const Reduction &one, std::uint32_t lanes)
    {
        const DType element = m_kernel.m_schedule.graph->node(one.node).dtype; // which may have fewer values
        return m_builder.constant(one.origin, identityOf(one.op, element).castTo(one.dtype), lanes);
    }
    InstructionId accumulator(DType dtype, InstructionId start)
    {
        const InstructionId made = m_builder.acc(m_leader.origin, dtype, lanesOf(start), "acc");
        m_builder.assign(m_leader.origin, made, start);
        return made;
    }

    // The value at a part's first step: no loop of the reduction is open yet. It must not be taken for that of other steps.
    InstructionId firstOf(ValueId value, const Point &point, std::uint32_t lanes)
    {
        InstructionId first;
        m_kernel.withScope([&] { first = wide(m_kernel.valueAt(value, point), lanes); });
        return first;
    }

    // The middle one of a part's first three elements, which memory has to bring first anyway; the first of the few steps of a
    // block. It is finite: what is infinite counts from 0.
    InstructionId originOf(const Point &first, std::uint32_t lanes)
    {
        InstructionId middle = firstOf(m_leader.body, first, lanes);
        if (m_kernel.m_blockPhase == BlockPhase::None) {
            const AxisId axis = m_leader.axes.back();
            Point later = first;
            Chunk &chunk = later[axis];
            const AxisId tile = m_kernel.m_tiling.tileOf(axis);
            const std::int64_t step = tile.isValid() ? m_kernel.m_nest.axes[tile.value].extent : 1;
            const std::int64_t last = m_kernel.m_nest.axes[axis.value].extent - chunk.lanes;
            chunk.offset = std::min(chunk.offset + step, last);
            const InstructionId second = firstOf(m_leader.body, later, lanes);
            chunk.offset = std::min(chunk.offset + step, last);
            const InstructionId third = firstOf(m_leader.body, later, lanes);
            const InstructionId larger = alu(Op::Max, {middle, second});
            middle = alu(Op::Max, {alu(Op::Min, {middle, second}), alu(Op::Min, {larger, third})});
        }
        const InstructionId infinity = number(m_leader.dtype, std::numeric_limits<double>::infinity(), lanes);
        const InstructionId isFinite = alu(Op::Cmplt, {alu(Op::Abs, {middle}), infinity});
        return alu(Op::Where, {isFinite, middle, number(m_leader.dtype, 0, lanes)});
    }

    Part partFor(const Point &first, std::uint32_t lanes)
    {
        Part part{.lanes = lanes, .leader = accumulator(m_leader.dtype, identity(m_leader, lanes))};
        if (has(JoinRule::Distances)) {
            part.origin = originOf(first, lanes);
            part.steps = accumulator(DType::I64, m_builder.index(m_leader.origin, 0));
        }
        // No element may be larger than the identity, -inf: then the first place it is.
        for (const ReductionId id : m_ids)
            part.followers.push_back(accumulator(reduction(id).dtype, ruleOf(id) == JoinRule::Place
                                                                          ? firstOf(reduction(id).body, first, lanes)
                                                                          : identity(reduction(id), lanes)));
        return part;
    }

    void addStep(const Part &part, const Point &point)
    {
        const Origin &origin = m_leader.origin;
        const auto valueOf = [&](ValueId id) { return m_kernel.widened(origin, m_kernel.valueAt(id, point), part.lanes); };
        InstructionId element = valueOf(m_leader.body);
        if (part.origin.isValid()) {
            element = alu(Op::Sub, {element, part.origin});
            m_builder.assign(origin, part.steps, alu(Op::Add, {part.steps, m_builder.index(origin, 1)}));
        }
        const InstructionId isBetter = has(JoinRule::Place) ? better(element, part.leader) : InstructionId();
        for (std::size_t i = 0; i < m_ids.size(); ++i) {
            const Reduction &follower = reduction(m_ids[i]);
            const InstructionId before = part.followers[i];
            switch (follower.joined->rule) {
            case JoinRule::Beside:
                m_builder.assign(origin, before, alu(follower.op, {before, valueOf(follower.body)}));
                break;
            case JoinRule::Place:
                m_builder.assign(origin, before, alu(Op::Where, {isBetter, valueOf(follower.body), before}));
                break;
            case JoinRule::Distances:
                m_builder.assign(origin, before, alu(Op::Add, {before, alu(Op::Mul, {element, element})}));
                break;
            case JoinRule::Rescaled:
                m_builder.assign(origin, before, m_powers.withElement(before, part.leader, element));
                break;
            }
        }
        // Of zeros, whose signs tell them apart, a maximum that somebody reads has the one that its operation says.
        const bool isOnlyForPlaces = isBetter.isValid() && !isRead();
        m_builder.assign(origin, part.leader,
                         isOnlyForPlaces ? alu(Op::Where, {isBetter, element, part.leader})
                                         : alu(m_leader.op, {part.leader, element}));
    }

    // Whether something else than what is joined to it needs the leader's result.
    [[nodiscard]] bool isRead() const
    {
        const LoopNest &nest = m_kernel.m_nest;
        const auto reads = [&](ValueId value) { return m_kernel.readsReduction(value, m_leaderId); };
        return std::ranges::any_of(nest.stores, reads, &StoreStatement::value) ||
               std::ranges::any_of(nest.reductions, reads, &Reduction::body);
    }

    // Beyond the best one so far. The first NaN is beyond all others, and nothing is beyond it.
    InstructionId better(InstructionId element, InstructionId best)
    {
        const bool isMax = m_leader.op == Op::Max;
        if (!isFloat(m_leader.dtype))
            return isMax ? alu(Op::Cmplt, {best, element}) : alu(Op::Cmplt, {element, best});
        const InstructionId isNot = isMax ? alu(Op::Cmple, {element, best}) : alu(Op::Cmple, {best, element});
        const InstructionId yes = m_builder.constant(m_leader.origin, Scalar::of(DType::Bool, std::int64_t{1}), lanesOf(isNot));
        return alu(Op::And, {alu(Op::Xor, {isNot, yes}), alu(Op::Cmpeq, {best, best})});
    }

    // All parts in one, with so many lanes.
    InstructionId reduced(const Reduction &one, const std::vector<InstructionId> &parts, std::uint32_t lanes)
    {
        std::map<std::uint32_t, std::vector<InstructionId>> byLanes;
        for (const InstructionId part : parts)
            byLanes[lanesOf(part)].push_back(part);
        std::vector<InstructionId> all;
        for (auto &[count, same] : byLanes) {
            const InstructionId whole = m_kernel.combined(one, std::move(same));
            all.push_back(count > lanes ? m_kernel.horizontal(one, whole) : whole);
        }
        return m_kernel.combined(one, std::move(all));
    }

    Results resultOf(const std::vector<Part> &parts, std::uint32_t lanes)
    {
        std::vector<InstructionId> leaders;
        for (const Part &part : parts)
            leaders.push_back(part.leader);
        Results results{.leader = has(JoinRule::Distances) ? InstructionId() : reduced(m_leader, leaders, lanes)};
        for (std::size_t i = 0; i < m_ids.size(); ++i) {
            std::vector<InstructionId> own;
            for (const Part &part : parts)
                own.push_back(part.followers[i]);
            switch (ruleOf(m_ids[i])) {
            case JoinRule::Beside:
                results.followers.push_back(reduced(reduction(m_ids[i]), own, lanes));
                break;
            case JoinRule::Place:
                results.followers.push_back(placeOf(reduction(m_ids[i]), results.leader, leaders, own, lanes));
                break;
            case JoinRule::Distances:
                results.followers.push_back(distances(parts, own, lanes, results));
                break;
            case JoinRule::Rescaled:
                results.followers.push_back(powers(reduction(m_ids[i]), results.leader, leaders, own, lanes));
                break;
            }
        }
        return results;
    }

    // The least of the places that belong to the best one.
    InstructionId placeOf(const Reduction &follower, InstructionId best, const std::vector<InstructionId> &bests,
                          const std::vector<InstructionId> &places, std::uint32_t lanes)
    {
        std::vector<InstructionId> found;
        for (std::size_t i = 0; i < bests.size(); ++i) {
            const std::uint32_t own = lanesOf(bests[i]);
            InstructionId isIt = alu(Op::Cmpeq, {bests[i], wide(best, own)});
            if (isFloat(m_leader.dtype))
                isIt = alu(Op::Or, {isIt, alu(Op::Cmpne, {bests[i], bests[i]})});
            found.push_back(alu(Op::Where, {isIt, places[i], identity(follower, own)}));
        }
        return reduced(follower, found, lanes);
    }

    // The parts' sums, each below the maximum of all.
    InstructionId powers(const Reduction &follower, InstructionId largest, const std::vector<InstructionId> &leaders,
                         std::vector<InstructionId> sums, std::uint32_t lanes)
    {
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] = m_powers.below(wide(largest, lanesOf(sums[i])), sums[i], leaders[i]);
        const InstructionId sum = reduced(follower, sums, lanes);
        const bool isBlock = m_kernel.m_blockPhase == BlockPhase::Add; // more is added to what it gives
        return isBlock ? sum : m_powers.finished(sum, largest, follower.joined->isFromFinite);
    }

    // With n elements of a part, the sum s of what they are beyond one of them, k, and the sum q of its squares: its mean is
    // k + s / n, the squared distances from that are q - s^2 / n, and each element counts what the part's mean is away from the
    // mean of all once more. Means are counted from the first part's k.
    InstructionId distances(const std::vector<Part> &parts, const std::vector<InstructionId> &squares, std::uint32_t lanes,
                            Results &results)
    {
        const DType dtype = m_leader.dtype;
        InstructionId origin = parts.front().origin;
        if (lanesOf(origin) > lanes)
            origin = m_builder.gep(m_leader.origin, origin, 0);
        std::vector<InstructionId> counts;
        std::vector<InstructionId> means;
        std::vector<InstructionId> weighted;
        for (const Part &part : parts) {
            const InstructionId steps =
                part.lanes > lanes ? alu(Op::Mul, {part.steps, m_builder.index(m_leader.origin, part.lanes)}) : part.steps;
            results.elements = results.elements.isValid() ? alu(Op::Add, {results.elements, steps}) : steps;
            counts.push_back(count(part.steps, part.lanes));
            const InstructionId some = alu(Op::Max, {counts.back(), number(dtype, 1, part.lanes)}); // a part may have none
            const InstructionId beyond = alu(Op::Sub, {part.origin, wide(origin, part.lanes)});
            means.push_back(alu(Op::Add, {beyond, alu(Op::Fdiv, {part.leader, some})}));
            weighted.push_back(alu(Op::Mul, {means.back(), counts.back()}));
        }
        const InstructionId all = count(results.elements, lanes);
        const InstructionId sum = reduced(m_leader, weighted, lanes);
        const InstructionId mean = alu(Op::Fdiv, {sum, all});
        std::vector<InstructionId> own;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const std::uint32_t width = parts[i].lanes;
            const InstructionId some = alu(Op::Max, {counts[i], number(dtype, 1, width)});
            const InstructionId square = alu(Op::Mul, {parts[i].leader, parts[i].leader});
            const InstructionId within = alu(Op::Sub, {squares[i], alu(Op::Fdiv, {square, some})});
            const InstructionId away = alu(Op::Sub, {means[i], wide(mean, width)});
            own.push_back(alu(Op::Add, {within, alu(Op::Mul, {counts[i], alu(Op::Mul, {away, away})})}));
        }
        results.leader = alu(Op::Add, {sum, alu(Op::Mul, {origin, all})});
        return reduced(m_leader, own, lanes);
    }

    // An i64 as a float.
    InstructionId count(InstructionId number, std::uint32_t lanes)
    {
        return wide(m_builder.cast(m_leader.origin, m_leader.dtype, number), lanes);
    }

    void give(const Results &results, const Point &point)
    {
        if (m_kernel.m_blockPhase == BlockPhase::Add) {
            addToPartials(results, point);
            return;
        }
        auto &known = m_kernel.m_scopes.back().cache;
        known[m_kernel.keyOf(m_kernel.m_reductionValues.at(m_leaderId), point)] = results.leader;
        for (std::size_t i = 0; i < m_ids.size(); ++i)
            known[m_kernel.keyOf(m_kernel.m_reductionValues.at(m_ids[i]), point)] = results.followers[i];
    }

    // A block's results, to those of the blocks before it.
    void addToPartials(const Results &results, const Point &point)
    {
        const Origin &origin = m_leader.origin;
        const std::vector<StoredPart> leaders = m_kernel.storedParts(origin, results.leader, point);
        std::vector<std::vector<StoredPart>> followers;
        for (const InstructionId one : results.followers)
            followers.push_back(m_kernel.storedParts(origin, one, point));
        for (std::size_t part = 0; part < leaders.size(); ++part) {
            const InstructionId at = m_kernel.partialAt(leaders[part].point);
            const InstructionId leader = leaders[part].value;
            const auto before = [&](ReductionId id) {
                return m_builder.load(origin, m_kernel.m_partials.at(id), at, lanesOf(leader));
            };
            const InstructionId best = before(m_leaderId);
            const InstructionId both = alu(m_leader.op, {best, leader});
            for (std::size_t i = 0; i < m_ids.size(); ++i) {
                const Reduction &follower = reduction(m_ids[i]);
                const InstructionId own = followers[i][part].value;
                InstructionId sum;
                switch (follower.joined->rule) {
                case JoinRule::Beside:
                    sum = alu(follower.op, {before(m_ids[i]), own});
                    break;
                case JoinRule::Place:
                    sum = placeOf(follower, both, {best, leader}, {before(m_ids[i]), own}, lanesOf(leader));
                    break;
                case JoinRule::Distances:
                    sum = alu(Op::Add, {before(m_ids[i]), alu(Op::Add, {own, between(best, leader, results.elements)})});
                    break;
                case JoinRule::Rescaled:
                    sum = m_powers.together(before(m_ids[i]), best, own, leader);
                    break;
                }
                m_builder.store(origin, m_kernel.m_partials.at(m_ids[i]), at, sum);
            }
            m_builder.store(origin, m_kernel.m_partials.at(m_leaderId), at, both);
        }
    }

    // (a / n - b / m)^2 n m / (n + m): what the means of two parts with the sums a and b, of n and m elements, add to their
    // distances. There may be none before the first block.
    InstructionId between(InstructionId sumBefore, InstructionId sum, InstructionId elements)
    {
        const std::uint32_t lanes = lanesOf(sum);
        const InstructionId before = m_builder.cast(m_leader.origin, m_leader.dtype, m_kernel.stepsBefore(m_leader));
        const InstructionId some = alu(Op::Max, {before, number(m_leader.dtype, 1, 1)});
        const InstructionId here = m_builder.cast(m_leader.origin, m_leader.dtype, elements);
        const InstructionId one = number(m_leader.dtype, 1, 1);
        const InstructionId weight = alu(Op::Fdiv, {alu(Op::Mul, {before, here}), alu(Op::Add, {before, here})});
        const InstructionId meanBefore = alu(Op::Mul, {sumBefore, wide(alu(Op::Fdiv, {one, some}), lanes)});
        const InstructionId mean = alu(Op::Mul, {sum, wide(alu(Op::Fdiv, {one, here}), lanes)});
        const InstructionId away = alu(Op::Sub, {mean, meanBefore});
        return alu(Op::Mul, {wide(weight, lanes), alu(Op::Mul, {away, away})});
    }

    KernelLowering &m_kernel;
    LoweredBuilder &m_builder;
    ReductionId m_leaderId;
    const Reduction &m_leader;
    std::vector<ReductionId> m_ids; // what is joined to it
    RescaledPowers m_powers;
};

void KernelLowering::emitJoined(ReductionId leader, const std::vector<Point> &points)
{
    JoinedReductions(*this, leader).emit(points);
}

} // namespace sw
