#pragma once
// Every panel of the window, one row each. A new panel is a class and a row.

#include "ui/panels/panel.h"

#include <span>

namespace stepwell::ui {

struct PanelRow {
    const char *id;    // unique; the object name of the panel
    const char *title; // in English
    const char *pane;  // the pane where it stands at first
    // It is reached by this digit outside of text, and by Alt and the digit everywhere; 0: by the menu, F6 and the tabs only.
    int digit;
    Panel *(*make)(const PanelContext &context, const PanelName &name); // the window owns it
};

// In the order of the Go menu; panels of one pane stand in this order.
[[nodiscard]] std::span<const PanelRow> panelRows();

} // namespace stepwell::ui
