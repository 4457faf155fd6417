// Operators that move elements: shapes, slices, padding, blocks.

#include "tests/unit/onnx/definitions/definition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace sw::test {

namespace {

// Beyond every axis; a double has it exactly.
constexpr std::int64_t kFar = std::int64_t{1} << 62U;

DType anyType(Draw &draw)
{
    return draw.oneOf(
        {DType::F32, DType::F16, DType::F64, DType::I64, DType::I32, DType::U8, DType::Bool, DType::I8, DType::U16});
}

Numbers withExtents(Numbers x, Places extents)
{
    x.extents = std::move(extents);
    return x;
}

std::int64_t signedAxis(Draw &draw, std::size_t axis, std::size_t rank)
{
    return static_cast<std::int64_t>(axis) - (draw.chance(50) ? static_cast<std::int64_t>(rank) : 0);
}

} // namespace

TEST(MovementDefinitions, ofReshape)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(1, 4), anyType(draw));
        // Factors of the count, in any order; one of them may be left open, one that stays may be 0.
        Places goal = x.extents;
        while (goal.size() > 1 && draw.chance(60)) {
            goal[0] *= goal.back();
            goal.pop_back();
        }
        const bool isTurned = draw.chance(50);
        if (isTurned)
            std::reverse(goal.begin(), goal.end());
        Places written = goal;
        if (draw.chance(50))
            written[static_cast<std::size_t>(draw.number(0, static_cast<std::int64_t>(goal.size()) - 1))] = -1;
        for (std::size_t i = 0; i < goal.size(); ++i)
            if (written[i] != -1 && goal[i] == x.extents[i] && draw.chance(30))
                written[i] = 0;
        const std::int64_t opset = draw.number(1, 27);
        Drawn drawn{.text = {.node = {.op = "Reshape"}, .opset = opset},
                    .inputs = {x},
                    .outputs = {withExtents(x, goal)},
                    .note = format("to {}", join(written, ","))};
        if (opset < 5)
            drawn.text.node.attributes = {integersAttribute("shape", written)};
        else
            drawn.inputs.push_back(listOf(written));
        return drawn;
    });
}

TEST(MovementDefinitions, ofReshapeToNothing)
{
    checkDefinition(
        [](Draw &) {
            return Drawn{.text = {.node = {.op = "Reshape", .attributes = {integerAttribute("allowzero", 1)}}, .opset = 14},
                         .inputs = {Numbers{{0, 3, 4}, {}, DType::F32}, listOf({3, 4, 0})},
                         .outputs = {Numbers{{3, 4, 0}, {}, DType::F32}}};
        },
        1);
}

TEST(MovementDefinitions, ofFlattenSqueezeAndUnsqueeze)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(0, 4, 0), anyType(draw));
        const auto rank = static_cast<std::int64_t>(x.rank());
        const std::int64_t axis = draw.number(-rank, rank);
        const auto split = x.extents.begin() + (axis < 0 ? axis + rank : axis);
        return Drawn{
            .text = {.node = {.op = "Flatten", .attributes = {integerAttribute("axis", axis)}}, .opset = draw.number(11, 27)},
            .inputs = {x},
            .outputs = {withExtents(x, {productOf({x.extents.begin(), split}), productOf({split, x.extents.end()})})}};
    });
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(1, 5, 1, 2), anyType(draw));
        Places axes;
        Places kept;
        const bool isGiven = draw.chance(70);
        for (std::size_t i = 0; i < x.rank(); ++i) {
            if (x.extents[i] == 1 && (!isGiven || draw.chance(60)))
                axes.push_back(signedAxis(draw, i, x.rank()));
            else
                kept.push_back(x.extents[i]);
        }
        const std::int64_t opset = draw.number(11, 27);
        Drawn drawn{.text = {.node = {.op = "Squeeze"}, .opset = opset}, .inputs = {x}, .outputs = {withExtents(x, kept)}};
        if (isGiven && opset < 13)
            drawn.text.node.attributes = {integersAttribute("axes", axes)};
        else if (isGiven)
            drawn.inputs.push_back(listOf(axes));
        return drawn;
    });
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(0, 3), anyType(draw));
        const std::size_t rank = x.rank() + static_cast<std::size_t>(draw.number(1, 3));
        Places order(rank);
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t i = rank; i-- > 1;)
            std::swap(order[i], order[static_cast<std::size_t>(draw.number(0, static_cast<std::int64_t>(i)))]);
        order.resize(rank - x.rank());
        Places goal(rank, 0);
        for (const std::int64_t axis : order)
            goal[static_cast<std::size_t>(axis)] = 1;
        std::size_t next = 0;
        for (std::int64_t &extent : goal)
            extent = extent == 1 ? 1 : x.extents[next++];
        Places axes;
        for (const std::int64_t axis : order)
            axes.push_back(signedAxis(draw, static_cast<std::size_t>(axis), rank));
        const std::int64_t opset = draw.number(11, 27);
        Drawn drawn{.text = {.node = {.op = "Unsqueeze"}, .opset = opset}, .inputs = {x}, .outputs = {withExtents(x, goal)}};
        if (opset < 13)
            drawn.text.node.attributes = {integersAttribute("axes", axes)};
        else
            drawn.inputs.push_back(listOf(axes));
        return drawn;
    });
}

