// Operators with a formula of their own: quantised numbers, losses, matrix products, windows of signals, resizing, decision
// trees.

#include "tests/unit/onnx/definitions/definition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sw::test {

namespace {

constexpr double kPi = std::numbers::pi;

double lowestIn(DType dtype)
{
    return isSigned(dtype) ? -std::pow(2.0, infoOf(dtype).bits - 1) : 0;
}

double quantized(double value, double zero, DType dtype)
{
    const double low = lowestIn(dtype);
    return std::clamp(std::nearbyint(value) + zero, low, low + std::pow(2.0, infoOf(dtype).bits) - 1);
}

// Powers of two, so that divisions are exact and ties are ties.
Numbers scales(Draw &draw, Places extents, DType dtype = DType::F32)
{
    return computed(std::move(extents), dtype,
                    [&](const Places &) { return std::pow(2.0, static_cast<double>(draw.number(-3, 1))); });
}

// Scales and zero points: one, one for each place on an axis, or one for each block of an axis.
struct Spread {
    Places extents;
    std::int64_t axis = 0;
    std::int64_t block = 0;

    [[nodiscard]] Places of(const Places &at) const
    {
        if (extents.empty())
            return {};
        if (block == 0)
            return {at[static_cast<std::size_t>(axis)]};
        Places place = at;
        place[static_cast<std::size_t>(axis)] /= block;
        return place;
    }
};
Spread drawSpread(Draw &draw, const Places &extents, std::int64_t opset)
{
    Spread spread;
    const std::int64_t kind = opset < 13 ? 0 : draw.number(0, opset >= 21 ? 2 : 1);
    spread.axis = draw.number(0, static_cast<std::int64_t>(extents.size()) - 1);
    const std::int64_t n = extents[static_cast<std::size_t>(spread.axis)];
    if (kind == 1)
        spread.extents = {n};
    if (kind == 2) {
        spread.block = draw.number(1, n);
        spread.extents = extents;
        spread.extents[static_cast<std::size_t>(spread.axis)] = (n + spread.block - 1) / spread.block;
    }
    return spread;
}

std::vector<Message> attributesOf(const Spread &spread, std::size_t rank, std::int64_t opset, Draw &draw)
{
    if (opset < 13)
        return {};
    std::vector<Message> attributes{
        integerAttribute("axis", spread.axis - (draw.chance(50) ? static_cast<std::int64_t>(rank) : 0))};
    if (spread.block != 0)
        attributes.push_back(integerAttribute("block_size", spread.block));
    return attributes;
}

DType quantizedType(Draw &draw, std::int64_t opset)
{
    return opset >= 21 ? draw.oneOf({DType::U8, DType::I8, DType::U16, DType::I16}) : draw.oneOf({DType::U8, DType::I8});
}

} // namespace

