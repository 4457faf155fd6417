#include "ui/compare_bar.h"

#include "ui/models/stage_name.h"
#include "ui/panels/cut_text.h"
#include "ui/panels/difference_hint.h"
#include "ui/panels/flow_layout.h"
#include "ui/session/counted.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

namespace stepwell::ui {

namespace {

constexpr int kNameWidth = 250; // pixels, at most

} // namespace

CompareBar::CompareBar(const Appearance &appearance, Baseline &baseline, const CompareActions &actions, QMenu *list,
                       QWidget *parent)
    : QFrame(parent),
      m_appearance(appearance),
      m_baseline(baseline),
      m_name(new QToolButton(this)),
      m_told(new CutLabel(this)),
      m_first(new QFrame(this)),
      m_go(new QToolButton(m_first)),
      m_close(new QToolButton(m_first))
{
    setObjectName(QStringLiteral("compareBar"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(6, 3, 4, 3);
    column->setSpacing(3);
    auto *row = new QHBoxLayout;
    row->setSpacing(4);
    column->addLayout(row);

    m_name->setObjectName(QStringLiteral("baselineName"));
    m_name->setAccessibleName(tr("Baseline"));
    m_name->setMenu(list);
    m_name->setPopupMode(QToolButton::InstantPopup);
    m_name->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    row->addWidget(m_name);
    auto *choice = new QFrame(this);
    choice->setProperty("segments", true);
    auto *segments = new QHBoxLayout(choice);
    segments->setContentsMargins(1, 1, 1, 1);
    segments->setSpacing(0);
    for (QAction *action : actions.shown)
        segments->addWidget(addButton(action));
    row->addWidget(choice, 0, Qt::AlignVCenter);
    row->addWidget(addButton(actions.previous));
    row->addWidget(addButton(actions.next));
    auto *chips = new QWidget(this); // in a second row where the window is narrow
    auto *flow = new FlowLayout(0, 4, chips);
    for (const sw::StageKind stage : kStages) {
        auto *chip = new QToolButton(chips);
        chip->setProperty("chip", true);
        chip->setObjectName(QStringLiteral("compareStage%1").arg(indexOf(stage)));
        chip->setText(stageName(stage)); // with a sign and a number once there is a baseline
        chip->setFocusPolicy(Qt::TabFocus);
        connect(chip, &QToolButton::clicked, this, [this, stage] { emit stageWanted(stage); });
        m_stages[indexOf(stage)] = chip;
        flow->addWidget(chip);
    }
    row->addWidget(chips, 3);
    m_told->setObjectName(QStringLiteral("compareTold"));
    m_told->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(m_told, 1);
    actions.runBoth->setIconText(tr("Run both")); // what a button of the action says
    QToolButton *run = addButton(actions.runBoth);
    run->setObjectName(QStringLiteral("compareRunBoth"));
    run->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    row->addWidget(run);
    QToolButton *first = addButton(actions.first);
    first->setText(tr("First difference"));
    row->addWidget(first);
    row->addWidget(addButton(actions.none));

    m_first->setObjectName(QStringLiteral("firstDifference"));
    auto *firstRow = new QHBoxLayout(m_first);
    firstRow->setContentsMargins(6, 2, 2, 2);
    auto *texts = new QVBoxLayout;
    texts->setSpacing(0);
    for (CutLabel *&line : m_lines) {
        line = new CutLabel(m_first);
        line->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        texts->addWidget(line);
    }
    firstRow->addLayout(texts, 1);
    m_go->setObjectName(QStringLiteral("firstGo"));
    m_go->setText(tr("Go there"));
    m_go->setFocusPolicy(Qt::TabFocus);
    connect(m_go, &QToolButton::clicked, this, &CompareBar::firstWanted);
    firstRow->addWidget(m_go);
    m_close->setToolTip(tr("Close"));
    m_close->setAccessibleName(tr("Close"));
    m_close->setFocusPolicy(Qt::TabFocus);
    connect(m_close, &QToolButton::clicked, &baseline, &Baseline::forgetFirst);
    firstRow->addWidget(m_close);
    m_first->installEventFilter(this);
    column->addWidget(m_first);

    connect(&baseline, &Baseline::changed, this, &CompareBar::update);
    connect(&baseline, &Baseline::firstChanged, this, &CompareBar::updateFirst);
    connect(&baseline.differences(), &StageDifferences::changed, this, &CompareBar::updateStage);
    connect(&appearance, &Appearance::changed, this, &CompareBar::setIcons);
    setIcons();
    update();
    updateFirst();
}

QToolButton *CompareBar::addButton(QAction *action)
{
    auto *button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setFocusPolicy(Qt::TabFocus);
    button->setToolButtonStyle(action->icon().isNull() ? Qt::ToolButtonTextOnly : Qt::ToolButtonIconOnly);
    return button;
}

void CompareBar::setIcons()
{
    m_name->setIcon(m_appearance.icon(QStringLiteral("compare")));
    m_close->setIcon(m_appearance.icon(QStringLiteral("close")));
    QFont code = m_appearance.codeFont();
    for (CutLabel *line : {m_lines[1], m_lines[2]})
        line->setFont(code);
}

void CompareBar::update()
{
    const BaselineEntry *entry = m_baseline.current();
    setVisible(entry != nullptr);
    if (!entry)
        return;
    const QString name = tr("Against: %1").arg(entry->name);
    m_name->setText(fontMetrics().elidedText(name, Qt::ElideMiddle, kNameWidth) + QStringLiteral("  \u25be"));
    m_name->setToolTip(entry->changes.isEmpty() ? name : tr("%1: it changed %2").arg(name, entry->changes));
    m_name->setAccessibleName(name);
    const QString told = toldText();
    m_told->setText(told);
    m_told->setToolTip((QStringList(told) + m_baseline.times().notes).join(u'\n'));
    m_told->setVisible(!told.isEmpty());
    for (const sw::StageKind stage : kStages)
        updateStage(stage);
}

QString CompareBar::toldText() const
{
    if (m_baseline.isCompiling() || !m_baseline.before())
        return tr("compiling\u2026");
    if (const QString problem = m_baseline.problem(); !problem.isEmpty())
        return tr("stopped: %1").arg(problem);
    if (!m_baseline.times().error.isEmpty())
        return tr("the baseline did not run: %1").arg(m_baseline.times().error);
    return m_baseline.isMeasuredInTurn() ? m_baseline.times().difference : QString();
}

void CompareBar::updateStage(sw::StageKind stage)
{
    QToolButton &chip = *m_stages[indexOf(stage)];
    const StageDifferencePtr &difference = m_baseline.differences().difference(stage);
    QString sign;
    QString tip = differenceHint(m_baseline, stage);
    switch (m_baseline.differences().state(stage)) {
    case DifferenceState::None:
    case DifferenceState::NotBefore:
    case DifferenceState::NotNow:
        sign = QStringLiteral("\u2013");
        break;
    case DifferenceState::Pending:
        sign = QStringLiteral("\u2026");
        break;
    case DifferenceState::Unread:
        sign = QStringLiteral("?");
        tip = tr("Not read yet. A click reads the machine code of both.");
        break;
    case DifferenceState::Equal:
        sign = QStringLiteral("=");
        break;
    case DifferenceState::Different:
        sign = QStringLiteral("\u2260\u2009") + QLocale().toString(difference->count());
        tip = differenceNote(*difference);
        break;
    }
    chip.setText(stageName(stage) + u' ' + sign);
    chip.setToolTip(stageName(stage) + QStringLiteral(": ") + tip);
    chip.setProperty("different", m_baseline.differences().state(stage) == DifferenceState::Different);
    chip.style()->unpolish(&chip);
    chip.style()->polish(&chip);
}

void CompareBar::updateFirst()
{
    const FirstDifference &first = m_baseline.first();
    m_first->setVisible(!first.text.isEmpty());
    const QStringList lines = first.text.split(u'\n');
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        m_lines[i]->setText(lines.value(static_cast<qsizetype>(i)));
        m_lines[i]->setVisible(static_cast<qsizetype>(i) < lines.size());
    }
    m_go->setVisible(first.point.has_value());
    m_first->setCursor(first.point ? Qt::PointingHandCursor : Qt::ArrowCursor);
    m_first->setAccessibleName(first.text);
}

bool CompareBar::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_first && event->type() == QEvent::MouseButtonRelease && m_baseline.first().point)
        emit firstWanted();
    return QFrame::eventFilter(watched, event);
}

} // namespace stepwell::ui
