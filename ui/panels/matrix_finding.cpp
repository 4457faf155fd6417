#include "ui/panels/matrix_finding.h"

#include <QApplication>
#include <QFileDialog>
#include <QGridLayout>
#include <QLabel>
#include <QPointer>
#include <QPushButton>

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

QString link(const QString &target, const std::string &text)
{
    return QStringLiteral("<a href=\"%1\">%2</a>").arg(target, QString::fromStdString(text).toHtmlEscaped());
}

bool hasDifference(const sw::MatrixColumnResult &column)
{
    const auto isDifferent = [](const sw::MatrixVerdict &verdict) { return verdict.conformance == sw::Conformance::Different; };
    return std::ranges::any_of(column.kernels, [&](const auto &kernel) { return isDifferent(kernel.verdict); }) ||
           std::ranges::any_of(column.outputs,
                               [&](const auto &made) { return isDifferent(made.byReference) || isDifferent(made.byFirst); });
}

} // namespace

MatrixFinding::MatrixFinding(const PanelContext &context, QWidget *parent)
    : QWidget(parent),
      m_context(context),
      m_told(new QLabel(this)),
      m_minimalTold(new QLabel(this)),
      m_search(new QPushButton(tr("First divergence"), this)),
      m_minimal(new QPushButton(tr("Make a minimal program"), this))
{
    m_told->setObjectName(QStringLiteral("matrixFound"));
    m_told->setWordWrap(true);
    m_told->setAccessibleName(tr("What was found"));
    m_told->setTextFormat(Qt::RichText);
    m_told->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_search->setObjectName(QStringLiteral("matrixSearch"));
    m_search->setToolTip(
        tr("Finds the first kernel of this column with a value that the reference does not allow, and the pass and "
           "rewrite that made it so"));
    m_minimalTold->setObjectName(QStringLiteral("matrixMinimalTold"));
    m_minimalTold->setAccessibleName(tr("The minimal program"));
    m_minimalTold->setWordWrap(true);
    m_minimalTold->setTextFormat(Qt::RichText);
    m_minimalTold->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_minimal->setObjectName(QStringLiteral("matrixMinimal"));
    m_minimal->setToolTip(tr("Makes the smallest program that still differs from the reference on this column, or fails"));
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(8, 2, 8, 4);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(0, 1);
    grid->addWidget(m_told, 0, 0);
    grid->addWidget(m_search, 0, 1);
    grid->addWidget(m_minimalTold, 1, 0);
    grid->addWidget(m_minimal, 1, 1);
    connect(m_minimal, &QPushButton::clicked, this, &MatrixFinding::chooseMinimal);
    connect(m_minimalTold, &QLabel::linkActivated, this, [this] { emit m_context.requests.fileWanted(m_file); });
    connect(m_search, &QPushButton::clicked, this, &MatrixFinding::search);
    connect(m_told, &QLabel::linkActivated, this, &MatrixFinding::follow);
    connect(&context.session, &Session::compileFinished, this, [this](bool succeeded) {
        if (auto action = std::exchange(m_pending, nullptr); action && succeeded)
            action();
        updateState();
    });
    connect(&context.session, &Session::activityChanged, this, &MatrixFinding::updateState);
    updateState();
}

void MatrixFinding::setMatrix(const sw::Matrix &matrix, const sw::ComparedProgram &program, std::uint64_t madeBy)
{
    m_matrix = matrix;
    m_program = program;
    if (madeBy != m_madeBy || matrix.columns.empty()) {
        m_told->clear();
        m_minimalTold->clear();
    }
    m_madeBy = madeBy;
    if (m_column >= static_cast<int>(matrix.columns.size()))
        m_column = -1;
    updateState();
}

void MatrixFinding::setColumn(int column)
{
    m_column = column;
    updateState();
}

bool MatrixFinding::isSettled() const
{
    return !m_context.session.isAsking(RequestTag::Divergence) && !m_context.session.isAsking(RequestTag::Minimal) && !m_pending;
}

