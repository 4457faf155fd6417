#pragma once
// What a compilation is for.

#include "engine/passes/pass_context.h"

#include <vector>

namespace sw {

// Part of every cache key.
struct CompileTarget {
    DeviceInfo device;
    TargetLanguage language = TargetLanguage::C;
    CompileOptions options;
    std::vector<TargetDevice> others = {}; // further devices that the program names: slots 1, 2, ... of its schedule
    bool operator==(const CompileTarget &) const = default;
};

} // namespace sw
