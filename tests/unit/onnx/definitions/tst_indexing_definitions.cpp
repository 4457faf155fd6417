// Operators that look elements up or put them somewhere.

#include "tests/unit/onnx/definitions/definition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sw::test {

namespace {

DType anyType(Draw &draw)
{
    return draw.oneOf({DType::F32, DType::F16, DType::F64, DType::I64, DType::I32, DType::U8, DType::Bool});
}

// Places on an axis of n elements, also counted from its end.
Numbers indicesInto(Draw &draw, Places extents, std::int64_t n)
{
    const DType dtype = draw.oneOf({DType::I32, DType::I64});
    return computed(std::move(extents), dtype, [&](const Places &) { return static_cast<double>(draw.number(-n, n - 1)); });
}

std::int64_t positive(double index, std::int64_t n)
{
    return static_cast<std::int64_t>(index) + (index < 0 ? n : 0);
}

double combined(const std::string &reduction, double old, double update)
{
    if (reduction == "add")
        return old + update;
    if (reduction == "mul")
        return old * update;
    if (reduction == "max")
        return std::max(old, update);
    return reduction == "min" ? std::min(old, update) : update;
}

std::string reductionOf(Draw &draw, std::int64_t opset)
{
    if (opset < 16)
        return "none";
    return opset < 18 ? draw.oneOf<std::string>({"none", "add", "mul"})
                      : draw.oneOf<std::string>({"none", "add", "mul", "max", "min"});
}

} // namespace

TEST(IndexingDefinitions, ofGather)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(1, 4), anyType(draw));
        const std::int64_t axis = draw.axis(x.rank());
        const std::size_t along = wrapped(axis, x.rank());
        const Numbers indices = indicesInto(draw, draw.extents(0, 3, draw.chance(10) ? 0 : 1), x.extents[along]);
        Places extents = without(x.extents, along);
        extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(along), indices.extents.begin(), indices.extents.end());
        return Drawn{
            .text = {.node = {.op = "Gather", .attributes = {integerAttribute("axis", axis)}}, .opset = draw.number(11, 27)},
            .inputs = {x, indices},
            .outputs = {computed(extents, x.dtype, [&](const Places &at) {
                const auto first = at.begin() + static_cast<std::ptrdiff_t>(along);
                const auto last = first + static_cast<std::ptrdiff_t>(indices.rank());
                Places from(at.begin(), first);
                from.push_back(positive(indices.at({first, last}), x.extents[along]));
                from.insert(from.end(), last, at.end());
                return x.at(from);
            })}};
    });
}

TEST(IndexingDefinitions, ofGatherElements)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(1, 4), anyType(draw));
        const std::int64_t axis = draw.axis(x.rank());
        const std::size_t along = wrapped(axis, x.rank());
        Places extents = x.extents;
        for (std::size_t i = 0; i < extents.size(); ++i)
            extents[i] = i == along ? draw.number(1, 5) : draw.number(1, extents[i]);
        const Numbers indices = indicesInto(draw, extents, x.extents[along]);
        return Drawn{.text = {.node = {.op = "GatherElements", .attributes = {integerAttribute("axis", axis)}},
                              .opset = draw.number(11, 27)},
                     .inputs = {x, indices},
                     .outputs = {computed(extents, x.dtype, [&](Places at) {
                         at[along] = positive(indices.at(at), x.extents[along]);
                         return x.at(at);
                     })}};
    });
}

