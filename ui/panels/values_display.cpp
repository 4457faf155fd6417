#include "ui/panels/values_display.h"

#include "ui/panels/table.h"
#include "ui/panels/values_heat_map.h"

#include <QFontMetricsF>
#include <QScrollBar>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace stepwell::ui {

namespace {

constexpr int kLeastColumnWidth = 48;
constexpr int kCellPadding = 24;          // on both sides together, with the focus frame
constexpr std::int64_t kAtOnce = 1 << 16; // elements that are read on this thread: a fraction of a millisecond
constexpr std::int64_t kOrdered = 10'000; // elements in order
constexpr int kMeasuredRows = 128;        // more do not fit on a screen

struct Read {
    std::optional<sw::TileMap> tiles;
    std::optional<std::vector<std::int64_t>> order;
};

} // namespace

ValuesDisplay::ValuesDisplay(const PanelContext &context, QWidget *parent)
    : QWidget(parent),
      m_context(context),
      m_model(new ValueModel(context.appearance, this)),
      m_order(new ValueOrderModel(context.appearance, this)),
      m_tools(new ValuesTools(this)),
      m_table(new QTableView(this)),
      m_orderTable(new QTableView(this)),
      m_map(new ValuesHeatMap(context.appearance, this))
{
    m_table->setObjectName(QStringLiteral("valuesTable"));
    m_table->setAccessibleName(tr("Values"));
    m_table->setModel(m_model);
    m_orderTable->setObjectName(QStringLiteral("valuesOrder"));
    m_orderTable->setAccessibleName(tr("Values in order"));
    m_orderTable->setModel(m_order);
    for (QTableView *table : {m_table, m_orderTable}) {
        styleTable(*table);
        table->verticalHeader()->show();
    }
    m_table->setSelectionBehavior(QAbstractItemView::SelectItems);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                             QAbstractItemView::AnyKeyPressed);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->horizontalHeader()->setMinimumSectionSize(kLeastColumnWidth);
    m_orderTable->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_map->setObjectName(QStringLiteral("valuesMap"));
    m_map->setAccessibleName(tr("Heat map of the values; the grid has them as text"));

    auto *splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(m_table);
    splitter->addWidget(m_orderTable);
    splitter->addWidget(m_map);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 3);
    splitter->setStretchFactor(2, 2);
    m_stack = tableWithHint(splitter, {}, this);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_tools);
    column->addWidget(m_stack, 1);
    setFocusProxy(m_table);
    m_orderTable->hide();
    m_tools->hide();

    connect(&context.session, &Session::compileFinished, this, [this] {
        if (m_context.session.isDropped(RequestTag::Tensor))
            askAgain();
    });
    connect(m_tools, &ValuesTools::choiceChanged, this, &ValuesDisplay::onChoice);
    connect(m_tools, &ValuesTools::modeChanged, this, &ValuesDisplay::onMode);
    connect(m_tools, &ValuesTools::formatChanged, this, &ValuesDisplay::onFormat);
    connect(m_tools, &ValuesTools::wanted, this, qOverload<sw::FindWhat, sw::FindDirection>(&ValuesDisplay::find));
    connect(m_tools, &ValuesTools::placeWanted, this, &ValuesDisplay::onPlace);
    connect(m_map, &ValuesHeatMap::roomChanged, this, [this] {
        if (view() && showsMap())
            askAgain();
    });
    connect(m_map, &ValuesHeatMap::placeChosen, this, [this](std::int64_t row, std::int64_t at) {
        if (const auto element = m_model->slice().indexAt(row, at))
            goTo(*element);
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, &ValuesDisplay::onCurrent);
    connect(m_model, &QAbstractItemModel::modelReset, this, &ValuesDisplay::onCurrent);
    connect(m_orderTable, &QTableView::activated, this, [this](const QModelIndex &row) { goTo(m_order->elementAt(row.row())); });
    connect(m_orderTable, &QTableView::clicked, this, [this](const QModelIndex &row) { goTo(m_order->elementAt(row.row())); });
    for (QScrollBar *bar : {m_table->horizontalScrollBar(), m_table->verticalScrollBar()})
        connect(bar, &QScrollBar::valueChanged, this, &ValuesDisplay::fitColumns);
    connect(&context.appearance, &Appearance::changed, this, &ValuesDisplay::fitColumns);
}

