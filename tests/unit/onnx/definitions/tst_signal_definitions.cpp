// Transforms of signals, rotations of pairs, conversions and constants.

#include "tests/unit/onnx/definitions/definition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace sw::test {

namespace {

using Complex = std::complex<double>;

// What a signal's `length` first elements, or zeros behind its end, are made of.
Complex transformed(const std::function<Complex(std::int64_t)> &signal, std::int64_t length, std::int64_t k, bool isInverse)
{
    Complex sum = 0;
    for (std::int64_t i = 0; i < length; ++i) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(i * k % length) / static_cast<double>(length);
        sum += signal(i) * std::polar(1.0, isInverse ? angle : -angle);
    }
    return isInverse ? sum / static_cast<double>(length) : sum;
}

double part(Complex value, std::int64_t which)
{
    return which == 0 ? value.real() : value.imag();
}

} // namespace

TEST(SignalDefinitions, ofDft)
{
    checkDefinition([](Draw &draw) {
        const std::int64_t opset = draw.number(17, 27);
        const bool isComplex = draw.chance(50);
        const bool isInverse = draw.chance(40);
        const bool isOneSided = !isComplex && !isInverse && draw.chance(50);
        Places extents = draw.extents(2, 3, 1, 6);
        extents.push_back(isComplex ? 2 : 1);
        const Numbers x = draw.numbers(extents);
        const auto signals = static_cast<std::int64_t>(x.rank()) - 1; // the last axis has the parts
        const std::int64_t axis = draw.number(0, signals - 1);
        const auto along = static_cast<std::size_t>(axis);
        const bool hasLength = draw.chance(50);
        const std::int64_t length = hasLength ? draw.number(1, 8) : x.extents[along];
        Places goal = extents;
        goal[along] = isOneSided ? length / 2 + 1 : length;
        goal.back() = 2;
        Drawn drawn{.text = {.node = {.op = "DFT",
                                      .inputs = {"x0"},
                                      .attributes = {integerAttribute("inverse", isInverse ? 1 : 0),
                                                     integerAttribute("onesided", isOneSided ? 1 : 0)}},
                             .opset = opset},
                    .inputs = {x},
                    .note = format("axis {} length {} inverse {} onesided {}", axis, length, isInverse, isOneSided)};
        if (hasLength) {
            drawn.text.node.inputs.push_back("x1");
            drawn.inputs.push_back(numberOf(static_cast<double>(length), DType::I64));
        } else if (opset >= 20) {
            drawn.text.node.inputs.emplace_back();
        }
        if (opset >= 20) {
            drawn.text.node.inputs.push_back(format("x{}", drawn.inputs.size()));
            drawn.inputs.push_back(numberOf(static_cast<double>(axis), DType::I64));
        } else {
            drawn.text.node.attributes.push_back(integerAttribute("axis", axis));
        }
        drawn.outputs = {computed(goal, x.dtype, [&](const Places &at) {
            const auto signal = [&](std::int64_t i) -> Complex {
                Places from = at;
                from[along] = i;
                if (i >= x.extents[along])
                    return 0;
                from.back() = 0;
                const double real = x.at(from);
                from.back() = 1;
                return {real, isComplex ? x.at(from) : 0};
            };
            return part(transformed(signal, length, at[along], isInverse), at.back());
        })};
        return drawn;
    });
}

// Lengths that are split into factors, once and twice, and those with a large prime; one-sided both ways.
TEST(SignalDefinitions, ofLongDft)
{
    constexpr int kRounds = 16;
    checkDefinition(
        [](Draw &draw) {
            const auto length = draw.oneOf<std::int64_t>({64, 65, 66, 67, 96, 128, 130, 134, 210, 500, 720, 1024});
            const bool isInverse = draw.chance(40);
            const bool isOneSided = draw.chance(50);
            const bool isReal = isInverse && isOneSided;
            const bool isComplex = isInverse ? isOneSided || draw.chance(50) : !isOneSided && draw.chance(50);
            const std::int64_t given = isReal ? length / 2 + 1 : length - (draw.chance(30) ? 3 : 0);
            const std::int64_t count = isOneSided && !isInverse ? length / 2 + 1 : length;
            const Numbers x = draw.numbers({draw.number(1, 3), given, isComplex ? 2 : 1});
            Drawn drawn{.text = {.node = {.op = "DFT",
                                          .inputs = {"x0", "x1", "x2"},
                                          .attributes = {integerAttribute("inverse", isInverse ? 1 : 0),
                                                         integerAttribute("onesided", isOneSided ? 1 : 0)}},
                                 .opset = draw.number(20, 27)},
                        .inputs = {x, numberOf(static_cast<double>(length), DType::I64), numberOf(1, DType::I64)},
                        .note = format("length {} given {} inverse {} onesided {}", length, given, isInverse, isOneSided)};
            drawn.outputs = {computed({x.extents[0], count, isReal ? 1 : 2}, x.dtype, [&](const Places &at) {
                const auto signal = [&](std::int64_t i) -> Complex {
                    const bool isMirrored = isReal && i >= given;
                    const std::int64_t from = isMirrored ? length - i : i;
                    if (from >= given)
                        return 0;
                    const double imaginary = isComplex ? x.at({at[0], from, 1}) : 0;
                    return {x.at({at[0], from, 0}), isMirrored ? -imaginary : imaginary};
                };
                return part(transformed(signal, length, at[1], isInverse), at[2]);
            })};
            return drawn;
        },
        kRounds);
}

