#pragma once
// One of two runs whose accesses are shown beside each other: what it is, its grids, and how it uses cache lines.

#include "ui/panels/access_canvas.h"

#include <QWidget>

#include <optional>

namespace stepwell::ui {

class CutLabel;

class AccessSide : public QWidget {
    Q_OBJECT

public:
    AccessSide(const Appearance &appearance, const QString &name, QWidget *parent = nullptr);

    [[nodiscard]] AccessCanvas &canvas() { return *m_canvas; }
    // Above the grids and below them; empty: they are not needed.
    void setTitle(const QString &title);
    void setFigures(const QString &figures);

private:
    CutLabel *m_title;
    AccessCanvas *m_canvas;
    CutLabel *m_figures;
};

// "1,024 reads and 64 writes touch 68 cache lines, each 16 times; a cache of 512 lines fetches 68". Nothing: still counted.
[[nodiscard]] QString figuresText(const std::optional<sw::LineCounts> &lines);

} // namespace stepwell::ui
