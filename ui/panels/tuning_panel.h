#pragma once
// Searches for faster loops of kernels by measuring: the lists of transformations that were tried, with the model's price, the
// time and the verdict, and the best so far as it comes down. A list can be tried as an override, or kept for later compilations.

#include "engine/api/explorer.h"
#include "engine/api/tune/tune_run.h"
#include "ui/models/tuning_model.h"
#include "ui/panels/panel.h"
#include "ui/panels/tuning_form.h"
#include "ui/panels/tuning_list.h"
#include "ui/panels/tuning_plot.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

class QComboBox;
class QListWidget;
class QPushButton;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;

namespace stepwell::ui {

class CutLabel;

class TuningPanel : public Panel {
    Q_OBJECT

public:
    TuningPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    [[nodiscard]] bool isSettled() const override { return !m_isRunning; }
    [[nodiscard]] const TuningModel &model() const { return *m_model; }
    // The candidate that Try and Keep take: the chosen one, or else the best; nothing: there is none.
    [[nodiscard]] std::optional<std::size_t> candidate() const;

protected:
    [[nodiscard]] bool belongsToEnd() const override { return true; }
    void refill() override;

private:
    [[nodiscard]] QWidget *makeContent();
    [[nodiscard]] QWidget *makeResult();
    void connectAll();
    void onSelection();
    void start();
    void stop();
    void take(std::vector<sw::KernelTuning> found, const QString &error);
    void showKernel(std::size_t kernel);
    void choose(std::size_t candidate);
    void tryOut();
    void keep();
    void forget();
    void changeKept(std::function<std::string(sw::Instruments &)> change);
    void askTuned();
    void takeTuned(const sw::KernelTuned &tuned);
    void updateState();
    [[nodiscard]] std::optional<std::uint32_t> subject() const;
    [[nodiscard]] QString summary() const;
    [[nodiscard]] QString keptText() const;

    TuningForm *m_form;
    QStackedWidget *m_stack;
    QListWidget *m_kernels; // that were tuned, where there are several
    QComboBox *m_axis;
    TuningPlot *m_plot;
    TuningModel *m_model;
    QSortFilterProxyModel *m_sorted;
    QTableView *m_table;
    TuningList *m_list;
    CutLabel *m_summary;
    CutLabel *m_kept;
    QPushButton *m_try;
    QPushButton *m_keep;
    QPushButton *m_forget;
    SnapshotPtr m_snapshot;
    std::vector<sw::KernelTuning> m_found;
    std::size_t m_shown = 0; // of them
    QString m_error;
    std::uint64_t m_seed = 1;    // of the search that is shown
    std::uint64_t m_started = 0; // searches so far
    std::uint64_t m_madeBy = 0;  // the compilation that is tuned
    bool m_isRunning = false;
    bool m_isShownChosen = false;                                     // by a person, of the kernels that were tuned
    bool m_isAllChosen = false;                                       // by a person: then the selection does not choose a kernel
    sw::KernelTuned m_tuned;                                          // of the subject
    std::pair<std::uint64_t, std::optional<std::uint32_t>> m_tunedOf; // the compilation and kernel that it was asked of
};

} // namespace stepwell::ui