TEST(MovementDefinitions, ofTranspose)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(0, 5), anyType(draw));
        Places order(x.rank());
        std::iota(order.rbegin(), order.rend(), 0);
        Drawn drawn{.text = {.node = {.op = "Transpose"}, .opset = draw.number(1, 27)}, .inputs = {x}};
        if (draw.chance(70)) {
            for (std::size_t i = order.size(); i-- > 1;)
                std::swap(order[i], order[static_cast<std::size_t>(draw.number(0, static_cast<std::int64_t>(i)))]);
            drawn.text.node.attributes = {integersAttribute("perm", order)};
        }
        Places extents;
        for (const std::int64_t axis : order)
            extents.push_back(x.extents[static_cast<std::size_t>(axis)]);
        drawn.outputs = {computed(extents, x.dtype, [&](const Places &at) {
            Places from(at.size());
            for (std::size_t i = 0; i < at.size(); ++i)
                from[static_cast<std::size_t>(order[i])] = at[i];
            return x.at(from);
        })};
        return drawn;
    });
}

TEST(MovementDefinitions, ofExpandAndTile)
{
    checkDefinition([](Draw &draw) {
        const Places whole = draw.extents(0, 4);
        const Numbers x = draw.numbers(draw.broadcastTo(whole), anyType(draw));
        const Places shape = draw.broadcastTo(whole);
        return Drawn{
            .text = {.node = {.op = "Expand"}, .opset = draw.number(8, 27)},
            .inputs = {x, listOf(shape)},
            .outputs = {computed(broadcastOf(x.extents, shape), x.dtype, [&](const Places &at) { return x.broadcastAt(at); })},
            .note = join(shape, ",")};
    });
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(1, 4, 1, 3), anyType(draw));
        Places repeats(x.rank());
        Places extents = x.extents;
        for (std::size_t i = 0; i < repeats.size(); ++i)
            extents[i] *= repeats[i] = draw.number(draw.chance(10) ? 0 : 1, 3);
        return Drawn{.text = {.node = {.op = "Tile"}, .opset = draw.number(6, 27)},
                     .inputs = {x, listOf(repeats)},
                     .outputs = {computed(extents, x.dtype, [&](Places at) {
                         for (std::size_t i = 0; i < at.size(); ++i)
                             at[i] %= x.extents[i];
                         return x.at(at);
                     })}};
    });
    // Before opset 6: one axis, with its count.
    checkDefinition(
        [](Draw &draw) {
            const Numbers x = draw.numbers(draw.extents(1, 4, 1, 3));
            const std::int64_t axis = draw.number(0, static_cast<std::int64_t>(x.rank()) - 1);
            const std::int64_t count = draw.number(1, 3);
            Places extents = x.extents;
            extents[static_cast<std::size_t>(axis)] *= count;
            return Drawn{
                .text = {.node = {.op = "Tile"}, .opset = draw.number(1, 5)},
                .inputs = {x, numberOf(static_cast<double>(count), DType::I64), numberOf(static_cast<double>(axis), DType::I64)},
                .outputs = {computed(extents, x.dtype, [&](Places at) {
                    at[static_cast<std::size_t>(axis)] %= x.extents[static_cast<std::size_t>(axis)];
                    return x.at(at);
                })}};
        },
        10);
}

