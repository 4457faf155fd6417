#include "ui/panels/sweep_panel.h"

#include "engine/api/instruments.h"
#include "ui/panels/table.h"
#include "ui/session/disk_file.h"
#include "ui/sharing/picture_file.h"

#include <QApplication>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QPointer>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedWidget>
#include <QThread>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace stepwell::ui {

namespace {

constexpr std::int64_t kMostOpenRange = 1024; // of a dimension that may be larger, to begin with
constexpr int kMostSteps = 1000;
constexpr std::string_view kSplit = "split ";

int boxed(std::int64_t number)
{
    return static_cast<int>(std::clamp<std::int64_t>(number, 1, std::numeric_limits<int>::max()));
}

} // namespace

SweepPanel::SweepPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      m_stack(new QStackedWidget(this)),
      m_plot(new SweepPlot(context.appearance, this)),
      m_model(new SweepModel(this)),
      m_table(new QTableView(this))
{
    m_plot->setObjectName(QStringLiteral("sweepPlot"));
    m_plot->setAccessibleName(tr("Time over the values"));
    m_table->setObjectName(QStringLiteral("sweepTable"));
    m_table->setAccessibleName(tr("Time at each value"));
    m_table->setModel(m_model);
    styleTable(*m_table);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setStretchLastSection(true);
    auto *hint = new QLabel(tr("Shows how the time grows with a dimension, the threads or a tile, and where the compiler decides "
                               "otherwise on the way."),
                            m_stack);
    hint->setObjectName(QStringLiteral("emptyHint"));
    hint->setAlignment(Qt::AlignCenter);
    hint->setWordWrap(true);
    hint->setMargin(12);
    auto *splitter = new QSplitter(Qt::Horizontal, m_stack);
    splitter->setHandleWidth(3);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(m_plot);
    splitter->addWidget(m_table);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    m_stack->addWidget(hint);
    m_stack->addWidget(splitter);

    auto *content = new QWidget(this);
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeForm());
    column->addWidget(m_stack, 1);
    setContent(content);
    m_save = addTool(QStringLiteral("save"), tr("Save as a table or a picture"));
    m_save->setObjectName(QStringLiteral("sweepSave"));
    connect(m_save, &QToolButton::clicked, this, &SweepPanel::save);

    connect(&context.session, &Session::compileFinished, this, &SweepPanel::updateState);
    connect(m_plot, &SweepPlot::pointChosen, this, [this](std::size_t point) { m_table->selectRow(static_cast<int>(point)); });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex &row) {
        m_plot->setCurrent(row.isValid() ? std::optional(static_cast<std::size_t>(row.row())) : std::nullopt);
    });
    fillChoices();
    updateState();
}

QWidget *SweepPanel::makeForm()
{
    auto *form = new QWidget(this);
    auto *row = new QHBoxLayout(form);
    row->setContentsMargins(6, 3, 6, 3);
    m_what = new QComboBox(form);
    m_what->setObjectName(QStringLiteral("sweepWhat"));
    m_what->setAccessibleName(tr("What is swept"));
    m_what->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    const auto box = [&](const char *objectName, const QString &title) {
        auto *made = new QSpinBox(form);
        made->setObjectName(QLatin1String(objectName));
        made->setAccessibleName(title);
        made->setRange(1, std::numeric_limits<int>::max());
        made->setToolTip(title);
        return made;
    };
    m_low = box("sweepLow", tr("From"));
    m_high = box("sweepHigh", tr("To"));
    m_steps = box("sweepSteps", tr("How many values; automatic: all of a short range, else powers of two"));
    m_steps->setRange(1, kMostSteps);
    m_steps->setSpecialValueText(tr("automatic"));
    m_run = new QPushButton(tr("Sweep"), form);
    m_run->setObjectName(QStringLiteral("sweepRun"));
    row->addWidget(m_what);
    row->addWidget(new QLabel(tr("from"), form));
    row->addWidget(m_low);
    row->addWidget(new QLabel(tr("to"), form));
    row->addWidget(m_high);
    row->addWidget(new QLabel(tr("values"), form));
    row->addWidget(m_steps);
    row->addWidget(m_run);
    row->addStretch(1);
    connect(m_what, &QComboBox::currentIndexChanged, this, &SweepPanel::onChoice);
    connect(m_what, &QComboBox::activated, this, [this] { m_isChosen = true; });
    connect(m_run, &QPushButton::clicked, this, &SweepPanel::onRun);
    return form;
}

void SweepPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    m_snapshot = snapshot;
    if (!snapshot) {
        m_tiles.clear();
        m_tilesOf = 0;
        m_error.clear();
        m_madeBy = 0;
        m_isChosen = false;
        take({}, {});
    }
    fillChoices();
    setMadeBy(m_madeBy == 0 ? std::nullopt : std::optional(m_madeBy));
    updateState();
    refillWhenVisible();
}

// Which tiles there are, only who looks at the panel wants to know.
void SweepPanel::refill()
{
    if (m_snapshot && m_snapshot->isFinal && m_snapshot->report->succeeded && !m_isRunning &&
        m_tilesOf != m_snapshot->compilation)
        askTiles();
}

void SweepPanel::askTiles()
{
    m_tilesOf = m_snapshot->compilation;
    std::vector<std::string> names;
    for (const sw::KernelEntry &kernel : m_snapshot->report->kernels)
        names.push_back(kernel.name);
    m_context.session.ask(
        RequestTag::Sweep, this,
        [names](EngineService &service, const std::stop_token &) {
            std::vector<Choice> tiles;
            for (std::uint32_t kernel = 0; kernel < names.size(); ++kernel)
                for (const std::string &line : service.chosenTransforms(kernel).lines) {
                    const std::size_t blank = line.find(' ', kSplit.size());
                    if (!line.starts_with(kSplit) || blank == std::string::npos)
                        continue;
                    const std::int64_t size =
                        std::max<std::int64_t>(1, QString::fromStdString(line.substr(blank + 1)).toLongLong());
                    const std::string axis = line.substr(kSplit.size(), blank - kSplit.size());
                    tiles.push_back({tr("%1 of %2").arg(QString::fromStdString(line), QString::fromStdString(names[kernel])),
                                     sw::Swept::Tile, names[kernel] + ':' + axis, std::max<std::int64_t>(1, size / 4), 4 * size});
                }
            return tiles;
        },
        [this](const std::vector<Choice> &tiles) { setTiles(tiles); });
}

void SweepPanel::setTiles(const std::vector<Choice> &tiles)
{
    m_tiles = tiles;
    fillChoices();
}

// What a person chose stays chosen, with its range, as long as it is there.
void SweepPanel::fillChoices()
{
    const int current = m_what->currentIndex();
    const std::string before = current < 0 ? std::string() : m_choices[static_cast<std::size_t>(current)].name;
    std::vector<Choice> choices;
    if (m_snapshot)
        for (const sw::DimensionEntry &dimension : m_snapshot->report->dimensions)
            choices.push_back({tr("dimension %1").arg(QString::fromStdString(dimension.name)), sw::Swept::Dimension,
                               dimension.name, dimension.low, std::min(dimension.high, std::max(dimension.low, kMostOpenRange))});
    choices.push_back({tr("threads"), sw::Swept::Threads, "threads", 1, std::max(1, QThread::idealThreadCount())});
    choices.insert(choices.end(), m_tiles.begin(), m_tiles.end());
    m_choices = std::move(choices);
    {
        const QSignalBlocker blocker(m_what);
        m_what->clear();
        for (const Choice &choice : m_choices)
            m_what->addItem(choice.title);
        const auto same = m_isChosen ? std::ranges::find(m_choices, before, &Choice::name) : m_choices.end();
        m_what->setCurrentIndex(same == m_choices.end() ? 0 : static_cast<int>(same - m_choices.begin()));
    }
    if (m_choices[static_cast<std::size_t>(m_what->currentIndex())].name != before)
        onChoice();
}

void SweepPanel::onChoice()
{
    const Choice &choice = m_choices[static_cast<std::size_t>(m_what->currentIndex())];
    m_low->setValue(boxed(choice.low));
    m_high->setValue(boxed(choice.high));
}

