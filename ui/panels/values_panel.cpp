#include "ui/panels/values_panel.h"

#include "ui/panels/cut_text.h"
#include "ui/panels/values_difference.h"
#include "ui/panels/values_display.h"
#include "ui/panels/values_side.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stepwell::ui {

namespace {

// Pixels. In a narrower panel the statistics give their room to the values.
constexpr int kMostSide = 288;
constexpr int kLeastSide = 196;
constexpr int kWide = 480;
constexpr int kByDifference = 2; // in the box behind the two sources

QString usualHint()
{
    return ValuesPanel::tr("Run the program (Ctrl+R) to see its outputs, or choose a node to see its value.");
}

} // namespace

ValuesPanel::ValuesPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      m_box(new CutComboBox(this)),
      m_by(new QComboBox(this)),
      m_step(new QSpinBox(this)),
      m_side(new ValuesSide(context.appearance, this)),
      m_display(new ValuesDisplay(context, this)),
      m_difference(new ValuesDifference(context.appearance, this))
{
    m_box->setObjectName(QStringLiteral("outputsBox"));
    m_box->setAccessibleName(tr("What is shown: an output of the last run, an input, or the chosen node"));
    m_box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_by->setObjectName(QStringLiteral("valuesBy"));
    m_by->setToolTip(tr("Who computes the value of a node: the reference interpreter, or the device, if it stores the value; "
                        "or the difference of the two"));
    m_by->setAccessibleName(m_by->toolTip());
    m_by->addItem(tr("Reference"), static_cast<int>(sw::ValueSource::Reference));
    m_by->addItem(tr("Device"), static_cast<int>(sw::ValueSource::Device));
    m_by->addItem(tr("Difference"), kByDifference);

    m_step->setObjectName(QStringLiteral("valuesStep"));
    m_step->setToolTip(tr("The step of the scan whose value is shown; steps count from 0"));
    m_step->setAccessibleName(m_step->toolTip());
    m_step->setKeyboardTracking(false); // a number is asked for when it is written
    m_step->setPrefix(tr("step "));

    auto *content = new QWidget(this);
    auto *side = new QWidget(content);
    auto *boxes = new QHBoxLayout;
    boxes->setSpacing(4);
    boxes->addWidget(m_box, 1);
    boxes->addWidget(m_by);
    auto *column = new QVBoxLayout(side);
    column->setContentsMargins(8, 4, 8, 4);
    column->setSpacing(4);
    column->addLayout(boxes);
    column->addWidget(m_step);
    auto *scroll = new QScrollArea(side); // a low pane has no room for all of it
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setMinimumHeight(1);
    scroll->setWidget(m_side);
    m_side->setAutoFillBackground(false); // it looks as it does without scrolling
    scroll->viewport()->setAutoFillBackground(false);
    column->addWidget(scroll, 1);
    auto *row = new QBoxLayout(QBoxLayout::LeftToRight, content);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(side);
    row->addWidget(m_display, 1);
    row->addWidget(m_difference, 1);
    m_difference->hide();
    m_row = row;
    m_sideColumn = side;
    m_sideScroll = scroll;
    arrange();
    setContent(content);
    setFocusProxy(m_display);
    m_box->hide();
    m_by->hide();
    m_step->hide();
    m_display->setHint(usualHint());

    connect(addTool(QStringLiteral("copy"), tr("Copy the selected values (Ctrl+C)")), &QToolButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_display->selectedText()); });
    connect(addTool(QStringLiteral("save"), tr("Save as .npy, .csv or .png")), &QToolButton::clicked, this,
            &ValuesPanel::chooseFile);
    connect(addTool(QStringLiteral("pin"), tr("Watch this value from run to run")), &QToolButton::clicked, this,
            &ValuesPanel::watch);
    auto *copy = new QShortcut(QKeySequence::Copy, m_display, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
    connect(copy, &QShortcut::activated, this, [this] { QApplication::clipboard()->setText(m_display->selectedText()); });
    m_choice = new SideChoice(context.baseline, addTool(QStringLiteral("compare"), tr("Now, before, or the difference")), this);
    connect(m_choice, &SideChoice::changed, this, &ValuesPanel::onSideChanged);
    connect(&context.baseline.differences(), &StageDifferences::changed, this, [this](sw::StageKind stage) {
        if (stage == sw::StageKind::Graph)
            onGraphsCompared();
    });
    connect(m_box, &QComboBox::activated, this, &ValuesPanel::onBox);
    connect(m_by, &QComboBox::activated, this, [this] { open(m_source); });
    connect(m_step, &QSpinBox::valueChanged, this, [this](int step) {
        m_stepWanted = step == m_step->maximum() ? std::nullopt : std::optional<std::int64_t>(step);
        open(m_source);
    });
    connect(m_difference, &ValuesDifference::elementChosen, this, [this](std::int64_t element) {
        if (m_display->view())
            m_display->goTo(element);
    });
    connect(m_display, &ValuesDisplay::statisticsReady, this, &ValuesPanel::showStatistics);
    connect(&context.selection, &Selection::selectionChanged, this, &ValuesPanel::onSelectionChanged);
    connect(&context.session, &Session::compileFinished, this, [this] {
        if (m_context.session.isDropped(RequestTag::Value))
            open(m_source);
    });
    connect(&context.moment, &Moment::placeChanged, this, &ValuesPanel::onPlaceChanged);
    connect(&context.inputs, &InputChoices::taken, this, &ValuesPanel::onInputsTaken);
    connect(&context.inputs, &InputChoices::changed, this, &ValuesPanel::refillWhenVisible);
    connect(&context.inputs, &InputChoices::valueWanted, this, [this](const QString &input) {
        emit m_context.requests.panelWanted(objectName());
        open({ShownKind::Input, input});
    });
}