TEST(MovementDefinitions, ofConcatAndSplit)
{
    checkDefinition([](Draw &draw) {
        const DType dtype = anyType(draw);
        const Places extents = draw.extents(1, 4);
        const std::int64_t opset = draw.number(1, 27);
        const bool isDefault = opset < 4 && extents.size() > 1 && draw.chance(50);
        const std::size_t axis =
            isDefault ? 1 : static_cast<std::size_t>(draw.number(0, static_cast<std::int64_t>(extents.size()) - 1));
        Drawn drawn{.text = {.node = {.op = "Concat"}, .opset = opset}};
        if (!isDefault)
            drawn.text.node.attributes = {
                integerAttribute("axis", opset >= 11 ? signedAxis(draw, axis, extents.size()) : static_cast<std::int64_t>(axis))};
        Places whole = extents;
        whole[axis] = 0;
        for (std::int64_t i = draw.number(1, 4); i > 0; --i) {
            Places part = extents;
            part[axis] = draw.number(0, 3);
            whole[axis] += part[axis];
            drawn.inputs.push_back(draw.numbers(part, dtype));
        }
        drawn.outputs = {computed(whole, dtype, [&](Places at) {
            for (const Numbers &part : drawn.inputs) {
                if (at[axis] < part.extents[axis])
                    return part.at(at);
                at[axis] -= part.extents[axis];
            }
            return 0.0;
        })};
        return drawn;
    });
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(1, 4, 1, 6), anyType(draw));
        const std::int64_t opset = draw.number(1, 27);
        const std::size_t axis = static_cast<std::size_t>(draw.number(0, static_cast<std::int64_t>(x.rank()) - 1));
        const std::int64_t n = x.extents[axis];
        Drawn drawn{.text = {.node = {.op = "Split",
                                      .attributes = {integerAttribute("axis", opset >= 11 ? signedAxis(draw, axis, x.rank())
                                                                                          : static_cast<std::int64_t>(axis))}},
                             .opset = opset},
                    .inputs = {x}};
        Places parts;
        if (draw.chance(60)) {
            for (std::int64_t left = n; left > 0; left -= parts.back())
                parts.push_back(draw.number(1, left));
            if (opset < 13)
                drawn.text.node.attributes.push_back(integersAttribute("split", parts));
            else
                drawn.inputs.push_back(listOf(parts));
        } else {
            // As many equal parts as there are outputs; since opset 18 the last one may be smaller.
            std::int64_t count = draw.number(1, n);
            const auto each = [&] { return (n + count - 1) / count; };
            while (opset < 18 ? n % count != 0 : each() * (count - 1) >= n)
                --count;
            parts.assign(static_cast<std::size_t>(count), each());
            parts.back() = n - each() * (count - 1);
            if (opset >= 18)
                drawn.text.node.attributes.push_back(integerAttribute("num_outputs", count));
        }
        std::int64_t first = 0;
        for (const std::int64_t part : parts) {
            Places extents = x.extents;
            extents[axis] = part;
            drawn.outputs.push_back(computed(extents, x.dtype, [&](Places at) {
                at[axis] += first;
                return x.at(at);
            }));
            first += part;
        }
        return drawn;
    });
}

