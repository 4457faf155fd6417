// Normalisations: elements by the mean and the variance of those that belong together.

#include "tests/unit/onnx/definitions/definition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sw::test {

namespace {

struct Statistics {
    double mean = 0;
    double variance = 0;
};
Statistics statisticsOf(const std::vector<double> &elements)
{
    Statistics made;
    for (const double element : elements)
        made.mean += element / static_cast<double>(elements.size());
    for (const double element : elements)
        made.variance += (element - made.mean) * (element - made.mean) / static_cast<double>(elements.size());
    return made;
}

// y of each element by the statistics of those with the same key.
Numbers normalisedBy(const Numbers &x, const std::function<std::int64_t(const Places &)> &key,
                     const std::function<double(const Places &, const Statistics &)> &value)
{
    std::vector<std::vector<double>> groups;
    forEach(x.extents, [&](const Places &at) {
        const auto k = static_cast<std::size_t>(key(at));
        groups.resize(std::max(groups.size(), k + 1));
        groups[k].push_back(x.at(at));
    });
    std::vector<Statistics> statistics;
    for (const auto &group : groups)
        statistics.push_back(statisticsOf(group));
    return computed(x.extents, x.dtype,
                    [&](const Places &at) { return value(at, statistics[static_cast<std::size_t>(key(at))]); });
}

} // namespace

TEST(NormalizationDefinitions, ofInstanceAndGroupNormalization)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(3, 5, 1, 3), draw.oneOf({DType::F32, DType::F64}));
        const Numbers scale = draw.numbers({x.extents[1]}, x.dtype);
        const Numbers bias = draw.numbers({x.extents[1]}, x.dtype);
        return Drawn{.text = {.node = {.op = "InstanceNormalization", .attributes = {numberAttribute("epsilon", 0.0625F)}},
                              .opset = draw.number(6, 27)},
                     .inputs = {x, scale, bias},
                     .outputs = {normalisedBy(
                         x, [&](const Places &at) { return at[0] * x.extents[1] + at[1]; },
                         [&](const Places &at, const Statistics &s) {
                             return scale.at({at[1]}) * (x.at(at) - s.mean) / std::sqrt(s.variance + 0.0625) + bias.at({at[1]});
                         })}};
    });
    checkDefinition([](Draw &draw) {
        const std::int64_t groups = draw.number(1, 3);
        const std::int64_t each = draw.number(1, 3);
        const Numbers x = draw.numbers({draw.number(1, 2), groups * each, draw.number(1, 3), draw.number(1, 3)});
        const std::int64_t opset = draw.number(18, 27);
        const std::int64_t count = opset < 21 ? groups : groups * each;
        const Numbers scale = draw.numbers({count});
        const Numbers bias = draw.numbers({count});
        return Drawn{
            .text = {.node = {.op = "GroupNormalization",
                              .attributes = {numberAttribute("epsilon", 0.0625F), integerAttribute("num_groups", groups)}},
                     .opset = opset},
            .inputs = {x, scale, bias},
            .outputs = {normalisedBy(
                x, [&](const Places &at) { return at[0] * groups + at[1] / each; },
                [&](const Places &at, const Statistics &s) {
                    const std::int64_t c = opset < 21 ? at[1] / each : at[1];
                    return scale.at({c}) * (x.at(at) - s.mean) / std::sqrt(s.variance + 0.0625) + bias.at({c});
                })}};
    });
}

TEST(NormalizationDefinitions, ofLayerAndRootMeanSquareNormalization)
{
    for (const bool isLayer : {true, false})
        checkDefinition([&](Draw &draw) {
            const Numbers x = draw.numbers(draw.extents(1, 4), draw.oneOf({DType::F32, DType::F64}));
            const std::int64_t axis = draw.axis(x.rank());
            const auto first = static_cast<std::ptrdiff_t>(wrapped(axis, x.rank()));
            const Places inner(x.extents.begin() + first, x.extents.end());
            const Numbers scale = draw.numbers(inner, x.dtype);
            const bool hasBias = isLayer && draw.chance(60);
            const Numbers bias = draw.numbers(inner, x.dtype);
            const std::int64_t size = productOf(inner);
            Drawn drawn{.text = {.node = {.op = isLayer ? "LayerNormalization" : "RMSNormalization",
                                          .attributes = {integerAttribute("axis", axis), numberAttribute("epsilon", 0.0625F)}},
                                 .opset = draw.number(isLayer ? 17 : 23, 27)},
                        .inputs = {x, scale},
                        .note = format("axis {}", axis)};
            if (hasBias)
                drawn.inputs.push_back(bias);
            drawn.outputs = {normalisedBy(
                x, [&](const Places &at) { return static_cast<std::int64_t>(x.flat(at)) / size; },
                [&](const Places &at, const Statistics &s) {
                    const double square = s.variance + (isLayer ? 0 : s.mean * s.mean);
                    const double y = (x.at(at) - (isLayer ? s.mean : 0)) / std::sqrt(square + 0.0625);
                    return y * scale.broadcastAt(at) + (hasBias ? bias.broadcastAt(at) : 0);
                })};
            return drawn;
        });
}

