#pragma once

#include "ui/panels/access_picture.h"
#include "ui/panels/access_side.h"
#include "ui/panels/panel.h"
#include "ui/session/trace_twin.h"
#include "ui/sharing/painted_view.h"

#include <QPointer>
#include <QTimer>

#include <functional>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QSplitter;
class QSpinBox;
class QToolButton;

namespace stepwell::ui {

class LoopBar;

// What the stepped kernel reads and writes: each of its tensors as a grid that lights up with the run, or totals of the whole
// run. Beside it, if that is wanted, the same for the kernel as it was before one of its transformations.
class AccessPanel : public Panel, public PaintedView {
    Q_OBJECT

public:
    AccessPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    [[nodiscard]] bool isSettled() const override { return m_debugger.isSettled() && m_twin.isSettled(); }
    // Puts the kernel before its newest transformation beside the run. False: it has none.
    bool showNewestBeside();
    [[nodiscard]] AccessCanvas &canvas() { return *m_canvas; }
    [[nodiscard]] AccessCanvas &canvasBeside() { return m_other->canvas(); }
    [[nodiscard]] const TraceTwin &twin() const { return m_twin; }
    [[nodiscard]] QSizeF pictureSize() const override;
    // Saves what the grids show as a picture, with the twin beside the run. Returns why it cannot; empty: it was saved.
    [[nodiscard]] QString savePictureAs(const QString &path);
    // Runs on from where the run stands, access by access, and saves what the grids show as an animated GIF; the run stays
    // where it is. animationSaved() tells when it is there.
    void saveAnimationAs(const QString &path);

signals:
    void animationSaved(const QString &path, const QString &problem);

protected:
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    bool belongsToEnd() const override { return true; }
    void drawPicture(QPainter &painter) override;

private:
    void arrange();
    void follow(); // the selection
    void onOpened();
    void onMoved();
    void setMode(AccessMode mode);
    void watch(); // tells the debugger what this panel needs
    void play();
    void setPlaying(bool isPlaying);
    void runToElement(sw::TraceDirection direction, const std::string &memory, std::int64_t element);
    // access_beside.cpp
    void forBoth(const std::function<void(AccessCanvas &canvas)> &change);
    void listTransforms();
    void showTwin();
    void moveTwin();
    // access_saving.cpp
    [[nodiscard]] std::vector<AccessPictureSide> sidesToSave() const;
    void savePicture();
    void saveAnimation();

    Debugger &m_debugger;
    QPointer<Debugger> m_viewed; // null when the window is being destroyed: then a panel that hides tells nobody
    SnapshotPtr m_snapshot;
    TraceTwin m_twin;
    QSplitter *m_sides;
    AccessSide *m_side;
    AccessSide *m_other; // the twin's
    AccessCanvas *m_canvas;
    LoopBar *m_loops;
    QWidget *m_loopArea = nullptr; // hides the counters where the grids need the room
    QComboBox *m_modes;
    QComboBox *m_beside;
    QSpinBox *m_trail;
    QSpinBox *m_slice;
    QCheckBox *m_cacheLines;
    QToolButton *m_play;
    QComboBox *m_speeds;
    QLabel *m_steps;
    QTimer m_timer;
};

} // namespace stepwell::ui
