#include "ui/panels/activity_panel.h"

#include "engine/api/instruments.h"
#include "ui/models/quantity.h"
#include "ui/panels/invitation.h"
#include "ui/panels/table.h"
#include "ui/session/disk_file.h"
#include "ui/sharing/picture_file.h"

#include <QButtonGroup>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QImage>
#include <QItemSelectionModel>
#include <QMenu>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace stepwell::ui {

namespace {

} // namespace

ActivityPanel::ActivityPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      m_stack(new QStackedWidget(this)),
      m_lanes(new ActivityLanes(context.appearance, this)),
      m_model(new ActivityModel(context.appearance, this)),
      m_sorted(new QSortFilterProxyModel(this)),
      m_table(new QTableView(this))
{
    const Invitation invitation = makeInvitation(tr("Record"), QStringLiteral("activityRecord"), m_stack);
    m_told = invitation.told;
    m_record = invitation.button;
    connect(m_record, &QPushButton::clicked, this, &ActivityPanel::onRecord);
    m_stack->addWidget(invitation.page);
    m_stack->addWidget(makeContent());
    setContent(m_stack);
    m_again = addTool(QStringLiteral("run"), tr("Record a compilation and runs anew"));
    m_again->setObjectName(QStringLiteral("activityAgain"));
    connect(m_again, &QToolButton::clicked, this, &ActivityPanel::onRecord);
    m_save = addTool(QStringLiteral("save"), tr("Save the trace or a picture"));
    m_save->setObjectName(QStringLiteral("activitySave"));
    m_save->setPopupMode(QToolButton::InstantPopup);
    auto *menu = new QMenu(m_save);
    connect(menu->addAction(tr("Save the trace for Chrome and Perfetto\u2026")), &QAction::triggered, this,
            &ActivityPanel::saveTrace);
    connect(menu->addAction(tr("Save a picture\u2026")), &QAction::triggered, this, &ActivityPanel::savePicture);
    m_save->setMenu(menu);

    connect(&context.session, &Session::compileFinished, this, &ActivityPanel::updateState);
    connect(m_lanes, &ActivityLanes::kernelChosen, this, &ActivityPanel::choose);
    connect(m_lanes, &ActivityLanes::passChosen, this,
            [this](const QString &pass) { setNote(m_context.moment.goToNamed(pass)); });
    connect(m_table, &QTableView::clicked, this,
            [this](const QModelIndex &index) { choose(static_cast<std::uint32_t>(m_sorted->mapToSource(index).row())); });
    connect(&context.selection, &Selection::selectionChanged, this, &ActivityPanel::onSelectionChanged);
    updateState();
}

QWidget *ActivityPanel::makeContent()
{
    m_lanes->setObjectName(QStringLiteral("activityLanes"));
    m_lanes->setAccessibleName(tr("Timeline"));
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(ActivityModel::SortRole);
    m_table->setObjectName(QStringLiteral("activityTable"));
    m_table->setAccessibleName(tr("Kernels of the recorded runs"));
    m_table->setModel(m_sorted);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(ActivityModel::Tag, Qt::AscendingOrder);
    styleTable(*m_table);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_counters = new QLabel(m_stack);
    m_counters->setObjectName(QStringLiteral("activityCounters"));
    m_counters->setWordWrap(true);
    m_counters->setMargin(6);
    m_counters->setTextInteractionFlags(Qt::TextSelectableByMouse);

    auto *right = new QWidget(m_stack);
    auto *column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_table, 1);
    column->addWidget(m_counters);
    auto *left = new QWidget(m_stack);
    auto *lanes = new QVBoxLayout(left);
    lanes->setContentsMargins(0, 0, 0, 0);
    lanes->setSpacing(0);
    lanes->addWidget(makeBar());
    lanes->addWidget(m_lanes, 1);
    auto *splitter = new QSplitter(Qt::Horizontal, m_stack);
    splitter->setHandleWidth(3);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(left);
    splitter->addWidget(right);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({900, 320});
    return splitter;
}

