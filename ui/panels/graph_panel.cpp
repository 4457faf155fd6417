#include "ui/panels/graph_panel.h"

#include "ui/session/counted.h"

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
    : Panel(context, name), m_stage(stage), m_view(new GraphView(stage, context.appearance, context.selection, this))
{
    setContent(m_view);
    m_view->canvas().setAccessibleName(name.title);
    updateHint();
    connect(&context.session, &Session::activityChanged, this, &GraphPanel::updateHint);
    if (stage == sw::StageKind::Graph) {
        m_fold = addTool(QStringLiteral("fold"), tr("Fold all scopes (Ctrl+Shift+Left)"));
        m_unfold = addTool(QStringLiteral("unfold"), tr("Unfold all scopes (Ctrl+Shift+Right)"));
        connect(m_fold, &QToolButton::clicked, m_view, &GraphView::foldAll);
        connect(m_unfold, &QToolButton::clicked, m_view, &GraphView::unfoldAll);
    }
    m_fit = addTool(QStringLiteral("fit"), tr("Fit all (Shift+Space)"));
    connect(m_fit, &QToolButton::clicked, this, [this] { fit(); });
    connect(m_view, &GraphView::sceneChanged, this, &GraphPanel::updateNote);
    updateNote();
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
        setMadeBy({});
        return;
    }
    const StageView &stage = snapshot->stage(m_stage);
    m_view->setDocument(stage.document, snapshot->kernels, stage.marks);
    setMadeBy(snapshot->madeBy(m_stage));
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

void GraphPanel::zoom(int steps)
{
    m_view->canvas().zoomBy(std::pow(kZoomStep, steps));
}

} // namespace stepwell::ui