TEST(LayerDefinitions, ofQuantizeAndDequantizeLinear)
{
    checkDefinition(
        [](Draw &draw) {
            const std::int64_t opset = draw.number(10, 27);
            const Numbers x = draw.numbers(draw.extents(1, 4), DType::F32, 60);
            const DType dtype = quantizedType(draw, opset);
            const Spread spread = drawSpread(draw, x.extents, opset);
            const Numbers scale = scales(draw, spread.extents);
            const bool hasZero = draw.chance(70);
            const Numbers zero = hasZero ? draw.numbers(spread.extents, dtype, 9) : filled(spread.extents, 0, DType::U8);
            const DType result = hasZero ? dtype : DType::U8;
            Drawn drawn{.text = {.node = {.op = "QuantizeLinear", .attributes = attributesOf(spread, x.rank(), opset, draw)},
                                 .opset = opset},
                        .inputs = {x, scale},
                        .outputs = {computed(x.extents, result,
                                             [&](const Places &at) {
                                                 return quantized(x.at(at) / scale.at(spread.of(at)), zero.at(spread.of(at)),
                                                                  result);
                                             })},
                        .note = format("axis {} block {}", spread.axis, spread.block)};
            if (hasZero)
                drawn.inputs.push_back(zero);
            return drawn;
        },
        60);
    checkDefinition(
        [](Draw &draw) {
            const std::int64_t opset = draw.number(10, 27);
            const bool isWide = draw.chance(20);
            const DType dtype = isWide ? DType::I32 : quantizedType(draw, opset);
            const Numbers x = draw.numbers(draw.extents(1, 4), dtype, 100);
            const Spread spread = drawSpread(draw, x.extents, opset);
            const DType scaleType = opset >= 19 ? draw.oneOf({DType::F32, DType::F16}) : DType::F32;
            const Numbers scale = scales(draw, spread.extents, scaleType);
            const bool hasZero = !isWide && draw.chance(70);
            const Numbers zero = hasZero ? draw.numbers(spread.extents, dtype, 9) : filled(spread.extents, 0, dtype);
            Drawn drawn{.text = {.node = {.op = "DequantizeLinear", .attributes = attributesOf(spread, x.rank(), opset, draw)},
                                 .opset = opset},
                        .inputs = {x, scale},
                        .outputs = {computed(
                            x.extents, scaleType,
                            [&](const Places &at) { return (x.at(at) - zero.at(spread.of(at))) * scale.at(spread.of(at)); })},
                        .note = format("axis {} block {}", spread.axis, spread.block)};
            if (hasZero)
                drawn.inputs.push_back(zero);
            return drawn;
        },
        60);
}

TEST(LayerDefinitions, ofDynamicQuantizeLinear)
{
    checkDefinition([](Draw &draw) {
        Numbers x = draw.numbers(draw.extents(1, 3));
        // A range of 255 quarters or halves, so that the scale is exact.
        x.elements[0] = draw.oneOf<double>({63.75, -63.75, 127.5});
        for (double &element : x.elements)
            element = x.elements[0] > 0 ? std::abs(element) : -std::abs(element);
        const double high = std::max(0.0, *std::max_element(x.elements.begin(), x.elements.end()));
        const double low = std::min(0.0, *std::min_element(x.elements.begin(), x.elements.end()));
        const double scale = (high - low) / 255;
        const double zero = std::clamp(std::nearbyint(-low / scale), 0.0, 255.0);
        return Drawn{.text = {.node = {.op = "DynamicQuantizeLinear"}, .opset = draw.number(11, 27)},
                     .inputs = {x},
                     .outputs = {computed(x.extents, DType::U8,
                                          [&](const Places &at) { return quantized(x.at(at) / scale, zero, DType::U8); }),
                                 numberOf(scale), numberOf(zero, DType::U8)}};
    });
}