void MatrixFinding::updateState()
{
    const bool isAsking = m_context.session.isAsking(RequestTag::Divergence);
    const bool isReducing = m_context.session.isAsking(RequestTag::Minimal);
    // It is said once.
    if (m_context.session.isDropped(RequestTag::Divergence)) {
        m_context.session.cancel(RequestTag::Divergence);
        m_told->setText(tr("The search was stopped by a newer compilation."));
    }
    m_search->setText(isAsking ? tr("Stop") : tr("First divergence"));
    if (m_context.session.isDropped(RequestTag::Minimal)) {
        m_context.session.cancel(RequestTag::Minimal);
        m_minimalTold->setText(tr("Stopped by a newer compilation."));
    }
    m_minimal->setText(isReducing ? tr("Stop") : tr("Make a minimal program"));
    setVisible(!m_matrix.columns.empty());
}

void MatrixFinding::search()
{
    if (m_context.session.isAsking(RequestTag::Divergence)) {
        m_context.session.cancel(RequestTag::Divergence);
        m_told->setText(tr("The search was stopped."));
        updateState();
        return;
    }
    m_searched = wanted();
    m_told->setText(tr("Searching %1\u2026").arg(QString::fromStdString(sw::titleOf(m_searched)).toHtmlEscaped()));
    m_context.session.ask(
        RequestTag::Divergence, this,
        [compared = m_program, wanted = m_searched](EngineService &service, const std::stop_token &stop) {
            sw::DivergenceOptions options;
            options.stop = stop;
            return service.comparer() == nullptr ? sw::DivergenceAnswer()
                                                 : service.comparer()->divergence(compared, wanted, options);
        },
        [this](const sw::DivergenceAnswer &found) { answer(found); });
    updateState();
}

sw::MatrixColumn MatrixFinding::wanted() const
{
    if (m_column >= 0)
        return m_matrix.columns[static_cast<std::size_t>(m_column)].column;
    const auto first = std::ranges::find_if(m_matrix.columns, hasDifference);
    return (first == m_matrix.columns.end() ? m_matrix.columns.front() : *first).column;
}

void MatrixFinding::chooseMinimal()
{
    if (m_context.session.isAsking(RequestTag::Minimal)) {
        m_context.session.cancel(RequestTag::Minimal);
        m_minimalTold->setText(tr("Stopped."));
        updateState();
        return;
    }
    const QString path = QFileDialog::getSaveFileName(this, tr("Save the minimal program"), QStringLiteral("minimal.sw"),
                                                      tr("Programs (*.sw)"), nullptr, QFileDialog::DontUseNativeDialog);
    if (!path.isEmpty())
        makeMinimal(path);
}

void MatrixFinding::makeMinimal(const QString &path)
{
    m_minimalTold->setText(tr("Trying smaller programs\u2026"));
    const auto told = [to = QPointer(this)](std::uint64_t tried, std::uint64_t nodes) {
        QMetaObject::invokeMethod(qApp, [to, tried, nodes] {
            if (to && to->m_context.session.isAsking(RequestTag::Minimal))
                to->m_minimalTold->setText(tr("%1 programs tried; %2 operations are left\u2026").arg(tried).arg(nodes));
        });
    };
    m_context.session.ask(
        RequestTag::Minimal, this,
        [compared = m_program, column = wanted(), path = path.toStdString(), told](EngineService &service,
                                                                                   const std::stop_token &stop) {
            return service.comparer() == nullptr ? sw::MinimalProgram()
                                                 : service.comparer()->minimalProgram(compared, column, path, stop, told);
        },
        [this](const sw::MinimalProgram &made) {
            m_file = QString::fromStdString(made.file);
            m_minimalTold->setText(made.error.empty() ? tr("%1. %2").arg(QString::fromStdString(made.summary).toHtmlEscaped(),
                                                                         link(QStringLiteral("open"), made.file))
                                                      : QString::fromStdString(made.error).toHtmlEscaped());
            updateState();
        });
    updateState();
}

void MatrixFinding::answer(const sw::DivergenceAnswer &found)
{
    m_found = found.found;
    m_told->setText(found.error.empty() ? sentence(found.found) : QString::fromStdString(found.error).toHtmlEscaped());
    updateState();
}

