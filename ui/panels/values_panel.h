#pragma once

#include "engine/api/tensor_view.h"
#include "ui/panels/panel.h"
#include "ui/panels/shown_source.h"
#include "ui/panels/side_choice.h"

#include <functional>

class QBoxLayout;
class QComboBox;
class QScrollArea;
class QSpinBox;

namespace stepwell::ui {

class ValuesDifference;
class ValuesDisplay;
class ValuesSide;

// The values of an output, of an input, or of what is selected in any pane, as it is at the moment that the window shows: a node
// of the graph, or the tensor that a buffer of a kernel holds. The box above the statistics says which.
class ValuesPanel : public Panel {
    Q_OBJECT

public:
    ValuesPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    [[nodiscard]] bool isSettled() const override;

    // Saves what is shown by the ending of the name: .npy, .csv, or .png, the shown slice as colours.
    void saveTo(const QString &path);

protected:
    void refill() override;
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void showOutOfDate(bool isOutOfDate) override;

private:
    void arrange();
    void onBox(int index);
    void onSelectionChanged();
    void onPlaceChanged();
    void onInputsTaken();
    [[nodiscard]] bool canAsk() const; // the engine has the program that is shown
    void open(const ShownSource &source);
    void showOutput(const QString &name);
    void askForInput(const QString &name);
    void askForChosen(const ShownSource &source);
    void showStep(const std::optional<sw::ScanStep> &step);
    // Two values of what is shown, the second of which stands in the cells.
    struct ValuePair {
        sw::ValueOpening before;
        sw::ValueOpening after;
    };
    using MakePair = std::function<ValuePair(EngineService &, const std::stop_token &)>;
    void askForPair(const ShownSource &source, MakePair make);
    // Of what the reference computes and what the device stores.
    void askForDifference(const ShownSource &source);
    [[nodiscard]] bool showsDifference() const;
    // Beside the baseline (values_baseline.cpp). What it does not have is said, and then what it could show is shown.
    void onSideChanged();
    void onGraphsCompared();
    [[nodiscard]] Shown side() const; // of what is shown: inputs, and what is not at the end, have no other
    [[nodiscard]] sw::TensorViewPtr outputBefore(const std::string &name) const; // null: the baseline was not run, or has none
    [[nodiscard]] bool showOutputBeside(const sw::TensorViewPtr &output);        // false: it is shown as without a baseline
    void askForBoth(const ShownSource &source);
    [[nodiscard]] QString titleOfSource(const ShownSource &source) const;
    void present(const sw::TensorViewPtr &view, const QString &name, std::optional<std::uint64_t> madeBy);
    void showError(const QString &error);
    void showStatistics();
    bool changeInput(std::int64_t element, const QString &text);
    void watch();
    void chooseFile();
    void savePicture(const QString &path);

    SnapshotPtr m_snapshot;
    sw::ReportPtr m_measured; // the report whose outputs the box lists
    ShownSource m_source;
    ShownSource m_answered;       // what is shown, or said to have no value
    std::uint64_t m_nodesOf = 0;  // the compilation that the source's node belongs to
    std::uint64_t m_selected = 0; // the number of the selection that was followed last
    bool m_isRenumbered = false;  // another compilation's nodes may have other numbers
    QString m_name;               // of what is shown
    QBoxLayout *m_row;            // the side and the values
    QWidget *m_sideColumn;        // what is shown, and its statistics
    QScrollArea *m_sideScroll;
    QComboBox *m_box;
    QComboBox *m_by;
    QSpinBox *m_step;                         // of the scan that computes what was chosen
    std::optional<std::int64_t> m_stepWanted; // nothing: the last one
    ValuesSide *m_side;
    ValuesDisplay *m_display;
    ValuesDifference *m_difference;
    SideChoice *m_choice;
    Shown m_shown = Shown::Now; // the side that was shown last,
    SnapshotPtr m_before;       // of this baseline and the program
};

} // namespace stepwell::ui
