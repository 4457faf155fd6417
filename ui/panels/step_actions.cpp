#include "ui/panels/step_actions.h"

#include <QAction>
#include <QBoxLayout>
#include <QMenu>
#include <QToolButton>

namespace stepwell::ui {

namespace {

using Do = void (*)(Debugger &debugger, const StepActions::Choices &choices, sw::TraceDirection direction);

void runToCursor(Debugger &debugger, const StepActions::Choices &choices, sw::TraceDirection direction)
{
    if (const std::uint32_t line = choices.cursorLine(); line != 0)
        debugger.runTo(direction, "line:" + std::to_string(line), StepActions::tr("Line %1").arg(line));
}

void runToWrite(Debugger &debugger, const StepActions::Choices &choices, sw::TraceDirection direction)
{
    if (const QString value = choices.value(); !value.isEmpty())
        debugger.runTo(direction, "value:" + value.toStdString(), StepActions::tr("A write of %%1").arg(value));
}

void toEdge(Debugger &debugger, const StepActions::Choices &, sw::TraceDirection direction)
{
    if (direction == sw::TraceDirection::Forward)
        debugger.goToEnd();
    else
        debugger.goTo(0);
}

struct Oddity {
    const char *condition;
    const char *text; // in English
};
constexpr Oddity kOddities[] = {
    {"nan", QT_TRANSLATE_NOOP("stepwell::ui::StepActions", "Stop runs at NaN")},
    {"inf", QT_TRANSLATE_NOOP("stepwell::ui::StepActions", "Stop runs at infinities")},
    {"fault", QT_TRANSLATE_NOOP("stepwell::ui::StepActions", "Stop runs at indices out of range")},
    {"difference", QT_TRANSLATE_NOOP("stepwell::ui::StepActions", "Stop runs at differences from the reference")},
};

enum class Where : unsigned char { Buttons, Menu };

} // namespace

struct StepActions::Row {
    const char *id;
    const char *forward;  // in English
    const char *backward; // likewise
    const char *icon;     // of "NAME" and "NAME-back"; null: none
    int key;              // 0: none that works outside of the panel
    int letter;           // 0: none
    Where where;
    Do run;
};

const std::vector<StepActions::Row> &StepActions::rows()
{
    static constexpr int kControl = static_cast<int>(Qt::CTRL);
    static const std::vector<Row> rows{
        {"step", QT_TR_NOOP("Step"), QT_TR_NOOP("Step back"), "step", Qt::Key_F11, 0, Where::Buttons,
         [](Debugger &debugger, const Choices &, sw::TraceDirection direction) { debugger.step(direction); }},
        {"over", QT_TR_NOOP("Step over a loop"), QT_TR_NOOP("Step back over a loop"), "step-over", Qt::Key_F10, 0, Where::Buttons,
         [](Debugger &debugger, const Choices &, sw::TraceDirection direction) { debugger.stepOver(direction); }},
        {"out", QT_TR_NOOP("Step out of the loop"), QT_TR_NOOP("Step back out of the loop"), "step-out", kControl | Qt::Key_F11,
         0, Where::Buttons,
         [](Debugger &debugger, const Choices &, sw::TraceDirection direction) { debugger.stepOut(direction); }},
        {"run", QT_TR_NOOP("Run to the next stop (F5)"), QT_TR_NOOP("Run back to the last stop (Shift+F5)"), "step-run", 0, 0,
         Where::Buttons, [](Debugger &debugger, const Choices &, sw::TraceDirection direction) { debugger.run(direction); }},
        {"edge", QT_TR_NOOP("To the end"), QT_TR_NOOP("To the beginning"), "step-end", 0, Qt::Key_E, Where::Buttons, toEdge},
        {"cursor", QT_TR_NOOP("Run to the cursor"), QT_TR_NOOP("Run back to the cursor"), nullptr, kControl | Qt::Key_F10, 0,
         Where::Menu, runToCursor},
        {"load", QT_TR_NOOP("Next load"), QT_TR_NOOP("Last load"), nullptr, 0, Qt::Key_L, Where::Menu,
         [](Debugger &debugger, const Choices &, sw::TraceDirection direction) {
             debugger.runTo(direction, "load", tr("A load"));
         }},
        {"store", QT_TR_NOOP("Next store"), QT_TR_NOOP("Last store"), nullptr, 0, Qt::Key_S, Where::Menu,
         [](Debugger &debugger, const Choices &, sw::TraceDirection direction) {
             debugger.runTo(direction, "store", tr("A store"));
         }},
        {"write", QT_TR_NOOP("Next write of the chosen value"), QT_TR_NOOP("Last write of the chosen value"), nullptr, 0,
         Qt::Key_W, Where::Menu, runToWrite},
        {"nan", QT_TR_NOOP("Next NaN"), QT_TR_NOOP("Last NaN"), nullptr, 0, Qt::Key_N, Where::Menu,
         [](Debugger &debugger, const Choices &, sw::TraceDirection direction) { debugger.runTo(direction, "nan", tr("NaN")); }},
        {"infinity", QT_TR_NOOP("Next infinity"), QT_TR_NOOP("Last infinity"), nullptr, 0, Qt::Key_I, Where::Menu,

         [](Debugger &debugger, const Choices &, sw::TraceDirection direction) {
             debugger.runTo(direction, "inf", tr("An infinity"));
         }},
        {"fault", QT_TR_NOOP("Next index out of range"), QT_TR_NOOP("Last index out of range"), nullptr, 0, Qt::Key_X,
         Where::Menu,

         [](Debugger &debugger, const Choices &, sw::TraceDirection direction) {
             debugger.runTo(direction, "fault", tr("An index out of range"));
         }},
        {"difference", QT_TR_NOOP("Next difference from the reference"), QT_TR_NOOP("Last difference from the reference"),
         nullptr, 0, Qt::Key_D, Where::Menu,

         [](Debugger &debugger, const Choices &, sw::TraceDirection direction) { debugger.runToDifference(direction); }},
    };
    return rows;
}

StepActions::StepActions(const Appearance &appearance, Debugger &debugger, Choices choices, QWidget *widget)
    : QObject(widget),
      m_appearance(appearance),
      m_debugger(debugger),
      m_choices(std::move(choices)),
      m_widget(widget),
      m_menu(new QMenu(widget)),
      m_menuButton(new QToolButton(widget)),
      m_stop(new QToolButton(widget))
{
    connect(&appearance, &Appearance::changed, this, &StepActions::setIcons);
    connect(&debugger, &Debugger::busyChanged, this, &StepActions::update);
    connect(&debugger, &Debugger::opened, this, &StepActions::update);
    m_menuButton->setObjectName(QStringLiteral("stepRunTo"));
    m_menuButton->setText(tr("Run to"));
    m_menuButton->setMenu(m_menu);
    m_menuButton->setPopupMode(QToolButton::InstantPopup);
    m_menuButton->setAutoRaise(true);
    m_stop->setObjectName(QStringLiteral("stepStop"));
    m_stop->setText(tr("Stop the search"));
    m_stop->setToolButtonStyle(Qt::ToolButtonIconOnly);
    m_stop->setToolTip(tr("Stop the search; the run stays where it is"));
    m_stop->setAutoRaise(true);
    connect(m_stop, &QToolButton::clicked, &debugger, &Debugger::stop);
}

QAction *StepActions::makeAction(const Row &row, sw::TraceDirection direction)
{
    const bool isForward = direction == sw::TraceDirection::Forward;
    auto *action = new QAction(tr(isForward ? row.forward : row.backward), m_widget);
    action->setObjectName(QStringLiteral("trace.") + QLatin1String(row.id) + (isForward ? QString() : QStringLiteral("Back")));
    const int shift = isForward ? 0 : static_cast<int>(Qt::SHIFT);
    if (row.key != 0) {
        action->setShortcut(QKeySequence(row.key | shift));
    } else if (row.letter != 0) {
        action->setShortcut(QKeySequence(row.letter | shift));
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    }
    if (!action->shortcut().isEmpty())
        action->setToolTip(QStringLiteral("%1 (%2)").arg(action->text(), action->shortcut().toString(QKeySequence::NativeText)));
    if (row.icon)
        m_icons.emplace_back(action, QLatin1String(row.icon) + (isForward ? QString() : QStringLiteral("-back")));
    connect(action, &QAction::triggered, this, [this, run = row.run, direction] { run(m_debugger, m_choices, direction); });
    m_widget->addAction(action);
    m_all.push_back(action);
    return action;
}

void StepActions::addButtons(QBoxLayout &row)
{
    std::vector<QAction *> back;
    std::vector<QAction *> forward;
    for (const Row &one : rows()) {
        if (one.where != Where::Buttons)
            continue;
        forward.push_back(makeAction(one, sw::TraceDirection::Forward));
        back.insert(back.begin(), makeAction(one, sw::TraceDirection::Backward));
    }
    back.insert(back.end(), forward.begin(), forward.end());
    for (QAction *action : back) {
        auto *button = new QToolButton(m_widget);
        button->setDefaultAction(action);
        button->setToolButtonStyle(Qt::ToolButtonIconOnly);
        button->setAutoRaise(true);
        button->setObjectName(QStringLiteral("button.") + action->objectName());
        row.addWidget(button);
    }
    makeMenu();
    row.addWidget(m_menuButton);
    row.addWidget(m_stop);
    setIcons();
    update();
}

void StepActions::makeMenu()
{
    auto *back = new QMenu(tr("Backward"), m_menu);
    for (const Row &one : rows()) {
        if (one.where != Where::Menu)
            continue;
        m_menu->addAction(makeAction(one, sw::TraceDirection::Forward));
        back->addAction(makeAction(one, sw::TraceDirection::Backward));
    }
    m_menu->addMenu(back);
    m_menu->addSeparator();
    for (const auto &[condition, text] : kOddities) {
        QAction *action = m_menu->addAction(tr(text));
        action->setObjectName(QStringLiteral("trace.stopsAt.") + QLatin1String(condition));
        action->setCheckable(true);
        connect(action, &QAction::toggled, this,
                [this, name = std::string(condition)](bool isOn) { m_debugger.setStopsAt(name, isOn); });
    }
}

void StepActions::setIcons()
{
    for (const auto &[action, icon] : m_icons)
        action->setIcon(m_appearance.icon(icon));
    m_stop->setIcon(m_appearance.icon(QStringLiteral("stop")));
}

void StepActions::update()
{
    const bool isOpen = m_debugger.state() == TraceState::Open || m_debugger.state() == TraceState::Opening;
    for (QAction *action : m_all)
        action->setEnabled(isOpen);
    m_menuButton->setEnabled(isOpen);
    m_stop->setEnabled(m_debugger.isBusy() && m_debugger.state() == TraceState::Open);
}

bool StepActions::isRunKey(int key, Qt::KeyboardModifiers modifiers)
{
    return key == Qt::Key_F5 && (modifiers == Qt::NoModifier || modifiers == Qt::ShiftModifier);
}

void StepActions::run(Qt::KeyboardModifiers modifiers)
{
    m_debugger.run(modifiers == Qt::ShiftModifier ? sw::TraceDirection::Backward : sw::TraceDirection::Forward);
}

} // namespace stepwell::ui