bool ValuesDisplay::isSettled() const
{
    return !m_context.session.isAsking(RequestTag::Tensor) && !m_context.session.isAsking(RequestTag::Find);
}

void ValuesDisplay::setHint(const QString &hint)
{
    setTableHint(*m_stack, hint);
}

void ValuesDisplay::setOutOfDate(bool isOutOfDate)
{
    m_model->setOutOfDate(isOutOfDate);
    m_map->setOutOfDate(isOutOfDate);
}

void ValuesDisplay::setView(const sw::TensorViewPtr &view)
{
    const bool hasValues = view && view->elements() > 0;
    showTable(*m_stack, hasValues);
    m_tools->setVisible(hasValues);
    m_tools->tell({});
    if (view)
        m_tools->setShape(view->shape(), view->isFloat());
    m_model->setView(view, m_tools->choice());
    m_order->setOrder(nullptr, {});
    m_map->clear();
    m_table->horizontalHeader()->setDefaultSectionSize(kLeastColumnWidth);
    fitColumns();
    onMode();
}

bool ValuesDisplay::showsMap() const
{
    const ValuesMode mode = m_tools->mode();
    return view() && view()->hasNumbers() && (mode == ValuesMode::HeatMap || mode == ValuesMode::Both);
}

void ValuesDisplay::onMode()
{
    const ValuesMode mode = m_tools->mode();
    m_table->setVisible(mode == ValuesMode::Grid || mode == ValuesMode::Both || !view() || !view()->hasNumbers());
    m_orderTable->setVisible(mode == ValuesMode::Order && view() && view()->hasNumbers());
    m_map->setVisible(showsMap());
    askAgain();
}

void ValuesDisplay::onFormat()
{
    m_model->setFormat(m_tools->format());
    m_order->setFormat(m_tools->format());
    m_table->horizontalHeader()->setDefaultSectionSize(kLeastColumnWidth);
    fitColumns();
}

void ValuesDisplay::onChoice()
{
    m_model->setView(view(), m_tools->choice());
    fitColumns();
    onCurrent();
    askAgain();
}

// Statistics come last: moving through slices does not wait for them.
void ValuesDisplay::askAgain()
{
    const sw::TensorViewPtr view = m_model->view();
    m_context.session.cancel(RequestTag::Tensor);
    if (!view || view->elements() == 0)
        return;
    const auto job = [view, slice = m_model->slice(), room = showsMap() ? m_map->room() : QSize(), order = m_tools->order(),
                      wantsOrder = showsOrder()](const std::stop_token &stop) {
        Read read;
        if (!room.isEmpty())
            read.tiles = sw::tilesOf(*view, slice, room.height(), room.width(), stop);
        if (wantsOrder)
            read.order = sw::firstInOrder(*view, order, kOrdered, stop);
        static_cast<void>(view->statistics(stop)); // the view keeps them
        return read;
    };
    const auto show = [this, view](const Read &read) {
        if (read.order)
            m_order->setOrder(view, *read.order);
        emit statisticsReady();
        if (read.tiles)
            showTiles(*read.tiles);
    };
    if (view->elements() <= kAtOnce) {
        show(job({}));
        return;
    }
    m_context.session.ask(
        RequestTag::Tensor, this, [job](EngineService &, const std::stop_token &stop) { return job(stop); }, show);
}

// One scale for all slices of the tensor.
void ValuesDisplay::showTiles(const sw::TileMap &map)
{
    const sw::TensorStatisticsPtr statistics = view()->knownStatistics();
    m_map->setTiles(view(), m_model->slice(), map, statistics ? statistics->minimum : 0, statistics ? statistics->maximum : 0);
}

std::optional<std::int64_t> ValuesDisplay::currentElement() const
{
    return m_model->elementAt(m_table->currentIndex());
}

void ValuesDisplay::onCurrent()
{
    const QModelIndex at = m_table->currentIndex();
    if (at.isValid())
        m_map->setCurrent(m_model->firstRow() + at.row(), m_model->firstColumn() + at.column());
    else
        m_map->setCurrent(std::nullopt, std::nullopt);
}

void ValuesDisplay::goTo(std::int64_t element)
{
    const sw::SliceChoice choice = sw::TensorSlice::showing(view()->coordinatesOf(element), m_tools->choice());
    if (choice != m_tools->choice()) {
        m_tools->setChoice(choice);
        onChoice();
    }
    const QModelIndex index = m_model->indexOf(element);
    m_table->setCurrentIndex(index);
    m_table->scrollTo(index);
    onCurrent();
}

