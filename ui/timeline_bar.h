#pragma once
// The bar across the window that shows the current moment and moves it: the passes, the rewrites of the current pass, what the
// last rewrite did, the kernels of the run, and a clock that steps automatically.

#include "ui/session/moment.h"
#include "ui/session/walk.h"
#include "ui/theme/appearance.h"

#include <QFrame>
#include <QTimer>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QSlider;
class QToolButton;

namespace stepwell::ui {

class CutLabel;
class TimelineChips;
class TimelineFilterButton;
class TimelineRun;
class TimelineTrack;

class TimelineBar : public QFrame {
    Q_OBJECT

public:
    TimelineBar(const Appearance &appearance, Moment &moment, Walk &walk, QWidget *parent = nullptr);

    [[nodiscard]] TimelineTrack &track() { return *m_track; }
    [[nodiscard]] bool isPlaying() const { return m_clock.isActive(); }
    void setPlaying(bool isPlaying);
    void togglePlaying() { setPlaying(!isPlaying()); }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    QToolButton *addButton(const QString &name, const QString &icon, const QString &toolTip);
    QHBoxLayout *makeFirstLine();
    void setIcons();
    void tell();
    void tellRewrite();
    // The name of the pass comes before the legend of the colours.
    void placeLegend();
    void tellRun();
    void tick();
    bool handleKey(int key, Qt::KeyboardModifiers modifiers);

    const Appearance &m_appearance;
    Moment &m_moment;
    Walk &m_walk;
    TimelineTrack *m_track;
    TimelineRun *m_run;
    QComboBox *m_speed;
    TimelineFilterButton *m_filter;
    TimelineChips *m_chips;
    CutLabel *m_pass;
    QSlider *m_slider;
    QLabel *m_count;
    QLabel *m_legend;
    bool m_hasLegend = false; // if there is room
    CutLabel *m_rewrite;
    CutLabel *m_doc;
    QHBoxLayout *m_line = nullptr;
    QToolButton *m_previous = nullptr;
    QToolButton *m_next = nullptr;
    QToolButton *m_play = nullptr;
    QToolButton *m_end = nullptr;
    std::vector<std::pair<QToolButton *, QString>> m_icons;
    QTimer m_clock;
};

} // namespace stepwell::ui
