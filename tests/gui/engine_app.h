#pragma once
// The window on the real engine, hosts included, with helpers for tests.

#include "app/explorer_service.h"
#include "tests/gui/patience.h"
#include "ui/main_window.h"
#include "ui/panels/graph_panel.h"
#include "ui/panels/text_panel.h"
#include "ui/text_view/program_editor.h"

#include <QComboBox>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <memory>
#include <utility>

namespace stepwell::ui {

struct EngineApp {
    // more: one more backend; may be null. home: where settings are kept; empty: in a folder of this window alone. figures: where
    // what is measured is kept; empty: nowhere.
    explicit EngineApp(std::unique_ptr<sw::Backend> more, const char *host = STEPWELL_HOST_PROGRAM, const QString &home = {},
                       const QString &figures = {})
        : engine(host, figures.toStdString(), std::move(more)),
          settings((home.isEmpty() ? folder.path() : home) + QStringLiteral("/settings.ini"))
    {
        window.resize(1600, 1000);
        window.show();
    }
    EngineApp() : EngineApp(std::unique_ptr<sw::Backend>()) {}
    explicit EngineApp(const char *program) : EngineApp() { window.openText("test.sw", program); }

    template <class T>
    T &child(const char *name)
    {
        auto *found = window.findChild<T *>(name);
        if (!found)
            qFatal("the window has no %s", name);
        return *found;
    }
    [[nodiscard]] bool isReady()
    {
        return window.session().snapshot() && window.session().snapshot()->isFinal && window.isSettled();
    }
    [[nodiscard]] const Snapshot &snapshot() { return *window.session().snapshot(); }
    [[nodiscard]] GraphCanvas &graph() { return child<GraphPanel>("graph").view().canvas(); }
    [[nodiscard]] GraphCanvas &kernels() { return child<GraphPanel>("kernels").view().canvas(); }
    [[nodiscard]] TextView &text(const char *panel) { return child<TextPanel>(panel).view(); }
    [[nodiscard]] ProgramEditor &editor() { return child<ProgramEditor>("programEditor"); }

    [[nodiscard]] static BoxIndex box(const GraphCanvas &canvas, const QString &label)
    {
        const auto &boxes = canvas.scene()->boxes;
        const auto found = std::ranges::find(boxes, label, &SceneBox::label);
        if (found == boxes.end())
            qFatal("no box is called %s", qPrintable(label));
        return static_cast<BoxIndex>(found - boxes.begin());
    }
    static void pointAt(GraphCanvas &canvas, const QString &label)
    {
        canvas.fit();
        QTest::mouseMove(&canvas, canvas.toView(canvas.scene()->boxes[box(canvas, label)].rect.center()).toPoint());
    }
    static void click(GraphCanvas &canvas, const QString &label)
    {
        canvas.fit();
        const QPointF center = canvas.toView(canvas.scene()->boxes[box(canvas, label)].rect.center());
        QTest::mouseClick(&canvas, Qt::LeftButton, {}, center.toPoint());
    }
    void type(const QString &lines)
    {
        for (const QChar c : lines) {
            if (c == u'\n')
                QTest::keyClick(&editor(), Qt::Key_Return);
            else
                QTest::keyClicks(&editor(), c);
        }
    }
    // The first row that holds the text; -1: no row does.
    static int rowWith(const TextView &view, const QString &text)
    {
        for (int row = 0; row < view.rows().count(); ++row)
            if (view.rows().textAt(row).contains(text))
                return row;
        return -1;
    }
    [[nodiscard]] bool hasDevice(const QString &id)
    {
        auto &devices = child<QComboBox>("deviceBox");
        const int index = devices.findData(id);
        return index >= 0 && (devices.model()->flags(devices.model()->index(index, 0)) & Qt::ItemIsEnabled) != 0;
    }
    void choose(const QString &device)
    {
        auto &devices = child<QComboBox>("deviceBox");
        devices.setCurrentIndex(devices.findData(device));
        emit devices.activated(devices.currentIndex());
    }

    QTemporaryDir folder;
    stepwell::ExplorerService engine;
    Appearance appearance{"dark"};
    Settings settings;
    MainWindow window{engine, appearance, settings};
};

} // namespace stepwell::ui
