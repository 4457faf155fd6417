#pragma once
// Lays a scene out like another one, so that common parts keep their place while the user steps through a compilation.

#include "ui/graph_view/graph_scene.h"

namespace stepwell::ui {

// Places the boxes and edges of the scene: those that the other scene also has keep its positions, new ones go near what they
// read. Returns false and places nothing when the scenes have too little in common.
[[nodiscard]] bool placeLike(GraphScene &scene, const GraphScene &other);

} // namespace stepwell::ui
