#include "engine/onnx/resize_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace sw::onnx {

namespace {

// The most elements of an axis that one element of the result may read; antialiased shrinking can read many.
constexpr std::int64_t kMaxTaps = 256;
// The most that all elements of the result read together: a file of few bytes can ask for any size.
constexpr std::int64_t kMaxReads = std::int64_t{1} << 21U;

// The place of an element of the result in the input, in elements of the input.
double placeOf(const ResizeRules &rules, const ResizeAxis &axis, std::int64_t element)
{
    const auto x = static_cast<double>(element);
    const auto input = static_cast<double>(axis.input);
    const double output = axis.scale * input; // before rounding to a whole number
    switch (rules.coordinates) {
    case ResizeCoordinates::HalfPixel:
        return (x + 0.5) / axis.scale - 0.5;
    case ResizeCoordinates::HalfPixelSymmetric:
        return input / 2 * (1 - static_cast<double>(axis.output) / output) + (x + 0.5) / axis.scale - 0.5;
    case ResizeCoordinates::PytorchHalfPixel:
        return axis.output > 1 ? (x + 0.5) / axis.scale - 0.5 : 0.0;
    case ResizeCoordinates::AlignCorners:
        return output == 1 ? 0.0 : x * (input - 1) / (output - 1);
    case ResizeCoordinates::Asymmetric:
        return x / axis.scale;
    case ResizeCoordinates::TfHalfPixelForNn:
        return (x + 0.5) / axis.scale;
    case ResizeCoordinates::TfCropAndResize: {
        const double span = (axis.roiEnd - axis.roiBegin) * (input - 1);
        return axis.roiBegin * (input - 1) + (output == 1 ? span / 2 : x * span / (output - 1));
    }
    }
    SW_UNREACHABLE();
}

// Weights of the elements around a place; `ratio` in (0, 1] is its distance after the element at index -first.
struct Taps {
    std::int64_t first = 0;
    std::vector<double> weights;
};

double cubicWeight(double distance, double a)
{
    const double x = std::abs(distance);
    if (x <= 1)
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0.0;
}

double nearestWeight(ResizeNearest nearest, double ratio)
{
    if (ratio == 1)
        return 1;
    switch (nearest) {
    case ResizeNearest::RoundPreferFloor:
        return ratio > 0.5 ? 1 : 0;
    case ResizeNearest::RoundPreferCeil:
        return ratio >= 0.5 ? 1 : 0;
    case ResizeNearest::Floor:
        return 0;
    case ResizeNearest::Ceil:
        return 1;
    }
    SW_UNREACHABLE();
}

Taps tapsOf(const ResizeRules &rules, double scale, double ratio)
{
    if (rules.mode == ResizeMode::Nearest)
        return {nearestWeight(rules.nearest, ratio) == 0 ? 0 : 1, {1}};
    const double reach = rules.mode == ResizeMode::Linear ? 1 : 2;
    const double narrowing = rules.isAntialiased ? std::min(scale, 1.0) : 1.0;
    Taps taps{.first = static_cast<std::int64_t>(std::floor(-reach / narrowing)) + 1, .weights = {}};
    const std::int64_t count = 2 - 2 * taps.first;
    for (std::int64_t i = 0; i < count; ++i) {
        const double distance = (static_cast<double>(taps.first + i) - ratio) * narrowing;
        taps.weights.push_back(rules.mode == ResizeMode::Linear ? std::clamp(1 - std::abs(distance), 0.0, 1.0)
                                                                : cubicWeight(distance, rules.cubicCoefficient));
    }
    return taps;
}

void normalize(std::span<double> weights)
{
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double &weight : weights)
        weight = sum == 0 ? weight : weight / sum;
}

template <class Value>
struct NamedRow {
    std::string_view name;
    Value value;
};

