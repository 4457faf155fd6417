#pragma once

#include "engine/passes/pass_context.h"

namespace sw {

// Gives each kernel its loop nest: one axis per extent of the root's shape, the values pulled through the views, the reductions
// with their own axes, and one store per result. Neighbouring axes that no index tells apart are merged into one.
Result<LoopProgram> buildLoops(const SchedulePtr &schedule, PassContext &context);

} // namespace sw