QWidget *ActivityPanel::makeBar()
{
    auto *bar = new QWidget(m_stack);
    auto *row = new QHBoxLayout(bar);
    row->setContentsMargins(6, 3, 6, 3);
    m_choice = new QButtonGroup(bar);
    const std::array<std::pair<Shown, QString>, 2> choices{{{Shown::Run, tr("Run")}, {Shown::Compilation, tr("Compilation")}}};
    for (const auto &[shown, title] : choices) {
        auto *button = new QToolButton(bar);
        button->setText(title);
        button->setCheckable(true);
        button->setChecked(shown == m_shown);
        button->setObjectName(shown == Shown::Run ? QStringLiteral("activityRun") : QStringLiteral("activityCompilation"));
        m_choice->addButton(button);
        row->addWidget(button);
        connect(button, &QToolButton::clicked, this, [this, wanted = shown] { showTimeline(wanted); });
    }
    auto *hint = new CutLabel(bar);
    hint->setText(tr("Wheel: zoom \u00b7 drag: move \u00b7 Shift and drag: zoom in \u00b7 Space: everything \u00b7 Home: back"));
    hint->setEnabled(false);
    row->addWidget(hint, 1);
    return bar;
}

void ActivityPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    m_snapshot = snapshot;
    if (!snapshot) {
        m_timelines.reset();
        m_error.clear();
        m_lanes->setTimeline(nullptr, {}, {});
        m_model->setKernels({}, {});
    }
    fill();
}

void ActivityPanel::onRecord()
{
    if (m_isRecording) {
        stop();
        return;
    }
    // What is recorded is what the window shows.
    if (m_context.session.isEdited())
        m_context.session.compileNow();
    m_madeBy = m_snapshot && !m_context.session.isEdited() ? m_snapshot->compilation : 0;
    m_isRecording = true;
    m_error.clear();
    m_context.session.ask(
        RequestTag::Timelines, this,
        [program = m_context.session.request(), inputs = m_context.session.runInputs()](EngineService &service,
                                                                                        const std::stop_token &stop) {
            if (service.instruments() == nullptr)
                return sw::TimelineAnswer{nullptr, "this engine records nothing"};
            return service.instruments()->timelines(program, inputs, {.counters = sw::WithCounters::Yes}, stop);
        },
        [this](const sw::TimelineAnswer &answer) {
            m_isRecording = false;
            take(answer.timelines, QString::fromStdString(answer.error));
        });
    updateState();
}

void ActivityPanel::stop()
{
    m_context.session.cancel(RequestTag::Timelines);
    m_isRecording = false;
    updateState();
}

void ActivityPanel::take(const std::shared_ptr<const sw::RecordedTimelines> &timelines, const QString &error)
{
    if (timelines)
        m_timelines = timelines;
    m_error = error;
    fill();
}

void ActivityPanel::showTimeline(Shown shown)
{
    m_shown = shown;
    fill();
}

void ActivityPanel::fill()
{
    if (m_timelines) {
        const bool isRun = m_shown == Shown::Run;
        const std::shared_ptr<const sw::Timeline> timeline(m_timelines, isRun ? &m_timelines->run : &m_timelines->compilation);
        const sw::TimelineRange home =
            isRun ? sw::rangeOf(*timeline, m_timelines->medianRound) : sw::TimelineRange{0, timeline->nanoseconds};
        if (m_lanes->timeline() != timeline.get())
            m_lanes->setTimeline(timeline, tags(), home);
        m_lanes->setKernels(m_timelines->kernels);
        m_model->setKernels(m_timelines->kernels, tags());
        m_counters->setText(m_timelines->noCounters.empty()
                                ? QString()
                                : tr("No hardware counters: %1.").arg(QString::fromStdString(m_timelines->noCounters)));
        m_counters->setVisible(!m_timelines->noCounters.empty());
    }
    setMadeBy(m_timelines && m_madeBy != 0 ? std::optional(m_madeBy) : std::nullopt);
    updateState();
    onSelectionChanged();
}

void ActivityPanel::updateState()
{
    // A newer compilation drops what was asked.
    if (m_isRecording && m_context.session.isDropped(RequestTag::Timelines))
        m_isRecording = false;
    const bool canRecord = m_snapshot && m_snapshot->isFinal && m_snapshot->report->succeeded;
    m_stack->setCurrentIndex(m_timelines ? 1 : 0);
    m_record->setVisible(canRecord || m_isRecording);
    m_record->setText(m_isRecording ? tr("Stop") : tr("Record"));
    m_again->setEnabled(m_timelines && (canRecord || m_isRecording));
    m_save->setEnabled(m_timelines != nullptr);
    if (m_isRecording)
        m_told->setText(tr("Compiling and running the program anew, and recording when everybody works\u2026"));
    else if (!canRecord)
        m_told->setText(tr("No kernels yet."));
    else
        m_told->setText(tr("A timeline shows when stages, passes, kernels, transfers and threads worked, and the gaps between "
                           "them. For that the program is compiled and run once more.%1")
                            .arg(m_error.isEmpty() ? QString() : u'\n' + m_error));
    if (m_isRecording)
        setNote(tr("recording\u2026"));
    else if (!m_error.isEmpty())
        setNote(m_error);
    else if (m_timelines && m_shown == Shown::Run) {
        const sw::TimelineRange range = sw::rangeOf(m_timelines->run, m_timelines->medianRound);
        setNote(tr("run %1 of %2: %3")
                    .arg(m_timelines->medianRound + 1)
                    .arg(m_timelines->rounds)
                    .arg(timeText(range.end - range.begin)));
    } else if (m_timelines)
        setNote(timeText(m_timelines->compilation.nanoseconds));
    else
        setNote({});
}

