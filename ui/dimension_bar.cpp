#include "ui/dimension_bar.h"

#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>

#include <algorithm>
#include <cmath>

namespace stepwell::ui {

namespace {

constexpr int kGap = 6;
constexpr int kBorder = 10;

// Holds integers of 53 bits, where QSpinBox has 32. Numbers appear as in programs, without group separators.
class SizeField : public QDoubleSpinBox {
public:
    using QDoubleSpinBox::QDoubleSpinBox;

protected:
    [[nodiscard]] QString textFromValue(double value) const override { return QString::number(std::llround(value)); }
};

// Wide enough for the bounds, as far as a tool bar has room.
int fieldWidth(const QWidget &field, std::int64_t most)
{
    constexpr int kMostDigits = 12;
    const int digits = std::clamp(static_cast<int>(QString::number(most).size()), 3, kMostDigits);
    constexpr int kButtonsAndBorder = 38;
    return field.fontMetrics().horizontalAdvance(QString(digits, u'8')) + kButtonsAndBorder;
}

} // namespace

DimensionBar::DimensionBar(QWidget *parent) : QWidget(parent), m_layout(new QHBoxLayout(this))
{
    m_layout->setContentsMargins(kBorder, 0, kBorder, 0);
    m_layout->setSpacing(kGap);
}

void DimensionBar::setDimensions(const std::vector<sw::DimensionEntry> &dimensions,
                                 const std::map<std::string, std::int64_t> &wanted)
{
    if (dimensions == m_entries)
        return;
    m_entries = dimensions;
    m_fields.clear();
    while (QLayoutItem *item = m_layout->takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
    for (const sw::DimensionEntry &entry : m_entries) {
        const auto chosen = wanted.find(entry.name);
        makeField(entry, chosen == wanted.end() ? entry.value : std::clamp(chosen->second, entry.low, entry.high));
    }
}

void DimensionBar::makeField(const sw::DimensionEntry &entry, std::int64_t value)
{
    const QString name = QString::fromStdString(entry.name);
    auto *field = new SizeField(this);
    field->setObjectName(QStringLiteral("dimension.") + name);
    field->setAccessibleName(tr("Dimension %1").arg(name));
    field->setDecimals(0);
    field->setFixedWidth(fieldWidth(*field, entry.high));
    field->setRange(static_cast<double>(entry.low), static_cast<double>(entry.high));
    field->setValue(static_cast<double>(value));
    field->setToolTip(tr("%1 in the next run: %2 to %3").arg(name).arg(entry.low).arg(entry.high));
    auto *label = new QLabel(name, this);
    label->setToolTip(field->toolTip());
    label->setBuddy(field);
    m_layout->addWidget(label);
    m_layout->addWidget(field);
    connect(field, &QDoubleSpinBox::valueChanged, this,
            [this, name = entry.name](double chosen) { emit valueChanged(name, std::llround(chosen)); });
    connect(field->findChild<QLineEdit *>(), &QLineEdit::returnPressed, this, [this, field] {
        field->interpretText();
        emit runRequested();
    });
    m_fields.push_back(field);
}

void DimensionBar::focusFirst()
{
    if (m_fields.empty())
        return;
    m_fields.front()->setFocus(Qt::ShortcutFocusReason);
    m_fields.front()->selectAll();
}

} // namespace stepwell::ui
