// Operators that slide windows over spatial axes: convolutions and pools.

#include "tests/unit/onnx/definitions/definition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sw::test {

namespace {

// The attributes of a window, and what follows from them for each spatial axis.
struct Window {
    Places kernel, strides, dilations, before, after, outputs;
    std::string autoPad = "NOTSET";
    bool isCeil = false;

    [[nodiscard]] std::size_t axes() const { return kernel.size(); }
    [[nodiscard]] std::int64_t reach(std::size_t i) const { return dilations[i] * (kernel[i] - 1) + 1; }
    // The place in the input that an element of the kernel meets, which may be outside.
    [[nodiscard]] Places place(const Places &output, const Places &element) const
    {
        Places at(axes());
        for (std::size_t i = 0; i < axes(); ++i)
            at[i] = output[i] * strides[i] + element[i] * dilations[i] - before[i];
        return at;
    }
    [[nodiscard]] std::string note() const
    {
        return format("kernel {} strides {} dilations {} pads {}/{} {} ceil {}", join(kernel, ","), join(strides, ","),
                      join(dilations, ","), join(before, ","), join(after, ","), autoPad, isCeil);
    }
};

bool isInside(const Places &at, const Places &extents)
{
    for (std::size_t i = 0; i < at.size(); ++i)
        if (at[i] < 0 || at[i] >= extents[i])
            return false;
    return true;
}

struct WindowKinds {
    bool hasDilations = true;
    bool hasCeil = true;
    bool limitsPads = true; // to less than the kernel, as pools have it
};

Window drawWindow(Draw &draw, const Places &spatial, const WindowKinds &kinds)
{
    Window w;
    w.autoPad = draw.oneOf<std::string>({"NOTSET", "NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"});
    w.isCeil = kinds.hasCeil && w.autoPad == "NOTSET" && draw.chance(40);
    for (const std::int64_t n : spatial) {
        w.kernel.push_back(draw.number(1, std::min<std::int64_t>(3, n)));
        w.strides.push_back(draw.number(1, 3));
        const std::int64_t most = w.kernel.back() > 1 ? (n - 1) / (w.kernel.back() - 1) : 2;
        w.dilations.push_back(kinds.hasDilations && draw.chance(40) ? draw.number(1, std::min<std::int64_t>(most, 2)) : 1);
        const std::size_t i = w.kernel.size() - 1;
        const std::int64_t largest = kinds.limitsPads ? w.kernel[i] - 1 : 2;
        w.before.push_back(w.autoPad == "NOTSET" ? draw.number(0, largest) : 0);
        w.after.push_back(w.autoPad == "NOTSET" ? draw.number(0, largest) : 0);
        if (w.autoPad.starts_with("SAME")) {
            const std::int64_t outputs = (n + w.strides[i] - 1) / w.strides[i];
            const std::int64_t total = std::max<std::int64_t>(0, (outputs - 1) * w.strides[i] + w.reach(i) - n);
            w.before[i] = w.autoPad == "SAME_UPPER" ? total / 2 : total - total / 2;
            w.after[i] = total - w.before[i];
        }
        const std::int64_t steps = n + w.before[i] + w.after[i] - w.reach(i);
        std::int64_t outputs = steps / w.strides[i] + 1;
        // A last window that is not whole counts where it begins in the input or in the padding before it.
        if (w.isCeil && steps % w.strides[i] != 0 && outputs * w.strides[i] < n + w.before[i])
            ++outputs;
        w.outputs.push_back(outputs);
    }
    return w;
}

std::vector<Message> attributesOf(const Window &w, const WindowKinds &kinds)
{
    std::vector<Message> attributes{integersAttribute("kernel_shape", w.kernel), integersAttribute("strides", w.strides)};
    if (kinds.hasDilations)
        attributes.push_back(integersAttribute("dilations", w.dilations));
    if (w.autoPad != "NOTSET") {
        attributes.push_back(textAttribute("auto_pad", w.autoPad));
        return attributes;
    }
    Places pads = w.before;
    pads.insert(pads.end(), w.after.begin(), w.after.end());
    attributes.push_back(integersAttribute("pads", pads));
    if (w.isCeil)
        attributes.push_back(integerAttribute("ceil_mode", 1));
    return attributes;
}

Places spatialOf(const Places &extents)
{
    return {extents.begin() + 2, extents.end()};
}

Places joined(const Places &a, const Places &b)
{
    Places whole = a;
    whole.insert(whole.end(), b.begin(), b.end());
    return whole;
}

// Sums of products; the bias is added by the caller.
Numbers convolved(const Numbers &x, const Numbers &w, const Window &window, std::int64_t groups, DType dtype)
{
    const Places spatial = spatialOf(x.extents);
    const std::int64_t inner = w.extents[1];
    const std::int64_t perGroup = w.extents[0] / groups;
    return computed(joined({x.extents[0], w.extents[0]}, window.outputs), dtype, [&](const Places &at) {
        const std::int64_t group = at[1] / perGroup;
        double sum = 0;
        forEach(joined({inner}, window.kernel), [&](const Places &k) {
            const Places place = window.place(spatialOf(at), {k.begin() + 1, k.end()});
            if (isInside(place, spatial))
                sum += x.at(joined({at[0], group * inner + k[0]}, place)) * w.at(joined({at[1]}, k));
        });
        return sum;
    });
}

} // namespace