void SweepPanel::onRun()
{
    if (m_isRunning)
        stop();
    else
        start();
}

void SweepPanel::start()
{
    const Choice &choice = m_choices[static_cast<std::size_t>(m_what->currentIndex())];
    if (m_low->value() > m_high->value()) {
        setNote(tr("from is larger than to"));
        return;
    }
    // What is swept is what the window shows.
    if (m_context.session.isEdited())
        m_context.session.compileNow();
    m_madeBy = m_snapshot && !m_context.session.isEdited() ? m_snapshot->compilation : 0;
    sw::SweepPlan plan;
    plan.swept = choice.swept;
    plan.range = {choice.name, m_low->value(), m_high->value(), m_steps->value() == 1 ? 0 : m_steps->value()};
    if (choice.swept == sw::Swept::Tile)
        plan.tile = sw::sweptTileIn(choice.name).value();
    m_isRunning = true;
    m_error.clear();
    take({}, {});
    const std::uint64_t number = ++m_started;
    const auto told = [to = QPointer(this), number](const sw::Sweep &sweep) {
        QMetaObject::invokeMethod(qApp, [to, number, sweep] {
            if (to && number == to->m_started && to->m_isRunning)
                to->take(sweep, {});
        });
    };
    m_context.session.ask(
        RequestTag::Sweep, this,
        [plan, told, program = m_context.session.request(), inputs = m_context.session.runInputs()](EngineService &service,
                                                                                                    const std::stop_token &stop) {
            if (service.instruments() == nullptr)
                return sw::SweepAnswer{{}, "this engine cannot sweep"};
            return service.instruments()->sweep(program, inputs, plan, stop, told);
        },
        [this](const sw::SweepAnswer &answer) {
            m_isRunning = false;
            take(answer.sweep, QString::fromStdString(answer.error));
        });
    setMadeBy(m_madeBy == 0 ? std::nullopt : std::optional(m_madeBy));
    updateState();
}

// What was measured stays.
void SweepPanel::stop()
{
    m_context.session.cancel(RequestTag::Sweep);
    m_isRunning = false;
    updateState();
}

void SweepPanel::take(const sw::Sweep &sweep, const QString &error)
{
    m_error = error;
    m_model->setSweep(sweep);
    m_plot->setSweep(sweep);
    m_stack->setCurrentIndex(sweep.points.empty() ? 0 : 1);
    updateState();
}

void SweepPanel::updateState()
{
    // A newer compilation drops what was asked.
    if (m_isRunning && m_context.session.isDropped(RequestTag::Sweep))
        m_isRunning = false;
    const bool canRun = m_snapshot && m_snapshot->isFinal && m_snapshot->report->succeeded;
    m_run->setText(m_isRunning ? tr("Stop") : tr("Sweep"));
    m_run->setEnabled(canRun || m_isRunning);
    const sw::Sweep &sweep = m_model->sweep();
    m_save->setEnabled(!sweep.points.empty());
    if (m_isRunning)
        setNote(tr("%n value(s) so far\u2026", nullptr, static_cast<int>(sweep.points.size())));
    else if (!m_error.isEmpty())
        setNote(m_error);
    else if (!sweep.notes.empty())
        setNote(QString::fromStdString(sweep.notes.front()));
    else if (!sweep.points.empty())
        setNote(tr("%n value(s)", nullptr, static_cast<int>(sweep.points.size())));
    else
        setNote({});
}

void SweepPanel::save()
{
    const QString path = QFileDialog::getSaveFileName(this, tr("Save the sweep"), QStringLiteral("sweep.csv"),
                                                      tr("Tables (*.csv)") + QStringLiteral(";;") + pictureFilters());
    if (path.isEmpty())
        return;
    if (const QString problem = saveAs(path); !problem.isEmpty())
        setNote(problem);
}

QString SweepPanel::saveAs(const QString &path)
{
    if (pictureFormatOf(path))
        return savePicture(*m_plot, path, title());
    return writeFile(path, QByteArray::fromStdString(sw::csvOf(m_model->sweep())), sw::Durability::Cached);
}

} // namespace stepwell::ui