TEST(LayerDefinitions, ofMatMulGemmAndTheirIntegers)
{
    const auto product = [](const Numbers &a, const Numbers &b, DType dtype) {
        Places outer = broadcastOf({a.extents.begin(), a.extents.end() - 2}, {b.extents.begin(), b.extents.end() - 2});
        const std::size_t rank = outer.size();
        outer.push_back(a.extents[a.rank() - 2]);
        outer.push_back(b.extents[b.rank() - 1]);
        return computed(outer, dtype, [&](const Places &at) {
            double sum = 0;
            for (std::int64_t k = 0; k < a.extents.back(); ++k) {
                Places left(at), right(at);
                left[rank + 1] = k;
                right[rank] = k;
                sum += a.broadcastAt(left) * b.broadcastAt(right);
            }
            return sum;
        });
    };
    checkDefinition([&](Draw &draw) {
        const DType dtype = draw.oneOf({DType::F32, DType::F16, DType::F64, DType::I32, DType::I64, DType::U32});
        const Places outer = draw.extents(0, 2, 1, 3);
        const auto matrix = [&](std::int64_t rows, std::int64_t columns) {
            Places extents = draw.broadcastTo(outer);
            extents.insert(extents.end(), {rows, columns});
            return draw.numbers(extents, dtype, 3);
        };
        const std::int64_t k = draw.number(draw.chance(10) ? 0 : 1, 4);
        Numbers a = matrix(draw.number(1, 4), k);
        Numbers b = matrix(k, draw.number(1, 4));
        Drawn drawn{.text = {.node = {.op = "MatMul"}, .opset = draw.number(9, 27)}};
        // A vector is a row on the left, a column on the right, and its axis is dropped.
        const bool isRow = a.rank() == 2 && draw.chance(30);
        const bool isColumn = b.rank() == 2 && draw.chance(30);
        if (isRow)
            a = draw.numbers({1, k}, dtype, 3);
        if (isColumn)
            b = draw.numbers({k, 1}, dtype, 3);
        Numbers y = product(a, b, dtype);
        if (isColumn)
            y.extents.pop_back();
        if (isRow)
            y.extents = without(y.extents, y.extents.size() - (isColumn ? 1 : 2));
        drawn.outputs = {y};
        if (isRow)
            a.extents = {k};
        if (isColumn)
            b.extents = {k};
        drawn.inputs = {a, b};
        return drawn;
    });
    checkDefinition([&](Draw &draw) {
        const std::int64_t opset = draw.number(7, 27);
        const DType dtype = opset >= 9 && draw.chance(30) ? draw.oneOf({DType::I32, DType::I64}) : DType::F32;
        Numbers a = draw.numbers({draw.number(1, 4), draw.number(1, 4)}, dtype, 3);
        Numbers b = draw.numbers({a.extents[1], draw.number(1, 4)}, dtype, 3);
        const double alpha = draw.oneOf<double>({1, 1, 0.5, 2});
        const double beta = draw.oneOf<double>({1, 1, 0.5, 0});
        Numbers y = product(a, b, dtype);
        const Numbers c = draw.numbers(draw.broadcastTo(y.extents), dtype, 8);
        const bool hasC = opset < 11 || draw.chance(70);
        y = computed(y.extents, dtype, [&](const Places &at) {
            const double value = alpha * y.at(at) + (hasC ? beta * c.broadcastAt(at) : 0);
            return isInteger(dtype) ? std::trunc(value) : value;
        });
        Drawn drawn{.text = {.node = {.op = "Gemm",
                                      .attributes = {numberAttribute("alpha", static_cast<float>(alpha)),
                                                     numberAttribute("beta", static_cast<float>(beta))}},
                             .opset = opset},
                    .outputs = {y},
                    .note = format("alpha {} beta {}", alpha, beta)};
        const auto turned = [&](const Numbers &x) {
            return computed({x.extents[1], x.extents[0]}, x.dtype, [&](const Places &at) { return x.at({at[1], at[0]}); });
        };
        if (draw.chance(50)) {
            a = turned(a);
            drawn.text.node.attributes.push_back(integerAttribute("transA", 1));
        }
        if (draw.chance(50)) {
            b = turned(b);
            drawn.text.node.attributes.push_back(integerAttribute("transB", 1));
        }
        drawn.inputs = {a, b};
        if (hasC)
            drawn.inputs.push_back(c);
        return drawn;
    });
    checkDefinition([&](Draw &draw) {
        const DType left = draw.oneOf({DType::U8, DType::I8});
        const DType right = draw.oneOf({DType::U8, DType::I8});
        const Numbers a = draw.numbers({draw.number(1, 3), draw.number(1, 4)}, left, 100);
        const Numbers b = draw.numbers({a.extents[1], draw.number(1, 3)}, right, 100);
        const Numbers aZero = draw.numbers(draw.chance(50) ? Places{a.extents[0]} : Places{}, left, 9);
        const Numbers bZero = draw.numbers(draw.chance(50) ? Places{b.extents[1]} : Places{}, right, 9);
        const Numbers from = computed(a.extents, DType::I32, [&](const Places &at) {
            return a.at(at) - aZero.elements[aZero.rank() == 0 ? 0 : static_cast<std::size_t>(at[0])];
        });
        const Numbers by = computed(b.extents, DType::I32, [&](const Places &at) {
            return b.at(at) - bZero.elements[bZero.rank() == 0 ? 0 : static_cast<std::size_t>(at[1])];
        });
        return Drawn{.text = {.node = {.op = "MatMulInteger"}, .opset = draw.number(10, 27)},
                     .inputs = {a, b, aZero, bZero},
                     .outputs = {product(from, by, DType::I32)}};
    });
    checkDefinition([&](Draw &draw) {
        const DType dtype = draw.oneOf({DType::U8, DType::I8});
        const Numbers a = draw.numbers({draw.number(1, 3), draw.number(1, 4)}, dtype, 30);
        const Numbers b = draw.numbers({a.extents[1], draw.number(1, 3)}, dtype, 30);
        const Numbers aZero = draw.numbers({}, dtype, 9), bZero = draw.numbers({}, dtype, 9), yZero = draw.numbers({}, dtype, 9);
        Numbers from = a, by = b;
        for (double &each : from.elements)
            each -= aZero.elements[0];
        for (double &each : by.elements)
            each -= bZero.elements[0];
        Numbers y = product(from, by, dtype);
        for (double &each : y.elements)
            each = quantized(each * 0.5 * 0.25 / 2, yZero.elements[0], dtype);
        return Drawn{.text = {.node = {.op = "QLinearMatMul"}, .opset = draw.number(10, 27)},
                     .inputs = {a, numberOf(0.5), aZero, b, numberOf(0.25), bZero, numberOf(2), yZero},
                     .outputs = {y}};
    });
}

