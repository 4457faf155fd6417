#pragma once
// What is searched for faster loops: a kernel or all of them, for how long, from which seed; and how far the search is.

#include "engine/api/tune/tune_run.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

class QComboBox;
class QProgressBar;
class QPushButton;
class QSpinBox;

namespace stepwell::ui {

class TuningForm : public QWidget {
    Q_OBJECT

public:
    explicit TuningForm(QWidget *parent = nullptr);

    // What was chosen stays chosen, by its name, as long as it is there.
    void setKernels(const std::vector<std::string> &names);
    // Nothing: all kernels that take time.
    void chooseKernel(std::optional<std::uint32_t> kernel);
    [[nodiscard]] std::optional<std::uint32_t> kernel() const;
    [[nodiscard]] bool hasKernels() const;
    [[nodiscard]] sw::TunePlan plan() const;

    void setStartable(bool isStartable);
    void setRunning(bool isRunning);
    // Of the kernel that is tuned now, where their number ends the search.
    void setCandidates(std::size_t candidates);
    void addWidget(QWidget *widget); // at the end of the row

signals:
    void startWanted();
    void stopWanted();
    void kernelChosen(); // by a person

private:
    void updateUnit();
    void updateProgress();

    QComboBox *m_kernel;
    QSpinBox *m_amount;
    QComboBox *m_unit; // seconds or candidates
    QSpinBox *m_seed;
    QPushButton *m_run;
    QProgressBar *m_progress;
    QTimer m_timer;
    QElapsedTimer m_elapsed;
    std::size_t m_candidates = 0;
    bool m_isRunning = false;
};

} // namespace stepwell::ui
