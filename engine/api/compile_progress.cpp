#include "engine/api/compile_progress.h"

#include "engine/base/work_progress.h"

namespace sw {

std::string progressText(const WorkProgress &progress)
{
    return toText(progress.now());
}

} // namespace sw
