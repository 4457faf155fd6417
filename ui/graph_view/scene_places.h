#pragma once
// Lays a scene out like another one, so that what both have keeps its place while somebody steps through a compilation.

#include "ui/graph_view/graph_scene.h"

namespace stepwell::ui {

// Places the boxes and edges of the scene: those that the other one has too where they are there, the others beside what they
// read. False, and nothing is placed: the scenes have too little in common.
[[nodiscard]] bool placeLike(GraphScene &scene, const GraphScene &other);

} // namespace stepwell::ui