TEST(SignalDefinitions, ofStft)
{
    checkDefinition([](Draw &draw) {
        const std::int64_t length = draw.number(2, 6);
        const std::int64_t step = draw.number(1, 3);
        const Numbers x = draw.numbers({draw.number(1, 2), length + draw.number(0, 7), 1});
        const bool hasWindow = draw.chance(60);
        const bool isOneSided = draw.chance(50);
        const Numbers window = draw.numbers({length});
        const std::int64_t frames = (x.extents[1] - length) / step + 1;
        Drawn drawn{.text = {.node = {.op = "STFT",
                                      .inputs = {"x0", "x1", hasWindow ? "x2" : "", hasWindow ? "x3" : "x2"},
                                      .attributes = {integerAttribute("onesided", isOneSided ? 1 : 0)}},
                             .opset = draw.number(17, 27)},
                    .inputs = {x, numberOf(static_cast<double>(step), DType::I64)}};
        if (hasWindow)
            drawn.inputs.push_back(window);
        drawn.inputs.push_back(numberOf(static_cast<double>(length), DType::I64));
        drawn.outputs = {
            computed({x.extents[0], frames, isOneSided ? length / 2 + 1 : length, 2}, x.dtype, [&](const Places &at) {
                const auto signal = [&](std::int64_t i) -> Complex {
                    return x.at({at[0], at[1] * step + i, 0}) * (hasWindow ? window.at({i}) : 1);
                };
                return part(transformed(signal, length, at[2], false), at[3]);
            })};
        return drawn;
    });
}

// A pair of elements turns by an angle: neighbours, or one of each half.
TEST(SignalDefinitions, ofRotaryEmbedding)
{
    checkDefinition([](Draw &draw) {
        const bool isInterleaved = draw.chance(50);
        const std::int64_t half = draw.number(1, 3);
        const std::int64_t rest = draw.chance(40) ? 2 : 0; // elements that do not turn
        const Numbers x = draw.numbers({draw.number(1, 2), draw.number(1, 2), draw.number(1, 4), 2 * half + rest});
        const std::int64_t longest = x.extents[2] + 2;
        const Numbers cosines = draw.numbers({longest, half}), sines = draw.numbers({longest, half});
        const Numbers places = computed({x.extents[0], x.extents[2]}, DType::I64,
                                        [&](const Places &) { return static_cast<double>(draw.number(0, longest - 1)); });
        Drawn drawn{
            .text = {.node = {.op = "RotaryEmbedding", .attributes = {integerAttribute("interleaved", isInterleaved ? 1 : 0)}},
                     .opset = draw.number(23, 27)},
            .inputs = {x, cosines, sines, places},
            .outputs = {computed(x.extents, x.dtype, [&](const Places &at) {
                if (at[3] >= 2 * half)
                    return x.at(at);
                const std::int64_t pair = isInterleaved ? at[3] / 2 : at[3] % half;
                const bool isSecond = isInterleaved ? at[3] % 2 == 1 : at[3] >= half;
                Places first = at, second = at;
                first[3] = isInterleaved ? 2 * pair : pair;
                second[3] = isInterleaved ? 2 * pair + 1 : pair + half;
                const auto place = static_cast<std::int64_t>(places.at({at[0], at[2]}));
                const double c = cosines.at({place, pair});
                const double s = sines.at({place, pair});
                return isSecond ? s * x.at(first) + c * x.at(second) : c * x.at(first) - s * x.at(second);
            })}};
        if (rest != 0)
            drawn.text.node.attributes.push_back(integerAttribute("rotary_embedding_dim", 2 * half));
        return drawn;
    });
}