TEST(MovementDefinitions, ofSlice)
{
    checkDefinition(
        [](Draw &draw) {
            const Numbers x = draw.numbers(draw.extents(1, 4, 1, 6), anyType(draw));
            const bool isOld = draw.chance(20);
            Places starts, ends, axes, steps;
            std::vector<std::vector<std::int64_t>> picked(x.rank());
            for (std::size_t i = 0; i < x.rank(); ++i) {
                const std::int64_t n = x.extents[i];
                for (std::int64_t k = 0; k < n; ++k)
                    picked[i].push_back(k);
                if (draw.chance(40))
                    continue;
                const std::int64_t step = isOld ? 1 : draw.oneOf<std::int64_t>({1, 1, 2, 3, -1, -2, -7});
                const std::int64_t start = draw.chance(10) ? draw.oneOf({-kFar, kFar}) : draw.number(-n - 2, n + 2);
                const std::int64_t end = draw.chance(20) ? draw.oneOf({-kFar, kFar}) : draw.number(-n - 2, n + 2);
                starts.push_back(start);
                ends.push_back(end);
                steps.push_back(step);
                axes.push_back(isOld ? static_cast<std::int64_t>(i) : signedAxis(draw, i, x.rank()));
                const auto bounded = [&](std::int64_t at, std::int64_t low, std::int64_t high) {
                    return std::clamp(at < 0 ? std::max(at, -n - 1) + n : at, low, high);
                };
                picked[i].clear();
                if (step > 0)
                    for (std::int64_t k = bounded(start, 0, n); k < bounded(end, 0, n); k += step)
                        picked[i].push_back(k);
                else
                    for (std::int64_t k = bounded(start, 0, n - 1); k > bounded(end, -1, n - 1); k += step)
                        picked[i].push_back(k);
            }
            Places extents;
            for (const auto &places : picked)
                extents.push_back(static_cast<std::int64_t>(places.size()));
            Drawn drawn{.text = {.node = {.op = "Slice"}, .opset = isOld ? draw.number(1, 9) : draw.number(10, 27)},
                        .inputs = {x},
                        .outputs = {computed(extents, x.dtype,
                                             [&](Places at) {
                                                 for (std::size_t i = 0; i < at.size(); ++i)
                                                     at[i] = picked[i][static_cast<std::size_t>(at[i])];
                                                 return x.at(at);
                                             })},
                        .note = format("starts {} ends {} axes {} steps {}", join(starts, ","), join(ends, ","), join(axes, ","),
                                       join(steps, ","))};
            if (isOld) {
                drawn.text.node.attributes = {integersAttribute("starts", starts), integersAttribute("ends", ends),
                                              integersAttribute("axes", axes)};
                return drawn;
            }
            for (const Places &list : {starts, ends, axes, steps})
                drawn.inputs.push_back(listOf(list, DType::I64));
            return drawn;
        },
        80);
}

// Reflection turns around at the first and the last element, again and again; wrapping begins anew.
TEST(MovementDefinitions, ofPad)
{
    checkDefinition(
        [](Draw &draw) {
            const std::int64_t opset = draw.number(1, 27);
            const Numbers x = draw.numbers(draw.extents(1, 4), opset < 11 ? DType::F32 : anyType(draw));
            const std::string mode =
                draw.oneOf<std::string>({"constant", "constant", "edge", "reflect", opset >= 19 ? "wrap" : "edge"});
            const bool hasAxes = opset >= 18 && draw.chance(40);
            Places axes;
            for (std::size_t i = 0; i < x.rank(); ++i)
                if (!hasAxes || draw.chance(60))
                    axes.push_back(hasAxes ? signedAxis(draw, i, x.rank()) : static_cast<std::int64_t>(i));
            Places before(x.rank(), 0);
            Places extents = x.extents;
            Places begins, ends;
            for (const std::int64_t axis : axes) {
                const std::size_t i = wrapped(axis, x.rank());
                const bool isMirror = mode == "reflect" && x.extents[i] == 1;
                begins.push_back(isMirror ? 0 : draw.number(mode == "constant" ? -1 : 0, 4));
                ends.push_back(isMirror ? 0 : draw.number(mode == "constant" && x.extents[i] > 1 ? -1 : 0, 4));
                before[i] = begins.back();
                extents[i] += begins.back() + ends.back();
            }
            Places pads = begins;
            pads.insert(pads.end(), ends.begin(), ends.end());
            const double fill = x.dtype == DType::Bool ? 1 : 3;
            const bool hasFill = mode == "constant" && draw.chance(60);
            Drawn drawn{.text = {.node = {.op = "Pad", .attributes = {textAttribute("mode", mode)}}, .opset = opset},
                        .inputs = {x},
                        .note = format("{} pads {} axes {}", mode, join(pads, ","), join(axes, ","))};
            drawn.outputs = {computed(extents, x.dtype, [&](Places at) {
                for (std::size_t i = 0; i < at.size(); ++i) {
                    const std::int64_t n = x.extents[i];
                    std::int64_t k = at[i] - before[i];
                    if (mode == "constant" && (k < 0 || k >= n))
                        return hasFill ? fill : 0.0;
                    if (mode == "edge")
                        k = std::clamp<std::int64_t>(k, 0, n - 1);
                    if (mode == "wrap")
                        k = (k % n + n) % n;
                    while (k < 0 || k >= n)
                        k = k < 0 ? -k : 2 * (n - 1) - k;
                    at[i] = k;
                }
                return x.at(at);
            })};
            if (opset < 11) {
                drawn.text.node.attributes.push_back(integersAttribute(opset == 1 ? "paddings" : "pads", pads));
                if (hasFill)
                    drawn.text.node.attributes.push_back(numberAttribute("value", static_cast<float>(fill)));
                return drawn;
            }
            drawn.inputs.push_back(listOf(pads));
            drawn.text.node.inputs = {"x0", "x1"};
            if (hasFill || hasAxes)
                drawn.text.node.inputs.push_back(hasFill ? format("x{}", drawn.inputs.size()) : std::string());
            if (hasFill)
                drawn.inputs.push_back(numberOf(fill, x.dtype));
            if (hasAxes) {
                drawn.text.node.inputs.push_back(format("x{}", drawn.inputs.size()));
                drawn.inputs.push_back(listOf(axes, draw.oneOf({DType::I32, DType::I64})));
            }
            return drawn;
        },
        80);
}