template <class Value, std::size_t count>
Result<Value> named(std::string_view kind, std::string_view name, const NamedRow<Value> (&rows)[count])
{
    for (const NamedRow<Value> &row : rows)
        if (row.name == name)
            return row.value;
    return Diagnostic::error(Code::Unsupported, {}, "{} '{}' is not supported; there are {}", kind, name.substr(0, 40),
                             join(rows, ", ", [](const NamedRow<Value> &row) { return row.name; }));
}

} // namespace

Result<ResizeTable> resizeTable(const ResizeRules &rules, const ResizeAxis &axis)
{
    ResizeTable table;
    for (std::int64_t element = 0; element < axis.output; ++element) {
        const double place = placeOf(rules, axis, element);
        const double last = static_cast<double>(axis.input - 1);
        if (rules.coordinates == ResizeCoordinates::TfCropAndResize)
            table.isOutside.push_back(place < 0 || place > last);
        // Far outside, only the nearest element counts, at any distance.
        const double base = std::ceil(std::clamp(place, -4.0 - last, 2 * last + 4.0)) - 1;
        Taps taps = tapsOf(rules, axis.scale, std::clamp(place - base, 0.0, 1.0));
        const auto count = static_cast<std::int64_t>(taps.weights.size());
        if (count > kMaxTaps)
            return Diagnostic::error(Code::Unsupported, {}, "scale {} reads {} elements for each; the limit is {}", axis.scale,
                                     count, kMaxTaps);
        if (count * axis.output > kMaxReads)
            return Diagnostic::error(Code::Unsupported, {}, "{} elements that read {} each are too many; the limit is {} in all",
                                     axis.output, count, kMaxReads);
        table.indices.resize(taps.weights.size());
        table.weights.resize(taps.weights.size());
        for (std::size_t i = 0; i < taps.weights.size(); ++i) {
            const std::int64_t index = static_cast<std::int64_t>(base) + taps.first + static_cast<std::int64_t>(i);
            if (rules.excludesOutside && (index < 0 || index >= axis.input))
                taps.weights[i] = 0;
            table.indices[i].push_back(std::clamp<std::int64_t>(index, 0, axis.input - 1));
        }
        if (rules.isAntialiased || rules.excludesOutside)
            normalize(taps.weights);
        for (std::size_t i = 0; i < taps.weights.size(); ++i)
            table.weights[i].push_back(taps.weights[i]);
    }
    if (rules.mode == ResizeMode::Nearest)
        table.weights.clear();
    if (std::ranges::find(table.isOutside, true) == table.isOutside.end())
        table.isOutside.clear();
    return table;
}

Result<ResizeMode> resizeModeOf(std::string_view name)
{
    static constexpr NamedRow<ResizeMode> kRows[] = {
        {"nearest", ResizeMode::Nearest}, {"linear", ResizeMode::Linear}, {"cubic", ResizeMode::Cubic}};
    return named("mode", name, kRows);
}

Result<ResizeCoordinates> resizeCoordinatesOf(std::string_view name)
{
    static constexpr NamedRow<ResizeCoordinates> kRows[] = {
        {"half_pixel", ResizeCoordinates::HalfPixel},
        {"half_pixel_symmetric", ResizeCoordinates::HalfPixelSymmetric},
        {"pytorch_half_pixel", ResizeCoordinates::PytorchHalfPixel},
        {"align_corners", ResizeCoordinates::AlignCorners},
        {"asymmetric", ResizeCoordinates::Asymmetric},
        {"tf_half_pixel_for_nn", ResizeCoordinates::TfHalfPixelForNn},
        {"tf_crop_and_resize", ResizeCoordinates::TfCropAndResize},
    };
    return named("coordinate_transformation_mode", name, kRows);
}

Result<ResizeNearest> resizeNearestOf(std::string_view name)
{
    static constexpr NamedRow<ResizeNearest> kRows[] = {{"round_prefer_floor", ResizeNearest::RoundPreferFloor},
                                                        {"round_prefer_ceil", ResizeNearest::RoundPreferCeil},
                                                        {"floor", ResizeNearest::Floor},
                                                        {"ceil", ResizeNearest::Ceil}};
    return named("nearest_mode", name, kRows);
}

} // namespace sw::onnx
