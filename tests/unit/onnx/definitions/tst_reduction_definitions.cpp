// Reductions in all their forms, and what is like them: the largest places, sums so far, softmax.

#include "tests/unit/onnx/definitions/definition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sw::test {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Reduce {
    const char *op;
    std::int64_t axesAreInputFrom; // the opset
    double first;
    double (*step)(double total, double x);
    double (*last)(double total, double count);
    bool hasIntegers = true;
};

double asIs(double total, double)
{
    return total;
}
double add(double total, double x)
{
    return total + x;
}
double addSquare(double total, double x)
{
    return total + x * x;
}

const Reduce kReduce[] = {
    {"ReduceSum", 13, 0, add, asIs},
    {"ReduceMean", 18, 0, add, [](double total, double count) { return total / count; }},
    {"ReduceMax", 18, -kInfinity, [](double total, double x) { return std::max(total, x); }, asIs},
    {"ReduceMin", 18, kInfinity, [](double total, double x) { return std::min(total, x); }, asIs},
    {"ReduceProd", 18, 1, [](double total, double x) { return total * x; }, asIs},
    {"ReduceL1", 18, 0, [](double total, double x) { return total + std::abs(x); }, asIs},
    {"ReduceL2", 18, 0, addSquare, [](double total, double) { return std::sqrt(total); }},
    {"ReduceSumSquare", 18, 0, addSquare, asIs},
    {"ReduceLogSum", 18, 0, add, [](double total, double) { return std::log(total); }, false},
    {"ReduceLogSumExp", 18, 0, [](double total, double x) { return total + std::exp(x); },
     [](double total, double) { return std::log(total); }, false},
};

// The extents with 1 for the axes.
Places reducedExtents(Places extents, const std::vector<bool> &isReduced)
{
    for (std::size_t i = 0; i < extents.size(); ++i)
        extents[i] = isReduced[i] ? 1 : extents[i];
    return extents;
}

Numbers reduced(const Reduce &reduce, const Numbers &x, const std::vector<bool> &isReduced)
{
    Numbers y = filled(reducedExtents(x.extents, isReduced), reduce.first, x.dtype);
    const auto goal = [&](Places place) {
        for (std::size_t i = 0; i < place.size(); ++i)
            place[i] = isReduced[i] ? 0 : place[i];
        return place;
    };
    forEach(x.extents, [&](const Places &at) {
        double &total = y.at(goal(at));
        total = reduce.step(total, x.at(at));
    });
    const double count = static_cast<double>(x.count()) / std::max<double>(1, static_cast<double>(y.count()));
    for (double &element : y.elements) {
        element = reduce.last(element, count);
        if (isInteger(x.dtype))
            element = std::trunc(element);
    }
    return y;
}

Numbers squeezed(Numbers y, const std::vector<bool> &isReduced)
{
    for (std::size_t i = isReduced.size(); i-- > 0;)
        if (isReduced[i])
            y.extents = without(y.extents, i);
    return y;
}

Drawn drawReduce(const Reduce &reduce, Draw &draw)
{
    const bool isInput = draw.chance(50);
    Drawn drawn{
        .text = {.node = {.op = reduce.op},
                 .opset = isInput ? draw.number(reduce.axesAreInputFrom, 27) : draw.number(1, reduce.axesAreInputFrom - 1)}};
    const DType dtype = reduce.hasIntegers && draw.chance(30) ? draw.oneOf({DType::I32, DType::I64, DType::U32, DType::U64})
                                                              : draw.oneOf({DType::F32, DType::F64, DType::F16});
    Numbers x = draw.numbers(draw.extents(0, 4), dtype, 2);
    if (std::string_view(reduce.op) == "ReduceLogSum")
        for (double &element : x.elements)
            element = std::abs(element) + 0.25;
    std::vector<bool> isReduced(x.rank(), false);
    Places axes;
    for (std::size_t i = 0; i < x.rank(); ++i) {
        isReduced[i] = draw.chance(50);
        if (isReduced[i])
            axes.push_back(static_cast<std::int64_t>(i) -
                           (draw.chance(50) && drawn.text.opset >= 11 ? static_cast<std::int64_t>(x.rank()) : 0));
    }
    drawn.inputs = {x};
    const bool isNothing = isInput && draw.chance(30);
    if (isNothing)
        drawn.text.node.attributes.push_back(integerAttribute("noop_with_empty_axes", 1));
    const bool isLeftOut = axes.empty() && draw.chance(50);
    if (isInput && !isLeftOut)
        drawn.inputs.push_back(listOf(axes));
    if (!isInput && !axes.empty())
        drawn.text.node.attributes.push_back(integersAttribute("axes", axes));
    if (axes.empty() && !isNothing)
        isReduced.assign(x.rank(), true);
    drawn.outputs = {reduced(reduce, x, isReduced)};
    const bool keeps = draw.chance(50);
    if (!keeps) {
        drawn.outputs[0] = squeezed(drawn.outputs[0], isReduced);
        drawn.text.node.attributes.push_back(integerAttribute("keepdims", 0));
    }
    drawn.note = format("axes {} noop {} keepdims {}", join(axes, ","), isNothing, keeps);
    return drawn;
}