// "3, 0" or "17" is a place, "=0.5" a value.
void ValuesDisplay::onPlace(const QString &text)
{
    if (text.startsWith(u'=')) {
        findValue(text.mid(1).trimmed());
        return;
    }
    const sw::Result<std::int64_t> element = view()->parsePlace(text.toStdString());
    if (!element) {
        tell(QString::fromStdString(element.error().front().message));
        return;
    }
    tell({});
    goTo(*element);
}

void ValuesDisplay::showFound(const sw::TensorViewPtr &view, std::int64_t element)
{
    tell(QStringLiteral("[%1]").arg(QString::fromStdString(view->placeText(element))));
    goTo(element);
}

// The next one after the current element, from the end on to the beginning.
void ValuesDisplay::findValue(const QString &value)
{
    const sw::TensorViewPtr view = m_model->view();
    m_context.session.ask(
        RequestTag::Find, this,
        [view, value = value.toStdString(), from = currentElement().value_or(-1)](EngineService &, const std::stop_token &stop) {
            auto found = sw::findValue(*view, value, from, sw::FindDirection::Forward, stop);
            return found && !*found ? sw::findValue(*view, value, -1, sw::FindDirection::Forward, stop) : found;
        },
        [this, view](const sw::Result<std::optional<std::int64_t>> &found) {
            if (view != this->view())
                return;
            if (!found)
                tell(QString::fromStdString(found.error().front().message));
            else if (!*found)
                tell(tr("There is none."));
            else
                showFound(view, **found);
        });
}

void ValuesDisplay::find(sw::FindWhat what, sw::FindDirection direction)
{
    find(what, direction, false);
}

// After the end it goes on from the other end, once.
void ValuesDisplay::find(sw::FindWhat what, sw::FindDirection direction, bool hasTurned)
{
    const sw::TensorViewPtr view = m_model->view();
    const std::int64_t end = direction == sw::FindDirection::Forward ? -1 : view->elements();
    const std::int64_t from = hasTurned ? end : currentElement().value_or(end);
    m_context.session.ask(
        RequestTag::Find, this,
        [view, what, direction, from](EngineService &, const std::stop_token &stop) {
            return sw::findElement(*view, what, from, direction, stop);
        },
        [this, view, what, direction, from, end, hasTurned](const std::optional<std::int64_t> &found) {
            if (view != this->view())
                return;
            if (!found && from != end && !hasTurned) {
                find(what, direction, true);
                return;
            }
            if (!found) {
                tell(tr("There is none."));
                return;
            }
            showFound(view, *found);
        });
}

// As wide as the longest visible value: a value that is cut off would read as another value.
void ValuesDisplay::fitColumns()
{
    if (m_model->rowCount() == 0)
        return;
    const int firstRow = std::max(0, m_table->rowAt(0));
    const int firstColumn = std::max(0, m_table->columnAt(0));
    const int lastRow = std::min(m_model->rowCount(), firstRow + kMeasuredRows);
    const int lastColumn = std::min(m_model->columnCount(), firstColumn + kMeasuredRows);
    qsizetype longest = 0;
    for (int row = firstRow; row < lastRow; ++row)
        for (int column = firstColumn; column < lastColumn; ++column)
            longest = std::max(longest, m_model->index(row, column).data().toString().size());
    const double digit = QFontMetricsF(m_context.appearance.codeFont()).horizontalAdvance(u'0');
    const int wanted = static_cast<int>(std::ceil(static_cast<double>(longest) * digit)) + kCellPadding;
    // It never shrinks while one scrolls.
    if (wanted > m_table->horizontalHeader()->defaultSectionSize())
        m_table->horizontalHeader()->setDefaultSectionSize(wanted);
}

QString ValuesDisplay::selectedText() const
{
    QModelIndexList chosen = m_table->selectionModel()->selectedIndexes();
    std::sort(chosen.begin(), chosen.end());
    QString text;
    for (qsizetype i = 0; i < chosen.size(); ++i) {
        if (i > 0)
            text += chosen[i].row() == chosen[i - 1].row() ? u'\t' : u'\n';
        if (const auto element = m_model->elementAt(chosen[i]))
            text += QString::fromStdString(view()->text(*element, m_model->format()));
    }
    return text;
}

} // namespace stepwell::ui
