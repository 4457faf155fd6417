#pragma once
// Where Resize reads along one axis: for each element of the result, the elements of the input and their weights, by the formulas
// of ONNX. Everything in them is known while importing.

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

// Attributes that hold for all axes.
struct ResizeRules {
    ResizeMode mode = ResizeMode::Nearest;
    ResizeCoordinates coordinates = ResizeCoordinates::HalfPixel;
    ResizeNearest nearest = ResizeNearest::RoundPreferFloor;
    double cubicCoefficient = -0.75;
    bool isAntialiased = false;   // shrinking averages over all that it covers
    bool excludesOutside = false; // weights of elements outside count nothing
};

struct ResizeAxis {
    std::int64_t input = 1; // extents
    std::int64_t output = 1;
    double scale = 1;
    double roiBegin = 0; // of TfCropAndResize, as parts of the extent
    double roiEnd = 1;
};

// Of each tap and each element of the result.
struct ResizeTable {
    std::vector<std::vector<std::int64_t>> indices; // [tap][element], in range
    std::vector<std::vector<double>> weights;       // likewise; of one tap without weights: empty
    std::vector<bool> isOutside;                    // [element]; empty: none is
};

// Errors: more taps than a table should have.
[[nodiscard]] Result<ResizeTable> resizeTable(const ResizeRules &rules, const ResizeAxis &axis);

// By the names that ONNX has for them. Errors: a name that is none of these.
[[nodiscard]] Result<ResizeMode> resizeModeOf(std::string_view name);
[[nodiscard]] Result<ResizeCoordinates> resizeCoordinatesOf(std::string_view name);
[[nodiscard]] Result<ResizeNearest> resizeNearestOf(std::string_view name);

} // namespace sw::onnx