std::uint32_t ActivityPanel::kernelNow(std::uint32_t recorded) const
{
    if (!m_timelines || !m_snapshot || recorded >= m_timelines->kernels.size())
        return sw::kNoIndex;
    const std::vector<sw::KernelEntry> &now = m_snapshot->report->kernels;
    const auto found = std::ranges::find(now, m_timelines->kernels[recorded].name, &sw::KernelEntry::name);
    return found == now.end() ? sw::kNoIndex : static_cast<std::uint32_t>(found - now.begin());
}

std::vector<KernelIdentity> ActivityPanel::tags() const
{
    std::vector<KernelIdentity> tags(m_timelines->kernels.size());
    for (std::uint32_t i = 0; i < tags.size(); ++i)
        if (const std::uint32_t now = kernelNow(i); m_snapshot && now < m_snapshot->kernels.size())
            tags[i] = m_snapshot->kernels[now];
    return tags;
}

void ActivityPanel::choose(std::uint32_t kernel)
{
    const std::uint32_t now = kernelNow(kernel);
    if (now == sw::kNoIndex || isBeforeEnd()) // its kernels belong to the end
        return;
    const sw::StageDocumentPtr &schedule = m_snapshot->stage(sw::StageKind::Schedule).document;
    if (!schedule)
        return;
    const auto found = std::ranges::find_if(schedule->items, [now](const sw::DocumentItem &item) {
        return item.kernel == now && std::ranges::find(item.tags, "kernel") != item.tags.end();
    });
    if (found != schedule->items.end())
        m_context.selection.select(sw::StageKind::Schedule, {static_cast<sw::ItemIndex>(found - schedule->items.begin())});
}

void ActivityPanel::onSelectionChanged()
{
    if (!m_timelines || !m_snapshot || isBeforeEnd() || !m_snapshot->stage(sw::StageKind::Schedule).document)
        return;
    const sw::StageDocument &schedule = *m_snapshot->stage(sw::StageKind::Schedule).document;
    std::vector<std::uint32_t> chosen;
    for (const sw::ItemIndex item : m_context.selection.selected(sw::StageKind::Schedule).items)
        if (schedule.items[item].kernel != sw::kNoIndex)
            chosen.push_back(schedule.items[item].kernel);
    std::vector<std::uint32_t> kernels; // as they were numbered when they were recorded
    QItemSelection rows;
    for (std::uint32_t kernel = 0; kernel < m_timelines->kernels.size(); ++kernel) {
        if (std::ranges::find(chosen, kernelNow(kernel)) == chosen.end())
            continue;
        kernels.push_back(kernel);
        const QModelIndex index = m_sorted->mapFromSource(m_model->index(static_cast<int>(kernel), 0));
        rows.select(index, index.siblingAtColumn(m_model->columnCount() - 1));
    }
    m_table->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
    if (!rows.isEmpty())
        m_table->scrollTo(rows.indexes().front());
    m_lanes->setSelectedKernels(std::move(kernels));
}

void ActivityPanel::saveTrace()
{
    const QString path = QFileDialog::getSaveFileName(this, tr("Save the trace"), QStringLiteral("trace.json"),
                                                      tr("Traces (*.json);;All files (*)"));
    if (path.isEmpty())
        return;
    if (const QString problem = saveTraceAs(path); !problem.isEmpty())
        setNote(problem);
}

QString ActivityPanel::saveTraceAs(const QString &path)
{
    return writeFile(path, QByteArray::fromStdString(sw::chromeTrace(*m_timelines)), sw::Durability::Cached);
}

void ActivityPanel::savePicture()
{
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save a picture"), QStringLiteral("timeline.svg"), pictureFilters());
    if (path.isEmpty())
        return;
    if (const QString problem = savePictureAs(path); !problem.isEmpty())
        setNote(problem);
}

QString ActivityPanel::savePictureAs(const QString &path)
{
    return ui::savePicture(*m_lanes, path, title());
}

} // namespace stepwell::ui
