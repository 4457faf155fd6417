#include "engine/passes/rule_order.h"

#include <algorithm>
#include <functional>

namespace sw {

std::vector<RuleCount> byFrequency(std::span<const RuleCount> rules)
{
    std::vector<RuleCount> ordered(rules.begin(), rules.end());
    std::ranges::stable_sort(ordered, std::ranges::greater(), &RuleCount::rewrites);
    return ordered;
}

} // namespace sw