// Calls for each line of elements along an axis: a function from the place on the axis to the index in the tensor.
void forEachLine(const Numbers &x, std::size_t axis,
                 const std::function<void(const std::function<std::size_t(std::int64_t)> &)> &call)
{
    forEach(without(x.extents, axis), [&](const Places &outer) {
        call([&](std::int64_t i) {
            Places at = outer;
            at.insert(at.begin() + static_cast<std::ptrdiff_t>(axis), i);
            return x.flat(at);
        });
    });
}

// Before opset 13 Softmax, LogSoftmax and Hardmax take all axes from one on as one.
Numbers flattenedFrom(const Numbers &x, std::size_t axis)
{
    const Places outer(x.extents.begin(), x.extents.begin() + static_cast<std::ptrdiff_t>(axis));
    const std::int64_t rows = productOf(outer);
    return {{rows, rows == 0 ? 0 : x.count() / rows}, x.elements, x.dtype};
}

} // namespace

TEST(ReductionDefinitions, ofReductions)
{
    for (const Reduce &reduce : kReduce)
        checkDefinition([&](Draw &draw) { return drawReduce(reduce, draw); }, 60);
}

TEST(ReductionDefinitions, ofReductionsOfNothing)
{
    for (const Reduce &reduce : kReduce)
        checkDefinition(
            [&](Draw &draw) {
                const Numbers x{{2, 0, 3}, {}, DType::F32};
                const bool keeps = draw.chance(50);
                const std::vector<bool> isReduced{false, true, false};
                const Numbers y = reduced(reduce, x, isReduced);
                const bool isMean = std::string_view(reduce.op) == "ReduceMean";
                return Drawn{.text = {.node = {.op = reduce.op, .attributes = {integerAttribute("keepdims", keeps ? 1 : 0)}},
                                      .opset = draw.number(20, 27)},
                             .inputs = {x, listOf({1})},
                             .outputs = {isMean  ? (keeps ? filled({2, 1, 3}, NAN) : filled({2, 3}, NAN))
                                         : keeps ? y
                                                 : squeezed(y, isReduced)}};
            },
            2);
}

TEST(ReductionDefinitions, ofReductionsOfBools)
{
    for (const char *op : {"ReduceMax", "ReduceMin"})
        checkDefinition([&](Draw &draw) {
            const Numbers x = draw.numbers(draw.extents(1, 3), DType::Bool);
            const std::size_t axis = wrapped(draw.axis(x.rank()), x.rank());
            std::vector<bool> isReduced(x.rank(), false);
            isReduced[axis] = true;
            const Reduce &reduce = kReduce[std::string_view(op) == "ReduceMax" ? 2 : 3];
            return Drawn{.text = {.node = {.op = op}, .opset = draw.number(20, 27)},
                         .inputs = {x, listOf({static_cast<std::int64_t>(axis)})},
                         .outputs = {reduced(reduce, x, isReduced)}};
        });
}