TEST(LayerDefinitions, ofLosses)
{
    for (const bool isEntropy : {false, true})
        checkDefinition(
            [&](Draw &draw) {
                const Numbers x = draw.numbers(draw.extents(2, 4, 1, 3));
                const std::int64_t classes = x.extents[1];
                const Places rest = without(x.extents, 1);
                const bool hasWeights = draw.chance(50);
                const bool ignores = draw.chance(50);
                const std::int64_t ignored = draw.oneOf<std::int64_t>({0, -100, classes - 1});
                Numbers weights = draw.numbers({classes});
                for (double &weight : weights.elements)
                    weight = std::abs(weight) + 0.25;
                Numbers labels = computed(rest, draw.oneOf({DType::I32, DType::I64}), [&](const Places &) {
                    return ignores && ignored < 0 && draw.chance(30) ? static_cast<double>(ignored)
                                                                     : static_cast<double>(draw.number(0, classes - 1));
                });
                const std::string reduction = draw.oneOf<std::string>({"mean", "sum", "none"});
                const auto logarithm = [&](const Places &at) {
                    if (!isEntropy)
                        return x.at(at);
                    double sum = 0;
                    for (std::int64_t c = 0; c < classes; ++c) {
                        Places other = at;
                        other[1] = c;
                        sum += std::exp(x.at(other));
                    }
                    return x.at(at) - std::log(sum);
                };
                double total = 0, count = 0;
                const Numbers each = computed(rest, DType::F32, [&](const Places &at) {
                    const auto label = static_cast<std::int64_t>(labels.at(at));
                    if (ignores && label == ignored)
                        return 0.0;
                    Places place = at;
                    place.insert(place.begin() + 1, label);
                    const double weight = hasWeights ? weights.at({label}) : 1;
                    total -= weight * logarithm(place);
                    count += weight;
                    return -weight * logarithm(place);
                });
                Drawn drawn{.text = {.node = {.op = isEntropy ? "SoftmaxCrossEntropyLoss" : "NegativeLogLikelihoodLoss",
                                              .attributes = {textAttribute("reduction", reduction)}},
                                     .opset = draw.number(13, 27)},
                            .inputs = {x, labels},
                            .outputs = {reduction == "none" ? each : numberOf(reduction == "sum" ? total : total / count)}};
                if (hasWeights)
                    drawn.inputs.push_back(weights);
                if (ignores)
                    drawn.text.node.attributes.push_back(integerAttribute("ignore_index", ignored));
                if (isEntropy && draw.chance(50))
                    drawn.outputs.push_back(computed(x.extents, DType::F32, logarithm));
                return drawn;
            },
            40);
}

