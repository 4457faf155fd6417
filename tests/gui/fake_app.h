#pragma once
// The window on a fake engine, with helpers for tests.

#include "tests/gui/fake_engine.h"
#include "ui/main_window.h"
#include "ui/panels/graph_panel.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace stepwell::ui {

inline constexpr const char *kFakeProgram = "x = input()\na = exp(x)\nb = sum(a)\nc = div(a, b)\n";

template <class Engine = FakeEngine>
struct FakeApp {
    FakeApp()
    {
        window.show();
        window.openText("test.sw", kFakeProgram);
    }

    template <class T>
    T &child(const char *name)
    {
        auto *found = window.findChild<T *>(name);
        if (!found)
            qFatal("the window has no %s", name);
        return *found;
    }
    [[nodiscard]] bool isReady() { return window.session().snapshot() && window.session().activity() == Activity::Idle; }
    [[nodiscard]] GraphCanvas &graph() { return child<GraphPanel>("graph").view().canvas(); }
    [[nodiscard]] BoxIndex box(const QString &label)
    {
        const auto &boxes = graph().scene()->boxes;
        return static_cast<BoxIndex>(std::ranges::find(boxes, label, &SceneBox::label) - boxes.begin());
    }
    [[nodiscard]] QPoint centerOf(const QString &label)
    {
        return graph().toView(graph().scene()->boxes[box(label)].rect.center()).toPoint();
    }

    QTemporaryDir folder;
    Engine engine;
    Appearance appearance{"dark"};
    Settings settings{folder.filePath("settings.ini")};
    MainWindow window{engine, appearance, settings};
};

} // namespace stepwell::ui
