#pragma once
// What a user says of a dimension before a program is compiled: a number, or the range in which a run may choose one.

#include "engine/base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

namespace sw {

inline constexpr std::int64_t kUsualLowest = 1; // of a range that does not say it
inline constexpr std::int64_t kUsualHighest = 64;

struct DimensionRange {
    std::int64_t low = kUsualLowest; // 1 <= low < high, both included
    std::int64_t high = kUsualHighest;
    bool operator==(const DimensionRange &) const = default;
};
using DimensionRanges = std::map<std::string, DimensionRange, std::less<>>;

struct DimensionChoice {
    std::string name;
    std::variant<std::int64_t, DimensionRange> size;
    bool operator==(const DimensionChoice &) const = default;
};

// "batch=8", "batch=1..32", "batch=..32", "batch=2..", "batch=..". The last '=' counts, because a model's names may contain any
// characters. Errors (Code::Argument): another form; a range that is empty or begins below 1.
[[nodiscard]] Result<DimensionChoice> readDimensionChoice(std::string_view text);

[[nodiscard]] bool isValid(const DimensionRange &range);
[[nodiscard]] std::string toText(const DimensionRange &range);     // "1..32"
[[nodiscard]] std::string sizeText(const DimensionChoice &choice); // "8", "1..32"

} // namespace sw
