#pragma once
// How the time of the program grows with a dimension, the number of threads or the size of a tile: compiled and run at each
// value, drawn as it comes.

#include "engine/api/sweep_run.h"
#include "ui/models/sweep_model.h"
#include "ui/panels/panel.h"
#include "ui/panels/sweep_plot.h"

class QComboBox;
class QPushButton;
class QSpinBox;
class QStackedWidget;
class QTableView;

namespace stepwell::ui {

class SweepPanel : public Panel {
    Q_OBJECT

public:
    SweepPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    [[nodiscard]] bool isSettled() const override { return !m_isRunning; }

    // The reason for a failure; empty: the file was written. Its ending says which of the two.
    [[nodiscard]] QString saveAs(const QString &path);

protected:
    [[nodiscard]] bool belongsToEnd() const override { return true; }
    void refill() override;

private:
    // What can be swept, with a range to begin with.
    struct Choice {
        QString title;
        sw::Swept swept = sw::Swept::Threads;
        std::string name; // of the dimension; "threads"; "k0_y:i0"
        std::int64_t low = 1;
        std::int64_t high = 1;
    };

    [[nodiscard]] QWidget *makeForm();
    void askTiles();
    void setTiles(const std::vector<Choice> &tiles);
    void fillChoices();
    void onChoice();
    void onRun();
    void start();
    void stop();
    void take(const sw::Sweep &sweep, const QString &error);
    void updateState();
    void save();

    QStackedWidget *m_stack;
    SweepPlot *m_plot;
    SweepModel *m_model;
    QTableView *m_table;
    QComboBox *m_what = nullptr;
    QSpinBox *m_low = nullptr;
    QSpinBox *m_high = nullptr;
    QSpinBox *m_steps = nullptr;
    QPushButton *m_run = nullptr;
    QToolButton *m_save = nullptr;
    SnapshotPtr m_snapshot;
    std::vector<Choice> m_choices;
    std::vector<Choice> m_tiles;
    std::uint64_t m_tilesOf = 0; // the compilation that has them
    QString m_error;
    std::uint64_t m_started = 0; // sweeps so far
    std::uint64_t m_madeBy = 0;  // the compilation that is swept
    bool m_isRunning = false;
    bool m_isChosen = false; // by a person, what is swept
};

} // namespace stepwell::ui
