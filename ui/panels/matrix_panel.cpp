#include "ui/panels/matrix_panel.h"

#include "engine/api/compare/matrix_text.h"
#include "ui/panels/kernel_pair.h"
#include "ui/panels/matrix_columns.h"
#include "ui/panels/matrix_finding.h"
#include "ui/panels/table.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace stepwell::ui {

namespace {

constexpr std::uint32_t kRepeats = 9;

bool isGoing(sw::ColumnState state)
{
    switch (state) {
    case sw::ColumnState::Waiting:
    case sw::ColumnState::Compiling:
    case sw::ColumnState::Running:
    case sw::ColumnState::Judging:
        return true;
    case sw::ColumnState::Done:
    case sw::ColumnState::Absent:
    case sw::ColumnState::Failed:
    case sw::ColumnState::Stopped:
        return false;
    }
    Q_UNREACHABLE();
}

} // namespace

MatrixPanel::MatrixPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      m_model(new MatrixModel(context.appearance, this)),
      m_filter(new MatrixFilter(this)),
      m_columns(new MatrixColumns(context.session, this)),
      m_table(new QTableView(this)),
      m_stack(tableWithHint(m_table,
                            tr("Choose devices and Run: every kernel is timed on each of them, and what it stores is "
                               "compared with the reference."),
                            this)),
      m_show(new QComboBox(this)),
      m_factor(new QDoubleSpinBox(this)),
      m_run(new QPushButton(tr("Run"), this)),
      m_pairButton(new QPushButton(tr("Side by side"), this)),
      m_told(new QLabel(this)),
      m_finding(new MatrixFinding(context, this))
{
    m_filter->setSourceModel(m_model);
    m_table->setObjectName(QStringLiteral("matrixTable"));
    m_table->setAccessibleName(tr("Kernels by devices"));
    m_table->setModel(m_filter);
    styleTable(*m_table);
    m_table->setSelectionBehavior(QAbstractItemView::SelectItems);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(0, Qt::AscendingOrder);
    m_table->setItemDelegate(new MatrixDelegate(context.appearance, this));
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->installEventFilter(this);

    auto *content = new QWidget(this);
    addChoices(content);
    auto *bottom = new QHBoxLayout;
    bottom->setContentsMargins(8, 2, 8, 2);
    bottom->addWidget(m_told, 1);
    bottom->addWidget(m_pairButton);
    m_told->setObjectName(QStringLiteral("matrixTold"));
    m_told->setWordWrap(true);
    m_told->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_pairButton->setObjectName(QStringLiteral("matrixPair"));
    m_pairButton->setToolTip(tr("Source and machine code of this kernel beside those of another column (Enter)"));
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_columns);
    column->addWidget(m_stack, 1);
    column->addLayout(bottom);
    column->addWidget(m_finding);
    setContent(content);
    setFocusProxy(m_table);

    auto *copyButton = addTool(QStringLiteral("copy"), tr("Copy as text, Markdown or CSV"));
    copyButton->setObjectName(QStringLiteral("matrixCopy"));
    copyButton->setPopupMode(QToolButton::InstantPopup);
    auto *menu = new QMenu(copyButton);
    const std::array formats{std::pair{tr("Text"), sw::MatrixFormat::Text}, std::pair{tr("Markdown"), sw::MatrixFormat::Markdown},
                             std::pair{tr("CSV"), sw::MatrixFormat::Csv}};
    for (const auto &[title, format] : formats)
        connect(menu->addAction(title), &QAction::triggered, this, [this, kind = format] { copy(static_cast<int>(kind)); });
    copyButton->setMenu(menu);

    connect(m_run, &QPushButton::clicked, this, &MatrixPanel::onRun);
    connect(m_pairButton, &QPushButton::clicked, this, &MatrixPanel::openPair);
    connect(m_columns, &MatrixColumns::changed, this, &MatrixPanel::updateState);
    connect(m_show, &QComboBox::activated, this, &MatrixPanel::applyShow);
    connect(m_factor, &QDoubleSpinBox::valueChanged, this, &MatrixPanel::applyShow);
    connect(m_table, &QTableView::doubleClicked, this, &MatrixPanel::openPair);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, &MatrixPanel::onCurrent);
    connect(&context.session, &Session::activityChanged, this, &MatrixPanel::updateState);
    updateState();
}

void MatrixPanel::addChoices(QWidget *content)
{
    m_run->setObjectName(QStringLiteral("matrixRun"));
    m_show->setObjectName(QStringLiteral("matrixShow"));
    m_show->setAccessibleName(tr("Which kernels are shown"));
    m_show->addItem(tr("All kernels"), static_cast<int>(MatrixFilter::Show::All));
    m_show->addItem(tr("Only different values"), static_cast<int>(MatrixFilter::Show::Different));
    m_show->addItem(tr("Only slower than the best by"), static_cast<int>(MatrixFilter::Show::Slower));
    m_factor->setObjectName(QStringLiteral("matrixFactor"));
    m_factor->setAccessibleName(tr("How many times as long as the best"));
    m_factor->setPrefix(QStringLiteral("\u00d7"));
    m_factor->setRange(1, 1000);
    m_factor->setSingleStep(0.1);
    m_factor->setValue(1.5);
    m_factor->hide();
    m_columns->setParent(content);
    m_columns->addWidget(m_run);
    m_columns->addWidget(m_show);
    m_columns->addWidget(m_factor);
}

void MatrixPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    const bool isNewProgram = snapshot == nullptr && m_snapshot != nullptr;
    m_snapshot = snapshot;
    if (m_isRunning && m_madeBy == 0 && snapshot && snapshot->isFinal)
        m_madeBy = snapshot->compilation;
    if (isNewProgram) {
        ++m_started;
        m_isRunning = false;
        take({});
    }
    updateState();
}

bool MatrixPanel::isSettled() const
{
    return !m_isRunning && m_finding->isSettled() && !m_context.session.isAsking(RequestTag::Texts);
}

sw::ComparedProgram MatrixPanel::program() const
{
    return {m_context.session.request(), m_context.session.runInputs()};
}

void MatrixPanel::onRun()
{
    if (m_isRunning)
        stop();
    else
        start();
}

void MatrixPanel::start()
{
    // What is compared is what the window shows.
    m_madeBy = m_snapshot && !m_context.session.isEdited() ? m_snapshot->compilation : 0;
    if (m_context.session.isEdited())
        m_context.session.compileNow();
    m_program = program();
    m_isRunning = true;
    const std::uint64_t number = ++m_started;
    const auto told = [to = QPointer(this), number](const sw::Matrix &matrix) {
        QMetaObject::invokeMethod(qApp, [to, number, matrix] {
            if (to && number == to->m_started && to->m_isRunning)
                to->take(matrix);
        });
    };
    m_context.session.ask(
        RequestTag::Matrix, this,
        [compared = m_program, columns = m_columns->columns(), told](EngineService &service, const std::stop_token &stop) {
            sw::MatrixOptions options;
            options.repeats = kRepeats;
            options.stop = stop;
            options.onChange = told;
            return service.comparer() == nullptr ? sw::Matrix() : service.comparer()->matrix(compared, columns, options);
        },
        [this](const sw::Matrix &matrix) {
            m_isRunning = false;
            take(matrix);
        });
    updateState();
}

// What is known stays.
void MatrixPanel::stop()
{
    m_context.session.cancel(RequestTag::Matrix);
    m_isRunning = false;
    sw::Matrix matrix = m_model->matrix();
    for (sw::MatrixColumnResult &column : matrix.columns)
        if (isGoing(column.state))
            column.state = sw::ColumnState::Stopped;
    take(std::move(matrix));
}

void MatrixPanel::take(sw::Matrix matrix)
{
    const Cell before = current();
    m_isTaking = true;
    m_model->setMatrix(std::move(matrix));
    m_finding->setMatrix(m_model->matrix(), m_program, m_madeBy);
    setMadeBy(m_model->rowCount() > 0 ? std::optional(m_madeBy) : std::nullopt);
    showTable(*m_stack, m_model->rowCount() > 0);
    if (before.row >= 0 && before.row < m_model->rowCount() && before.column + 1 < m_model->columnCount())
        m_table->setCurrentIndex(m_filter->mapFromSource(m_model->index(before.row, before.column + 1)));
    m_isTaking = false;
    updateState();
    showCurrent();
}

void MatrixPanel::updateState()
{
    // A newer compilation drops what was asked.
    if (m_isRunning && m_context.session.isDropped(RequestTag::Matrix)) {
        stop();
        return;
    }
    m_run->setText(m_isRunning ? tr("Stop") : tr("Run"));
    m_run->setEnabled(m_isRunning || (m_snapshot && !m_columns->columns().empty()));
    const auto &columns = m_model->matrix().columns;
    if (columns.empty()) {
        setNote({});
        return;
    }
    const auto done = std::ranges::count_if(columns, [](const auto &column) { return !isGoing(column.state); });
    if (m_isRunning)
        setNote(tr("%1 of %2 columns").arg(done).arg(columns.size()));
    else
        setNote(m_model->matrix().isAnyDifferent() ? tr("some values differ") : tr("%1 columns").arg(columns.size()));
}

void MatrixPanel::applyShow()
{
    const auto show = static_cast<MatrixFilter::Show>(m_show->currentData().toInt());
    m_factor->setVisible(show == MatrixFilter::Show::Slower);
    m_filter->setShow(show, m_factor->value());
}

MatrixPanel::Cell MatrixPanel::current() const
{
    const QModelIndex index = m_filter->mapToSource(m_table->currentIndex());
    return index.isValid() ? Cell{index.row(), index.column() - 1} : Cell{};
}

