#pragma once

#include "engine/api/tensor_search.h"
#include "engine/api/tensor_slice.h"

#include <QWidget>

#include <vector>

class QBoxLayout;
class QComboBox;
class QLabel;
class QLineEdit;
class QSlider;
class QToolButton;

namespace stepwell::ui {

enum class ValuesMode : unsigned char { Grid, HeatMap, Both, Order };

// What decides how a tensor is shown: format, axes, the place of the slice, and what to look for.
class ValuesTools : public QWidget {
    Q_OBJECT

public:
    explicit ValuesTools(QWidget *parent = nullptr);

    // Fits the axes to a shape. The choice stays if it can.
    void setShape(std::span<const std::int64_t> shape, bool isFloat);
    void setChoice(const sw::SliceChoice &choice);
    [[nodiscard]] const sw::SliceChoice &choice() const { return m_choice; }
    [[nodiscard]] sw::ValueFormat format() const;
    [[nodiscard]] ValuesMode mode() const;
    [[nodiscard]] sw::SortOrder order() const;
    // Says what a search found; empty: nothing to say.
    void tell(const QString &text);

signals:
    void formatChanged();
    void modeChanged();
    void choiceChanged();
    void wanted(sw::FindWhat what, sw::FindDirection direction);
    void placeWanted(const QString &text);

private:
    void makeAxes();
    void onAxes();
    void addSliders();

    QComboBox *m_format;
    QComboBox *m_mode;
    QComboBox *m_rows;
    QComboBox *m_columns;
    QComboBox *m_what;
    QToolButton *m_previous;
    QToolButton *m_next;
    QLineEdit *m_place;
    QLabel *m_told;
    QWidget *m_axes;
    QWidget *m_sliders;
    QBoxLayout *m_sliderRow;
    std::vector<std::int64_t> m_shape;
    sw::SliceChoice m_choice;
};

} // namespace stepwell::ui
