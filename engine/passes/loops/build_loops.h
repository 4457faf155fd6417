#pragma once

#include "engine/passes/pass_context.h"

namespace sw {

// Gives each kernel its loop nest: one axis per extent of the root's shape, the values pulled through the views, the reductions
// with their own axes, and one store per result. Neighbouring axes that no index tells apart are merged into one.
// Each axis, value, store and merge is one rewrite, kernel after kernel: a nest in between has what was made so far, and lacks
// the rest (LoopProgram::nests ends with it).
Result<LoopProgram> buildLoops(const SchedulePtr &schedule, PassContext &context);

} // namespace sw
