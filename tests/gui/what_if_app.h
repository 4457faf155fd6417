#pragma once
// The window on the real engine, with helpers for the panels that say why and what if.

#include "tests/gui/engine_app.h"
#include "ui/graph_view/edge_decisions.h"
#include "ui/panels/why_panel.h"

#include <QAbstractButton>
#include <QAction>
#include <QTextBrowser>

namespace stepwell::ui {

inline constexpr const char *kSoftmax = "input scores: f32[128, 256]\noutput probabilities = softmax(scores, axis = -1)\n";

struct WhatIfApp : EngineApp {
    explicit WhatIfApp(const QString &text = QString::fromLatin1(kSoftmax)) { window.openText("softmax.sw", text); }

    [[nodiscard]] WhyPanel &why() { return child<WhyPanel>("why"); }
    [[nodiscard]] QString whyText() { return child<QTextBrowser>("whyText").toPlainText(); }
    [[nodiscard]] WhatIf &whatIf() { return window.whatIf(); }
    [[nodiscard]] std::size_t kernelCount() { return isReady() ? snapshot().report->kernels.size() : 0; }
    void show(const char *panel) { window.action(QStringLiteral("go.") + QLatin1String(panel))->trigger(); }
    [[nodiscard]] bool hasCard(const std::string &title)
    {
        return isReady() && why().isSettled() && why().card() && why().card()->title == title;
    }
    // The effect is that of the last change.
    [[nodiscard]] bool hasEffect() { return isReady() && !whatIf().isMeasuring() && whatIf().effect().has_value(); }
    [[nodiscard]] double after(const std::string &figure)
    {
        for (const sw::FigureChange &change : whatIf().effect()->effect.changes)
            if (change.name == figure)
                return change.amountAfter;
        return -1;
    }
    [[nodiscard]] std::uint32_t edge(const QString &from, const QString &to)
    {
        const GraphScene &scene = *graph().scene();
        for (std::uint32_t i = 0; i < scene.edges.size(); ++i)
            if (scene.boxes[scene.edges[i].from].label == from && scene.boxes[scene.edges[i].to].label == to)
                return i;
        qFatal("no edge leads from %s to %s", qPrintable(from), qPrintable(to));
    }
    [[nodiscard]] bool isCut(const QString &from, const QString &to)
    {
        return cutEdges(*graph().scene(), snapshot().stage(sw::StageKind::Schedule).document.get())[edge(from, to)];
    }
    // Where the edge runs, and nothing else does.
    [[nodiscard]] QPoint pointOnEdge(const QString &from, const QString &to)
    {
        GraphCanvas &canvas = graph();
        canvas.fit();
        const GraphScene &scene = *canvas.scene();
        const std::uint32_t wanted = edge(from, to);
        const QPointF first = scene.points[scene.edges[wanted].firstPoint];
        const QPointF last = scene.points[scene.edges[wanted].firstPoint + scene.edges[wanted].pointCount - 1];
        for (const double part : {0.5, 0.4, 0.6, 0.3, 0.7}) {
            const QPointF point = first + (last - first) * part;
            if (scene.boxAt(point) == sw::kNoIndex && scene.edgeAt(point, 2) == wanted)
                return canvas.toView(point).toPoint();
        }
        qFatal("the edge from %s to %s is hidden", qPrintable(from), qPrintable(to));
    }
    void clickEdge(const QString &from, const QString &to)
    {
        QTest::mouseClick(&graph(), Qt::LeftButton, {}, pointOnEdge(from, to));
    }
    void press(const char *name)
    {
        auto &button = child<QAbstractButton>(name);
        QVERIFY2(button.isEnabled(), name);
        QTest::mouseClick(&button, Qt::LeftButton);
    }
};

} // namespace stepwell::ui
