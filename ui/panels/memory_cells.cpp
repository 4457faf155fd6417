#include "ui/panels/memory_cells.h"

#include "ui/panels/cut_text.h"
#include "ui/panels/table.h"
#include "ui/sharing/take_menu.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QMenu>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <bit>

namespace stepwell::ui {

namespace {

constexpr int kMostColumns = 16;
constexpr int kLeastCharacters = 6;
constexpr int kMarkCharacters = 2; // "r "
constexpr int kCellPadding = 14;
constexpr int kLeastHeight = 36; // in a pane that is too small, the table is cut off

} // namespace

MemoryCells::MemoryCells(const Appearance &appearance, Debugger &debugger, QWidget *parent)
    : QWidget(parent),
      m_appearance(appearance),
      m_debugger(debugger),
      m_model(new CellModel(appearance, this)),
      m_memories(new CutComboBox(this)),
      m_follows(new QCheckBox(tr("Follow"), this)),
      m_table(new QTableView(this))
{
    m_memories->setObjectName(QStringLiteral("stepMemories"));
    m_memories->setAccessibleName(tr("Memory that is shown"));
    m_memories->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_memories->setMinimumContentsLength(8);
    m_follows->setObjectName(QStringLiteral("stepFollow"));
    m_follows->setChecked(true);
    m_follows->setToolTip(tr("Go to what a step reads or writes"));
    m_table->setObjectName(QStringLiteral("stepCells"));
    m_table->setAccessibleName(tr("Elements of the memory"));
    m_table->setModel(m_model);
    styleTable(*m_table);
    m_table->setSelectionBehavior(QAbstractItemView::SelectItems);
    m_table->verticalHeader()->show();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->horizontalHeader()->setMinimumSectionSize(20);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->setMinimumHeight(kLeastHeight);

    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(6, 3, 6, 3);
    bar->setSpacing(6);
    bar->addWidget(m_memories, 1);
    bar->addWidget(m_follows);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(m_table, 1);

    connect(&debugger, &Debugger::opened, this, &MemoryCells::onOpened);
    connect(&debugger, &Debugger::moved, this, &MemoryCells::onMoved);
    connect(m_memories, &QComboBox::activated, this, [this](int index) {
        m_follows->setChecked(false); // what is chosen stays
        choose(index);
    });
    connect(m_follows, &QCheckBox::toggled, this, [this](bool isOn) { m_debugger.followAccess(isOn); });
    connect(m_table->verticalScrollBar(), &QScrollBar::valueChanged, this, &MemoryCells::askForVisible);
    connect(m_table, &QWidget::customContextMenuRequested, this, &MemoryCells::showMenu);
    onOpened();
}

void MemoryCells::onOpened()
{
    const QSignalBlocker blocker(m_memories);
    m_memories->clear();
    const TraceFacts *facts = m_debugger.facts();
    setEnabled(facts && !facts->memories.empty());
    if (!facts || facts->memories.empty()) {
        m_model->clear();
        return;
    }
    for (const sw::TraceMemory &memory : facts->memories) {
        QStringList extents;
        for (const std::int64_t extent : memory.shape)
            extents << QString::number(extent);
        m_memories->addItem(QStringLiteral("%1  %2[%3]")
                                .arg(QString::fromStdString(memory.name), QString::fromStdString(memory.type),
                                     extents.join(QStringLiteral(", "))),
                            memory.instruction);
    }
    if (!facts->memory(m_debugger.window().memory))
        choose(0);
}

void MemoryCells::choose(int index)
{
    if (index < 0)
        return;
    MemoryWindow window = m_debugger.window();
    window.memory = m_memories->itemData(index).toUInt();
    window.first = 0;
    m_debugger.watchMemory(window);
}

void MemoryCells::onMoved()
{
    const TraceFacts *facts = m_debugger.facts();
    const TracePage &page = m_debugger.page();
    const sw::TraceMemory *memory = facts ? facts->memory(page.memory) : nullptr;
    if (!memory)
        return;
    m_memories->setCurrentIndex(m_memories->findData(page.memory));
    m_model->setMemory(*memory);
    const std::vector<sw::TraceAccess> &accesses = m_debugger.position()->accesses;
    m_model->setPage(page, accesses);
    fitColumns();
    if (page.followed)
        m_table->scrollTo(m_model->indexOf(*page.followed));
}

// As many columns as fit: all of a short row, else a power of two.
void MemoryCells::fitColumns()
{
    const sw::TraceMemory &memory = m_model->memory();
    const double digit = QFontMetricsF(m_appearance.codeFont()).horizontalAdvance(u'0');
    const int characters = std::max(kLeastCharacters, m_model->longestText()) + kMarkCharacters;
    const int width = static_cast<int>(characters * digit) + kCellPadding;
    const auto header = static_cast<int>(
        static_cast<double>(placeText(memory.shape, std::max<std::int64_t>(0, memory.elements - 1)).size() + 1) * digit);
    m_table->verticalHeader()->setFixedWidth(header + kCellPadding);
    const int room = m_table->width() - header - kCellPadding - m_table->verticalScrollBar()->sizeHint().width();
    const auto fitting = static_cast<unsigned>(std::clamp(room / width, 1, kMostColumns));
    const std::int64_t last = memory.shape.empty() ? 1 : memory.shape.back();
    const bool isShort = last > 0 && last <= static_cast<std::int64_t>(fitting);
    m_model->setColumns(isShort ? static_cast<int>(last) : static_cast<int>(std::bit_floor(fitting)));
    m_table->horizontalHeader()->setDefaultSectionSize(width);
}

void MemoryCells::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fitColumns();
    askForVisible();
}

void MemoryCells::askForVisible()
{
    const TracePage &page = m_debugger.page();
    const sw::TraceMemory &memory = m_model->memory();
    if (!m_debugger.facts() || page.memory != memory.instruction || memory.elements == 0 || m_debugger.isMoving())
        return;
    const int top = std::max(0, m_table->rowAt(0));
    const int bottom = m_table->rowAt(m_table->viewport()->height() - 1);
    const std::int64_t columns = m_model->columnCount();
    const std::int64_t first = top * columns;
    const std::int64_t last = std::min(memory.elements, bottom < 0 ? memory.elements : (std::int64_t{bottom} + 1) * columns);
    const auto held = static_cast<std::int64_t>(page.elements.size());
    if (first >= page.first && last <= page.first + held)
        return;
    MemoryWindow window = m_debugger.window();
    window.first = std::max<std::int64_t>(0, first - static_cast<std::int64_t>(window.count) / 4);
    window.memory = memory.instruction;
    m_debugger.watchMemory(window);
}

void MemoryCells::showMenu(const QPoint &at)
{
    const std::int64_t element = m_model->elementAt(m_table->indexAt(at));
    if (element < 0)
        return;
    const std::string name = m_model->memory().name;
    const QString place = QString::fromStdString(name) + placeText(m_model->memory().shape, element);
    const std::string condition = "element:" + name + "[" + std::to_string(element) + "]";
    QMenu menu(this);
    connect(menu.addAction(tr("Run to the next access of %1").arg(place)), &QAction::triggered, this,
            [=, this] { m_debugger.runTo(sw::TraceDirection::Forward, condition, tr("An access of %1").arg(place)); });
    connect(menu.addAction(tr("Run back to the last access of %1").arg(place)), &QAction::triggered, this,
            [=, this] { m_debugger.runTo(sw::TraceDirection::Backward, condition, tr("An access of %1").arg(place)); });
    addTakeActions(menu, *m_table);
    menu.exec(m_table->viewport()->mapToGlobal(at));
}

} // namespace stepwell::ui
