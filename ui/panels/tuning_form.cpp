#include "ui/panels/tuning_form.h"

#include "ui/panels/cut_text.h"
#include "ui/panels/flow_layout.h"

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>

#include <algorithm>
#include <limits>

namespace stepwell::ui {

namespace {

enum Unit { Seconds, Candidates }; // rows of the box

constexpr int kUsualSeconds = 30;
constexpr int kUsualCandidates = 200;
constexpr int kMostSeconds = 24 * 3600;
constexpr int kMostCandidates = 1'000'000;
constexpr int kKernelWidth = 220;
constexpr int kProgressWidth = 90;
constexpr int kProgressSteps = 1000;
constexpr int kTick = 100; // milliseconds

} // namespace

TuningForm::TuningForm(QWidget *parent)
    : QWidget(parent),
      m_kernel(new CutComboBox(this)),
      m_amount(new QSpinBox(this)),
      m_unit(new QComboBox(this)),
      m_seed(new QSpinBox(this)),
      m_run(new QPushButton(this)),
      m_progress(new QProgressBar(this))
{
    m_kernel->setObjectName(QStringLiteral("tuningKernel"));
    m_kernel->setAccessibleName(tr("What is tuned"));
    m_kernel->setToolTip(tr("A kernel, or all that take at least 3 % of the time, each with a part of the budget by its share"));
    m_kernel->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_kernel->setMinimumContentsLength(14); // a short name is not cut before there is a longer one
    m_kernel->setMaximumWidth(kKernelWidth);
    m_amount->setObjectName(QStringLiteral("tuningAmount"));
    m_amount->setAccessibleName(tr("How long to search"));
    m_amount->setToolTip(tr("When the search ends by itself; it can be stopped before, and what is found stays"));
    m_unit->setObjectName(QStringLiteral("tuningUnit"));
    m_unit->setAccessibleName(tr("Unit"));
    m_unit->addItems({tr("seconds"), tr("candidates")});
    m_seed->setObjectName(QStringLiteral("tuningSeed"));
    m_seed->setAccessibleName(tr("Seed"));
    m_seed->setToolTip(tr("Another seed draws other candidates"));
    m_seed->setRange(1, std::numeric_limits<int>::max());
    m_run->setObjectName(QStringLiteral("tuningRun"));
    m_progress->setObjectName(QStringLiteral("tuningProgress"));
    m_progress->setAccessibleName(tr("Progress of the search"));
    m_progress->setRange(0, kProgressSteps);
    m_progress->setTextVisible(false);
    m_progress->setFixedWidth(kProgressWidth);

    auto *row = new FlowLayout(4, 6, this);
    row->addWidget(m_kernel);
    row->addWidget(new QLabel(tr("for"), this));
    row->addWidget(m_amount);
    row->addWidget(m_unit);
    row->addWidget(new QLabel(tr("seed"), this));
    row->addWidget(m_seed);
    row->addWidget(m_run);
    row->addWidget(m_progress);
    connect(m_kernel, &QComboBox::activated, this, &TuningForm::kernelChosen);
    connect(m_unit, &QComboBox::currentIndexChanged, this, &TuningForm::updateUnit);
    connect(m_run, &QPushButton::clicked, this, [this] { m_isRunning ? emit stopWanted() : emit startWanted(); });
    m_timer.setInterval(kTick);
    connect(&m_timer, &QTimer::timeout, this, &TuningForm::updateProgress);
    updateUnit();
    setKernels({});
    setRunning(false);
}

void TuningForm::addWidget(QWidget *widget)
{
    layout()->addWidget(widget);
}

void TuningForm::setKernels(const std::vector<std::string> &names)
{
    const QString before = m_kernel->currentText();
    const QSignalBlocker blocker(m_kernel);
    m_kernel->clear();
    m_kernel->addItem(tr("all kernels"));
    for (const std::string &name : names)
        m_kernel->addItem(QString::fromStdString(name));
    const int same = m_kernel->findText(before);
    // One kernel is all there are.
    m_kernel->setCurrentIndex(same > 0 ? same : names.size() == 1 ? 1 : 0);
}

bool TuningForm::hasKernels() const
{
    return m_kernel->count() > 1;
}

void TuningForm::chooseKernel(std::optional<std::uint32_t> kernel)
{
    const int row = kernel ? static_cast<int>(*kernel) + 1 : 0;
    if (row < m_kernel->count())
        m_kernel->setCurrentIndex(row);
}

std::optional<std::uint32_t> TuningForm::kernel() const
{
    const int row = m_kernel->currentIndex();
    return row > 0 ? std::optional(static_cast<std::uint32_t>(row - 1)) : std::nullopt;
}

sw::TunePlan TuningForm::plan() const
{
    sw::TunePlan plan;
    if (kernel())
        plan.kernel = m_kernel->currentText().toStdString();
    plan.seed = static_cast<std::uint64_t>(m_seed->value());
    plan.budget = {};
    if (m_unit->currentIndex() == Seconds)
        plan.budget = std::chrono::seconds(m_amount->value());
    else
        plan.candidates = static_cast<std::size_t>(m_amount->value());
    return plan;
}

void TuningForm::updateUnit()
{
    const bool isTime = m_unit->currentIndex() == Seconds;
    m_amount->setRange(1, isTime ? kMostSeconds : kMostCandidates);
    m_amount->setValue(isTime ? kUsualSeconds : kUsualCandidates);
}

void TuningForm::setStartable(bool isStartable)
{
    m_run->setEnabled(isStartable || m_isRunning);
}

void TuningForm::setRunning(bool isRunning)
{
    if (isRunning && !m_isRunning) {
        m_candidates = 0;
        m_elapsed.start();
        m_timer.start();
    } else if (!isRunning) {
        m_timer.stop();
    }
    m_isRunning = isRunning;
    m_run->setText(isRunning ? tr("Stop") : tr("Start"));
    for (QWidget *input : {static_cast<QWidget *>(m_kernel), static_cast<QWidget *>(m_amount), static_cast<QWidget *>(m_unit),
                           static_cast<QWidget *>(m_seed)})
        input->setEnabled(!isRunning);
    m_progress->setVisible(isRunning);
    updateProgress();
}

void TuningForm::setCandidates(std::size_t candidates)
{
    m_candidates = candidates;
    updateProgress();
}

void TuningForm::updateProgress()
{
    if (!m_isRunning)
        return;
    const bool isTime = m_unit->currentIndex() == Seconds;
    const double done = isTime ? static_cast<double>(m_elapsed.elapsed()) / 1000 : static_cast<double>(m_candidates);
    m_progress->setValue(static_cast<int>(kProgressSteps * std::min(1.0, done / m_amount->value())));
}

} // namespace stepwell::ui