TEST(WindowDefinitions, ofConv)
{
    checkDefinition(
        [](Draw &draw) {
            const WindowKinds kinds{.hasDilations = true, .hasCeil = false, .limitsPads = false};
            const std::int64_t groups = draw.number(1, 3);
            const std::int64_t inner = draw.number(1, 2);
            const DType dtype = draw.oneOf({DType::F32, DType::F64, DType::F16});
            const Numbers x = draw.numbers(joined({draw.number(1, 2), groups * inner}, draw.extents(1, 3, 1, 5)), dtype, 2);
            const Window window = drawWindow(draw, spatialOf(x.extents), kinds);
            const Numbers w = draw.numbers(joined({groups * draw.number(1, 2), inner}, window.kernel), dtype, 2);
            const bool hasBias = draw.chance(50);
            const Numbers bias = draw.numbers({w.extents[0]}, dtype);
            Drawn drawn{.text = {.node = {.op = "Conv", .attributes = attributesOf(window, kinds)}, .opset = draw.number(1, 27)},
                        .inputs = {x, w},
                        .outputs = {convolved(x, w, window, groups, dtype)},
                        .note = window.note()};
            drawn.text.node.attributes.push_back(integerAttribute("group", groups));
            if (hasBias) {
                drawn.inputs.push_back(bias);
                Numbers &y = drawn.outputs[0];
                y = computed(y.extents, dtype, [&](const Places &at) { return y.at(at) + bias.at({at[1]}); });
            }
            return drawn;
        },
        60);
}

