#pragma once
// The menu of an item that decisions made: why it is so, and what can be tried instead; and what can be done with its kernel.

#include "ui/panels/panel.h"

#include <QPoint>

namespace stepwell::ui {

// Selects the item, asks the engine about it, and shows the menu at `at` on the screen once there is an answer. owner: the panel.
void showOverrideMenu(const PanelContext &context, QWidget *owner, Selection::Place place, const QPoint &at);

} // namespace stepwell::ui
