#pragma once
// When everybody worked: a timeline of runs and one of the compilation, recorded on request, with the kernels and what hardware
// counters counted beside it.

#include "ui/models/activity_model.h"
#include "ui/panels/activity_lanes.h"
#include "ui/panels/panel.h"

class QButtonGroup;
class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QSplitter;
class QStackedWidget;
class QTableView;

namespace stepwell::ui {

class ActivityPanel : public Panel {
    Q_OBJECT

public:
    ActivityPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    void zoom(int steps) override { m_lanes->zoomBy(steps); }
    void resetZoom() override { m_lanes->showHome(); }
    void fit() override { m_lanes->showAll(); }
    [[nodiscard]] bool isSettled() const override { return !m_isRecording; }

    // Both return the reason for a failure; empty: the file was written.
    [[nodiscard]] QString saveTraceAs(const QString &path);
    [[nodiscard]] QString savePictureAs(const QString &path);

protected:
    [[nodiscard]] bool belongsToEnd() const override { return true; }

private:
    enum class Shown : unsigned char { Run, Compilation };

    [[nodiscard]] QWidget *makeContent();
    [[nodiscard]] QWidget *makeBar();
    void onRecord();
    void stop();
    void take(const std::shared_ptr<const sw::RecordedTimelines> &timelines, const QString &error);
    void showTimeline(Shown shown);
    void fill();
    void updateState();
    void choose(std::uint32_t kernel);
    void onSelectionChanged();
    // The kernel of that number in what was recorded, in the report that is shown now, and the other way round.
    [[nodiscard]] std::uint32_t kernelNow(std::uint32_t recorded) const;
    [[nodiscard]] std::vector<KernelIdentity> tags() const;
    void saveTrace();
    void savePicture();

    QStackedWidget *m_stack;
    QLabel *m_told = nullptr;
    QPushButton *m_record = nullptr;
    QToolButton *m_again = nullptr;
    QToolButton *m_save = nullptr;
    QButtonGroup *m_choice = nullptr;
    QLabel *m_counters = nullptr;
    ActivityLanes *m_lanes;
    ActivityModel *m_model;
    QSortFilterProxyModel *m_sorted;
    QTableView *m_table;
    SnapshotPtr m_snapshot;
    std::shared_ptr<const sw::RecordedTimelines> m_timelines;
    QString m_error;
    std::uint64_t m_madeBy = 0; // the compilation whose program was recorded
    Shown m_shown = Shown::Run;
    bool m_isRecording = false;
};

} // namespace stepwell::ui