QString MatrixFinding::sentence(const sw::FirstDivergence &found) const
{
    QString text;
    if (found.result) {
        const sw::DivergentResult &result = *found.result;
        text = tr("%1 on %2: %3 is %4 instead of %5 at [%6], %7 allowed. The kernels before it are right. ")
                   .arg(link(QStringLiteral("kernel"), result.kernelName), QString::fromStdString(result.device).toHtmlEscaped(),
                        link(QStringLiteral("node"), sw::format("%{} {}", result.node, result.label)),
                        QString::fromStdString(result.actual).toHtmlEscaped(),
                        QString::fromStdString(result.expected).toHtmlEscaped(), link(QStringLiteral("value"), result.place))
                   .arg(result.bound, 0, 'g', 3);
    } else {
        text = tr("%1 kernels on %2, all values within their error bounds. ")
                   .arg(found.kernelsJudged)
                   .arg(QString::fromStdString(sw::titleOf(m_searched)).toHtmlEscaped());
    }
    if (found.pass && found.pass->rewrite)
        text += tr("Made so by %1: %2. %3")
                    .arg(link(QStringLiteral("pass"), sw::format("{}, rewrite {}", found.pass->passId, *found.pass->rewrite)),
                         QString::fromStdString(found.pass->rule + ": " + found.pass->detail).toHtmlEscaped(),
                         QString::fromStdString(found.pass->difference).toHtmlEscaped());
    else if (found.pass)
        text += tr("Made so by %1. %2")
                    .arg(link(QStringLiteral("pass"), found.pass->passId),
                         QString::fromStdString(found.pass->difference).toHtmlEscaped());
    else if (!found.passNote.empty())
        text += tr("The passes were not judged: %1").arg(QString::fromStdString(found.passNote).toHtmlEscaped());
    else if (found.result)
        text += tr("Every pass keeps the meaning of the program: the device makes something else of right instructions.");
    return text;
}

// The numbers of nodes, kernels and passes are those of the searched column's compilation.
void MatrixFinding::withColumn(std::function<void()> action)
{
    const sw::ExploreRequest shown = m_context.session.request();
    if (m_searched.device == shown.device && static_cast<const sw::CompileSwitches &>(m_searched) == shown) {
        action();
        return;
    }
    m_pending = std::move(action);
    m_context.session.setSwitches(m_searched);
    m_context.session.setDevice(QString::fromStdString(m_searched.device));
}

void MatrixFinding::selectNode(std::uint32_t node)
{
    const SnapshotPtr &snapshot = m_context.session.snapshot();
    const sw::StageDocumentPtr graph = snapshot ? snapshot->stage(sw::StageKind::Graph).document : nullptr;
    if (!graph)
        return;
    const auto item = std::ranges::find(graph->items, node, &sw::DocumentItem::node);
    if (item != graph->items.end())
        m_context.selection.select(sw::StageKind::Graph, {static_cast<sw::ItemIndex>(item - graph->items.begin())});
}

void MatrixFinding::selectKernel(std::uint32_t kernel)
{
    const SnapshotPtr &snapshot = m_context.session.snapshot();
    const sw::StageDocumentPtr schedule = snapshot ? snapshot->stage(sw::StageKind::Schedule).document : nullptr;
    if (schedule && kernel < schedule->items.size()) // kernels come first
        m_context.selection.select(sw::StageKind::Schedule, {kernel});
}

void MatrixFinding::follow(const QString &target)
{
    withColumn([this, target] {
        if (target == QLatin1String("pass") && m_found.pass) {
            m_context.moment.goTo({m_found.pass->pass, m_found.pass->rewrite.value_or(sw::kNoIndex)});
            return;
        }
        if (!m_found.result)
            return;
        m_context.moment.goToEnd();
        if (target == QLatin1String("kernel"))
            selectKernel(m_found.result->kernel);
        else
            selectNode(m_found.result->node);
        if (target == QLatin1String("value"))
            emit m_context.requests.panelWanted(QStringLiteral("values"));
    });
}

} // namespace stepwell::ui