TEST(IndexingDefinitions, ofGatherND)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(1, 4), anyType(draw));
        const auto rank = static_cast<std::int64_t>(x.rank());
        const std::int64_t batch = draw.number(0, rank - 1);
        const std::int64_t k = draw.number(1, rank - batch);
        Places extents(x.extents.begin(), x.extents.begin() + batch);
        for (std::int64_t i = draw.number(0, 2); i > 0; --i)
            extents.push_back(draw.number(1, 3));
        extents.push_back(k);
        const Numbers indices = computed(extents, DType::I64, [&](const Places &at) {
            const std::int64_t n = x.extents[static_cast<std::size_t>(batch + at.back())];
            return static_cast<double>(draw.number(-n, n - 1));
        });
        Places goal(extents.begin(), extents.end() - 1);
        goal.insert(goal.end(), x.extents.begin() + batch + k, x.extents.end());
        const std::size_t outer = extents.size() - 1;
        return Drawn{.text = {.node = {.op = "GatherND", .attributes = {integerAttribute("batch_dims", batch)}},
                              .opset = draw.number(12, 27)},
                     .inputs = {x, indices},
                     .outputs = {computed(goal, x.dtype,
                                          [&](const Places &at) {
                                              Places from(at.begin(), at.begin() + batch);
                                              Places tuple(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(outer));
                                              tuple.push_back(0);
                                              for (std::int64_t i = 0; i < k; ++i) {
                                                  tuple.back() = i;
                                                  from.push_back(positive(indices.at(tuple),
                                                                          x.extents[static_cast<std::size_t>(batch + i)]));
                                              }
                                              from.insert(from.end(), at.begin() + static_cast<std::ptrdiff_t>(outer), at.end());
                                              return x.at(from);
                                          })},
                     .note = format("batch {}", batch)};
    });
}

TEST(IndexingDefinitions, ofScatterElements)
{
    checkDefinition(
        [](Draw &draw) {
            const std::int64_t opset = draw.number(9, 27);
            const Numbers x = draw.numbers(draw.extents(1, 4), draw.oneOf({DType::F32, DType::F64, DType::I32, DType::I64}), 3);
            const std::size_t along = static_cast<std::size_t>(draw.number(0, static_cast<std::int64_t>(x.rank()) - 1));
            const std::string reduction = reductionOf(draw, opset);
            Places extents = x.extents;
            for (std::size_t i = 0; i < extents.size(); ++i)
                extents[i] = draw.number(1, reduction != "none" && i == along ? extents[i] + 2 : extents[i]);
            Numbers indices = indicesInto(draw, extents, x.extents[along]);
            if (opset < 11)
                for (double &index : indices.elements)
                    index = std::abs(index + (index < 0 ? 1 : 0));
            // Without a reduction no place may be written twice.
            if (reduction == "none")
                forEach(extents, [&](const Places &at) {
                    const std::int64_t n = x.extents[along];
                    indices.at(at) = static_cast<double>((at[along] * (n > 2 && n % 2 == 1 ? 2 : 1) + 1) % n) -
                                     static_cast<double>(opset >= 11 && at[along] % 2 == 1 ? n : 0);
                });
            const Numbers updates = draw.numbers(extents, x.dtype, 3);
            Drawn drawn{.text = {.node = {.op = opset < 11 ? "Scatter" : "ScatterElements",
                                          .attributes = {integerAttribute("axis", static_cast<std::int64_t>(along))}},
                                 .opset = opset},
                        .inputs = {x, indices, updates},
                        .outputs = {x},
                        .note = format("axis {} {}", along, reduction)};
            if (opset >= 16)
                drawn.text.node.attributes.push_back(textAttribute("reduction", reduction));
            forEach(extents, [&](Places at) {
                const double update = updates.at(at);
                at[along] = positive(indices.at(at), x.extents[along]);
                double &old = drawn.outputs[0].at(at);
                old = combined(reduction, old, update);
            });
            return drawn;
        },
        80);
}

TEST(IndexingDefinitions, ofScatterND)
{
    checkDefinition(
        [](Draw &draw) {
            const std::int64_t opset = draw.number(11, 27);
            const Numbers x =
                draw.numbers(draw.extents(1, 4, 2, 4), draw.oneOf({DType::F32, DType::F64, DType::I32, DType::I64}), 3);
            const auto rank = static_cast<std::int64_t>(x.rank());
            const std::int64_t k = draw.number(1, rank);
            const std::string reduction = reductionOf(draw, opset);
            // Without a reduction no place may be written twice: one update.
            const std::int64_t count = reduction == "none" ? 1 : draw.number(1, 4);
            const Numbers indices = computed({count, 1, k}, DType::I64, [&](const Places &at) {
                const std::int64_t n = x.extents[static_cast<std::size_t>(at[2])];
                return static_cast<double>(draw.number(opset >= 13 ? -n : 0, n - 1));
            });
            Places extents{count, 1};
            extents.insert(extents.end(), x.extents.begin() + k, x.extents.end());
            const Numbers updates = draw.numbers(extents, x.dtype, 3);
            Drawn drawn{.text = {.node = {.op = "ScatterND"}, .opset = opset},
                        .inputs = {x, indices, updates},
                        .outputs = {x},
                        .note = reduction};
            if (opset >= 16)
                drawn.text.node.attributes = {textAttribute("reduction", reduction)};
            forEach(extents, [&](const Places &at) {
                Places goal;
                for (std::int64_t i = 0; i < k; ++i)
                    goal.push_back(positive(indices.at({at[0], at[1], i}), x.extents[static_cast<std::size_t>(i)]));
                goal.insert(goal.end(), at.begin() + 2, at.end());
                double &old = drawn.outputs[0].at(goal);
                old = combined(reduction, old, updates.at(at));
            });
            return drawn;
        },
        80);
}