TEST(WindowDefinitions, ofConvIntegerAndQLinearConv)
{
    checkDefinition([](Draw &draw) {
        const WindowKinds kinds{.hasDilations = true, .hasCeil = false, .limitsPads = false};
        const DType left = draw.oneOf({DType::U8, DType::I8});
        const DType right = draw.oneOf({DType::U8, DType::I8});
        const Numbers x = draw.numbers(joined({draw.number(1, 2), draw.number(1, 2)}, draw.extents(2, 2, 1, 5)), left, 100);
        const Window window = drawWindow(draw, spatialOf(x.extents), kinds);
        const Numbers w = draw.numbers(joined({draw.number(1, 3), x.extents[1]}, window.kernel), right, 100);
        const Numbers zero = draw.numbers({}, left, 9);
        const Numbers weightZero = draw.numbers({}, right, 9);
        Numbers from = x, weights = w;
        for (double &each : from.elements)
            each -= zero.elements[0];
        for (double &each : weights.elements)
            each -= weightZero.elements[0];
        return Drawn{
            .text = {.node = {.op = "ConvInteger", .attributes = attributesOf(window, kinds)}, .opset = draw.number(10, 27)},
            .inputs = {x, w, zero, weightZero},
            .outputs = {convolved(from, weights, window, 1, DType::I32)},
            .note = window.note()};
    });
    checkDefinition([](Draw &draw) {
        const WindowKinds kinds{.hasDilations = true, .hasCeil = false, .limitsPads = false};
        const DType dtype = draw.oneOf({DType::U8, DType::I8});
        const Numbers x = draw.numbers(joined({1, draw.number(1, 2)}, draw.extents(2, 2, 1, 5)), dtype, 20);
        const Window window = drawWindow(draw, spatialOf(x.extents), kinds);
        const Numbers w = draw.numbers(joined({draw.number(1, 3), x.extents[1]}, window.kernel), dtype, 20);
        const std::int64_t channels = w.extents[0];
        const bool isPerChannel = draw.chance(50);
        const Numbers zero = draw.numbers({}, dtype, 9);
        const Numbers weightZero = filled({isPerChannel ? channels : 1}, 2, dtype);
        const Numbers scales = computed({isPerChannel ? channels : 1}, DType::F32,
                                        [&](const Places &) { return static_cast<double>(draw.number(1, 4)) / 4; });
        const Numbers yZero = draw.numbers({}, dtype, 9);
        const Numbers bias = draw.numbers({channels}, DType::I32, 50);
        Numbers from = x, weights = w;
        for (double &each : from.elements)
            each -= zero.elements[0];
        for (double &each : weights.elements)
            each -= 2;
        const Numbers sums = convolved(from, weights, window, 1, DType::I32);
        const double low = dtype == DType::U8 ? 0 : -128;
        return Drawn{
            .text = {.node = {.op = "QLinearConv", .attributes = attributesOf(window, kinds)}, .opset = draw.number(10, 27)},
            .inputs = {x, numberOf(0.5, DType::F32), zero, w, scales, weightZero, numberOf(4, DType::F32), yZero, bias},
            .outputs = {computed(sums.extents, dtype,
                                 [&](const Places &at) {
                                     const double scale = scales.elements[isPerChannel ? static_cast<std::size_t>(at[1]) : 0];
                                     const double y =
                                         std::nearbyint((sums.at(at) + bias.at({at[1]})) * 0.5 * scale / 4) + yZero.elements[0];
                                     return std::clamp(y, low, low + 255);
                                 })},
            .note = window.note()};
    });
}

