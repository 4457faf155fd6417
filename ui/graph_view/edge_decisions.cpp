#include "ui/graph_view/edge_decisions.h"

#include <QCoreApplication>

#include <algorithm>

namespace stepwell::ui {

namespace {

bool isApart(const sw::DocumentItem &decision)
{
    return std::ranges::find(decision.tags, "not-fused") != decision.tags.end();
}

} // namespace

const sw::DocumentItem *decisionOf(const GraphScene &scene, std::uint32_t edge, const sw::StageDocument *schedule)
{
    if (!schedule || !scene.document || edge >= scene.edges.size())
        return nullptr;
    const std::uint32_t decision = scene.document->edges[scene.edges[edge].documentEdge].decision;
    return decision < schedule->items.size() ? &schedule->items[decision] : nullptr;
}

std::vector<bool> cutEdges(const GraphScene &scene, const sw::StageDocument *schedule)
{
    std::vector<bool> cuts(scene.edges.size(), false);
    for (std::uint32_t i = 0; i < scene.edges.size(); ++i) {
        const sw::DocumentItem *decision = scene.edges[i].standsFor == 1 ? decisionOf(scene, i, schedule) : nullptr;
        cuts[i] = decision && isApart(*decision);
    }
    return cuts;
}

QString edgeToolTip(const GraphScene &scene, std::uint32_t edge, const sw::StageDocument *schedule)
{
    QString text = scene.edges[edge].label.toHtmlEscaped();
    const sw::DocumentItem *decision = decisionOf(scene, edge, schedule);
    if (!decision)
        return text;
    const auto rule = std::ranges::find(decision->fields, "rule", &sw::DocumentField::name);
    const QString name = rule == decision->fields.end() ? QString() : QString::fromStdString(rule->value).toHtmlEscaped();
    text += QStringLiteral("<br><b>%1</b><br>%2")
                .arg(isApart(*decision) ? QCoreApplication::translate("Graph", "apart by %1").arg(name)
                                        : QCoreApplication::translate("Graph", "in one kernel by %1").arg(name),
                     QString::fromStdString(decision->detail).toHtmlEscaped());
    return text;
}

} // namespace stepwell::ui
