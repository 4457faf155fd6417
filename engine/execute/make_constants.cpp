#include "engine/execute/make_constants.h"

#include "engine/base/parallel.h"

#include <optional>
#include <utility>
#include <vector>

namespace sw {

namespace {

std::vector<const Node *> constantsOf(const Schedule &schedule)
{
    std::vector<const Node *> constants;
    for (const ScheduledBuffer &buffer : schedule.buffers) {
        const NodeId id = buffer.role == BufferRole::Intermediate ? NodeId() : hostValueOf(schedule, buffer);
        if (id.isValid() && std::holds_alternative<TensorAttributes>(schedule.graph->node(id).attributes))
            constants.push_back(&schedule.graph->node(id));
    }
    return constants;
}

Result<Done> made(const Node &constant, const SourceMap &sources)
{
    const HostTensor &value = *attributesOf<TensorAttributes>(constant).value;
    static_cast<void>(value.unalignedBytes()); // which makes them
    Result<Done> sound = value.checkUnchanged();
    if (sound)
        return sound;
    Diagnostics told = sound.error();
    told.front().where = sources.programRange(constant.origin);
    return Failure(std::move(told));
}

} // namespace

Result<Done> makeConstants(const Schedule &schedule)
{
    const std::vector<const Node *> constants = constantsOf(schedule);
    std::vector<std::optional<Result<Done>>> results(constants.size());
    inParallel(constants.size(), [&](std::size_t i) { results[i] = made(*constants[i], schedule.graph->sources()); });
    for (std::optional<Result<Done>> &result : results)
        if (!*result)
            return std::move(*result);
    return Done{};
}

} // namespace sw