// Every element of the input adds its share to what it reaches; the pads are cut off.
TEST(WindowDefinitions, ofConvTranspose)
{
    checkDefinition(
        [](Draw &draw) {
            const std::int64_t groups = draw.number(1, 2);
            const std::int64_t inner = draw.number(1, 2);
            const std::int64_t perGroup = draw.number(1, 2);
            const Numbers x = draw.numbers(joined({draw.number(1, 2), groups * inner}, draw.extents(1, 3, 1, 4)), DType::F32, 2);
            const Places spatial = spatialOf(x.extents);
            Places kernel, strides, dilations, before, after, extra, outputs;
            const bool hasShape = draw.chance(30);
            const std::string autoPad = draw.oneOf<std::string>({"NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"});
            for (const std::int64_t n : spatial) {
                kernel.push_back(draw.number(1, 3));
                strides.push_back(draw.number(1, 3));
                dilations.push_back(draw.number(1, 2));
                extra.push_back(draw.chance(30) ? draw.number(0, std::max(strides.back(), dilations.back()) - 1) : 0);
                const std::int64_t full = (n - 1) * strides.back() + dilations.back() * (kernel.back() - 1) + 1 + extra.back();
                const bool isPadded = autoPad == "NOTSET" && !hasShape;
                before.push_back(isPadded ? std::min<std::int64_t>(draw.number(0, 2), full - 1) : 0);
                after.push_back(isPadded ? std::min<std::int64_t>(draw.number(0, 1), full - 1 - before.back()) : 0);
                outputs.push_back(full - before.back() - after.back());
                if (hasShape || autoPad.starts_with("SAME")) {
                    const std::int64_t wanted =
                        hasShape ? std::max<std::int64_t>(1, full - draw.number(0, 2)) : n * strides.back();
                    const std::int64_t total = std::max<std::int64_t>(0, full - wanted);
                    before.back() = autoPad == "SAME_UPPER" ? total / 2 : total - total / 2;
                    after.back() = total - before.back();
                    outputs.back() = wanted;
                }
            }
            const Numbers w = draw.numbers(joined({groups * inner, perGroup}, kernel), DType::F32, 2);
            Numbers y = filled(joined({x.extents[0], groups * perGroup}, outputs), 0);
            forEach(x.extents, [&](const Places &at) {
                forEach(joined({perGroup}, kernel), [&](const Places &k) {
                    Places goal{at[0], at[1] / inner * perGroup + k[0]};
                    for (std::size_t i = 0; i < kernel.size(); ++i)
                        goal.push_back(at[i + 2] * strides[i] + k[i + 1] * dilations[i] - before[i]);
                    if (isInside(goal, y.extents))
                        y.at(goal) += x.at(at) * w.at(joined({at[1]}, k));
                });
            });
            Drawn drawn{.text = {.node = {.op = "ConvTranspose",
                                          .attributes = {integerAttribute("group", groups), integersAttribute("strides", strides),
                                                         integersAttribute("dilations", dilations),
                                                         integersAttribute("output_padding", extra)}},
                                 .opset = draw.number(1, 27)},
                        .inputs = {x, w},
                        .outputs = {y},
                        .note = format("{} shape {} strides {} dilations {} pads {}/{}", autoPad, hasShape, join(strides, ","),
                                       join(dilations, ","), join(before, ","), join(after, ","))};
            if (hasShape)
                drawn.text.node.attributes.push_back(integersAttribute("output_shape", outputs));
            if (autoPad != "NOTSET")
                drawn.text.node.attributes.push_back(textAttribute("auto_pad", autoPad));
            else if (!hasShape)
                drawn.text.node.attributes.push_back(integersAttribute("pads", joined(before, after)));
            return drawn;
        },
        80);
}

TEST(WindowDefinitions, ofMaxPool)
{
    checkDefinition(
        [](Draw &draw) {
            const bool isOld = draw.chance(20);
            const WindowKinds kinds{.hasDilations = !isOld, .hasCeil = !isOld, .limitsPads = true};
            const DType dtype = isOld ? DType::F32 : draw.oneOf({DType::F32, DType::F16, DType::F64, DType::I8, DType::U8});
            const Numbers x = draw.different(joined({draw.number(1, 2), draw.number(1, 2)}, draw.extents(1, 3, 1, 4)), dtype);
            const Places spatial = spatialOf(x.extents);
            const Window window = drawWindow(draw, spatial, kinds);
            const bool isColumnFirst = !isOld && draw.chance(30);
            Numbers places = filled(joined({x.extents[0], x.extents[1]}, window.outputs), 0, DType::I64);
            const Numbers y = computed(places.extents, dtype, [&](const Places &at) {
                double most = -INFINITY;
                forEach(window.kernel, [&](const Places &k) {
                    const Places place = window.place(spatialOf(at), k);
                    if (!isInside(place, spatial) || x.at(joined({at[0], at[1]}, place)) <= most)
                        return;
                    most = x.at(joined({at[0], at[1]}, place));
                    std::int64_t flat = 0;
                    for (std::size_t i = 0; i < place.size(); ++i) {
                        const std::size_t axis = isColumnFirst ? place.size() - 1 - i : i;
                        flat = flat * spatial[axis] + place[axis];
                    }
                    places.at(at) = static_cast<double>((at[0] * x.extents[1] + at[1]) * productOf(spatial) + flat);
                });
                return most;
            });
            const bool wantsPlaces = !isOld && draw.chance(50);
            Drawn drawn{.text = {.node = {.op = "MaxPool", .attributes = attributesOf(window, kinds)},
                                 .opset = isOld ? draw.number(1, 9) : draw.number(12, 27)},
                        .inputs = {x},
                        .outputs = {y},
                        .note = window.note()};
            if (wantsPlaces) {
                drawn.outputs.push_back(places);
                drawn.text.node.attributes.push_back(integerAttribute("storage_order", isColumnFirst ? 1 : 0));
            }
            return drawn;
        },
        80);
}

