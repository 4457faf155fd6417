#include "engine/pipeline/pipeline.h"

#include "engine/pipeline/pass_list.h"

#include <array>

namespace sw {

namespace {

constexpr std::array<PassInfo, 0> kPasses{};

static_assert(isConnected(kPasses), "a pass that does not accept the stage made before it");

} // namespace

std::span<const PassInfo> standardPipeline()
{
    return kPasses;
}

} // namespace sw
