#include "engine/passes/loops/choose.h"

#include <algorithm>

namespace sw {

// One work item per point of the last domain axes; what is left outside becomes loops.
void chooseForGpu(NestPlan &plan)
{
    constexpr std::size_t kDimensions = 3;
    const std::vector<AxisId> domain = plan.nest().domain;
    const std::size_t first = domain.size() > kDimensions ? domain.size() - kDimensions : 0;
    for (std::size_t i = first; i < domain.size(); ++i)
        plan.setType(domain[i], AxisType::Global, "a work item per index");
}

} // namespace sw
