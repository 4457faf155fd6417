#include "engine/api/target_code.h"

#include "engine/backend/machine/cross_targets.h"

namespace sw {

std::vector<TargetEntry> targetEntries()
{
    std::vector<TargetEntry> entries;
    for (const CrossTarget &target : crossTargets())
        entries.push_back({std::string(target.name), std::string(target.doc)});
    return entries;
}

} // namespace sw
