#pragma once
// Signs at the corner of a box that was added, removed, changed or renamed.

#include "ui/graph_view/graph_painter.h"

#include <optional>

namespace stepwell::ui {

enum class Touch : unsigned char { Matched, Made, Changed, Renamed };

// What was done to the box, if anything.
[[nodiscard]] std::optional<Touch> touchOf(const GraphMarks &marks, BoxIndex box);
[[nodiscard]] Role roleOf(Touch touch);
// Not by colour alone: a minus, a plus, a crossed or a plain equals sign.
void drawTouch(QPainter &painter, const QRectF &box, Touch touch, const Theme &theme);

} // namespace stepwell::ui
