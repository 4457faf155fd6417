#include "ui/panels/tuning_panel.h"

#include "engine/api/instruments.h"
#include "ui/panels/table.h"

#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QListWidget>
#include <QPointer>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

constexpr qint64 kBetweenNews = 50; // milliseconds: a search may try hundreds of candidates in a second

QPushButton *button(QWidget *parent, const char *objectName, const QString &text, const QString &toolTip)
{
    auto *made = new QPushButton(text, parent);
    made->setObjectName(QLatin1String(objectName));
    made->setToolTip(toolTip);
    return made;
}

} // namespace

TuningPanel::TuningPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      m_form(new TuningForm(this)),
      m_stack(new QStackedWidget(this)),
      m_kernels(new QListWidget(this)),
      m_axis(new QComboBox(this)),
      m_plot(new TuningPlot(context.appearance, this)),
      m_model(new TuningModel(this)),
      m_sorted(new QSortFilterProxyModel(this)),
      m_table(new QTableView(this)),
      m_list(new TuningList(context.appearance, this)),
      m_summary(new CutLabel(this)),
      m_kept(new CutLabel(this)),
      m_try(button(this, "tuningTry", tr("Try"), tr("This program uses the list of the candidate, as an override"))),
      m_keep(button(this, "tuningKeep", tr("Keep"), tr("Later compilations use it, also for equal kernels of other programs"))),
      m_forget(button(this, "tuningForget", tr("Forget"), tr("Later compilations use what the model chooses for this kernel")))
{
    m_kernels->setObjectName(QStringLiteral("tuningKernels"));
    m_kernels->setAccessibleName(tr("Kernels that were tuned"));
    m_kernels->setFrameShape(QFrame::NoFrame);
    m_axis->setObjectName(QStringLiteral("tuningAxis"));
    m_axis->setAccessibleName(tr("What the plot shows"));
    m_axis->addItems({tr("over the search"), tr("over the price")}); // in the order of TuningAxis
    m_plot->setObjectName(QStringLiteral("tuningPlot"));
    m_plot->setAccessibleName(tr("Time of each candidate"));
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(TuningModel::kSortRole);
    m_table->setObjectName(QStringLiteral("tuningTable"));
    m_table->setAccessibleName(tr("Lists of transformations that were tried"));
    m_table->setModel(m_sorted);
    styleTable(*m_table);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(TuningModel::Number, Qt::AscendingOrder);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_list->setObjectName(QStringLiteral("tuningList"));
    m_list->setAccessibleName(tr("The candidate's transformations beside those of the model's choice"));
    m_summary->setObjectName(QStringLiteral("tuningSummary"));
    m_kept->setObjectName(QStringLiteral("tuningKept"));
    setContent(makeContent());
    connectAll();
    updateState();
}

QWidget *TuningPanel::makeContent()
{
    auto *hint = new QLabel(
        tr("Tries other loops for a kernel, compares their values, and measures them in turn with the best so far."), m_stack);
    hint->setObjectName(QStringLiteral("emptyHint"));
    hint->setAlignment(Qt::AlignCenter);
    hint->setWordWrap(true);
    hint->setMargin(12);
    m_stack->addWidget(hint);
    m_stack->addWidget(makeResult());

    for (QPushButton *each : {m_try, m_keep, m_forget})
        m_form->addWidget(each);
    auto *told = new QWidget(this);
    auto *line = new QHBoxLayout(told);
    line->setContentsMargins(8, 0, 8, 3);
    line->addWidget(m_summary, 3);
    line->addWidget(m_kept, 2);
    m_kept->setAlignment(Qt::AlignRight | Qt::AlignVCenter);

    auto *content = new QWidget(this);
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_form);
    column->addWidget(told);
    column->addWidget(m_stack, 1);
    return content;
}

QWidget *TuningPanel::makeResult()
{
    auto *picture = new QWidget(m_stack);
    auto *column = new QVBoxLayout(picture);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_plot, 1);
    auto *row = new QHBoxLayout;
    row->setContentsMargins(6, 0, 6, 2);
    row->addWidget(m_axis);
    row->addStretch(1);
    column->addLayout(row);
    auto *splitter = new QSplitter(Qt::Horizontal, m_stack);
    splitter->setHandleWidth(3);
    splitter->setChildrenCollapsible(false);
    int place = 0;
    for (const auto &[widget, stretch] : {std::pair<QWidget *, int>{m_kernels, 2}, {picture, 4}, {m_table, 8}, {m_list, 3}}) {
        splitter->addWidget(widget);
        splitter->setStretchFactor(place++, stretch);
    }
    m_kernels->hide();
    return splitter;
}

void TuningPanel::connectAll()
{
    connect(&m_context.session, &Session::compileFinished, this, &TuningPanel::updateState);
    connect(&m_context.selection, &Selection::selectionChanged, this, &TuningPanel::onSelection);
    connect(&m_context.requests, &Requests::tuningWanted, this, [this](std::uint32_t kernel) {
        if (m_isRunning)
            return;
        m_isAllChosen = false;
        m_form->chooseKernel(kernel);
        askTuned();
    });
    connect(m_form, &TuningForm::startWanted, this, &TuningPanel::start);
    connect(m_form, &TuningForm::stopWanted, this, &TuningPanel::stop);
    connect(m_form, &TuningForm::kernelChosen, this, [this] {
        m_isAllChosen = !m_form->kernel();
        askTuned();
    });
    connect(m_axis, &QComboBox::currentIndexChanged, this, [this](int axis) { m_plot->setAxis(static_cast<TuningAxis>(axis)); });
    connect(m_plot, &TuningPlot::candidateChosen, this, &TuningPanel::choose);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &TuningPanel::updateState);
    connect(m_kernels, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row < 0)
            return;
        m_isShownChosen = m_isRunning;
        showKernel(static_cast<std::size_t>(row));
    });
    connect(m_try, &QPushButton::clicked, this, &TuningPanel::tryOut);
    connect(m_keep, &QPushButton::clicked, this, &TuningPanel::keep);
    connect(m_forget, &QPushButton::clicked, this, &TuningPanel::forget);
}

void TuningPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    m_snapshot = snapshot;
    if (!snapshot) {
        m_madeBy = 0;
        m_isAllChosen = false;
        m_tuned = {};
        m_tunedOf = {};
        take({}, {});
    }
    std::vector<std::string> names;
    if (snapshot)
        for (const sw::KernelEntry &kernel : snapshot->report->kernels)
            names.push_back(kernel.name);
    if (!m_isRunning)
        m_form->setKernels(names);
    onSelection();
    setMadeBy(m_madeBy == 0 ? std::nullopt : std::optional(m_madeBy));
    updateState();
    refillWhenVisible();
}

void TuningPanel::refill()
{
    askTuned();
}

void TuningPanel::onSelection()
{
    const sw::DocumentItem *item = m_context.selection.selectedItem();
    if (m_isAllChosen || m_isRunning || item == nullptr || item->kernel == sw::kNoIndex || isBeforeEnd())
        return;
    m_form->chooseKernel(item->kernel);
    refillWhenVisible();
}

void TuningPanel::start()
{
    // What is tuned is what the window shows.
    if (m_context.session.isEdited())
        m_context.session.compileNow();
    m_madeBy = m_snapshot && !m_context.session.isEdited() ? m_snapshot->compilation : 0;
    const sw::TunePlan plan = m_form->plan();
    m_seed = plan.seed;
    m_isRunning = true;
    m_isShownChosen = false;
    take({}, {});
    const std::uint64_t number = ++m_started;
    const auto tell = [to = QPointer(this), number](const std::vector<sw::KernelTuning> &found) {
        QMetaObject::invokeMethod(qApp, [to, number, found] {
            if (to && number == to->m_started && to->m_isRunning)
                to->take(found, {});
        });
    };
    m_context.session.ask(
        RequestTag::Tuning, this,
        [plan, tell, &session = m_context.session, program = m_context.session.request(),
         inputs = m_context.session.runInputs()](EngineService &service, const std::stop_token &stop) {
            if (service.instruments() == nullptr)
                return sw::TuneAnswer{{}, "this engine cannot tune"};
            QElapsedTimer sinceNews;
            return service.instruments()->tune(program, inputs, plan, stop, [&](const std::vector<sw::KernelTuning> &found) {
                if (!sinceNews.isValid() || sinceNews.elapsed() >= kBetweenNews) {
                    tell(found);
                    sinceNews.start();
                }
                session.letOthers(); // the window's questions do not wait for the end of the search
            });
        },
        [this](sw::TuneAnswer answer) {
            m_isRunning = false;
            take(std::move(answer.tunings), QString::fromStdString(answer.error));
            askTuned();
        });
    setMadeBy(m_madeBy == 0 ? std::nullopt : std::optional(m_madeBy));
    updateState();
}

// What was measured stays.
void TuningPanel::stop()
{
    m_context.session.cancel(RequestTag::Tuning);
    m_isRunning = false;
    updateState();
    askTuned();
}

void TuningPanel::take(std::vector<sw::KernelTuning> found, const QString &error)
{
    m_error = error;
    m_found = std::move(found);
    {
        const QSignalBlocker blocker(m_kernels);
        while (m_kernels->count() > static_cast<int>(m_found.size()))
            delete m_kernels->takeItem(m_kernels->count() - 1);
        for (std::size_t i = 0; i < m_found.size(); ++i) {
            if (static_cast<int>(i) == m_kernels->count())
                m_kernels->addItem(QString());
            const sw::KernelTuning &one = m_found[i];
            const QString name = QString::fromStdString(one.kernel);
            m_kernels->item(static_cast<int>(i))
                ->setText(one.problem.empty() ? QStringLiteral("%1  %2 \u00d7").arg(name).arg(one.gain(), 0, 'f', 2)
                                              : tr("%1  not tuned").arg(name));
        }
        m_kernels->setVisible(m_found.size() > 1);
    }
    if (m_found.empty())
        m_shown = 0;
    else if (!m_isShownChosen || m_shown >= m_found.size())
        m_shown = m_isRunning ? m_found.size() - 1 : std::min(m_shown, m_found.size() - 1);
    showKernel(m_shown);
}

void TuningPanel::showKernel(std::size_t kernel)
{
    m_shown = kernel;
    {
        const QSignalBlocker blocker(m_kernels);
        m_kernels->setCurrentRow(m_found.empty() ? -1 : static_cast<int>(kernel));
    }
    m_model->setTuning(m_found.empty() ? sw::KernelTuning() : m_found[kernel]);
    m_plot->setTuning(m_model->tuning());
    m_stack->setCurrentIndex(m_found.empty() ? 0 : 1);
    m_form->setCandidates(m_model->tuning().search.candidates.size());
    if (!m_isRunning)
        askTuned();
    updateState();
}

void TuningPanel::choose(std::size_t candidate)
{
    const QModelIndex row = m_sorted->mapFromSource(m_model->index(static_cast<int>(candidate), 0));
    m_table->selectRow(row.row());
    m_table->scrollTo(row);
}

std::optional<std::size_t> TuningPanel::candidate() const
{
    const sw::SearchResult &search = m_model->tuning().search;
    if (search.candidates.empty())
        return std::nullopt;
    const QModelIndex row = m_sorted->mapToSource(m_table->currentIndex());
    return row.isValid() ? static_cast<std::size_t>(row.row()) : search.best;
}

} // namespace stepwell::ui
