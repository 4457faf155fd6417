#include "ui/panels/machine_column.h"

#include "ui/panels/cut_text.h"

#include <QBoxLayout>
#include <QScrollBar>
#include <QToolButton>

namespace stepwell::ui {

namespace {

constexpr int kLeastWidth = 330; // of an instruction, with its margin

} // namespace

MachineColumn::MachineColumn(const PanelContext &context, const sw::TargetEntry &target, QWidget *parent)
    : QWidget(parent),
      m_target(QString::fromStdString(target.name)),
      m_selection(context.selection, context.moment),
      m_view(new TextView(sw::StageKind::Machine, context.appearance, m_selection.own(), this)),
      m_code(new MachineText(context.appearance, *m_view, this)),
      m_told(new CutLabel(this)),
      m_work(new QToolButton(this))
{
    setObjectName(QStringLiteral("machineColumn-") + m_target);
    setMinimumWidth(kLeastWidth);
    m_view->setObjectName(QStringLiteral("machineView-") + m_target);
    m_view->setAccessibleName(tr("Machine code for %1").arg(m_target));
    auto *name = new QLabel(QStringLiteral("<b>%1</b>").arg(m_target.toHtmlEscaped()), this);
    name->setToolTip(QString::fromStdString(target.doc));
    m_told->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_told->setObjectName(QStringLiteral("machineTold-") + m_target);
    m_work->setObjectName(QStringLiteral("machineWork-") + m_target);
    m_work->setAutoRaise(true);
    m_work->hide();
    auto *close = new QToolButton(this);
    close->setObjectName(QStringLiteral("machineClose-") + m_target);
    close->setAutoRaise(true);
    close->setText(QStringLiteral("\u00d7"));
    close->setToolTip(tr("Remove this processor"));
    close->setAccessibleName(close->toolTip());
    auto *strip = new QHBoxLayout;
    strip->setContentsMargins(6, 2, 6, 2);
    strip->setSpacing(6);
    strip->addWidget(name);
    strip->addWidget(m_told, 1);
    strip->addWidget(m_work);
    strip->addWidget(close);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(strip);
    column->addWidget(m_view, 1);
    setFocusProxy(m_view);

    connect(close, &QToolButton::clicked, this, &MachineColumn::closeWanted);
    connect(m_work, &QToolButton::clicked, this, [this] {
        if (m_does == Work::Stop)
            emit stopWanted();
        else
            emit codeWanted();
    });
    connect(m_code, &MachineText::factsChanged, this, [this](const std::map<int, RunSigns::Note> &facts) {
        RunSigns signs;
        signs.notes = facts;
        m_view->setRun(std::move(signs));
    });
    connect(m_code, &MachineText::lineChosen, this, &MachineColumn::updateTold);
    connect(&m_selection.own(), &Selection::selectionChanged, this, [this] {
        if (const auto &lines = m_selection.own().selected(sw::StageKind::Machine).firstLines(); !lines.empty())
            m_code->reveal(lines.front());
        updateTold();
    });
    connect(m_view->verticalScrollBar(), &QScrollBar::valueChanged, this, &MachineColumn::updateTold);
}

void MachineColumn::clear(const QString &hint, Work work)
{
    m_document = nullptr;
    m_selection.setCode(nullptr, nullptr, nullptr);
    m_hint = hint;
    m_view->setHint(hint);
    m_view->setRun({});
    m_view->setRows({}, {});
    m_code->readDocument();
    m_told->clear();
    m_does = work;
    m_work->setVisible(work != Work::None);
    m_work->setText(work == Work::Stop ? tr("Stop") : tr("Make it"));
}

void MachineColumn::showCode(const SnapshotPtr &end, const MadeCode &made)
{
    if (!made.code.document) {
        clear(QString::fromStdString(made.code.error), Work::None);
        return;
    }
    m_does = Work::None;
    m_hint.clear();
    m_work->hide();
    if (made.code.document != m_document) {
        m_document = made.code.document;
        m_view->setRows(TextRows(m_document), {}); // of one kernel, so that none needs to be told apart
        m_selection.setCode(end, m_document, made.partners);
        m_code->readDocument();
    }
    updateTold();
}

void MachineColumn::showWaiting(const QString &kernel)
{
    clear(tr("Compiling %1 for %2").arg(kernel, m_target), Work::Stop);
}

void MachineColumn::showStopped()
{
    clear(tr("Stopped."), Work::Make);
}

void MachineColumn::showHint(const QString &hint)
{
    clear(hint, Work::None);
}

void MachineColumn::updateTold()
{
    m_told->setText(m_code->summary());
}

} // namespace stepwell::ui