TEST(LayerDefinitions, ofWindowsOfSignals)
{
    struct Kind {
        const char *op;
        double a, b, c;
    };
    for (const Kind kind : {Kind{"HannWindow", 0.5, 0.5, 0}, Kind{"HammingWindow", 25.0 / 46, 21.0 / 46, 0},
                            Kind{"BlackmanWindow", 0.42, 0.5, 0.08}})
        checkDefinition(
            [&](Draw &draw) {
                const std::int64_t size = draw.number(2, 12);
                const bool isPeriodic = draw.chance(50);
                const bool isDouble = draw.chance(30);
                Drawn drawn{.text = {.node = {.op = kind.op, .attributes = {integerAttribute("periodic", isPeriodic ? 1 : 0)}},
                                     .opset = draw.number(17, 27)},
                            .inputs = {numberOf(static_cast<double>(size), draw.oneOf({DType::I32, DType::I64}))},
                            .outputs = {computed({size}, isDouble ? DType::F64 : DType::F32, [&](const Places &at) {
                                const double angle =
                                    2 * kPi * static_cast<double>(at[0]) / static_cast<double>(isPeriodic ? size : size - 1);
                                return kind.a - kind.b * std::cos(angle) + kind.c * std::cos(2 * angle);
                            })}};
                if (isDouble)
                    drawn.text.node.attributes.push_back(integerAttribute("output_datatype", 11));
                return drawn;
            },
            12);
}

// Triangles over the places of a spectrum, with corners that lie evenly on the mel scale.
TEST(LayerDefinitions, ofMelWeightMatrix)
{
    checkDefinition([](Draw &draw) {
        const std::int64_t bands = draw.number(1, 8);
        const std::int64_t length = draw.oneOf<std::int64_t>({16, 32, 64});
        const std::int64_t rate = draw.oneOf<std::int64_t>({8000, 16000});
        const double low = static_cast<double>(draw.number(0, 100));
        const double high = static_cast<double>(rate) / draw.oneOf<double>({2, 4});
        const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
        std::vector<std::int64_t> corners;
        for (std::int64_t i = 0; i < bands + 2; ++i) {
            const double at = static_cast<double>(i) * (mel(high) - mel(low)) / static_cast<double>(bands + 2) + mel(low);
            const double hertz = 700 * (std::pow(10.0, at / 2595) - 1);
            corners.push_back(
                static_cast<std::int64_t>(std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate))));
        }
        Numbers y = filled({length / 2 + 1, bands}, 0);
        for (std::int64_t i = 0; i < bands; ++i) {
            const auto a = corners[static_cast<std::size_t>(i)], b = corners[static_cast<std::size_t>(i + 1)],
                       c = corners[static_cast<std::size_t>(i + 2)];
            if (b == a)
                y.at({b, i}) = 1;
            else
                for (std::int64_t j = a; j <= b; ++j)
                    y.at({j, i}) = static_cast<double>(j - a) / static_cast<double>(b - a);
            for (std::int64_t j = b; j < c; ++j)
                y.at({j, i}) = static_cast<double>(c - j) / static_cast<double>(c - b);
        }
        return Drawn{.text = {.node = {.op = "MelWeightMatrix"}, .opset = draw.number(17, 27)},
                     .inputs = {numberOf(static_cast<double>(bands), DType::I64),
                                numberOf(static_cast<double>(length), DType::I64),
                                numberOf(static_cast<double>(rate), DType::I64), numberOf(low), numberOf(high)},
                     .outputs = {y}};
    });
}

