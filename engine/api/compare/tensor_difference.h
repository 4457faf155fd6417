#pragma once
// How far apart two tensors of one type and shape are, element by element. Reads both once, copies neither, and can be stopped.

#include "engine/api/tensor_view.h"
#include "engine/base/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace sw {

// What the worst elements are chosen by. An element that is a number in only one of the tensors, or not the same infinity, is
// worse than any number.
enum class DifferenceMeasure : std::uint8_t { Absolute, Relative, Ulp };
[[nodiscard]] std::string_view nameOf(DifferenceMeasure measure); // "absolute"

// Bin 0: equal. Bin k: from 2^(k-1) to 2^k - 1 steps between representable values apart. The last one: no number of steps,
// because only one is a NaN or an infinity.
inline constexpr std::size_t kUlpBins = 66;

struct TensorDifferenceOptions {
    std::size_t worst = 10; // how many elements to list
    DifferenceMeasure by = DifferenceMeasure::Absolute;
    std::uint32_t mapRows = 64; // of the map, at most; rows of a tensor are all its axes but the last
    std::uint32_t mapColumns = 64;
};

struct ElementDifference {
    std::int64_t index = 0;
    double before = 0; // the values; large integers are rounded
    double after = 0;
    double absolute = 0; // infinite where there is no number of steps
    double relative = 0; // to `before`; infinite where that is 0
    std::uint64_t ulp = 0;
};

// Where the differences are: a grid of cells, each for a block of elements.
struct DifferenceMap {
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
    std::vector<double> largest;         // by cell, row after row: the largest absolute difference
    std::vector<std::int64_t> different; // elements that differ
};

struct TensorDifference {
    std::int64_t elements = 0;
    std::int64_t different = 0;          // NaN equals NaN, and -0 equals +0
    std::int64_t otherBits = 0;          // of those that are equal: -0 in the place of +0, another NaN
    std::int64_t notNumbers = 0;         // a NaN in only one of them
    std::int64_t infinities = 0;         // an infinity in only one of them, or of another sign
    double maxAbsolute = 0;              // of the elements that are finite in both
    double maxRelative = 0;              // of those, where the first is not 0
    std::uint64_t maxUlp = 0;            // for integers the difference
    std::optional<std::int64_t> firstAt; // the first that differs
    std::array<std::int64_t, kUlpBins> ulpHistogram{};
    std::vector<ElementDifference> worst; // the worst first
    DifferenceMap map;
    std::uint64_t hashBefore = 0; // of type, shape and bits: equal for tensors with the same bits
    std::uint64_t hashAfter = 0;

    [[nodiscard]] bool isEqual() const { return different == 0; }
};

// An error (Code::Cancelled) when it was stopped, and when type or shape differ: it says both.
[[nodiscard]] Result<TensorDifference> differenceOf(const TensorView &before, const TensorView &after,
                                                    const TensorDifferenceOptions &options = {},
                                                    const std::stop_token &stop = {});

// Of type, shape and bits. Means nothing when it was stopped.
[[nodiscard]] std::uint64_t contentHash(const HostTensor &tensor, const std::stop_token &stop = {});

} // namespace sw
