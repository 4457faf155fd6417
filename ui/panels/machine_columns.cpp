#include "ui/panels/machine_columns.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QSplitter>

#include <algorithm>

namespace stepwell::ui {

MachineColumns::MachineColumns(const PanelContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_splitter(new QSplitter(this))
{
    setObjectName(QStringLiteral("machineColumns"));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    m_splitter->setHandleWidth(3);
    m_splitter->setChildrenCollapsible(false);
    row->addWidget(m_splitter);
    connect(&context.targets, &TargetChoice::changed, this, &MachineColumns::rebuild);
    // One that begins drops what was asked about the one before, which stays if it is stopped.
    connect(&context.session, &Session::compileFinished, this, [this] {
        m_asked.reset();
        fill();
    });
    rebuild();
}

void MachineColumns::rebuild()
{
    const QStringList &chosen = m_context.targets.targets();
    std::vector<MachineColumn *> columns;
    for (const sw::TargetEntry &entry : sw::targetEntries()) {
        const QString name = QString::fromStdString(entry.name);
        const auto old = std::ranges::find(m_columns, name, &MachineColumn::target);
        if (!chosen.contains(name)) {
            if (old != m_columns.end())
                (*old)->deleteLater();
            continue;
        }
        if (old != m_columns.end()) {
            columns.push_back(*old);
            continue;
        }
        auto *column = new MachineColumn(m_context, entry, m_splitter);
        column->code().showBytes(m_showsBytes);
        connect(column, &MachineColumn::closeWanted, this, [this, name] { m_context.targets.setChosen(name, false); });
        connect(column, &MachineColumn::stopWanted, this, &MachineColumns::stop);
        connect(column, &MachineColumn::codeWanted, this, [this] {
            m_isStopped = false;
            fill();
        });
        columns.push_back(column);
    }
    for (MachineColumn *old : m_columns)
        if (std::ranges::find(columns, old) == columns.end())
            old->hide(); // until it is deleted
    m_columns = std::move(columns);
    for (std::size_t i = 0; i < m_columns.size(); ++i)
        m_splitter->insertWidget(static_cast<int>(i), m_columns[i]);
    setVisible(!m_columns.empty());
    m_isStopped = false;
    fill();
}

void MachineColumns::setSnapshot(const SnapshotPtr &end)
{
    m_snapshot = end;
    const std::uint64_t compilation = end ? end->stage(sw::StageKind::Machine).compilation : 0;
    if (compilation != m_madeOf) {
        m_madeOf = compilation;
        m_made.clear();
        m_asked.reset();
        m_isStopped = false;
    }
    fill();
}

void MachineColumns::setKernel(std::uint32_t kernel)
{
    if (kernel == m_kernel)
        return;
    m_kernel = kernel;
    m_isStopped = false;
    fill();
}

void MachineColumns::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    fill();
}

bool MachineColumns::isReady() const
{
    return m_snapshot && m_snapshot->isFinal && m_context.session.activity() != Activity::Compiling &&
           m_snapshot->stage(sw::StageKind::Machine).compilation == m_snapshot->compilation;
}

QString MachineColumns::obstacle() const
{
    if (!m_snapshot || !m_snapshot->stage(sw::StageKind::Machine).document)
        return m_snapshot && m_snapshot->isFinal ? tr("There is no machine code to compare with.") : tr("Compiling");
    if (m_context.session.isKept())
        return tr(
            "The session shows what was kept in it. Code for other processors is made from a program that is compiled here.");
    return {};
}

void MachineColumns::fill()
{
    const QString why = obstacle();
    const QString kernel = m_snapshot && m_kernel < m_snapshot->report->kernels.size()
                               ? QString::fromStdString(m_snapshot->report->kernels[m_kernel].name)
                               : QString();
    for (MachineColumn *column : m_columns) {
        if (const auto made = m_made.find({m_kernel, column->target()}); made != m_made.end())
            column->showCode(m_snapshot, made->second);
        else if (!why.isEmpty())
            column->showHint(why);
        else if (m_isStopped)
            column->showStopped();
        else
            column->showWaiting(kernel);
    }
    request();
}

// One target after the other, so that each column fills as soon as it can and a stop comes soon.
void MachineColumns::request()
{
    if (!isVisible() || m_isStopped || !isReady() || !obstacle().isEmpty())
        return;
    const auto isMissing = [&](MachineColumn *column) { return !m_made.contains({m_kernel, column->target()}); };
    const auto next = std::ranges::find_if(m_columns, isMissing);
    if (next == m_columns.end())
        return;
    const Key wanted{m_kernel, (*next)->target()};
    if (m_asked == wanted && m_context.session.isAsking(RequestTag::TargetCode))
        return;
    m_asked = wanted;
    m_context.session.ask(
        RequestTag::TargetCode, this,
        [kernel = wanted.first, target = wanted.second.toStdString()](EngineService &engine, const std::stop_token &) {
            MadeCode made{engine.targetCode(kernel, target), nullptr};
            if (made.code.document)
                made.partners = std::make_shared<const PartnerIndex>(*made.code.document);
            return made;
        },
        [this, wanted](MadeCode made) {
            m_asked.reset();
            m_made[wanted] = std::move(made);
            fill();
        });
}

void MachineColumns::stop()
{
    m_context.session.cancel(RequestTag::TargetCode);
    m_asked.reset();
    m_isStopped = true;
    fill();
}

bool MachineColumns::isSettled() const
{
    return !isVisible() || !m_context.session.isAsking(RequestTag::TargetCode);
}

void MachineColumns::fillMenu(QMenu &menu) const
{
    menu.clear();
    menu.setToolTipsVisible(true);
    for (const sw::TargetEntry &entry : sw::targetEntries()) {
        const QString name = QString::fromStdString(entry.name);
        QAction *action = menu.addAction(QStringLiteral("%1\t%2").arg(name, QString::fromStdString(entry.doc)));
        action->setData(name);
        action->setCheckable(true);
        action->setChecked(m_context.targets.targets().contains(name));
        connect(action, &QAction::toggled, this, [this, name](bool isChosen) { m_context.targets.setChosen(name, isChosen); });
    }
    menu.addSeparator();
    QAction *none = menu.addAction(tr("Only this machine"), this, [this] { m_context.targets.clear(); });
    none->setEnabled(!m_columns.empty());
}

void MachineColumns::showBytes(bool isShown)
{
    m_showsBytes = isShown;
    for (MachineColumn *column : m_columns)
        column->code().showBytes(isShown);
}

void MachineColumns::setAllFolded(bool isFolded)
{
    for (MachineColumn *column : m_columns)
        column->code().setAllFolded(isFolded);
}

} // namespace stepwell::ui