TEST(MovementDefinitions, ofDepthToSpaceAndSpaceToDepth)
{
    checkDefinition([](Draw &draw) {
        const std::int64_t b = draw.number(1, 3);
        const std::int64_t depth = draw.number(1, 2);
        const Numbers x = draw.numbers({draw.number(1, 2), depth * b * b, draw.number(1, 3), draw.number(1, 3)}, anyType(draw));
        const bool isColumnFirst = draw.chance(50);
        const std::int64_t opset = isColumnFirst ? draw.number(11, 27) : draw.number(1, 27);
        Drawn drawn{
            .text = {.node = {.op = "DepthToSpace", .attributes = {integerAttribute("blocksize", b)}}, .opset = opset},
            .inputs = {x},
            .outputs = {computed({x.extents[0], depth, x.extents[2] * b, x.extents[3] * b}, x.dtype, [&](const Places &at) {
                const std::int64_t inner = at[2] % b * b + at[3] % b;
                return x.at({at[0], isColumnFirst ? at[1] * b * b + inner : inner * depth + at[1], at[2] / b, at[3] / b});
            })}};
        if (opset >= 11)
            drawn.text.node.attributes.push_back(textAttribute("mode", isColumnFirst ? "CRD" : "DCR"));
        return drawn;
    });
    checkDefinition([](Draw &draw) {
        const std::int64_t b = draw.number(1, 3);
        const std::int64_t depth = draw.number(1, 2);
        const Numbers x = draw.numbers({draw.number(1, 2), depth, draw.number(1, 3) * b, draw.number(1, 3) * b}, anyType(draw));
        return Drawn{.text = {.node = {.op = "SpaceToDepth", .attributes = {integerAttribute("blocksize", b)}},
                              .opset = draw.number(1, 27)},
                     .inputs = {x},
                     .outputs = {computed({x.extents[0], depth * b * b, x.extents[2] / b, x.extents[3] / b}, x.dtype,
                                          [&](const Places &at) {
                                              const std::int64_t inner = at[1] / depth;
                                              return x.at({at[0], at[1] % depth, at[2] * b + inner / b, at[3] * b + inner % b});
                                          })}};
    });
}

TEST(MovementDefinitions, ofShapeAndSize)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(0, 5, 0), anyType(draw));
        const auto rank = static_cast<std::int64_t>(x.rank());
        const std::int64_t begin = draw.number(-rank - 1, rank + 1);
        const std::int64_t end = draw.number(-rank - 1, rank + 1);
        const auto bounded = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank); };
        Places found;
        for (std::int64_t i = bounded(begin); i < bounded(end); ++i)
            found.push_back(x.extents[static_cast<std::size_t>(i)]);
        return Drawn{
            .text = {.node = {.op = "Shape", .attributes = {integerAttribute("start", begin), integerAttribute("end", end)}},
                     .opset = draw.number(15, 27)},
            .inputs = {x},
            .outputs = {listOf(found)}};
    });
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(0, 4, 0), anyType(draw));
        return Drawn{.text = {.node = {.op = "Size"}, .opset = draw.number(1, 27)},
                     .inputs = {x},
                     .outputs = {numberOf(static_cast<double>(x.count()), DType::I64)}};
    });
}

