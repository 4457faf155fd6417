#pragma once
// The notation of layouts, which perspectives and settings are written in. Example:
//
//   row(360 column(400 program, 260 -inspector), 1000+ column(300+ graph, 170 messages|*timings|values)) float(100 80 640x400
//   code)
//
// A row or column lists its parts, each with its size before it; "+" marks those that take the room of a larger window. A stack
// lists its tabs: "*" the one in front, "-" a closed one. A floating stack gives position and size of its window.
// "maximised(graph)" at the end: the stack of this panel hides the others.

#include "ui/docking/layout.h"

#include <optional>

namespace stepwell::ui {

struct ParsedLayout {
    std::optional<Layout> layout;
    QString error; // "column 12: expected a panel, found ')'"; empty: all is well
};

[[nodiscard]] QString textOf(const Layout &layout);
[[nodiscard]] ParsedLayout layoutOf(const QString &text);

} // namespace stepwell::ui
