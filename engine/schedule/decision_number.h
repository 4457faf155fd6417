#pragma once
// A number that a rule decided by, with where it comes from and what it was compared with.

#include <cstdint>
#include <string_view>

namespace sw {

enum class LimitKind : std::uint8_t { None, AtLeast, AtMost };

// Name, unit and origin are texts of the rule's own.
struct DecisionNumber {
    std::string_view name; // "rows"
    double value = 0;
    std::string_view unit = {};   // "bytes"; empty: a count
    std::string_view origin = {}; // "elements of the producer"
    // What the rule compares the value with: the edge is fused when one of the numbers keeps its limit.
    LimitKind limitKind = LimitKind::None;
    double limit = 0;
    std::string_view limitOrigin = {}; // "32, or 2 per thread"

    [[nodiscard]] bool keepsLimit() const;
    // How far beyond its limit the value is, as a part of the limit; 0: it keeps it, or has none.
    [[nodiscard]] double excess() const;
};

// A refusal that is beyond its limit by less than this part of it is a near miss.
inline constexpr double kNearMiss = 0.2;

} // namespace sw
