#include "engine/backend/machine/cross_targets.h"

#include "engine/base/text.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

constexpr std::array kTargets{
#define SW_CROSS_TARGET(name, triple, cpu, features, scale, doc) CrossTarget{name, triple, cpu, features, scale, doc},
#include "engine/backend/machine/cross_targets.def"
#undef SW_CROSS_TARGET
};

} // namespace

std::span<const CrossTarget> crossTargets()
{
    return kTargets;
}

Result<CrossTarget> crossTargetNamed(std::string_view name)
{
    const auto found = std::ranges::find(kTargets, name, &CrossTarget::name);
    if (found != kTargets.end())
        return *found;
    return Diagnostic::error(Code::Argument, {}, "no target is called {}; there are {}", quoted(name),
                             join(kTargets, ", ", [](const CrossTarget &one) { return one.name; }));
}

} // namespace sw