// A place that is out of range, on either side, is off everywhere.
TEST(IndexingDefinitions, ofOneHot)
{
    checkDefinition([](Draw &draw) {
        const std::int64_t depth = draw.oneOf<std::int64_t>({1, 3, 5, 200, 300});
        const DType dtype = draw.oneOf({DType::I64, DType::I32, DType::F32, DType::U8, DType::I8});
        const Numbers indices = draw.numbers(draw.extents(0, 3, 1, 3), dtype == DType::F32 ? DType::I64 : dtype, 7);
        const Numbers from{indices.extents, indices.elements, dtype};
        const DType valueType = anyType(draw);
        const Numbers values = draw.numbers({2}, valueType);
        const std::int64_t axis = draw.axis(from.rank() + 1);
        const std::size_t along = wrapped(axis, from.rank() + 1);
        Places extents = from.extents;
        extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(along), depth);
        return Drawn{
            .text = {.node = {.op = "OneHot", .attributes = {integerAttribute("axis", axis)}}, .opset = draw.number(11, 27)},
            .inputs = {from, numberOf(static_cast<double>(depth), DType::I64), values},
            .outputs = {computed(extents, valueType,
                                 [&](const Places &at) {
                                     const std::int64_t wanted = positive(from.at(without(at, along)), depth);
                                     return values.at({at[along] == wanted ? 1 : 0});
                                 })},
            .note = format("axis {} depth {}", axis, depth)};
    });
}

namespace {

// Whether only the run knows the data.
std::set<std::size_t> unknownOrNot(Draw &draw)
{
    return draw.chance(50) ? std::set<std::size_t>{0} : std::set<std::size_t>();
}

} // namespace

TEST(IndexingDefinitions, ofCompress)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(1, 3), anyType(draw));
        const bool hasAxis = draw.chance(60);
        const std::int64_t axis = draw.axis(x.rank());
        const std::size_t along = wrapped(axis, x.rank());
        const Numbers from = hasAxis ? x : Numbers{{x.count()}, x.elements, x.dtype};
        const std::size_t place = hasAxis ? along : 0;
        const Numbers condition = draw.numbers({draw.number(1, from.extents[place])}, DType::Bool);
        Places kept;
        for (std::int64_t i = 0; i < condition.count(); ++i)
            if (condition.at({i}) != 0)
                kept.push_back(i);
        Places extents = from.extents;
        extents[place] = static_cast<std::int64_t>(kept.size());
        Drawn drawn{.text = {.node = {.op = "Compress"}, .opset = draw.number(11, 27)},
                    .inputs = {x, condition},
                    .outputs = {computed(extents, x.dtype, [&](Places at) {
                        at[place] = kept[static_cast<std::size_t>(at[place])];
                        return from.at(at);
                    })}};
        if (hasAxis)
            drawn.text.node.attributes = {integerAttribute("axis", axis)};
        if (draw.chance(50))
            drawn.text.unknown = {1};
        return drawn;
    });
}

TEST(IndexingDefinitions, ofNonZero)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(1, 3), anyType(draw), 1);
        std::vector<Places> found;
        forEach(x.extents, [&](const Places &at) {
            if (x.at(at) != 0)
                found.push_back(at);
        });
        const auto count = static_cast<std::int64_t>(found.size());
        return Drawn{.text = {.node = {.op = "NonZero"}, .opset = draw.number(9, 27), .unknown = unknownOrNot(draw)},
                     .inputs = {x},
                     .outputs = {computed({static_cast<std::int64_t>(x.rank()), count}, DType::I64, [&](const Places &at) {
                         return static_cast<double>(found[static_cast<std::size_t>(at[1])][static_cast<std::size_t>(at[0])]);
                     })}};
    });
}