bool ValuesPanel::isSettled() const
{
    return !isVisible() || (!m_context.session.isAsking(RequestTag::Value) && m_display->isSettled());
}

void ValuesPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    m_snapshot = snapshot;
    const sw::ReportPtr measured = snapshot ? snapshot->measured : nullptr;
    const bool hasRun = measured && measured != m_measured;
    m_measured = measured;
    if (!snapshot) {
        m_context.session.cancel(RequestTag::Value);
        m_source = {};
        m_answered = {};
        m_selected = 0;
        refillWhenVisible();
        m_display->setHint(usualHint());
        present(nullptr, {}, {});
        return;
    }
    refillWhenVisible();
    const bool isNewCompilation = snapshot->isFinal && snapshot->compilation != m_nodesOf;
    if (isNewCompilation) {
        m_nodesOf = snapshot->compilation;
        m_isRenumbered = true;
    }
    if (hasRun && m_source.kind != ShownKind::Input && !m_source.isChosen())
        open({ShownKind::Output, m_source.name});
    else if (m_source.kind == ShownKind::Input && isNewCompilation)
        open(m_source);
    else if (m_source.isChosen() && hasRun && !isNewCompilation)
        open(m_source);
    setFromEnd(m_source.kind != ShownKind::Item);
    onSelectionChanged();
}

// The box of what can be shown.
void ValuesPanel::refill()
{
    const QSignalBlocker blocker(m_box);
    m_box->clear();
    const auto add = [this](const QString &text, const ShownSource &source) {
        m_box->addItem(text, QVariantList{static_cast<int>(source.kind), source.name});
        if (source == m_source)
            m_box->setCurrentIndex(m_box->count() - 1);
    };
    if (m_measured)
        for (const sw::TensorViewPtr &output : m_measured->outputs)
            add(tr("output %1: %2").arg(QString::fromStdString(output->name()), QString::fromStdString(output->type())),
                {ShownKind::Output, QString::fromStdString(output->name())});
    if (m_source.isChosen() && !m_name.isEmpty())
        add(m_name, m_source);
    if (m_snapshot)
        for (const sw::InputEntry &input : m_context.inputs.entries())
            add((input.isParam ? tr("param %1: %2") : tr("input %1: %2"))
                    .arg(QString::fromStdString(input.name), QString::fromStdString(input.type)),
                {ShownKind::Input, QString::fromStdString(input.name)});
    m_box->setVisible(m_box->count() > 0 && m_source.kind != ShownKind::Nothing);
    m_box->setToolTip(m_box->currentText());
    m_by->setVisible(m_source.isChosen());
    m_step->setVisible(m_source.isChosen() && m_step->maximum() > 0);
}

void ValuesPanel::onBox(int index)
{
    const QVariantList entry = m_box->itemData(index).toList();
    if (entry.size() != 2)
        return;
    const auto kind = static_cast<ShownKind>(entry[0].toInt());
    open(kind == m_source.kind && m_source.isChosen() ? m_source : ShownSource{kind, entry[1].toString()});
}

void ValuesPanel::showOutOfDate(bool isOutOfDate)
{
    m_display->setOutOfDate(isOutOfDate);
    m_side->setOutOfDate(isOutOfDate);
}

void ValuesPanel::resizeEvent(QResizeEvent *event)
{
    Panel::resizeEvent(event);
    arrange();
}

// Beside the values if there is room for them, else above them and without statistics.
void ValuesPanel::arrange()
{
    const bool isWide = width() >= kWide;
    m_row->setDirection(isWide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_sideScroll->setVisible(isWide);
    const int side = std::clamp(width() * 3 / 10, kLeastSide, kMostSide);
    m_sideColumn->setMinimumWidth(isWide ? side : 0);
    m_sideColumn->setMaximumWidth(isWide ? side : QWIDGETSIZE_MAX);
}

void ValuesPanel::showEvent(QShowEvent *event)
{
    Panel::showEvent(event);
    onSelectionChanged();
}

// Evaluation is expensive; a hidden panel asks for it only when shown. Finding the selection again at another moment is no new
// selection: then an output or input that is shown stays.
void ValuesPanel::onSelectionChanged()
{
    if (!isVisible() || !m_snapshot || !m_snapshot->isFinal)
        return;
    const std::optional<ShownSource> source = sourceOf(m_context.selection, *m_snapshot, m_context.inputs, m_source);
    if (!source) {
        if (m_source.isChosen() && m_source.place != placeOf(*m_snapshot)) {
            m_context.session.cancel(RequestTag::Value);
            m_answered = {};
            showError(tr("What was chosen is not there at this moment."));
        }
        return;
    }
    const std::uint64_t number = m_context.selection.number();
    if (number == m_selected && !m_source.isChosen())
        return;
    const bool isThere = *source == m_source && (*source == m_answered || m_context.session.isAsking(RequestTag::Value));
    if (isThere && !m_isRenumbered)
        return;
    m_selected = number;
    m_isRenumbered = false;
    open(*source);
}

// The panes wait for the moment, and it waits for the values of the one before.
void ValuesPanel::onPlaceChanged()
{
    if (m_source.isChosen() && m_context.moment.isPending())
        m_context.session.cancel(RequestTag::Value);
}

// Values are other ones now. The outputs stay those of the last run.
void ValuesPanel::onInputsTaken()
{
    if (m_snapshot && m_snapshot->isFinal && isVisible() && (m_source.kind == ShownKind::Input || m_source.isChosen()))
        open(m_source);
}

bool ValuesPanel::showsDifference() const
{
    return m_source.isChosen() && m_by->currentData().toInt() == kByDifference;
}

} // namespace stepwell::ui
