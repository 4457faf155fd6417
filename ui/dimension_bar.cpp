#include "ui/dimension_bar.h"

#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace stepwell::ui {

namespace {

constexpr int kGap = 6;
constexpr int kBorder = 10;
constexpr int kFieldBorder = 16;

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

void clear(QHBoxLayout &layout)
{
    while (QLayoutItem *item = layout.takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
}

} // namespace

DimensionBar::DimensionBar(QWidget *parent) : QWidget(parent), m_layout(new QHBoxLayout), m_modelLayout(new QHBoxLayout)
{
    auto *both = new QHBoxLayout(this);
    both->setContentsMargins(kBorder, 0, kBorder, 0);
    both->setSpacing(kGap);
    both->addStretch(1); // a name stands beside its field
    both->addLayout(m_modelLayout);
    both->addLayout(m_layout);
}

void DimensionBar::setDimensions(const std::vector<sw::DimensionEntry> &dimensions,
                                 const std::map<std::string, std::int64_t> &wanted)
{
    if (dimensions == m_entries)
        return;
    m_entries = dimensions;
    m_fields.clear();
    clear(*m_layout);
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

void DimensionBar::setModelDimensions(const std::vector<sw::DimensionChoice> &dimensions)
{
    if (dimensions == m_modelDimensions)
        return;
    const auto isSameName = [](const sw::DimensionChoice &one, const sw::DimensionChoice &other) {
        return one.name == other.name;
    };
    const bool isSame = std::ranges::equal(dimensions, m_modelDimensions, isSameName);
    m_modelDimensions = dimensions;
    for (std::size_t i = 0; isSame && i < dimensions.size(); ++i)
        m_modelFields[i]->setText(QString::fromStdString(sizeText(dimensions[i])));
    if (isSame)
        return;
    m_modelFields.clear();
    clear(*m_modelLayout);
    for (const sw::DimensionChoice &dimension : dimensions)
        makeModelField(dimension);
}

void DimensionBar::makeModelField(const sw::DimensionChoice &dimension)
{
    const QString name = QString::fromStdString(dimension.name);
    auto *field = new QLineEdit(QString::fromStdString(sizeText(dimension)), this);
    field->setObjectName(QStringLiteral("modelDimension.") + name);
    field->setAccessibleName(tr("Dimension %1 of the model").arg(name));
    field->setFixedWidth(field->fontMetrics().horizontalAdvance(QStringLiteral("1..4096")) + kFieldBorder);
    field->setToolTip(tr("What the model is compiled for: a number, or a range such as 1..32, in which %1 stays open").arg(name));
    auto *label = new QLabel(name, this);
    label->setToolTip(field->toolTip());
    label->setBuddy(field);
    m_modelLayout->addWidget(label);
    m_modelLayout->addWidget(field);
    connect(field, &QLineEdit::returnPressed, this, [this, field, name = dimension.name] {
        const auto choice = sw::readDimensionChoice(name + "=" + field->text().trimmed().toStdString());
        if (choice)
            emit modelSizeEntered(*choice);
        else
            QToolTip::showText(field->mapToGlobal(QPoint(0, field->height())),
                               QString::fromStdString(choice.error().front().message), field);
    });
    m_modelFields.push_back(field);
}

void DimensionBar::focusFirst()
{
    if (!m_fields.empty()) {
        m_fields.front()->setFocus(Qt::ShortcutFocusReason);
        m_fields.front()->selectAll();
    } else if (!m_modelFields.empty()) {
        m_modelFields.front()->setFocus(Qt::ShortcutFocusReason);
        m_modelFields.front()->selectAll();
    }
}

} // namespace stepwell::ui