TEST(IndexingDefinitions, ofUnique)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers({draw.number(1, 8)}, draw.oneOf({DType::F32, DType::I64, DType::F64, DType::I8}), 2);
        const bool isSorted = draw.chance(60);
        std::vector<double> values;
        for (const double element : x.elements)
            if (std::find(values.begin(), values.end(), element) == values.end())
                values.push_back(element);
        if (isSorted)
            std::sort(values.begin(), values.end());
        Places first, which, counts;
        for (const double value : values) {
            first.push_back(std::find(x.elements.begin(), x.elements.end(), value) - x.elements.begin());
            counts.push_back(std::count(x.elements.begin(), x.elements.end(), value));
        }
        for (const double element : x.elements)
            which.push_back(std::find(values.begin(), values.end(), element) - values.begin());
        return Drawn{.text = {.node = {.op = "Unique", .attributes = {integerAttribute("sorted", isSorted ? 1 : 0)}},
                              .opset = draw.number(11, 27),
                              .unknown = unknownOrNot(draw)},
                     .inputs = {x},
                     .outputs = {Numbers{{static_cast<std::int64_t>(values.size())}, values, x.dtype}, listOf(first),
                                 listOf(which), listOf(counts)}};
    });
}

TEST(IndexingDefinitions, ofArrayFeatureExtractorAndBinarizer)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(2, 3), draw.oneOf({DType::F32, DType::F64, DType::I64, DType::I32}));
        const std::int64_t n = x.extents.back();
        const Numbers columns =
            computed({draw.number(1, 4)}, DType::I64, [&](const Places &) { return static_cast<double>(draw.number(0, n - 1)); });
        Places extents = x.extents;
        extents.back() = columns.count();
        return Drawn{
            .text = {.node = {.op = "ArrayFeatureExtractor", .domain = "ai.onnx.ml"}, .opset = 3, .domain = "ai.onnx.ml"},
            .inputs = {x, columns},
            .outputs = {computed(extents, x.dtype, [&](Places at) {
                at.back() = static_cast<std::int64_t>(columns.at({at.back()}));
                return x.at(at);
            })}};
    });
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(1, 3), draw.oneOf({DType::F32, DType::F64, DType::I64, DType::I32}));
        return Drawn{
            .text = {.node = {.op = "Binarizer", .attributes = {numberAttribute("threshold", 0.5F)}, .domain = "ai.onnx.ml"},
                     .opset = 3,
                     .domain = "ai.onnx.ml"},
            .inputs = {x},
            .outputs = {computed(x.extents, x.dtype, [&](const Places &at) { return x.at(at) > 0.5 ? 1.0 : 0.0; })}};
    });
}

TEST(IndexingDefinitions, ofTensorScatter)
{
    checkDefinition([](Draw &draw) {
        const bool isCircular = draw.chance(50);
        Numbers cache = draw.numbers(draw.extents(3, 4, 2, 4));
        const std::size_t axis = cache.rank() - 2;
        const std::int64_t n = cache.extents[axis];
        Places extents = cache.extents;
        extents[axis] = draw.number(1, n);
        const Numbers update = draw.numbers(extents);
        Places begins;
        for (std::int64_t i = 0; i < extents[0]; ++i)
            begins.push_back(draw.number(0, isCircular ? n - 1 : n - extents[axis]));
        Drawn drawn{
            .text = {.node = {.op = "TensorScatter", .attributes = {textAttribute("mode", isCircular ? "circular" : "linear")}},
                     .opset = draw.number(24, 27)},
            .inputs = {cache, update, listOf(begins)},
            .outputs = {cache}};
        forEach(extents, [&](Places at) {
            const double value = update.at(at);
            at[axis] = (at[axis] + begins[static_cast<std::size_t>(at[0])]) % n;
            drawn.outputs[0].at(at) = value;
        });
        return drawn;
    });
}

} // namespace sw::test