// Floats are cut off, bool is "not zero".
TEST(SignalDefinitions, ofCastAndCastLike)
{
    struct Type {
        DType dtype;
        std::int64_t number;
    };
    for (const bool isLike : {false, true})
        checkDefinition([&](Draw &draw) {
            const Type to = draw.oneOf<Type>({{DType::F32, 1},
                                              {DType::I8, 3},
                                              {DType::I32, 6},
                                              {DType::I64, 7},
                                              {DType::Bool, 9},
                                              {DType::F16, 10},
                                              {DType::F64, 11},
                                              {DType::BF16, 16}});
            const DType from = draw.oneOf({DType::F32, DType::F16, DType::F64, DType::I32, DType::I64, DType::U8, DType::Bool});
            const Numbers x = draw.numbers(draw.extents(0, 3), from, 30);
            Drawn drawn{.text = {.node = {.op = isLike ? "CastLike" : "Cast"}, .opset = draw.number(isLike ? 15 : 13, 27)},
                        .inputs = {x},
                        .outputs = {computed(x.extents, to.dtype, [&](const Places &at) {
                            if (to.dtype == DType::Bool)
                                return x.at(at) != 0 ? 1.0 : 0.0;
                            return isFloat(to.dtype) ? x.at(at) : std::trunc(x.at(at));
                        })}};
            if (isLike)
                drawn.inputs.push_back(draw.numbers({2}, to.dtype));
            else
                drawn.text.node.attributes = {integerAttribute("to", to.number)};
            return drawn;
        });
}

TEST(SignalDefinitions, ofEyeLike)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(2, 2), draw.oneOf({DType::F32, DType::I32, DType::F64}));
        const std::int64_t k = draw.number(-3, 3);
        const bool hasType = draw.chance(50);
        Drawn drawn{.text = {.node = {.op = "EyeLike", .attributes = {integerAttribute("k", k)}}, .opset = draw.number(9, 27)},
                    .inputs = {x},
                    .outputs = {computed(x.extents, hasType ? DType::I64 : x.dtype,
                                         [&](const Places &at) { return at[1] - at[0] == k ? 1.0 : 0.0; })}};
        if (hasType)
            drawn.text.node.attributes.push_back(integerAttribute("dtype", 7));
        return drawn;
    });
}

TEST(SignalDefinitions, ofDet)
{
    checkDefinition(
        [](Draw &draw) {
            Places extents = draw.extents(0, 2, 1, 3);
            const std::int64_t n = draw.number(1, 3);
            const Places outer = extents;
            extents.insert(extents.end(), {n, n});
            const Numbers x = draw.numbers(extents, DType::F32, 2);
            return Drawn{.text = {.node = {.op = "Det"}, .opset = draw.number(11, 27)},
                         .inputs = {x},
                         .outputs = {computed(outer, x.dtype,
                                              [&](const Places &at) {
                                                  const auto m = [&](std::int64_t i, std::int64_t j) {
                                                      Places place = at;
                                                      place.insert(place.end(), {i, j});
                                                      return x.at(place);
                                                  };
                                                  if (n == 1)
                                                      return m(0, 0);
                                                  if (n == 2)
                                                      return m(0, 0) * m(1, 1) - m(0, 1) * m(1, 0);
                                                  double sum = 0;
                                                  for (std::int64_t j = 0; j < 3; ++j)
                                                      sum += m(0, j) * (m(1, (j + 1) % 3) * m(2, (j + 2) % 3) -
                                                                        m(1, (j + 2) % 3) * m(2, (j + 1) % 3));
                                                  return sum;
                                              })},
                         .relative = 1e-4};
        },
        20);
}

TEST(SignalDefinitions, ofOptionalsThatAreThere)
{
    checkDefinition(
        [](Draw &draw) {
            const Numbers x = draw.numbers(draw.extents(0, 3));
            const bool isTaken = draw.chance(50);
            return Drawn{
                .text = {.node = {.op = isTaken ? "OptionalGetElement" : "OptionalHasElement"}, .opset = draw.number(18, 27)},
                .inputs = {x},
                .outputs = {isTaken ? x : numberOf(1, DType::Bool)}};
        },
        6);
}

} // namespace sw::test