TEST(LayerDefinitions, ofRange)
{
    checkDefinition([](Draw &draw) {
        const DType dtype = draw.oneOf({DType::F32, DType::F64, DType::I16, DType::I32, DType::I64});
        const double unit = isFloat(dtype) ? 0.25 : 1;
        const double start = static_cast<double>(draw.number(-9, 9)) * unit;
        const double limit = static_cast<double>(draw.number(-19, 19)) * unit;
        const double delta = static_cast<double>(draw.number(1, 5)) * unit * (draw.chance(50) ? 1 : -1);
        Numbers y{{0}, {}, dtype};
        for (double at = start; delta > 0 ? at < limit : at > limit; at += delta)
            y.elements.push_back(at);
        y.extents = {static_cast<std::int64_t>(y.elements.size())};
        return Drawn{.text = {.node = {.op = "Range"}, .opset = draw.number(11, 27)},
                     .inputs = {numberOf(start, dtype), numberOf(limit, dtype), numberOf(delta, dtype)},
                     .outputs = {y}};
    });
}

// The mode and coordinates that most models have; the tables of the others have tests of their own.
TEST(LayerDefinitions, ofResize)
{
    checkDefinition(
        [](Draw &draw) {
            const Numbers x =
                draw.numbers(draw.extents(1, 4, 1, 4), draw.oneOf({DType::F32, DType::F32, DType::U8, DType::I32}), 50);
            const std::string mode = draw.oneOf<std::string>({"nearest", "linear"});
            const std::string coordinates =
                draw.oneOf<std::string>({"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"});
            const std::string nearest = draw.oneOf<std::string>({"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
            Places sizes;
            Places resizedAxes;
            for (const std::int64_t n : x.extents) {
                resizedAxes.push_back(draw.chance(60) ? 1 : 0);
                sizes.push_back(resizedAxes.back() == 1 ? draw.number(1, 7) : n);
            }
            const auto place = [&](std::size_t axis, std::int64_t k) {
                const auto n = static_cast<double>(x.extents[axis]);
                const auto m = static_cast<double>(sizes[axis]);
                const auto at = static_cast<double>(k);
                if (coordinates == "asymmetric")
                    return at * n / m;
                if (coordinates == "align_corners")
                    return m == 1 ? 0.0 : at * (n - 1) / (m - 1);
                return coordinates == "pytorch_half_pixel" && m == 1 ? 0.0 : (at + 0.5) * n / m - 0.5;
            };
            const auto rounded = [&](double at) {
                if (nearest == "floor")
                    return std::floor(at);
                if (nearest == "ceil")
                    return std::ceil(at);
                return nearest == "round_prefer_floor" ? std::ceil(at - 0.5) : std::floor(at + 0.5);
            };
            Numbers y = x;
            for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
                Places extents = y.extents;
                extents[axis] = sizes[axis];
                const std::int64_t last = x.extents[axis] - 1;
                const Numbers from = y;
                y = computed(extents, x.dtype, [&](const Places &at) {
                    const auto read = [&](double k) {
                        Places other = at;
                        other[axis] = std::clamp<std::int64_t>(static_cast<std::int64_t>(k), 0, last);
                        return from.at(other);
                    };
                    if (extents[axis] == x.extents[axis])
                        return from.at(at);
                    const double where = place(axis, at[axis]);
                    if (mode == "nearest")
                        return read(rounded(where));
                    const double first = std::floor(where);
                    return read(first) * (1 - (where - first)) + read(first + 1) * (where - first);
                });
            }
            if (isInteger(x.dtype))
                for (double &element : y.elements)
                    element = std::trunc(element + (element < 0 ? -1e-9 : 1e-9));
            return Drawn{.text = {.node = {.op = "Resize",
                                           .inputs = {"x0", "", "", "x1"},
                                           .attributes = {textAttribute("mode", mode),
                                                          textAttribute("coordinate_transformation_mode", coordinates),
                                                          textAttribute("nearest_mode", nearest)}},
                                  .opset = draw.number(13, 27)},
                         .inputs = {x, listOf(sizes)},
                         .outputs = {y},
                         .note = format("{} {} {}", mode, coordinates, nearest)};
        },
        80);
    // Opset 1: the sides of an image.
    checkDefinition(
        [](Draw &draw) {
            const Numbers x = draw.numbers(draw.extents(4, 4, 1, 3));
            const std::int64_t rows = draw.number(1, 3);
            const std::int64_t columns = draw.number(1, 3);
            return Drawn{
                .text = {.node = {.op = "Upsample",
                                  .attributes = {numberAttribute("height_scale", static_cast<float>(rows)),
                                                 numberAttribute("width_scale", static_cast<float>(columns))}},
                         .opset = draw.number(1, 6)},
                .inputs = {x},
                .outputs = {computed({x.extents[0], x.extents[1], x.extents[2] * rows, x.extents[3] * columns}, x.dtype,
                                     [&](const Places &at) { return x.at({at[0], at[1], at[2] / rows, at[3] / columns}); })}};
        },
        10);
}

// Upsample of opset 7 has its scales as an attribute; that of opset 9 and Resize of opset 10 read them.
TEST(LayerDefinitions, ofUpsampleAndTheFirstResize)
{
    checkDefinition([](Draw &draw) {
        const std::int64_t opset = draw.number(7, 10);
        const bool isLinear = draw.chance(50);
        const Numbers x = draw.numbers(draw.extents(1, 3, 1, 4));
        std::vector<float> scales;
        Places extents;
        for (const std::int64_t n : x.extents) {
            scales.push_back(static_cast<float>(draw.number(2, 5)) / 2);
            extents.push_back(static_cast<std::int64_t>(static_cast<float>(n) * scales.back()));
        }
        Drawn drawn{.text = {.node = {.op = opset == 10 ? "Resize" : "Upsample",
                                      .attributes = {textAttribute("mode", isLinear ? "linear" : "nearest")}},
                             .opset = opset},
                    .inputs = {x},
                    .note = format("scales {}", join(scales, ","))};
        if (opset < 9) {
            Message attribute = Message().text(1, "scales").number(20, 6);
            for (const float scale : scales)
                attribute.number32(7, scale);
            drawn.text.node.attributes.push_back(attribute);
        } else {
            drawn.inputs.push_back({{static_cast<std::int64_t>(scales.size())}, {scales.begin(), scales.end()}, DType::F32});
        }
        Numbers y = x;
        for (std::size_t axis = 0; axis < x.rank(); ++axis) {
            const Numbers from = y;
            Places goal = from.extents;
            goal[axis] = extents[axis];
            y = computed(goal, x.dtype, [&](Places at) {
                const double place = static_cast<double>(at[axis]) / scales[axis];
                const auto first = static_cast<std::int64_t>(place);
                const auto read = [&](std::int64_t k) {
                    at[axis] = std::min(k, x.extents[axis] - 1);
                    return from.at(at);
                };
                const double rest = isLinear ? place - static_cast<double>(first) : 0;
                return read(first) * (1 - rest) + read(first + 1) * rest;
            });
        }
        drawn.outputs = {y};
        return drawn;
    });
}

TEST(LayerDefinitions, ofCastByName)
{
    checkDefinition(
        [](Draw &draw) {
            const Numbers x = draw.numbers(draw.extents(0, 3));
            return Drawn{
                .text = {.node = {.op = "Cast", .attributes = {textAttribute("to", "INT64")}}, .opset = draw.number(1, 5)},
                .inputs = {x},
                .outputs = {computed(x.extents, DType::I64, [&](const Places &at) { return std::trunc(x.at(at)); })}};
        },
        10);
}

} // namespace sw::test
