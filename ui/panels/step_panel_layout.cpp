// How the panel that steps through kernels is put together.

#include "ui/models/past_model.h"
#include "ui/models/register_model.h"
#include "ui/panels/cut_text.h"
#include "ui/panels/loop_bar.h"
#include "ui/panels/memory_cells.h"
#include "ui/panels/step_panel.h"
#include "ui/panels/table.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QResizeEvent>
#include <QSlider>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTableView>

namespace stepwell::ui {

namespace {

constexpr int kWideBars = 760;  // pixels: from here on, all tools stand in one row
constexpr int kWidePanel = 720; // and text, values and memory side by side
constexpr int kNameWidth = 96;  // "%123 acc"
constexpr int kTypeWidth = 68;
constexpr int kMarkWidth = 20;
constexpr int kStepWidth = 84;
constexpr int kLeastHeight = 36;

} // namespace

void StepPanel::makeBars()
{
    m_kernels->setObjectName(QStringLiteral("stepKernels"));
    m_kernels->setAccessibleName(tr("Kernel to step through"));
    m_kernels->setToolTip(tr("Kernel to step through"));
    m_kernels->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_kernels->setMinimumContentsLength(12);
    m_scrubber->setObjectName(QStringLiteral("stepScrubber"));
    m_scrubber->setAccessibleName(tr("Step of the run"));
    m_scrubber->setMinimumWidth(60);
    m_steps->setObjectName(QStringLiteral("stepCount"));
    m_noteLine->setObjectName(QStringLiteral("stepNote"));
    m_noteLine->hide();

    m_buttons = new QWidget(this);
    auto *buttons = new QHBoxLayout(m_buttons);
    buttons->setContentsMargins(0, 0, 0, 0);
    buttons->setSpacing(0);
    m_actions->addButtons(*buttons);
    m_place = new QWidget(this);
    auto *place = new QHBoxLayout(m_place);
    place->setContentsMargins(0, 0, 0, 0);
    place->setSpacing(8);
    place->addWidget(m_scrubber, 1);
    place->addWidget(m_steps);
    m_bars = new QGridLayout;
    m_bars->setSpacing(6);
    m_bars->setContentsMargins(0, 0, 0, 0);
}

// In one row, or with the buttons in a row of their own.
void StepPanel::placeBars(bool isWide)
{
    if (m_bars->count() > 0 && isWide == m_isWide)
        return;
    m_isWide = isWide;
    for (QWidget *bar : std::initializer_list<QWidget *>{m_kernels, m_buttons, m_place})
        m_bars->removeWidget(bar);
    if (isWide) {
        m_bars->addWidget(m_kernels, 0, 0);
        m_bars->addWidget(m_buttons, 0, 1);
        m_bars->addWidget(m_place, 0, 2);
    } else {
        m_bars->addWidget(m_buttons, 0, 0, 1, 3, Qt::AlignLeft);
        m_bars->addWidget(m_kernels, 1, 0);
        m_bars->addWidget(m_place, 1, 1, 1, 2);
    }
    m_bars->setColumnStretch(2, 1);
}

void StepPanel::makeValues()
{
    m_registerTable->setObjectName(QStringLiteral("stepValues"));
    m_registerTable->setAccessibleName(tr("Values that the next step can see"));
    m_registerTable->setModel(m_registers);
    styleTable(*m_registerTable);
    QHeaderView &header = *m_registerTable->horizontalHeader();
    header.setMinimumSectionSize(kMarkWidth);
    header.resizeSection(RegisterModel::kChanged, kMarkWidth);
    header.resizeSection(RegisterModel::kName, kNameWidth);
    header.resizeSection(RegisterModel::kType, kTypeWidth);
    header.setSectionResizeMode(RegisterModel::kLanes, QHeaderView::Stretch);
    header.setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_registerTable->setContextMenuPolicy(Qt::CustomContextMenu);
    m_pastTable->setObjectName(QStringLiteral("stepPast"));
    m_pastTable->setAccessibleName(tr("What the chosen value was before"));
    m_pastTable->setModel(m_past);
    styleTable(*m_pastTable);
    m_pastTable->horizontalHeader()->resizeSection(PastModel::kStep, kStepWidth);
    m_pastTable->horizontalHeader()->resizeSection(PastModel::kItem, kStepWidth);
    m_pastTable->horizontalHeader()->setStretchLastSection(true);
    m_pastTable->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_valueTabs->setObjectName(QStringLiteral("stepValueTabs"));
    for (const QString &title : {tr("Values"), tr("History")})
        m_valueTabs->setTabToolTip(m_valueTabs->addTab(title), title);
    m_valueTabs->setDrawBase(false);
    m_valueTabs->setExpanding(false);
    m_valueTabs->setAccessibleName(tr("Values now, or the history of one"));
    m_valueStack->addWidget(m_registerTable);
    m_valueStack->addWidget(tableWithHint(m_pastTable, tr("Choose a value to see what it was before."), m_valueStack));
}

void StepPanel::arrange()
{
    makeBars();
    placeBars(true);
    makeValues();
    auto *values = new QWidget(this);
    auto *valueColumn = new QVBoxLayout(values);
    valueColumn->setContentsMargins(0, 0, 0, 0);
    valueColumn->setSpacing(0);
    valueColumn->addWidget(m_valueTabs);
    valueColumn->addWidget(m_valueStack, 1);
    m_splitter->setObjectName(QStringLiteral("stepSplitter"));
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(5);
    m_splitter->addWidget(m_view);
    m_splitter->addWidget(values);
    m_splitter->addWidget(m_cells);
    m_splitter->setSizes({370, 270, 380});

    // In a pane that is too small for them, parts are cut off; they do not make the pane larger.
    m_view->setMinimumHeight(kLeastHeight);
    m_registerTable->setMinimumHeight(kLeastHeight);
    m_pastTable->setMinimumHeight(kLeastHeight);
    auto *tools = new QWidget(this);
    auto *toolColumn = new QVBoxLayout(tools);
    toolColumn->setContentsMargins(6, 3, 8, 4);
    toolColumn->setSpacing(4);
    toolColumn->addLayout(m_bars);
    toolColumn->addWidget(m_loops);
    toolColumn->addWidget(m_noteLine);
    auto *content = new QWidget(this);
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(tools);
    column->addWidget(m_splitter, 1);
    setContent(content);
    setFocusProxy(m_view);
}

void StepPanel::resizeEvent(QResizeEvent *event)
{
    Panel::resizeEvent(event);
    const int width = event->size().width();
    placeBars(width >= kWideBars);
    const bool isFlat = width >= kWidePanel || width > event->size().height() * 3 / 2;
    const Qt::Orientation wanted = isFlat ? Qt::Horizontal : Qt::Vertical;
    if (m_splitter->orientation() == wanted)
        return;
    m_splitter->setOrientation(wanted);
    m_splitter->setSizes(wanted == Qt::Horizontal ? QList<int>{370, 270, 380} : QList<int>{260, 150, 150});
}

} // namespace stepwell::ui
