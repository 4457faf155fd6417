#include "ui/panels/life_panel.h"

#include "ui/models/life_model.h"
#include "ui/panels/cut_text.h"
#include "ui/panels/table.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace stepwell::ui {

namespace {

// Nothing: the end of the compilation.
std::optional<sw::MomentPlace> placeOf(const sw::LifeStep &step)
{
    return step.place.pass == sw::kNoIndex ? std::nullopt : std::optional(step.place);
}

} // namespace

LifePanel::LifePanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      m_model(new LifeModel(this)),
      m_table(new QTableView(this)),
      m_stack(tableWithHint(m_table, {}, this)),
      m_value(new CutLabel(this)),
      m_made(new QToolButton(this)),
      m_ended(new QToolButton(this))
{
    m_value->setObjectName(QStringLiteral("lifeValue"));
    m_value->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_made->setObjectName(QStringLiteral("lifeMade"));
    m_made->setAccessibleName(tr("To the rewrite that made the selected item"));
    m_ended->setAccessibleName(tr("To the rewrite that ends the selected item"));
    m_ended->setObjectName(QStringLiteral("lifeEnded"));
    m_table->setObjectName(QStringLiteral("lifeTable"));
    m_table->setAccessibleName(tr("Life of the selected value"));
    m_table->setModel(m_model);
    styleTable(*m_table);
    m_table->horizontalHeader()->setSectionResizeMode(LifeModel::Stage, QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(LifeModel::Title, QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(LifeModel::Text, QHeaderView::Stretch);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    auto *content = new QWidget(this);
    auto *lines = new QVBoxLayout(content);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(0);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(8, 3, 8, 3);
    head->addWidget(m_value, 1);
    for (QToolButton *button : {m_made, m_ended}) {
        button->setFocusPolicy(Qt::TabFocus);
        head->addWidget(button);
    }
    lines->addLayout(head);
    lines->addWidget(m_stack, 1);
    setContent(content);

    const auto activate = [this](const QModelIndex &index) { goTo(m_model->step(index.row())); };
    connect(m_table, &QTableView::clicked, this, activate);
    connect(m_table, &QTableView::activated, this, activate);
    connect(m_made, &QToolButton::clicked, this, [this] {
        if (m_life.history && m_life.history->made)
            m_context.moment.goTo(m_life.history->made->place);
    });
    connect(m_ended, &QToolButton::clicked, this, [this] {
        if (m_life.history && m_life.history->ended)
            m_context.moment.goTo(m_life.history->ended->place);
    });
    connect(&context.selection, &Selection::selectionChanged, this, &LifePanel::onSelection);
    connect(&context.session, &Session::activityChanged, this, &LifePanel::updateHint);
    connect(&context.session, &Session::compileFinished, this, &LifePanel::onSelection);
    show({});
}

void LifePanel::setSnapshot(const SnapshotPtr &snapshot)
{
    m_snapshot = snapshot;
    if (!snapshot) {
        m_target.reset();
        m_subject = {};
        show({});
    }
    selectTarget(); // the selection has this snapshot already
    onSelection();
}

void LifePanel::showEvent(QShowEvent *event)
{
    Panel::showEvent(event);
    onSelection();
}

bool LifePanel::canAsk() const
{
    return m_snapshot && m_snapshot->isFinal && m_snapshot->goodCompilation == m_snapshot->compilation;
}

// Finding the selection again at another moment is no new selection; its life is told already.
void LifePanel::onSelection()
{
    if (!m_snapshot || !isVisible() || !m_snapshot->isFinal || m_context.moment.isPending())
        return;
    const Subject subject{m_context.selection.number(), m_snapshot->goodCompilation};
    if (subject != m_subject || m_context.session.isDropped(RequestTag::Story))
        ask(subject);
}

void LifePanel::ask(const Subject &subject)
{
    const std::optional<StageItem> selected = m_context.selection.firstSelected();
    if (!selected || !canAsk()) {
        m_context.session.cancel(RequestTag::Story);
        m_subject = canAsk() ? subject : Subject{};
        show({});
        return;
    }
    m_subject = subject;
    const sw::MomentItem item{m_context.moment.place().value_or(sw::MomentPlace{sw::kNoIndex}), selected->stage, selected->item};
    m_context.session.ask(
        RequestTag::Story, this,
        [item](EngineService &service, const std::stop_token &stop) { return service.lifeOf(item, stop); },
        [this](sw::ItemLife life) { show(std::move(life)); });
    updateHint();
}

void LifePanel::show(sw::ItemLife life)
{
    m_life = std::move(life);
    const bool hasStory = !m_life.story.steps.empty();
    m_model->setSteps(m_life.story.steps);
    m_value->setText(QString::fromStdString(m_life.story.name));
    m_value->setVisible(hasStory);
    tellEvent(m_made, tr("Made by %1"), m_life.history ? m_life.history->made : std::nullopt);
    tellEvent(m_ended, tr("Ended by %1"), m_life.history ? m_life.history->ended : std::nullopt);
    setMadeBy(hasStory ? std::optional(m_subject.compilation) : std::nullopt);
    showTable(*m_stack, hasStory);
    updateHint();
}

void LifePanel::tellEvent(QToolButton *button, const QString &text, const std::optional<sw::HistoryEvent> &event)
{
    button->setVisible(event.has_value());
    if (!event)
        return;
    const QString pass = QString::fromStdString(event->pass);
    button->setText(
        text.arg(event->rewrite ? QStringLiteral("%1: %2").arg(pass, QString::fromStdString(event->rewrite->rule)) : pass));
    button->setToolTip(event->rewrite ? QString::fromStdString(event->rewrite->detail) : tr("The pass as a whole"));
}

void LifePanel::updateHint()
{
    const bool isAsking = m_context.session.isAsking(RequestTag::Story);
    const bool isUnknown = m_snapshot && !canAsk() && m_context.selection.hasSelection();
    setTableHint(*m_stack, isAsking                      ? tr("Looking through the passes")
                           : isCompiling()               ? tr("Compiling")
                           : isUnknown                   ? tr("The life of a value is told when the program compiles.")
                           : !m_life.story.error.empty() ? QString::fromStdString(m_life.story.error)
                                                         : tr("Select a value in any pane: a node, a line, an instruction."));
}

// The items can be selected once the panes show the step's moment.
void LifePanel::goTo(const sw::LifeStep &step)
{
    Moment &moment = m_context.moment;
    const bool isThere = moment.place() == placeOf(step) && !moment.isPending();
    m_target = step;
    if (isThere)
        selectTarget();
    else if (step.place.pass == sw::kNoIndex)
        moment.goToEnd();
    else
        moment.goTo(step.place);
    if (m_target && moment.place() != placeOf(step)) // it could not go there
        m_target.reset();
}

void LifePanel::selectTarget()
{
    if (!m_target || m_context.moment.isPending())
        return;
    const sw::LifeStep step = *std::exchange(m_target, std::nullopt);
    if (m_context.moment.place() != placeOf(step) || step.items.empty())
        return;                                             // the window went elsewhere
    m_subject.selection = m_context.selection.number() + 1; // this life goes on being told
    m_context.selection.select(step.stage, step.items);
}

} // namespace stepwell::ui