TEST(MovementDefinitions, ofCenterCropPadAndTrilu)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(1, 3, 1, 7));
        Places axes, goal, extents = x.extents;
        for (std::size_t i = 0; i < x.rank(); ++i)
            if (draw.chance(70)) {
                axes.push_back(signedAxis(draw, i, x.rank()));
                goal.push_back(draw.number(1, 8));
                extents[i] = goal.back();
            }
        if (axes.empty()) {
            axes = {0};
            goal = {extents[0]};
        }
        return Drawn{.text = {.node = {.op = "CenterCropPad", .attributes = {integersAttribute("axes", axes)}},
                              .opset = draw.number(18, 27)},
                     .inputs = {x, listOf(goal, draw.oneOf({DType::I32, DType::I64}))},
                     .outputs = {computed(extents, x.dtype, [&](Places at) {
                         for (std::size_t i = 0; i < at.size(); ++i) {
                             const std::int64_t n = x.extents[i];
                             at[i] += n > extents[i] ? (n - extents[i]) / 2 : -((extents[i] - n) / 2);
                             if (at[i] < 0 || at[i] >= n)
                                 return 0.0;
                         }
                         return x.at(at);
                     })}};
    });
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(2, 4, 0), anyType(draw));
        const bool isUpper = draw.chance(50);
        const std::int64_t k = draw.number(-4, 4);
        return Drawn{.text = {.node = {.op = "Trilu", .attributes = {integerAttribute("upper", isUpper ? 1 : 0)}},
                              .opset = draw.number(14, 27)},
                     .inputs = {x, numberOf(static_cast<double>(k), DType::I64)},
                     .outputs = {computed(x.extents, x.dtype, [&](const Places &at) {
                         const std::int64_t above = at[at.size() - 1] - at[at.size() - 2];
                         return (isUpper ? above >= k : above <= k) ? x.at(at) : 0;
                     })}};
    });
}

// Nothing is dropped but in training; the mask has the type of the elements before opset 10.
TEST(MovementDefinitions, ofDropout)
{
    checkDefinition([](Draw &draw) {
        const std::int64_t opset = draw.number(1, 27);
        const Numbers x = draw.numbers(draw.extents(0, 3));
        Drawn drawn{.text = {.node = {.op = "Dropout"}, .opset = opset}, .inputs = {x}, .outputs = {x}};
        if (opset < 7)
            drawn.text.node.attributes = {integerAttribute("is_test", 1)};
        if (draw.chance(50))
            drawn.outputs.push_back(filled(x.extents, 1, opset < 10 ? DType::F32 : DType::Bool));
        return drawn;
    });
    const ModelResult training = importOperator({.node = {.op = "Dropout"}, .opset = 6}, {floats({2}, {1, 2})});
    ASSERT_FALSE(training.graph);
    EXPECT_NE(toText(training.diagnostics).find("is_test is 0; only inference is supported"), std::string::npos)
        << toText(training.diagnostics);
}

TEST(MovementDefinitions, ofReverseSequence)
{
    checkDefinition([](Draw &draw) {
        const bool isBatchFirst = draw.chance(50);
        const Numbers x = draw.numbers(draw.extents(2, 4, 1, 5), anyType(draw));
        const std::size_t batch = isBatchFirst ? 0 : 1;
        const std::size_t time = 1 - batch;
        Places lengths;
        for (std::int64_t i = 0; i < x.extents[batch]; ++i)
            lengths.push_back(draw.number(1, x.extents[time]));
        return Drawn{.text = {.node = {.op = "ReverseSequence",
                                       .attributes = {integerAttribute("batch_axis", static_cast<std::int64_t>(batch)),
                                                      integerAttribute("time_axis", static_cast<std::int64_t>(time))}},
                              .opset = draw.number(10, 27)},
                     .inputs = {x, listOf(lengths)},
                     .outputs = {computed(x.extents, x.dtype, [&](Places at) {
                         const std::int64_t n = lengths[static_cast<std::size_t>(at[batch])];
                         at[time] = at[time] < n ? n - 1 - at[time] : at[time];
                         return x.at(at);
                     })}};
    });
}

} // namespace sw::test
