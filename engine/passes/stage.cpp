#include "engine/passes/stage.h"

#include "engine/base/assert.h"

namespace sw {

std::string_view nameOf(StageLevel level)
{
    switch (level) {
    case StageLevel::Graph:
        return "graph";
    case StageLevel::Schedule:
        return "schedule";
    case StageLevel::Loops:
        return "loops";
    case StageLevel::Lowered:
        return "lowered";
    }
    SW_UNREACHABLE();
}

} // namespace sw
