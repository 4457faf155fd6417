#pragma once
// What one pane shows while there is a baseline: what the window shows, or a choice of its own. A button of the pane with a menu.

#include "ui/session/baseline.h"

#include <QObject>

#include <array>
#include <optional>

class QAction;
class QToolButton;

namespace stepwell::ui {

class SideChoice : public QObject {
    Q_OBJECT

public:
    // The button is hidden while there is no baseline.
    SideChoice(Baseline &baseline, QToolButton *button, QObject *parent);

    [[nodiscard]] Shown shown() const; // Now: there is no baseline
    [[nodiscard]] const std::optional<Shown> &own() const { return m_own; }
    void setOwn(std::optional<Shown> own); // nothing: as the window

signals:
    void changed(); // what the pane shows, or the baseline

private:
    void update();

    Baseline &m_baseline;
    QToolButton *m_button;
    std::array<QAction *, 4> m_choices{};
    std::optional<Shown> m_own;
};

// "Now", "Before", "Difference"
[[nodiscard]] QString nameOf(Shown shown);

} // namespace stepwell::ui
