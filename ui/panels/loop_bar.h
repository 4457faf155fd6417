#pragma once
// Where a run stands, by its work item and its loops: a slider and a number for each, which lead to another place.

#include "ui/session/debugger.h"

#include <QWidget>

#include <vector>

class QLabel;
class QSlider;
class QSpinBox;

namespace stepwell::ui {

class LoopBar : public QWidget {
    Q_OBJECT

public:
    explicit LoopBar(QWidget *parent = nullptr);

    void setFacts(const TraceFacts *facts); // null: nothing is open
    void setPosition(const sw::TracePosition &position);

signals:
    // place: "global_x=2,i=3", for KernelTrace::runTo; what is inside the counter that was moved is left open.
    void jumpWanted(sw::TraceDirection direction, const std::string &place);

private:
    struct Counter {
        std::string name; // as in places
        int axis = -1;    // of the work item; -1: a loop
        sw::TraceLoop loop;
        QWidget *box = nullptr;
        QLabel *label = nullptr;
        QSlider *slider = nullptr;
        QSpinBox *number = nullptr;
        int shown = -1; // the run is not in this loop
    };

    void add(const std::string &name, const QString &label, int axis, const sw::TraceLoop &loop, std::int64_t extent);
    void show(Counter &counter, int value);
    void moveTo(std::size_t index, int value);
    [[nodiscard]] std::string placeOf(const Counter &moved, int value) const;
    void hideClosed();

    std::vector<Counter> m_counters;
};

} // namespace stepwell::ui
