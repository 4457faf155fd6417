#include "ui/panels/graph_panel.h"

#include "ui/models/health_model.h"
#include "ui/panels/graph_sides.h"
#include "ui/panels/override_menu.h"
#include "ui/session/counted.h"
#include "ui/sharing/take_menu.h"

#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace stepwell::ui {

namespace {

constexpr double kZoomStep = 1.25;

bool hasTag(const sw::DocumentItem &item, const char *tag)
{
    return std::ranges::find(item.tags, tag) != item.tags.end();
}

} // namespace

GraphPanel::GraphPanel(const PanelContext &context, const PanelName &name, sw::StageKind stage)
    : Panel(context, name),
      m_stage(stage),
      m_view(new GraphView(stage, context.appearance, context.selection, this)),
      m_sides(new GraphSides(context, stage, m_view, this))
{
    setContent(m_sides);
    m_sides->setChoice(
        *new SideChoice(context.baseline, addTool(QStringLiteral("compare"), tr("Now, before, or the difference")), this));
    connect(m_sides, &GraphSides::changed, this, &GraphPanel::updateNote);
    m_view->canvas().setAccessibleName(name.title);
    updateHint();
    connect(&context.session, &Session::activityChanged, this, &GraphPanel::updateHint);
    if (stage == sw::StageKind::Graph) {
        m_fold = addTool(QStringLiteral("fold"), tr("Fold all scopes (Ctrl+Shift+Left)"));
        m_unfold = addTool(QStringLiteral("unfold"), tr("Unfold all scopes (Ctrl+Shift+Right)"));
        connect(m_fold, &QToolButton::clicked, this, [this] { foldAll(); });
        connect(m_unfold, &QToolButton::clicked, this, [this] { unfoldAll(); });
    }
    m_fit = addTool(QStringLiteral("fit"), tr("Fit all (Shift+Space)"));
    connect(m_fit, &QToolButton::clicked, this, [this] { fit(); });
    connect(m_view, &GraphView::sceneChanged, this, &GraphPanel::updateNote);
    connect(m_view, &GraphView::boxMenuWanted, this, [this](BoxIndex box, const QPoint &at) {
        if (const SceneBox &shown = m_view->canvas().scene()->boxes.at(box); !shown.isScope())
            showMenu({m_stage, shown.item}, at);
        else
            popUpTakeMenu(*this, at);
    });
    connect(m_view, &GraphView::edgeMenuWanted, this, [this](std::uint32_t edge, const QPoint &at) {
        const GraphScene &scene = *m_view->canvas().scene();
        if (const std::uint32_t decision = scene.document->edges[scene.edges.at(edge).documentEdge].decision;
            decision != sw::kNoIndex)
            showMenu({sw::StageKind::Schedule, decision}, at);
        else
            popUpTakeMenu(*this, at);
    });
    connect(&context.health, &Health::changed, this, &GraphPanel::showFlags);
    connect(&context.notes, &Notes::changed, this, &GraphPanel::showFlags);
    connect(&context.appearance, &Appearance::changed, this, &GraphPanel::showFlags);
    updateNote();
}

// Marks the nodes where numbers go wrong, and those with notes.
void GraphPanel::showFlags()
{
    const Health &health = m_context.health;
    std::vector<std::pair<sw::ItemIndex, BoxFlag>> flags;
    const sw::StageDocumentPtr document = m_snapshot ? m_snapshot->stage(m_stage).document : nullptr;
    const bool fits =
        m_stage == sw::StageKind::Graph && document && !m_snapshot->moment && health.madeBy() == m_snapshot->compilation;
    for (const sw::HealthFinding &finding : fits ? health.findings() : std::vector<sw::HealthFinding>()) {
        const auto item = std::ranges::find(document->items, finding.node, &sw::DocumentItem::node);
        if (item != document->items.end())
            flags.push_back({static_cast<sw::ItemIndex>(item - document->items.begin()),
                             {0, glyphOf(finding.kind), colorOf(finding.kind, m_context.appearance)}});
    }
    for (const auto &note : m_context.notes.of(document))
        flags.push_back({note.first, {0, QStringLiteral("\u270e"), m_context.appearance.color(Role::Accent)}});
    m_view->setFlags(std::move(flags));
}

void GraphPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    const auto momentOf = [](const SnapshotPtr &shown) { return shown ? shown->moment : nullptr; };
    if (m_snapshot && snapshot && momentOf(m_snapshot) != momentOf(snapshot) && m_snapshot->compilation == snapshot->compilation)
        m_view->expectMoment(snapshot->moment == nullptr);
    m_snapshot = snapshot;
    updateHint();
    if (!snapshot) {
        m_view->setDocument(nullptr, {}, {});
        m_view->canvas().setDecisions(nullptr);
        setMadeBy({});
        return;
    }
    const StageView &stage = snapshot->stage(m_stage);
    m_view->setDocument(stage.document, snapshot->kernels, stage.marks);
    const StageView &schedule = snapshot->stage(sw::StageKind::Schedule);
    m_view->canvas().setDecisions(schedule.compilation == stage.compilation ? schedule.document : nullptr);
    setMadeBy(snapshot->madeBy(m_stage));
    showFlags();
}

// Before the end, an item may not be there any more: only the end can be asked about and changed.
void GraphPanel::showMenu(Selection::Place place, const QPoint &at)
{
    if (m_snapshot && m_snapshot->isFinal && !m_snapshot->moment)
        showOverrideMenu(m_context, this, place, at);
    else
        popUpTakeMenu(*this, at);
}

void GraphPanel::updateHint()
{
    if (const QString awaited = notYet(m_snapshot, m_stage); !awaited.isEmpty())
        m_view->setHint(awaited);
    else if (isCompiling())
        m_view->setHint(tr("Compiling"));
    else if (!m_snapshot)
        m_view->setHint(tr("Nothing to show yet. Open a program or an example."));
    else if (m_snapshot->report->succeeded)
        m_view->setHint(tr("The program computes nothing."));
    else
        m_view->setHint(tr("The program has errors before this stage. See Messages."));
}

void GraphPanel::updateNote()
{
    const GraphScenePtr &scene = m_view->canvas().scene();
    m_fit->setEnabled(scene != nullptr);
    if (m_fold) {
        m_fold->setEnabled(m_view->hasScopes());
        m_unfold->setEnabled(m_view->hasScopes());
    }
    if (const QString note = m_sides->note(); !note.isEmpty()) {
        setNote(note);
        return;
    }
    if (!scene) {
        setNote({});
        return;
    }
    if (m_stage == sw::StageKind::Graph) {
        const auto isThere = [&](const sw::DocumentItem &item) { return !hasTag(item, sw::kGoneTag); };
        setNote(counted(std::ranges::count_if(scene->document->items, isThere), tr("%1 node"), tr("%1 nodes")));
        return;
    }
    const auto isKernel = [](const sw::DocumentItem &item) { return hasTag(item, "kernel") && !hasTag(item, sw::kGoneTag); };
    setNote(counted(std::ranges::count_if(scene->document->items, isKernel), tr("%1 kernel"), tr("%1 kernels")));
}

GraphView &GraphPanel::shownView() const
{
    return m_sides->view();
}

bool GraphPanel::isSettled() const
{
    return m_sides->isSettled() && !m_view->isLayingOut();
}

bool GraphPanel::stepDifference(int direction)
{
    return isVisible() && m_sides->step(direction);
}

void GraphPanel::zoom(int steps)
{
    shownView().canvas().zoomBy(std::pow(kZoomStep, steps));
}

} // namespace stepwell::ui
