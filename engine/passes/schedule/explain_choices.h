#pragma once
// Why the branches of a choice are kernels of their own, which run only where they are chosen.

#include "engine/schedule/schedule.h"

#include <vector>

namespace sw {

// Adds to the reasons of the edges into choices what skipping a branch saves, and what it costs.
void explainChoices(const Graph &graph, const RooflineFigures &figures, std::vector<FusionDecision> &decisions);

} // namespace sw
