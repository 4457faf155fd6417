#include "ui/panels/values_tools.h"

#include "ui/panels/cut_text.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr int kSliderWidth = 110;
constexpr int kPlaceWidth = 92;

QComboBox *makeBox(QWidget *parent, const char *name, const QString &toolTip)
{
    auto *box = new QComboBox(parent);
    box->setObjectName(QLatin1String(name));
    box->setToolTip(toolTip);
    box->setAccessibleName(toolTip);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return box;
}

} // namespace

ValuesTools::ValuesTools(QWidget *parent)
    : QWidget(parent),
      m_format(makeBox(this, "valuesFormat", tr("How each value is written"))),
      m_mode(makeBox(this, "valuesMode", tr("How the slice is shown"))),
      m_rows(makeBox(this, "valuesRows", tr("The axis that runs down"))),
      m_columns(makeBox(this, "valuesColumns", tr("The axis that runs across"))),
      m_what(makeBox(this, "valuesWhat", tr("What to look for"))),
      m_previous(new QToolButton(this)),
      m_next(new QToolButton(this)),
      m_place(new QLineEdit(this)),
      m_told(new CutLabel(this)),
      m_axes(new QWidget(this)),
      m_sliders(new QWidget(this)),
      m_sliderRow(new QHBoxLayout(m_sliders))
{
    m_format->addItem(tr("Decimal"), static_cast<int>(sw::ValueFormat::Decimal));
    m_format->addItem(tr("Hex"), static_cast<int>(sw::ValueFormat::Hexadecimal));
    m_format->addItem(tr("Bits"), static_cast<int>(sw::ValueFormat::Bits));
    m_mode->addItem(tr("Grid and map"), QVariantList{static_cast<int>(ValuesMode::Both), 0});
    m_mode->addItem(tr("Grid"), QVariantList{static_cast<int>(ValuesMode::Grid), 0});
    m_mode->addItem(tr("Heat map"), QVariantList{static_cast<int>(ValuesMode::HeatMap), 0});
    for (const auto &[name, order] : {std::pair{tr("Smallest first"), sw::SortOrder::Ascending},
                                      {tr("Largest first"), sw::SortOrder::Descending},
                                      {tr("Farthest from 0"), sw::SortOrder::Magnitude}})
        m_mode->addItem(name, QVariantList{static_cast<int>(ValuesMode::Order), static_cast<int>(order)});
    m_what->addItem(tr("NaN"), static_cast<int>(sw::FindWhat::NotANumber));
    m_what->addItem(tr("Infinite"), static_cast<int>(sw::FindWhat::Infinity));
    m_what->addItem(tr("Subnormal"), static_cast<int>(sw::FindWhat::Subnormal));
    for (const auto &[button, arrow, name, toolTip] :
         {std::tuple{m_previous, Qt::UpArrow, "valuesPrevious", tr("The previous one of these")},
          {m_next, Qt::DownArrow, "valuesNext", tr("The next one of these")}}) {
        button->setArrowType(arrow);
        button->setObjectName(QLatin1String(name));
        button->setToolTip(toolTip);
        button->setAccessibleName(toolTip);
        button->setFocusPolicy(Qt::TabFocus);
        button->setProperty("pane", true);
    }
    m_place->setObjectName(QStringLiteral("valuesPlace"));
    m_place->setPlaceholderText(tr("Go to 0, 0"));
    m_place->setToolTip(tr("Coordinates or an index, or = and a value to look for, such as =0.5; then Return"));
    m_place->setAccessibleName(m_place->toolTip());
    m_place->setFixedWidth(kPlaceWidth);
    m_told->setObjectName(QStringLiteral("valuesTold"));

    auto *axes = new QHBoxLayout(m_axes);
    axes->setContentsMargins(0, 0, 0, 0);
    axes->setSpacing(4);
    axes->addWidget(m_rows);
    axes->addWidget(new QLabel(QStringLiteral("\u00d7"), m_axes));
    axes->addWidget(m_columns);
    auto *row = new QHBoxLayout;
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    for (QWidget *widget : std::initializer_list<QWidget *>{m_mode, m_format, m_axes, m_what, m_previous, m_next, m_place})
        row->addWidget(widget);
    row->addWidget(m_told, 1);
    m_sliderRow->setContentsMargins(0, 0, 0, 0);
    m_sliderRow->setSpacing(6);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(4, 4, 4, 4);
    column->setSpacing(4);
    column->addLayout(row);
    column->addWidget(m_sliders);
    setMinimumWidth(1); // a narrow pane cuts off the last ones
    m_axes->hide();
    m_sliders->hide();

    connect(m_format, &QComboBox::currentIndexChanged, this, &ValuesTools::formatChanged);
    connect(m_mode, &QComboBox::currentIndexChanged, this, &ValuesTools::modeChanged);
    connect(m_rows, &QComboBox::activated, this, &ValuesTools::onAxes);
    connect(m_columns, &QComboBox::activated, this, &ValuesTools::onAxes);
    const auto find = [this](sw::FindDirection direction) {
        emit wanted(static_cast<sw::FindWhat>(m_what->currentData().toInt()), direction);
    };
    connect(m_next, &QToolButton::clicked, this, [find] { find(sw::FindDirection::Forward); });
    connect(m_previous, &QToolButton::clicked, this, [find] { find(sw::FindDirection::Backward); });
    connect(m_place, &QLineEdit::returnPressed, this, [this] { emit placeWanted(m_place->text()); });
}