TEST(WindowDefinitions, ofAveragePool)
{
    checkDefinition(
        [](Draw &draw) {
            const std::int64_t opset = draw.number(7, 27);
            const WindowKinds kinds{.hasDilations = opset >= 19, .hasCeil = opset >= 10, .limitsPads = true};
            const Numbers x = draw.numbers(joined({draw.number(1, 2), draw.number(1, 2)}, draw.extents(1, 3, 1, 4)),
                                           draw.oneOf({DType::F32, DType::F16, DType::F64}));
            const Places spatial = spatialOf(x.extents);
            const Window window = drawWindow(draw, spatial, kinds);
            const bool countsPads = draw.chance(50);
            Drawn drawn{.text = {.node = {.op = "AveragePool", .attributes = attributesOf(window, kinds)}, .opset = opset},
                        .inputs = {x},
                        .outputs = {computed(joined({x.extents[0], x.extents[1]}, window.outputs), x.dtype,
                                             [&](const Places &at) {
                                                 double sum = 0;
                                                 double count = 0;
                                                 forEach(window.kernel, [&](const Places &k) {
                                                     const Places place = window.place(spatialOf(at), k);
                                                     const bool isIn = isInside(place, spatial);
                                                     Places padded = place;
                                                     Places whole = spatial;
                                                     for (std::size_t i = 0; i < place.size(); ++i) {
                                                         padded[i] += window.before[i];
                                                         whole[i] += window.before[i] + window.after[i];
                                                     }
                                                     if (isIn)
                                                         sum += x.at(joined({at[0], at[1]}, place));
                                                     count += isIn || (countsPads && isInside(padded, whole)) ? 1 : 0;
                                                 });
                                                 return sum / count;
                                             })},
                        .note = window.note() + format(" pads count {}", countsPads)};
            if (countsPads)
                drawn.text.node.attributes.push_back(integerAttribute("count_include_pad", 1));
            return drawn;
        },
        80);
}

TEST(WindowDefinitions, ofLpPool)
{
    checkDefinition([](Draw &draw) {
        const std::int64_t opset = draw.number(2, 27);
        const WindowKinds kinds{.hasDilations = opset >= 18, .hasCeil = opset >= 18, .limitsPads = true};
        const Numbers x = draw.numbers(joined({draw.number(1, 2), draw.number(1, 2)}, draw.extents(1, 3, 1, 4)));
        const Places spatial = spatialOf(x.extents);
        const Window window = drawWindow(draw, spatial, kinds);
        const std::int64_t p = draw.number(1, 3);
        Drawn drawn{.text = {.node = {.op = "LpPool", .attributes = attributesOf(window, kinds)}, .opset = opset},
                    .inputs = {x},
                    .outputs = {computed(joined({x.extents[0], x.extents[1]}, window.outputs), x.dtype,
                                         [&](const Places &at) {
                                             double sum = 0;
                                             forEach(window.kernel, [&](const Places &k) {
                                                 const Places place = window.place(spatialOf(at), k);
                                                 if (isInside(place, spatial))
                                                     sum += std::pow(std::abs(x.at(joined({at[0], at[1]}, place))),
                                                                     static_cast<double>(p));
                                             });
                                             return std::pow(sum, 1 / static_cast<double>(p));
                                         })},
                    .note = window.note()};
        drawn.text.node.attributes.push_back(integerAttribute("p", p));
        return drawn;
    });
}