TEST(ReductionDefinitions, ofArgMaxAndArgMin)
{
    for (const bool isMax : {true, false})
        checkDefinition(
            [&](Draw &draw) {
                const DType dtype =
                    draw.oneOf({DType::F32, DType::F16, DType::F64, DType::I32, DType::I64, DType::U8, DType::I8});
                const Numbers x = draw.numbers(draw.extents(1, 4), dtype, 2);
                const std::int64_t axis = draw.axis(x.rank());
                const bool isLast = draw.chance(50);
                const bool keeps = draw.chance(50);
                Places extents = x.extents;
                extents[wrapped(axis, x.rank())] = 1;
                Numbers y = filled(extents, 0, DType::I64);
                std::size_t row = 0;
                forEachLine(x, wrapped(axis, x.rank()), [&](const auto &at) {
                    const std::int64_t n = x.extents[wrapped(axis, x.rank())];
                    std::int64_t best = 0;
                    for (std::int64_t i = 1; i < n; ++i) {
                        const double a = x.elements[at(i)];
                        const double b = x.elements[at(best)];
                        if ((isMax ? a > b : a < b) || (isLast && a == b))
                            best = i;
                    }
                    y.elements[row++] = static_cast<double>(best);
                });
                if (!keeps)
                    y.extents = without(y.extents, wrapped(axis, x.rank()));
                return Drawn{
                    .text = {.node = {.op = isMax ? "ArgMax" : "ArgMin",
                                      .attributes = {integerAttribute("axis", axis), integerAttribute("keepdims", keeps ? 1 : 0),
                                                     integerAttribute("select_last_index", isLast ? 1 : 0)}},
                             .opset = draw.number(12, 27)},
                    .inputs = {x},
                    .outputs = {y},
                    .note = format("axis {} last {} keepdims {}", axis, isLast, keeps)};
            },
            30);
}

TEST(ReductionDefinitions, ofSoftmaxAndItsKin)
{
    struct Kind {
        const char *op;
        int what;
    };
    for (const Kind kind : {Kind{"Softmax", 0}, Kind{"LogSoftmax", 1}, Kind{"Hardmax", 2}})
        checkDefinition([&](Draw &draw) {
            const bool isOld = draw.chance(40);
            const Numbers x = draw.different(draw.extents(1, 4), draw.oneOf({DType::F32, DType::F16, DType::F64}));
            const std::int64_t axis = draw.axis(x.rank());
            const bool isGiven = draw.chance(70) || (isOld && x.rank() < 2);
            const std::int64_t used = isGiven ? axis : isOld ? 1 : -1;
            Numbers flat = isOld ? flattenedFrom(x, wrapped(used, x.rank())) : x;
            Numbers y = flat;
            const std::size_t along = isOld ? 1 : wrapped(used, x.rank());
            forEachLine(flat, along, [&](const auto &at) {
                const std::int64_t n = flat.extents[along];
                double sum = 0;
                double most = -kInfinity;
                for (std::int64_t i = 0; i < n; ++i)
                    most = std::max(most, flat.elements[at(i)]);
                for (std::int64_t i = 0; i < n; ++i)
                    sum += std::exp(flat.elements[at(i)] - most);
                for (std::int64_t i = 0; i < n; ++i) {
                    const double shifted = flat.elements[at(i)] - most;
                    y.elements[at(i)] = kind.what == 0   ? std::exp(shifted) / sum
                                        : kind.what == 1 ? shifted - std::log(sum)
                                                         : (shifted == 0 ? 1 : 0);
                }
            });
            y.extents = x.extents;
            Drawn drawn{.text = {.node = {.op = kind.op}, .opset = isOld ? draw.number(11, 12) : draw.number(13, 27)},
                        .inputs = {x},
                        .outputs = {y},
                        .note = format("axis {} given {}", axis, isGiven)};
            if (isGiven)
                drawn.text.node.attributes = {integerAttribute("axis", axis)};
            return drawn;
        });
}

TEST(ReductionDefinitions, ofLpNormalization)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(1, 4), draw.oneOf({DType::F32, DType::F16, DType::F64}), 1);
        const std::int64_t axis = draw.axis(x.rank());
        const std::int64_t p = draw.number(1, 2);
        Numbers y = x;
        const std::size_t along = wrapped(axis, x.rank());
        forEachLine(x, along, [&](const auto &at) {
            double norm = 0;
            for (std::int64_t i = 0; i < x.extents[along]; ++i)
                norm += std::pow(std::abs(x.elements[at(i)]), static_cast<double>(p));
            norm = p == 2 ? std::sqrt(norm) : norm;
            for (std::int64_t i = 0; i < x.extents[along]; ++i)
                y.elements[at(i)] = norm == 0 ? 0 : x.elements[at(i)] / norm;
        });
        return Drawn{
            .text = {.node = {.op = "LpNormalization", .attributes = {integerAttribute("axis", axis), integerAttribute("p", p)}},
                     .opset = draw.number(1, 27)},
            .inputs = {x},
            .outputs = {y}};
    });
}

