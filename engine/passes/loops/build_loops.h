#pragma once

#include "engine/passes/pass_context.h"

namespace sw {

// Gives each kernel its loop nest: an axis per extent of the root's shape, the values pulled through the views, the reductions
// with axes of their own, and a store per result. Neighbouring axes that no index tells apart are merged into one.
Result<LoopProgram> buildLoops(const SchedulePtr &schedule, PassContext &context);

} // namespace sw
