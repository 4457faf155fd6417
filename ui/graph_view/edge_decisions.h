#pragma once
// The decisions behind the edges of a drawn graph: where one kernel ends and another begins.

#include "ui/graph_view/graph_scene.h"

#include <vector>

namespace stepwell::ui {

// The item of the schedule's document that says why the edge is (not) fused; null: nothing was decided about it.
[[nodiscard]] const sw::DocumentItem *decisionOf(const GraphScene &scene, std::uint32_t edge, const sw::StageDocument *schedule);
// By edge of the scene: whether its two ends are kept apart.
[[nodiscard]] std::vector<bool> cutEdges(const GraphScene &scene, const sw::StageDocument *schedule);
// The type of the value, the rule and its reason, as rich text.
[[nodiscard]] QString edgeToolTip(const GraphScene &scene, std::uint32_t edge, const sw::StageDocument *schedule);

} // namespace stepwell::ui
