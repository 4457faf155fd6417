#pragma once
// Makes kernels of every kind and lists of transformations for them, and compares what the lists compute with what the plain
// loops do.

#include "engine/graph/builder.h"
#include "engine/loops/printer.h"
#include "engine/loops/queries.h"
#include "engine/loops/transform.h"
#include "engine/loops/verifier.h"
#include "engine/passes/loops/lower_loops.h"
#include "engine/types/random_fill.h"
#include "tests/support/one_item.h"
#include "tests/support/one_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace sw::test {

inline constexpr std::array kEveryAxisType = {AxisType::Thread, AxisType::Global, AxisType::Local,  AxisType::Loop,
                                              AxisType::Reduce, AxisType::Upcast, AxisType::Unroll, AxisType::Vector};

inline constexpr std::int64_t kMostItems = 64; // in a group: the interpreter takes its time for each

class TransformLists : public ::testing::Test, protected OneItem {
protected:
    std::int64_t upTo(std::int64_t low, std::int64_t high)
    {
        return low + static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(high - low + 1));
    }
    template <class Items>
    auto anyOf(const Items &items)
    {
        return items[m_random() % items.size()];
    }

    // --- kernels
    NodeId input(Shape shape)
    {
        return m_builder->placeholder(Origin(m_item), m_dtype, std::move(shape),
                                      {.name = format("x{}", m_builder->size()), .initial = nullptr});
    }
    template <class... Ids>
    NodeId op(Op which, Ids... operands)
    {
        const std::array all{operands...};
        return m_builder->broadcasted(Origin(m_item), which, all).value();
    }
    NodeId reduced(NodeId value, std::vector<std::size_t> axes, Op which = Op::Add)
    {
        return m_builder->reduce(Origin(m_item), which, value, std::move(axes)).value();
    }
    NodeId permuted(NodeId value, std::vector<std::size_t> order)
    {
        return m_builder->permute(Origin(m_item), value, std::move(order)).value();
    }
    NodeId product(std::int64_t rows, std::int64_t columns, std::int64_t depth)
    {
        const NodeId a = input({rows, 1, depth});
        const NodeId b =
            m_builder->reshape(Origin(m_item), permuted(input({depth, columns}), {1, 0}), {1, columns, depth}).value();
        return m_builder->reshape(Origin(m_item), reduced(op(Op::Mul, a, b), {2}), {rows, columns}).value();
    }
    // A sum over the places of a window, each a shrunk view of a padded image.
    NodeId convolution(std::int64_t channels, std::int64_t size)
    {
        const NodeId image = input({channels, size, size});
        const NodeId wide = m_builder->pad(Origin(m_item), image, {{0, 1, 1}, {0, 1, 1}, identityOf(Op::Add, m_dtype)}).value();
        NodeId total;
        for (std::int64_t place = 0; place < 3; ++place) {
            const NodeId part =
                m_builder->shrink(Origin(m_item), wide, {{0, place, 1}, {channels, place + size, size + 1}}).value();
            const NodeId term = op(Op::Mul, part, input({1, size, 1}));
            total = total.isValid() ? op(Op::Add, total, term) : term;
        }
        return reduced(total, {0});
    }

    std::vector<NodeId> anyKernel(std::size_t kind)
    {
        const std::int64_t a = upTo(2, 9);
        const std::int64_t b = upTo(3, 13);
        const std::int64_t c = upTo(2, 11);
        switch (kind) {
        case 0: // elementwise, with a turned operand
            return {op(Op::Add, op(Op::Mul, input({a, b, c}), permuted(input({c, b, a}), {2, 1, 0})), input({b, 1}))};
        case 1: // a reduction over two axes
            return {reduced(input({a, b, c}), {0, 2}, anyOf(std::array{Op::Add, Op::Max, Op::Min}))};
        case 2: // a product with what follows it
            return {op(Op::Max, product(a, b, c), input({1, b}))};
        case 3:
            return {convolution(a, b)};
        case 4: { // rows as in a softmax: two reductions, one after the other
            const NodeId x = input({a, b});
            const NodeId shifted = op(Op::Sub, x, reduced(x, {1}, Op::Max));
            return {op(Op::Mul, shifted, reduced(op(Op::Mul, shifted, shifted), {1}))};
        }
        default: { // several stores
            const NodeId x = input({a, b});
            const NodeId first = op(Op::Mul, x, input({1, b}));
            return {op(Op::Add, first, input({a, 1})), first};
        }
        }
    }

    // --- transformations
    std::string anyLeaf(const LoopNest &nest)
    {
        std::vector<AxisId> leaves = nest.order;
        for (const Reduction &reduction : nest.reductions)
            leaves.insert(leaves.end(), reduction.order.begin(), reduction.order.end());
        return nest.axes[anyOf(leaves).value].name;
    }

    Transform anyReorder(const LoopNest &nest)
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

    Transform anyPack(const LoopNest &nest)
    {
        std::vector<ValueId> loads;
        for (std::size_t i = 0; i < nest.values.size(); ++i)
            if (nest.values[i].kind == ValueKind::Load)
                loads.emplace_back(i);
        Transform made{.kind = TransformKind::Pack, .value = anyOf(loads)};
        const auto at = static_cast<std::size_t>(upTo(0, static_cast<std::int64_t>(nest.order.size()) - 1));
        const auto isOutside = [&](AxisId leaf) {
            return std::find(nest.order.begin(), nest.order.begin() + static_cast<std::ptrdiff_t>(at) + 1, leaf) !=
                   nest.order.begin() + static_cast<std::ptrdiff_t>(at) + 1;
        };
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
    Transform anyShare(const LoopNest &nest)
    {
        std::vector<ValueId> loads;
        for (std::size_t i = 0; i < nest.values.size(); ++i)
            if (nest.values[i].kind == ValueKind::Load)
                loads.emplace_back(i);
        std::vector<AxisId> leaves = nest.order;
        for (const Reduction &reduction : nest.reductions)
            leaves.insert(leaves.end(), reduction.order.begin(), reduction.order.end());
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

    // A tile for each group: padded axes, whose inner parts tell the work items apart or are repeated, and copies for the group.
    void applyGroup(LoopNest &nest)
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
            std::string name = nest.axes[anyOf(reduction.axes).value].name;
            const std::int64_t factor = upTo(2, 4);
            if (upTo(0, 2) != 0 && applyIfLegal(nest, {.kind = TransformKind::Pad, .axes = {name}, .factor = factor}))
                name = nest.axes.back().name;
            applyIfLegal(nest, {.kind = TransformKind::Split, .axes = {name}, .factor = factor});
        }
        for (int copies = 0; copies < 4; ++copies)
            applyIfLegal(nest, anyShare(nest));
    }

    // The axis itself, or those of its parts that are inside of the copy.
    template <class IsOutside>
    void addParts(const LoopNest &nest, AxisId axis, const IsOutside &isOutside, std::vector<std::string> &names)
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

    Transform anyTransform(const LoopNest &nest)
    {
        switch (upTo(0, 20)) {
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
        case 9: {
            std::vector<AxisId> order = nest.order;
            if (upTo(0, 1) == 0 && !nest.reductions.empty() && !nest.reductions.front().order.empty())
                order = nest.reductions.front().order;
            const auto at = static_cast<std::size_t>(upTo(0, static_cast<std::int64_t>(order.size()) - 1));
            return {.kind = TransformKind::Merge,
                    .axes = {nest.axes[order[at].value].name, nest.axes[order[(at + 1) % order.size()].value].name}};
        }
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
            return {.kind = TransformKind::Prefetch,
                    .axes = {anyLeaf(nest)},
                    .factor = upTo(1, 3),
                    .value = ValueId(static_cast<std::size_t>(upTo(0, static_cast<std::int64_t>(nest.values.size()) - 1)))};
        case 19:
        case 20:
            return {.kind = TransformKind::Stream,
                    .axes = {anyLeaf(nest)},
                    .value = ValueId(static_cast<std::size_t>(upTo(0, static_cast<std::int64_t>(nest.values.size()) - 1)))};
        case 13:
            return {.kind = TransformKind::Mask, .axes = {anyLeaf(nest)}};
        default:
            if (nest.reductions.empty())
                return {.kind = TransformKind::NonTemporal, .factor = upTo(0, 1)};
            return {.kind = TransformKind::Tensorize, .axes = {anyLeaf(nest)}};
        }
    }

    static bool applyIfLegal(LoopNest &nest, const Transform &transform)
    {
        Result<LoopNest> changed = applyTransform(nest, transform);
        if (changed)
            nest = std::move(*changed);
        return changed.has_value();
    }

    // Splits a loop and repeats the inner part, or gives the outer one to work items.
    void applyTile(LoopNest &nest)
    {
        const std::string leaf = anyLeaf(nest);
        if (!applyIfLegal(nest, {.kind = TransformKind::Split, .axes = {leaf}, .factor = upTo(2, 5)}))
            return;
        const bool isReduce = nest.axes.back().isReduce;
        if (!isReduce && upTo(0, 3) == 0) {
            const AxisType items = anyOf(std::array{AxisType::Thread, AxisType::Global});
            applyIfLegal(nest, {.kind = TransformKind::SetType, .axes = {leaf + ".o"}, .type = items});
            applyIfLegal(nest, {.kind = TransformKind::Group, .axes = {leaf + ".o"}, .factor = upTo(2, 5)});
            return;
        }
        const AxisType repeated = isReduce ? AxisType::Unroll : AxisType::Upcast;
        applyIfLegal(nest, {.kind = TransformKind::SetType,
                            .axes = {leaf + ".i"},
                            .type = anyOf(std::array{repeated, repeated, AxisType::Vector})});
        if (upTo(0, 1) == 0)
            applyIfLegal(nest, {.kind = TransformKind::Mask, .axes = {leaf + ".i"}});
    }

    // The last axis as vectors, and products of tiles if the kernel is one of products.
    void applyProduct(LoopNest &nest)
    {
        const std::string columns = nest.axes[nest.domain.back().value].name;
        applyIfLegal(nest, {.kind = TransformKind::Split, .axes = {columns}, .factor = upTo(2, 5)});
        applyIfLegal(nest, {.kind = TransformKind::SetType, .axes = {columns + ".i"}, .type = AxisType::Vector});
        if (upTo(0, 1) == 0)
            applyIfLegal(nest, {.kind = TransformKind::Mask, .axes = {columns + ".i"}});
        const AxisId depth = nest.reductions.front().axes.front();
        applyIfLegal(nest, {.kind = TransformKind::Tensorize, .axes = {nest.axes[depth.value].name}});
    }

    // A list that applies and that the verifier lets pass; the shorter beginnings of a list that it does not are tried.
    LoopNest anyNest(const LoopNest &plain, const Schedule &schedule)
    {
        LoopNest nest = plain;
        if (!nest.reductions.empty() && upTo(0, 3) == 0)
            applyProduct(nest);
        if (upTo(0, 3) == 0)
            applyGroup(nest);
        const std::int64_t count = upTo(1, 8);
        for (std::int64_t i = 0; i < count; ++i) {
            if (upTo(0, 2) == 0)
                applyTile(nest);
            else
                applyIfLegal(nest, anyTransform(nest));
        }
        while (!verifyLoops(nest, schedule) || groupItemsOf(nest) > kMostItems) {
            const std::vector<Transform> all = nest.transforms;
            nest = withFirstTransforms(plain, all, all.size() - 1);
        }
        return nest;
    }

    static Result<std::vector<HostTensor>> valuesOf(const SchedulePtr &schedule, const LoopNest &nest,
                                                    const std::vector<HostTensor> &inputs)
    {
        LoopProgram loops{.schedule = schedule};
        loops.nests.push_back(std::make_shared<const LoopNest>(nest));
        PassContext context(vectorDevice(), TargetLanguage::Lowered, {}, {});
        SW_TRY(const LoweredProgram lowered, lowerLoops(std::make_shared<const LoopProgram>(std::move(loops)), context));
        return runLowered(lowered, inputs);
    }

    SchedulePtr scheduled(std::vector<NodeId> results)
    {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < results.size(); ++i)
            names.push_back(format("result{}", i));
        Result<Graph> finished = std::move(*m_builder).finish(Origin(m_item), std::move(results), names);
        return oneKernelSchedule(std::make_shared<const Graph>(std::move(*finished)));
    }

    // The axes of the domain that the reduction with the axis moves with.
    static std::vector<AxisId> rowsOf(const LoopNest &nest, AxisId axis)
    {
        const auto dependencies = valueDependencies(nest);
        std::vector<AxisId> rows;
        for (std::size_t i = 0; i < nest.values.size(); ++i) {
            if (nest.values[i].kind != ValueKind::Reduction)
                continue;
            const std::vector<AxisId> &axes = nest.reductions[nest.values[i].reduction.value].axes;
            if (std::ranges::find(axes, axis) != axes.end())
                rows = dependencies[i];
        }
        return rows;
    }

    // Ends some axes before their extents, as a run of a program with dimensions does.
    LoopNest withEnds(LoopNest nest)
    {
        const auto made = [&](Value value) {
            nest.values.push_back(std::move(value));
            return ValueId(nest.values.size() - 1);
        };
        const auto end = [&](AxisId axis) {
            if (upTo(0, 1) == 0)
                return;
            ValueId value = made({.kind = ValueKind::Constant,
                                  .dtype = DType::I64,
                                  .constant = Scalar::of(DType::I64, upTo(0, nest.axes[axis.value].extent)),
                                  .node = {},
                                  .origin = Origin(m_item)});
            if (nest.axes[axis.value].isReduce && upTo(0, 2) == 0) { // it moves with an axis that the reduction moves with
                const std::vector<AxisId> moving = rowsOf(nest, axis);
                if (!moving.empty()) {
                    const AxisId row = anyOf(moving);
                    const ValueId index = made({.kind = ValueKind::IndexValue,
                                                .dtype = DType::I64,
                                                .index = nest.arena.axis(row, nest.axes[row.value].extent),
                                                .node = {},
                                                .origin = Origin(m_item)});
                    value = made({.kind = ValueKind::Alu,
                                  .op = Op::Sub,
                                  .dtype = DType::I64,
                                  .operands = {value, index},
                                  .node = {},
                                  .origin = Origin(m_item)});
                }
            }
            nest.axes[axis.value].end = value;
        };
        for (const AxisId axis : std::vector(nest.domain))
            end(axis);
        for (const Reduction &reduction : std::vector(nest.reductions))
            for (const AxisId axis : reduction.axes)
                end(axis);
        return nest;
    }
    // Each of the lists of an ended nest computes what the plain loops do before the ends of the domain; what it leaves behind
    // them is nobody's business.
    void checkEnds(std::size_t kind)
    {
        m_dtype = anyOf(std::array{DType::F32, DType::I32});
        m_builder.emplace(m_sources);
        const SchedulePtr schedule = scheduled(anyKernel(kind));
        const LoopNest plain = withEnds(*(*loopsFor(schedule, vectorDevice(), {.optimize = false}))->nests.front());
        std::vector<HostTensor> inputs;
        for (const NodeId id : schedule->graph->placeholders())
            inputs.push_back(randomTensor(schedule->graph->node(id).dtype, schedule->graph->node(id).shape, 7 + id.value));
        const auto expected = valuesOf(schedule, plain, inputs);
        ASSERT_TRUE(expected);
        for (int list = 0; list < 8; ++list) {
            const LoopNest nest = anyNest(plain, *schedule);
            const auto text = [](const Transform &transform) { return toText(transform); };
            SCOPED_TRACE(format("kernel {}: {}", kind, join(nest.transforms, "; ", text)));
            Result<std::vector<HostTensor>> actual = std::vector<HostTensor>{};
            ASSERT_NO_THROW(actual = valuesOf(schedule, nest, inputs)) << toText(nest, *schedule);
            ASSERT_TRUE(actual) << toText(actual.error());
            for (std::size_t i = 0; i < expected->size(); ++i) {
                HostTensor &found = (*actual)[i];
                for (std::int64_t at = 0; at < found.elements(); ++at)
                    if ((*expected)[i].at(at).asDouble() == 0) { // the plain loops did not come to it
                        found.set(at, (*expected)[i].at(at));
                        ++m_beyond;
                    }
                compare((*expected)[i], found, toText(nest, *schedule));
            }
            if (HasFatalFailure())
                return;
        }
    }

    void checkRound(std::size_t kind)
    {
        m_dtype = anyOf(std::array{DType::F32, DType::I32});
        m_builder.emplace(m_sources);
        const SchedulePtr schedule = scheduled(anyKernel(kind));
        const LoopNest plain = *(*loopsFor(schedule, vectorDevice(), {.optimize = false}))->nests.front();
        std::vector<HostTensor> inputs;
        for (const NodeId id : schedule->graph->placeholders())
            inputs.push_back(randomTensor(schedule->graph->node(id).dtype, schedule->graph->node(id).shape, 7 + id.value));
        const auto expected = valuesOf(schedule, plain, inputs);
        ASSERT_TRUE(expected) << toText(expected.error());
        for (int list = 0; list < 8; ++list) {
            const LoopNest nest = anyNest(plain, *schedule);
            const auto text = [](const Transform &transform) { return toText(transform); };
            SCOPED_TRACE(format("kernel {}: {}", kind, join(nest.transforms, "; ", text)));
            for (std::size_t i = plain.transforms.size(); i < nest.transforms.size(); ++i)
                ++m_applied[nest.transforms[i].kind];
            for (const Axis &axis : nest.axes)
                ++m_types[axis.type];
            Result<std::vector<HostTensor>> actual = std::vector<HostTensor>{};
            ASSERT_NO_THROW(actual = valuesOf(schedule, nest, inputs)) << toText(nest, *schedule);
            ASSERT_TRUE(actual) << toText(actual.error());
            for (std::size_t i = 0; i < expected->size(); ++i)
                compare((*expected)[i], (*actual)[i], toText(nest, *schedule));
            if (HasFatalFailure())
                return;
        }
    }

    SchedulePtr line(std::int64_t extent)
    {
        m_builder.emplace(m_sources);
        return scheduled({op(Op::Mul, input({extent}), input({extent}))});
    }

    // What the list is refused for; when it is not, the values are compared with those of the plain loops.
    std::string problemOf(const SchedulePtr &schedule, const std::vector<std::string> &lines)
    {
        const LoopNest plain = *(*loopsFor(schedule, vectorDevice(), {.optimize = false}))->nests.front();
        LoopNest nest = plain;
        for (const std::string &line : lines) {
            Result<LoopNest> changed = applyTransform(nest, parseTransform(line).value());
            if (!changed)
                return toText(changed.error());
            nest = std::move(*changed);
        }
        if (const auto verified = verifyLoops(nest, *schedule); !verified)
            return toText(verified.error());
        std::vector<HostTensor> inputs;
        for (const NodeId id : schedule->graph->placeholders())
            inputs.push_back(randomTensor(schedule->graph->node(id).dtype, schedule->graph->node(id).shape, 7 + id.value));
        const auto expected = valuesOf(schedule, plain, inputs);
        const auto actual = valuesOf(schedule, nest, inputs);
        EXPECT_TRUE(expected && actual);
        if (expected && actual)
            compare(expected->front(), actual->front(), toText(nest, *schedule));
        return {};
    }

    static void compare(const HostTensor &expected, const HostTensor &actual, const std::string &nest)
    {
        for (std::int64_t i = 0; i < expected.elements(); ++i) {
            const double want = expected.at(i).asDouble();
            const double got = actual.at(i).asDouble();
            if (got == want || (std::isnan(got) && std::isnan(want))) // infinities have no distance
                continue;
            ASSERT_LE(std::abs(want - actual.at(i).asDouble()), 1e-4 * std::max(1.0, std::abs(want))) << "element " << i << "\n"
                                                                                                      << nest;
        }
    }

    std::mt19937 m_random{20261122};
    std::optional<GraphBuilder> m_builder;
    DType m_dtype = DType::F32;
    std::map<TransformKind, std::size_t> m_applied;
    std::map<AxisType, std::size_t> m_types;
    std::size_t m_beyond = 0; // elements at the end of an axis or behind it
};

} // namespace sw::test
