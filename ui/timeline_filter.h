#pragma once
// How the timeline is narrowed: a button with a menu that sets the filter, and a row of chips that says what is set, how much
// matches, and takes each part away.

#include "ui/session/moment.h"
#include "ui/theme/appearance.h"

#include <QToolButton>
#include <QWidget>

#include <functional>

class QHBoxLayout;
class QLabel;
class QMenu;

namespace stepwell::ui {

class TimelineFilterButton : public QToolButton {
    Q_OBJECT

public:
    TimelineFilterButton(Moment &moment, QWidget *parent);

private:
    void fill();
    void fillRules(QMenu &menu);
    void fillKernels(QMenu &menu);

    Moment &m_moment;
    QMenu *m_menu;
};

// Hidden while nothing is filtered.
class TimelineChips : public QWidget {
    Q_OBJECT

public:
    TimelineChips(const Appearance &appearance, Moment &moment, QWidget *parent);

private:
    void tell();
    void add(const QString &name, const QString &text, std::function<void()> remove);

    const Appearance &m_appearance;
    Moment &m_moment;
    QHBoxLayout *m_row;
    QLabel *m_matches;
};

} // namespace stepwell::ui
