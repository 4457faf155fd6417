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
#include "tests/support/random_transforms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

namespace sw::test {

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
        case 6: { // the first place of the largest element, and a sum beside it
            const NodeId x = input({a, b});
            const NodeId most = reduced(x, {1}, Op::Max);
            const NodeId isNan = op(Op::Cmpne, x, x);
            const NodeId isIt = m_dtype == DType::F32 ? op(Op::Or, op(Op::Cmpeq, x, most), isNan) : op(Op::Cmpeq, x, most);
            const NodeId places =
                m_builder->cast(Origin(m_item), m_builder->iota(Origin(m_item), {b}).value(), DType::I32).value();
            const NodeId none = m_builder->constScalar(Origin(m_item), Scalar::of(DType::I32, b));
            return {reduced(op(Op::Where, isIt, places, none), {1}, Op::Min), most, reduced(op(Op::Mul, x, x), {1})};
        }
        case 7: { // the mean of columns, and the squared distances from it
            m_dtype = DType::F32;
            const NodeId x = input({a, b});
            const NodeId part = m_builder->constScalar(Origin(m_item), Scalar::of(m_dtype, 1.0 / static_cast<double>(a)));
            const NodeId mean = op(Op::Mul, reduced(x, {0}), part);
            const NodeId away = op(Op::Sub, x, mean);
            return {reduced(op(Op::Mul, away, away), {0}), mean, reduced(x, {0}, Op::Min)};
        }
        case 8: { // the powers below the largest element of a row, or below 0 where that is infinite
            m_dtype = DType::F32;
            const NodeId x = input({a, b});
            const NodeId most = reduced(x, {1}, Op::Max);
            const NodeId infinity =
                m_builder->constScalar(Origin(m_item), Scalar::of(m_dtype, std::numeric_limits<double>::infinity()));
            const NodeId isInfinite = op(Op::Cmpeq, op(Op::Abs, most), infinity);
            const NodeId zero = m_builder->constScalar(Origin(m_item), Scalar::of(m_dtype, 0.0));
            const NodeId base = upTo(0, 1) == 0 ? most : op(Op::Where, isInfinite, zero, most);
            return {reduced(op(Op::Exp, op(Op::Sub, x, base)), {1}), most};
        }
        default: { // several stores
            const NodeId x = input({a, b});
            const NodeId first = op(Op::Mul, x, input({1, b}));
            return {op(Op::Add, first, input({a, 1})), first};
        }
        }
    }

    LoopNest anyNest(const LoopNest &plain, const Schedule &schedule)
    {
        return RandomTransforms(m_random, schedule).anyNest(plain);
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
        for (std::size_t i = 0; expected && actual && i < expected->size(); ++i)
            compare((*expected)[i], (*actual)[i], toText(nest, *schedule));
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
