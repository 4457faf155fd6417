#include "ui/panels/inputs_form.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStyle>
#include <QVBoxLayout>

#include <array>

namespace stepwell::ui {

namespace {

// A fill, and the names of its fields; null: it has no such field.
struct FillRow {
    sw::InputFill fill;
    const char *title;
    const char *first;
    const char *second;
    bool hasSeed;
};
constexpr std::array<FillRow, 8> kFills{{
    {sw::InputFill::Program, QT_TRANSLATE_NOOP("InputsForm", "As the program says"), nullptr, nullptr, false},
    {sw::InputFill::Zeros, QT_TRANSLATE_NOOP("InputsForm", "Zeros"), nullptr, nullptr, false},
    {sw::InputFill::Ones, QT_TRANSLATE_NOOP("InputsForm", "Ones"), nullptr, nullptr, false},
    {sw::InputFill::Range, QT_TRANSLATE_NOOP("InputsForm", "Range"), QT_TRANSLATE_NOOP("InputsForm", "From"),
     QT_TRANSLATE_NOOP("InputsForm", "Step"), false},
    {sw::InputFill::Constant, QT_TRANSLATE_NOOP("InputsForm", "Constant"), QT_TRANSLATE_NOOP("InputsForm", "Value"), nullptr,
     false},
    {sw::InputFill::Uniform, QT_TRANSLATE_NOOP("InputsForm", "Random, uniform"), QT_TRANSLATE_NOOP("InputsForm", "From"),
     QT_TRANSLATE_NOOP("InputsForm", "To"), true},
    {sw::InputFill::Normal, QT_TRANSLATE_NOOP("InputsForm", "Random, normal"), QT_TRANSLATE_NOOP("InputsForm", "Mean"),
     QT_TRANSLATE_NOOP("InputsForm", "Deviation"), true},
    {sw::InputFill::Tensor, QT_TRANSLATE_NOOP("InputsForm", "From a file"), nullptr, nullptr, false},
}};

// title: until a fill gives the field another one.
QLineEdit *makeField(QWidget *parent, const char *name, const QString &title)
{
    auto *field = new QLineEdit(parent);
    field->setObjectName(QLatin1String(name));
    field->setAccessibleName(title);
    return field;
}

} // namespace

InputsForm::InputsForm(QWidget *parent)
    : QWidget(parent),
      m_fill(new QComboBox(this)),
      m_firstLabel(new QLabel(this)),
      m_first(makeField(this, "inputFirst", tr("First number"))),
      m_secondLabel(new QLabel(this)),
      m_second(makeField(this, "inputSecond", tr("Second number"))),
      m_seedLabel(new QLabel(tr("Seed"), this)),
      m_seed(makeField(this, "inputSeed", tr("Seed"))),
      m_load(new QPushButton(tr("Load\u2026"), this)),
      m_cells(new QPushButton(tr("Edit cells"), this)),
      m_reset(new QPushButton(tr("Reset"), this)),
      m_told(new QLabel(this))
{
    m_fill->setObjectName(QStringLiteral("inputFill"));
    m_fill->setAccessibleName(tr("What fills the input"));
    for (const FillRow &row : kFills)
        m_fill->addItem(tr(row.title), static_cast<int>(row.fill));
    m_load->setObjectName(QStringLiteral("inputLoad"));
    m_load->setToolTip(tr("Values from a .npy or .csv file, or from a picture"));
    m_cells->setObjectName(QStringLiteral("inputCells"));
    m_cells->setToolTip(tr("Shows the values; type over any of them"));
    m_reset->setObjectName(QStringLiteral("inputReset"));
    m_reset->setToolTip(tr("What the program says, without changed cells"));
    m_told->setObjectName(QStringLiteral("inputTold"));
    m_told->setWordWrap(true);
    m_told->setAlignment(Qt::AlignLeft | Qt::AlignTop);

    auto *grid = new QGridLayout;
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(4);
    grid->addWidget(m_fill, 0, 0, 1, 6);
    const std::array<std::pair<QLabel *, QLineEdit *>, 3> fields{
        {{m_firstLabel, m_first}, {m_secondLabel, m_second}, {m_seedLabel, m_seed}}};
    int at = 0;
    for (const auto &[label, field] : fields) {
        label->setBuddy(field);
        field->setMinimumWidth(54);
        grid->addWidget(label, 1, at++);
        grid->addWidget(field, 1, at++);
        connect(field, &QLineEdit::editingFinished, this, [this, edited = field] {
            if (edited->isModified())
                emitChoice();
        });
    }
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(4);
    for (QPushButton *button : {m_load, m_cells, m_reset})
        buttons->addWidget(button);
    buttons->addStretch();
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(8, 6, 8, 4);
    column->setSpacing(6);
    column->addLayout(grid);
    column->addLayout(buttons);
    column->addWidget(m_told, 1);

    connect(m_fill, &QComboBox::activated, this, &InputsForm::onFill);
    connect(m_load, &QPushButton::clicked, this, &InputsForm::fileWanted);
    connect(m_cells, &QPushButton::clicked, this, &InputsForm::cellsWanted);
    connect(m_reset, &QPushButton::clicked, this, &InputsForm::resetWanted);
    setEntry(nullptr, {});
}

sw::InputFill InputsForm::fill() const
{
    return static_cast<sw::InputFill>(m_fill->currentData().toInt());
}

void InputsForm::setEntry(const sw::InputEntry *entry, const sw::InputChoice &choice)
{
    setEnabled(entry != nullptr);
    const bool isSame = choice == m_choice;
    m_choice = choice;
    if (isSame && (m_first->hasFocus() || m_second->hasFocus() || m_seed->hasFocus()))
        return; // somebody types
    const QSignalBlocker blocker(m_fill);
    m_fill->setCurrentIndex(m_fill->findData(static_cast<int>(choice.fill)));
    m_first->setText(choice.fill == sw::InputFill::Constant ? QString::fromStdString(choice.constant)
                                                            : QString::number(choice.first));
    m_second->setText(QString::number(choice.second));
    m_seed->setText(QString::number(choice.seed));
    m_reset->setEnabled(choice.fill != sw::InputFill::Program || !choice.changes.empty());
    fitFields();
}

void InputsForm::tell(const QString &text, bool isError)
{
    m_told->setText(text);
    m_told->setProperty("error", isError);
    m_told->style()->unpolish(m_told); // the style sheet asks for the property
    m_told->style()->polish(m_told);
}

void InputsForm::fitFields()
{
    const FillRow &row = kFills[static_cast<std::size_t>(m_fill->currentIndex())];
    const auto show = [](QLabel *label, QLineEdit *field, const char *title) {
        label->setVisible(title != nullptr);
        field->setVisible(title != nullptr);
        if (title == nullptr)
            return;
        label->setText(tr(title));
        field->setAccessibleName(tr(title));
    };
    show(m_firstLabel, m_first, row.first);
    show(m_secondLabel, m_second, row.second);
    show(m_seedLabel, m_seed, row.hasSeed ? QT_TRANSLATE_NOOP("InputsForm", "Seed") : nullptr);
}

// Fields begin with what is usual for the fill.
void InputsForm::onFill()
{
    m_first->setText(fill() == sw::InputFill::Uniform ? QStringLiteral("-1") : QStringLiteral("0"));
    m_second->setText(QStringLiteral("1"));
    fitFields();
    if (fill() == sw::InputFill::Tensor)
        emit fileWanted();
    else
        emitChoice();
}

void InputsForm::emitChoice()
{
    sw::InputChoice choice = m_choice;
    choice.fill = fill();
    bool isFirst = true;
    bool isSecond = true;
    bool isSeed = true;
    if (choice.fill == sw::InputFill::Constant)
        choice.constant = m_first->text().trimmed().toStdString();
    else
        choice.first = m_first->text().toDouble(&isFirst);
    choice.second = m_second->text().toDouble(&isSecond);
    choice.seed = m_seed->text().toULongLong(&isSeed);
    const QLineEdit *wrong = !isFirst ? m_first : !isSecond ? m_second : !isSeed ? m_seed : nullptr;
    if (wrong) {
        tell(tr("\u201c%1\u201d is no number.").arg(wrong->text()), true);
        return;
    }
    emit chosen(choice);
}

} // namespace stepwell::ui