TEST(WindowDefinitions, ofGlobalPools)
{
    for (const char *op : {"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"})
        checkDefinition(
            [&](Draw &draw) {
                const Numbers x = draw.numbers(joined({draw.number(1, 2), draw.number(1, 3)}, draw.extents(1, 3)),
                                               draw.oneOf({DType::F32, DType::F64}));
                Places extents = x.extents;
                std::fill(extents.begin() + 2, extents.end(), 1);
                const Places spatial = spatialOf(x.extents);
                const std::string name = op;
                const std::int64_t opset = draw.number(1, 27);
                Drawn drawn{.text = {.node = {.op = name}, .opset = opset},
                            .inputs = {x},
                            .outputs = {computed(extents, x.dtype, [&](const Places &at) {
                                double total = name == "GlobalMaxPool" ? -INFINITY : 0;
                                forEach(spatial, [&](const Places &place) {
                                    const double element = x.at(joined({at[0], at[1]}, place));
                                    total = name == "GlobalMaxPool"  ? std::max(total, element)
                                            : name == "GlobalLpPool" ? total + std::pow(std::abs(element), 3)
                                                                     : total + element / static_cast<double>(productOf(spatial));
                                });
                                return name == "GlobalLpPool" ? std::cbrt(total) : total;
                            })}};
                if (name == "GlobalLpPool")
                    drawn.text.node.attributes = {opset < 2 ? numberAttribute("p", 3) : integerAttribute("p", 3)};
                return drawn;
            },
            20);
}

// Every element is one that a region's cell touches; regions are given by corners that belong to them.
TEST(WindowDefinitions, ofMaxRoiPool)
{
    checkDefinition([](Draw &draw) {
        const Numbers x = draw.numbers({draw.number(1, 2), draw.number(1, 2), draw.number(1, 6), draw.number(1, 6)});
        const std::int64_t count = draw.number(1, 3);
        const double scale = 0.5;
        const Numbers regions = computed({count, 5}, DType::F32, [&](const Places &at) {
            return static_cast<double>(at[1] == 0 ? draw.number(0, x.extents[0] - 1) : draw.number(0, 14));
        });
        const std::int64_t rows = draw.number(1, 3);
        const std::int64_t columns = draw.number(1, 3);
        struct Cell {
            std::int64_t low, high;
        };
        const auto cellOf = [&](double begin, double end, std::int64_t cells, std::int64_t cell, std::int64_t n) {
            const double first = std::round(begin * scale);
            const double size = std::max(std::round(end * scale) - first + 1, 1.0) / static_cast<double>(cells);
            const auto low = static_cast<std::int64_t>(std::floor(static_cast<double>(cell) * size) + first);
            const auto high = static_cast<std::int64_t>(std::ceil(static_cast<double>(cell + 1) * size) + first);
            return Cell{std::clamp<std::int64_t>(low, 0, n), std::clamp<std::int64_t>(high, 0, n)};
        };
        return Drawn{.text = {.node = {.op = "MaxRoiPool",
                                       .attributes = {integersAttribute("pooled_shape", {rows, columns}),
                                                      numberAttribute("spatial_scale", 0.5F)}},
                              .opset = draw.number(1, 27)},
                     .inputs = {x, regions},
                     .outputs = {computed({count, x.extents[1], rows, columns}, x.dtype, [&](const Places &at) {
                         const auto corner = [&](std::int64_t i) { return regions.at({at[0], i}); };
                         const Cell down = cellOf(corner(2), corner(4), rows, at[2], x.extents[2]);
                         const Cell across = cellOf(corner(1), corner(3), columns, at[3], x.extents[3]);
                         double most = down.low < down.high && across.low < across.high ? -INFINITY : 0;
                         for (std::int64_t r = down.low; r < down.high; ++r)
                             for (std::int64_t c = across.low; c < across.high; ++c)
                                 most = std::max(most, x.at({static_cast<std::int64_t>(corner(0)), at[1], r, c}));
                         return most;
                     })}};
    });
}

} // namespace sw::test
