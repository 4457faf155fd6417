#include "engine/passes/counted_rewrites.h"

namespace sw {

bool tellsAnyOf(const RewriteLog &log, const RewriteLog &counted)
{
    for (std::size_t i = 0; i < counted.size(); ++i)
        if (log.tells(log.size() + i))
            return true;
    return false;
}

void addCounted(RewriteLog &log, const RewriteLog &counted)
{
    for (std::size_t i = 0; i < counted.size(); ++i)
        log.add(counted.rule(i), counted.kernel(i), [] { return RewriteDetail(); });
}

} // namespace sw
