#include "engine/passes/schedule/override_values.h"

namespace sw {

NodeId computedFor(const Dataflow &flow, NodeId id)
{
    return flow.isComputed[id.value] ? id : flow.bases[id.value];
}

OverrideOutcome unknownValue(const ValuePaths &paths, const std::string &path)
{
    std::string reason = format("there is no value {}", quoted(path));
    if (const std::vector<std::string> similar = paths.similar(path, 3); !similar.empty())
        reason += "; did you mean " + join(similar, ", ");
    return {OverrideState::Unknown, std::move(reason)};
}

} // namespace sw
