#pragma once
// Where Resize reads along one axis: the elements of the input, with their weights, for each element of the result, by ONNX's
// formulas. All numbers in these formulas are known during import.

#include "engine/base/result.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace sw::onnx {

enum class ResizeMode : std::uint8_t { Nearest, Linear, Cubic };
enum class ResizeCoordinates : std::uint8_t {
    HalfPixel,
    HalfPixelSymmetric,
    PytorchHalfPixel,
    AlignCorners,
    Asymmetric,
    TfHalfPixelForNn,
    TfCropAndResize
};
enum class ResizeNearest : std::uint8_t { RoundPreferFloor, RoundPreferCeil, Floor, Ceil };

// Attributes that apply to all axes.
struct ResizeRules {
    ResizeMode mode = ResizeMode::Nearest;
    ResizeCoordinates coordinates = ResizeCoordinates::HalfPixel;
    ResizeNearest nearest = ResizeNearest::RoundPreferFloor;
    double cubicCoefficient = -0.75;
    bool isAntialiased = false;   // shrinking averages over all covered elements
    bool excludesOutside = false; // elements outside have weight 0
};

struct ResizeAxis {
    std::int64_t input = 1; // extents
    std::int64_t output = 1;
    double scale = 1;
    double roiBegin = 0; // for TfCropAndResize, as fractions of the extent
    double roiEnd = 1;
};

// The data for each tap and each element of the result.
struct ResizeTable {
    std::vector<std::vector<std::int64_t>> indices; // [tap][element], in range
    std::vector<std::vector<double>> weights;       // likewise; empty for a single tap without weights
    std::vector<bool> isOutside;                    // [element]; empty if none is outside
};

// Errors: the table would have too many taps.
[[nodiscard]] Result<ResizeTable> resizeTable(const ResizeRules &rules, const ResizeAxis &axis);

// Looks up ONNX's names. Errors: the name is unknown.
[[nodiscard]] Result<ResizeMode> resizeModeOf(std::string_view name);
[[nodiscard]] Result<ResizeCoordinates> resizeCoordinatesOf(std::string_view name);
[[nodiscard]] Result<ResizeNearest> resizeNearestOf(std::string_view name);

} // namespace sw::onnx