TEST(NormalizationDefinitions, ofMeanVarianceNormalization)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(4, 4, 1, 3));
        const bool hasAxes = draw.chance(50);
        return Drawn{
            .text = {.node = {.op = "MeanVarianceNormalization",
                              .attributes =
                                  hasAxes ? std::vector<Message>{integersAttribute("axes", {0, -1})} : std::vector<Message>{}},
                     .opset = draw.number(9, 27)},
            .inputs = {x},
            .outputs = {normalisedBy(
                x, [&](const Places &at) { return hasAxes ? at[1] * x.extents[2] + at[2] : at[1]; },
                [&](const Places &at, const Statistics &s) { return (x.at(at) - s.mean) / (std::sqrt(s.variance) + 1e-9); })},
            .relative = 1e-3};
    });
}

TEST(NormalizationDefinitions, ofBatchNormalization)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(2, 4, 1, 3));
        const std::int64_t channels = x.extents[1];
        std::vector<Numbers> of;
        for (int i = 0; i < 4; ++i)
            of.push_back(draw.numbers({channels}));
        for (double &element : of[3].elements)
            element = std::abs(element);
        const bool isTraining = draw.chance(40);
        const std::int64_t opset = draw.number(isTraining ? 14 : 9, 27);
        Drawn drawn{.text = {.node = {.op = "BatchNormalization",
                                      .attributes = {numberAttribute("epsilon", 0.0625F), numberAttribute("momentum", 0.75F)}},
                             .opset = opset},
                    .inputs = {x, of[0], of[1], of[2], of[3]}};
        std::vector<Statistics> batch(static_cast<std::size_t>(channels));
        for (std::int64_t c = 0; c < channels; ++c) {
            std::vector<double> elements;
            forEach(x.extents, [&](const Places &at) {
                if (at[1] == c)
                    elements.push_back(x.at(at));
            });
            batch[static_cast<std::size_t>(c)] = statisticsOf(elements);
        }
        const auto mean = [&](std::int64_t c) { return isTraining ? batch[static_cast<std::size_t>(c)].mean : of[2].at({c}); };
        const auto variance = [&](std::int64_t c) {
            return isTraining ? batch[static_cast<std::size_t>(c)].variance : of[3].at({c});
        };
        drawn.outputs = {computed(x.extents, x.dtype, [&](const Places &at) {
            const std::int64_t c = at[1];
            return of[0].at({c}) * (x.at(at) - mean(c)) / std::sqrt(variance(c) + 0.0625) + of[1].at({c});
        })};
        if (isTraining) {
            drawn.text.node.attributes.push_back(integerAttribute("training_mode", 1));
            drawn.outputs.push_back(
                computed({channels}, x.dtype, [&](const Places &at) { return of[2].at(at) * 0.75 + mean(at[0]) * 0.25; }));
            drawn.outputs.push_back(
                computed({channels}, x.dtype, [&](const Places &at) { return of[3].at(at) * 0.75 + variance(at[0]) * 0.25; }));
        }
        return drawn;
    });
}

TEST(NormalizationDefinitions, ofLocalResponseNormalization)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers(draw.extents(3, 4, 1, 6));
        const std::int64_t size = draw.number(1, 5);
        const double alpha = 0.5;
        return Drawn{.text = {.node = {.op = "LRN",
                                       .attributes = {integerAttribute("size", size), numberAttribute("alpha", 0.5F),
                                                      numberAttribute("beta", 0.5F), numberAttribute("bias", 2)}},
                              .opset = draw.number(1, 27)},
                     .inputs = {x},
                     .outputs = {computed(x.extents, x.dtype,
                                          [&](const Places &at) {
                                              double sum = 0;
                                              const std::int64_t first = std::max<std::int64_t>(0, at[1] - (size - 1) / 2);
                                              const std::int64_t last = std::min(x.extents[1] - 1, at[1] + size / 2);
                                              for (std::int64_t c = first; c <= last; ++c) {
                                                  Places other = at;
                                                  other[1] = c;
                                                  sum += x.at(other) * x.at(other);
                                              }
                                              return x.at(at) / std::pow(2 + alpha / static_cast<double>(size) * sum, 0.5);
                                          })},
                     .note = format("size {}", size)};
    });
}

} // namespace sw::test