int MatrixPanel::otherColumn(const Cell &cell) const
{
    if (cell.row < 0 || cell.column < 0 || m_model->kindOf(cell.row) != MatrixModel::RowKind::Kernel)
        return -1;
    const sw::Matrix &matrix = m_model->matrix();
    const std::size_t row = m_model->indexOf(cell.row);
    if (matrix.cell(row, static_cast<std::size_t>(cell.column)) == nullptr)
        return -1;
    for (std::size_t column = 0; column < matrix.columns.size(); ++column)
        if (static_cast<int>(column) != cell.column && matrix.cell(row, column) != nullptr)
            return static_cast<int>(column);
    return -1;
}

void MatrixPanel::showCurrent()
{
    const Cell cell = current();
    m_told->setText(m_model->describe(cell.row, cell.column));
    m_pairButton->setEnabled(otherColumn(cell) >= 0);
    m_finding->setColumn(cell.column);
}

// The kernel is selected where the window shows the column's compilation, or has a kernel of the same row. A cell that stays
// while results come in selects nothing anew.
void MatrixPanel::onCurrent()
{
    if (m_isTaking)
        return;
    showCurrent();
    const Cell cell = current();
    const bool isKernel = cell.row >= 0 && m_model->kindOf(cell.row) == MatrixModel::RowKind::Kernel;
    if (!isKernel || !m_snapshot || isBeforeEnd() || m_snapshot->compilation != m_madeBy)
        return;
    const sw::Matrix &matrix = m_model->matrix();
    for (std::size_t column = 0; column < matrix.columns.size(); ++column) {
        const std::uint32_t kernel = matrix.rows[m_model->indexOf(cell.row)].kernels[column];
        const sw::MatrixColumn &wanted = matrix.columns[column].column;
        const sw::ExploreRequest &shown = m_program.program;
        if (kernel == sw::kNoKernel || wanted.device != shown.device ||
            static_cast<const sw::CompileSwitches &>(wanted) != shown || wanted.threads != shown.threads ||
            wanted.overrides != shown.overrides)
            continue;
        const sw::StageDocumentPtr &schedule = m_snapshot->stage(sw::StageKind::Schedule).document;
        if (schedule && kernel < schedule->items.size()) // kernels come first
            m_context.selection.select(sw::StageKind::Schedule, {kernel});
        return;
    }
}

void MatrixPanel::openPair()
{
    const Cell cell = current();
    const int other = otherColumn(cell);
    if (other < 0)
        return;
    const sw::Matrix &matrix = m_model->matrix();
    const sw::MatrixRow &row = matrix.rows[m_model->indexOf(cell.row)];
    struct Wanted {
        sw::MatrixColumn column;
        std::uint32_t kernel = 0;
        QString title;
    };
    const auto wantedOf = [&](int column) {
        const auto at = static_cast<std::size_t>(column);
        const sw::MatrixColumn &made = matrix.columns[at].column;
        return Wanted{made, row.kernels[at],
                      tr("%1 on %2")
                          .arg(QString::fromStdString(matrix.columns[at].kernels[row.kernels[at]].name),
                               QString::fromStdString(sw::titleOf(made)))};
    };
    // The earlier column is on the left, whichever was chosen.
    const std::array wanted{wantedOf(std::min(cell.column, other)), wantedOf(std::max(cell.column, other))};
    m_pairButton->setEnabled(false);
    m_context.session.ask(
        RequestTag::Texts, this,
        [compared = m_program, wanted](EngineService &service, const std::stop_token &stop) {
            std::array<sw::KernelTexts, 2> texts;
            for (std::size_t i = 0; i < texts.size() && service.comparer() != nullptr; ++i)
                texts[i] = service.comparer()->kernelTexts(compared, wanted[i].column, wanted[i].kernel, stop);
            return texts;
        },
        [this, wanted](const std::array<sw::KernelTexts, 2> &texts) {
            m_pairButton->setEnabled(true);
            if (m_pair == nullptr)
                m_pair = new KernelPair(m_context.appearance, this);
            m_pair->show({wanted[0].title, texts[0]}, {wanted[1].title, texts[1]});
        });
}

void MatrixPanel::copy(int format)
{
    std::vector<std::size_t> rows;
    for (int row = 0; row < m_filter->rowCount(); ++row) {
        const int source = m_filter->mapToSource(m_filter->index(row, 0)).row();
        if (m_model->kindOf(source) == MatrixModel::RowKind::Kernel)
            rows.push_back(m_model->indexOf(source));
    }
    QApplication::clipboard()->setText(
        QString::fromStdString(sw::matrixText(m_model->matrix(), static_cast<sw::MatrixFormat>(format), rows)));
}

bool MatrixPanel::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != m_table || event->type() != QEvent::KeyPress)
        return Panel::eventFilter(watched, event);
    const auto *key = static_cast<QKeyEvent *>(event);
    if (key->matches(QKeySequence::Copy)) {
        copy(static_cast<int>(sw::MatrixFormat::Text));
        return true;
    }
    if (key->key() != Qt::Key_Return && key->key() != Qt::Key_Enter)
        return false;
    openPair();
    return true;
}

} // namespace stepwell::ui
