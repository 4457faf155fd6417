#pragma once
// One row of the window's table of actions; private to main_window_*.cpp.

#include "ui/main_window.h"

#include <QKeySequence>

#include <functional>

namespace stepwell::ui {

struct MainWindow::ActionInfo {
    QString id; // unique
    QString text;
    QKeySequence keys;
    std::function<void()> run;
    QString icon;
    QString tip;
};

} // namespace stepwell::ui