TEST(ReductionDefinitions, ofTopK)
{
    checkDefinition([](Draw &draw) {
        const DType dtype =
            draw.oneOf({DType::F32, DType::F16, DType::F64, DType::I32, DType::I64, DType::U8, DType::U64, DType::I8});
        Places all = draw.extents(1, 3, 1, 6);
        const std::int64_t axis = draw.axis(all.size());
        const std::size_t along = wrapped(axis, all.size());
        const bool isLong = draw.chance(50); // so that few of them are found one after the other
        all[along] = isLong ? draw.number(20, 120) : all[along];
        const Numbers x = draw.numbers(all, dtype, isLong ? 20 : 3);
        const std::int64_t n = x.extents[along];
        const std::int64_t k = draw.number(draw.chance(10) ? 0 : 1, isLong && draw.chance(80) ? n / 4 : n);
        const bool isLargest = draw.chance(50);
        Places extents = x.extents;
        extents[along] = k;
        Numbers values = filled(extents, 0, dtype);
        Numbers places = filled(extents, 0, DType::I64);
        forEach(without(x.extents, along), [&](const Places &outer) {
            const auto at = [&](std::int64_t i) {
                Places place = outer;
                place.insert(place.begin() + static_cast<std::ptrdiff_t>(along), i);
                return place;
            };
            std::vector<std::int64_t> order(static_cast<std::size_t>(n));
            for (std::int64_t i = 0; i < n; ++i)
                order[static_cast<std::size_t>(i)] = i;
            std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
                return isLargest ? x.at(at(a)) > x.at(at(b)) : x.at(at(a)) < x.at(at(b));
            });
            for (std::int64_t i = 0; i < k; ++i) {
                values.at(at(i)) = x.at(at(order[static_cast<std::size_t>(i)]));
                places.at(at(i)) = static_cast<double>(order[static_cast<std::size_t>(i)]);
            }
        });
        return Drawn{
            .text = {.node = {.op = "TopK",
                              .attributes = {integerAttribute("axis", axis), integerAttribute("largest", isLargest ? 1 : 0)}},
                     .opset = draw.number(11, 27)},
            .inputs = {x, listOf({k})},
            .outputs = {values, places},
            .note = format("axis {} largest {}", axis, isLargest)};
    });
}

TEST(ReductionDefinitions, ofCumSumAndCumProd)
{
    for (const bool isProduct : {false, true})
        checkDefinition([&](Draw &draw) {
            const DType dtype = draw.oneOf({DType::F32, DType::F64, DType::I32, DType::I64});
            const Numbers x = draw.numbers(draw.extents(1, 3, 0, 5), dtype, 2);
            const std::int64_t axis = draw.axis(x.rank());
            const bool isExclusive = draw.chance(50);
            const bool isReverse = draw.chance(50);
            Numbers y = x;
            const std::size_t along = wrapped(axis, x.rank());
            forEachLine(x, along, [&](const auto &at) {
                const std::int64_t n = x.extents[along];
                double total = isProduct ? 1 : 0;
                for (std::int64_t step = 0; step < n; ++step) {
                    const std::size_t place = at(isReverse ? n - 1 - step : step);
                    const double next = isProduct ? total * x.elements[place] : total + x.elements[place];
                    y.elements[place] = isExclusive ? total : next;
                    total = next;
                }
            });
            return Drawn{.text = {.node = {.op = isProduct ? "CumProd" : "CumSum",
                                           .attributes = {integerAttribute("exclusive", isExclusive ? 1 : 0),
                                                          integerAttribute("reverse", isReverse ? 1 : 0)}},
                                  .opset = draw.number(isProduct ? 26 : 11, 27)},
                         .inputs = {x, numberOf(static_cast<double>(axis), draw.oneOf({DType::I32, DType::I64}))},
                         .outputs = {y},
                         .note = format("exclusive {} reverse {}", isExclusive, isReverse)};
        });
}

} // namespace sw::test
