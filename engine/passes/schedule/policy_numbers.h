#pragma once
// The numbers that the rules of the fusion policy decide by, with where each comes from.

#include "engine/passes/schedule/policy.h"

namespace sw {

inline constexpr std::string_view kChainOrigin = "the value and the elementwise work that it is made of";
inline constexpr std::string_view kKernelLimit = "a kernel takes no more";

template <class Number>
[[nodiscard]] DecisionNumber number(std::string_view name, Number value, std::string_view unit, std::string_view origin)
{
    return {.name = name, .value = static_cast<double>(value), .unit = unit, .origin = origin};
}

[[nodiscard]] inline DecisionNumber limited(DecisionNumber of, LimitKind kind, double limit, std::string_view origin)
{
    of.limitKind = kind;
    of.limit = limit;
    of.limitOrigin = origin;
    return of;
}

template <class Number>
[[nodiscard]] DecisionNumber atMost(const DecisionNumber &of, Number limit, std::string_view origin)
{
    return limited(of, LimitKind::AtMost, static_cast<double>(limit), origin);
}

template <class Number>
[[nodiscard]] DecisionNumber atLeast(const DecisionNumber &of, Number limit, std::string_view origin)
{
    return limited(of, LimitKind::AtLeast, static_cast<double>(limit), origin);
}

[[nodiscard]] inline DecisionNumber elementsOf(const FusionQuestion &q)
{
    return number("elements", q.producer.shape.elements(), {}, "the value's shape");
}

[[nodiscard]] inline DecisionNumber evaluationsOf(const FusionQuestion &q)
{
    return number("evaluations", q.evaluations, {}, "the places in the kernel's loops that need the value");
}

} // namespace sw