sw::ValueFormat ValuesTools::format() const
{
    return static_cast<sw::ValueFormat>(m_format->currentData().toInt());
}
ValuesMode ValuesTools::mode() const
{
    return static_cast<ValuesMode>(m_mode->currentData().toList().first().toInt());
}
sw::SortOrder ValuesTools::order() const
{
    return static_cast<sw::SortOrder>(m_mode->currentData().toList().last().toInt());
}

void ValuesTools::tell(const QString &text)
{
    m_told->setText(text);
}

void ValuesTools::setShape(std::span<const std::int64_t> shape, bool isFloat)
{
    for (QWidget *widget : std::initializer_list<QWidget *>{m_what, m_previous, m_next})
        widget->setVisible(isFloat);
    if (std::ranges::equal(shape, m_shape))
        return;
    const bool isSameRank = shape.size() == m_shape.size();
    m_shape.assign(shape.begin(), shape.end());
    if (!isSameRank)
        m_choice = sw::TensorSlice::usual(shape);
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        m_choice.fixed[axis] = std::clamp<std::int64_t>(m_choice.fixed[axis], 0, std::max<std::int64_t>(0, shape[axis] - 1));
    makeAxes();
}

void ValuesTools::setChoice(const sw::SliceChoice &choice)
{
    if (choice == m_choice)
        return;
    m_choice = choice;
    makeAxes();
}

void ValuesTools::makeAxes()
{
    m_axes->setVisible(m_shape.size() > 2);
    m_sliders->setVisible(m_shape.size() > 2);
    for (QComboBox *box : {m_rows, m_columns}) {
        const QSignalBlocker blocker(box);
        box->clear();
        for (std::size_t axis = 0; axis < m_shape.size(); ++axis)
            box->addItem(tr("axis %1: %2").arg(axis).arg(m_shape[axis]));
    }
    m_rows->setCurrentIndex(static_cast<int>(m_choice.rowAxis));
    m_columns->setCurrentIndex(static_cast<int>(m_choice.columnAxis));
    while (QLayoutItem *item = m_sliderRow->takeAt(0)) {
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->setObjectName({}); // its successor has the name
            item->widget()->deleteLater();
        }
        delete item;
    }
    if (m_shape.size() > 2)
        addSliders();
}

void ValuesTools::addSliders()
{
    for (std::size_t axis = 0; axis < m_shape.size(); ++axis) {
        if (axis == m_choice.rowAxis || axis == m_choice.columnAxis)
            continue;
        auto *label = new QLabel(m_sliders);
        auto *slider = new QSlider(Qt::Horizontal, m_sliders);
        const auto name = [axis, last = m_shape[axis] - 1](std::int64_t at) {
            return tr("axis %1 at %2 of %3").arg(axis).arg(at).arg(last);
        };
        slider->setObjectName(QStringLiteral("valuesSlice%1").arg(axis));
        slider->setAccessibleName(tr("Place of the slice on axis %1").arg(axis));
        slider->setRange(0, static_cast<int>(std::max<std::int64_t>(0, m_shape[axis] - 1)));
        slider->setValue(static_cast<int>(m_choice.fixed[axis]));
        slider->setFixedWidth(kSliderWidth);
        label->setText(name(m_choice.fixed[axis]));
        label->setMinimumWidth(label->fontMetrics().horizontalAdvance(name(m_shape[axis] - 1)));
        m_sliderRow->addWidget(label);
        m_sliderRow->addWidget(slider);
        connect(slider, &QSlider::valueChanged, this, [this, axis, label, name](int at) {
            m_choice.fixed[axis] = at;
            label->setText(name(at));
            emit choiceChanged();
        });
    }
    m_sliderRow->addStretch();
}

// When both would be the same axis, the other one takes the axis that was left.
void ValuesTools::onAxes()
{
    sw::SliceChoice choice = m_choice;
    choice.rowAxis = static_cast<std::size_t>(m_rows->currentIndex());
    choice.columnAxis = static_cast<std::size_t>(m_columns->currentIndex());
    if (choice.rowAxis == choice.columnAxis) {
        if (choice.rowAxis == m_choice.rowAxis)
            choice.rowAxis = m_choice.columnAxis;
        else
            choice.columnAxis = m_choice.rowAxis;
    }
    setChoice(choice);
    emit choiceChanged();
}

} // namespace stepwell::ui
