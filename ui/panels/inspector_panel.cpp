#include "ui/panels/inspector_panel.h"

#include <QTextBrowser>

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

QString escaped(const std::string &text)
{
    return QString::fromStdString(text).toHtmlEscaped();
}

// The program text at the place of one of the program's items: "output" alone says little.
QString writtenHtml(const Snapshot &snapshot, const sw::DocumentItem &item)
{
    constexpr std::uint32_t kMostLines = 12;
    const sw::StageDocumentPtr &program = snapshot.stage(sw::StageKind::Program).document;
    const bool isOfProgram =
        program && !program->items.empty() && &item >= program->items.data() && &item <= &program->items.back();
    if (!isOfProgram || item.place.line == 0)
        return {};
    QStringList lines;
    const std::uint32_t last = std::min(item.place.endLine, item.place.line + kMostLines - 1);
    for (std::uint32_t line = item.place.line; line <= last && line <= program->lines.size(); ++line)
        lines << escaped(program->lines[line - 1].text);
    return QStringLiteral("<p style='margin:7px 0 0 0'>%1</p><pre style='margin:2px 0 0 0'>%2</pre>")
        .arg(InspectorPanel::tr("Line %1").arg(item.place.line), lines.join(u'\n'));
}

// Why the edges of a graph node are (or are not) inside a kernel.
QString decisionsHtml(const Snapshot &snapshot, const sw::DocumentItem &item, const QString &muted)
{
    const sw::StageDocumentPtr &graph = snapshot.stage(sw::StageKind::Graph).document;
    const sw::StageDocumentPtr &schedule = snapshot.stage(sw::StageKind::Schedule).document;
    if (!graph || !schedule || graph->items.empty() || &item < graph->items.data() || &item > &graph->items.back())
        return {};
    const auto index = static_cast<sw::ItemIndex>(&item - graph->items.data());
    QString html;
    for (const sw::DocumentEdge &edge : graph->edges) {
        if ((edge.from != index && edge.to != index) || edge.decision >= schedule->items.size())
            continue;
        const sw::DocumentItem &decision = schedule->items[edge.decision];
        const bool isFused = std::ranges::find(decision.tags, "fused") != decision.tags.end();
        html += QStringLiteral("<p style='margin:7px 0 0 0'>%1 <span style='color:%2'>%3</span><br>%4</p>")
                    .arg(escaped(decision.label), muted,
                         isFused ? InspectorPanel::tr("in one kernel") : InspectorPanel::tr("apart"), escaped(decision.detail));
    }
    return html;
}

// What the program says about itself: the comments that it begins with. Those of a model name its producer, opset and licence.
QString aboutHtml(const Snapshot &snapshot)
{
    const sw::StageDocumentPtr &program = snapshot.stage(sw::StageKind::Program).document;
    QString html;
    for (std::size_t i = 0; program && i < program->lines.size() && program->lines[i].text.starts_with('#'); ++i)
        html += (i == 0 ? QString() : QStringLiteral("<br>")) +
                escaped(program->lines[i].text.substr(std::min<std::size_t>(2, program->lines[i].text.size())));
    return html.isEmpty() ? html : QStringLiteral("<p style='margin:0 0 7px 0'>%1</p>").arg(html);
}

} // namespace

InspectorPanel::InspectorPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name), m_text(new QTextBrowser(this))
{
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setObjectName(QStringLiteral("inspectorText"));
    m_text->setAccessibleName(tr("Details"));
    m_text->document()->setDocumentMargin(8);
    setContent(m_text);
    connect(&context.selection, &Selection::selectionChanged, this, &InspectorPanel::showItem);
    connect(&context.selection, &Selection::hoverChanged, this, &InspectorPanel::showItem);
    connect(&context.appearance, &Appearance::changed, this, &InspectorPanel::showItem);
    showItem();
}

void InspectorPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    m_snapshot = snapshot;
    showItem();
}

void InspectorPanel::showItem()
{
    const sw::DocumentItem *item = m_context.selection.hasSelection() ? m_context.selection.selectedItem() : nullptr;
    if (!item)
        item = m_context.selection.hoveredItem();
    const QString muted = m_context.appearance.color(Role::Muted).name();
    if (!item) {
        showHtml((m_snapshot ? aboutHtml(*m_snapshot) : QString()) +
                 QStringLiteral("<p style='color:%1'>%2</p>")
                     .arg(muted, tr("Point at a node, a kernel or a line to see where it comes from and what it became. "
                                    "Click to keep it.")));
        return;
    }
    QString html = QStringLiteral("<p style='margin:0'><b>%1</b>").arg(escaped(item->label));
    if (!item->detail.empty())
        html += QStringLiteral(" &nbsp;<span style='color:%1'>%2</span>").arg(muted, escaped(item->detail));
    html += QStringLiteral("</p><table cellspacing='0' cellpadding='1' style='margin-top:5px'>");
    for (const sw::DocumentField &field : item->fields)
        html += QStringLiteral("<tr><td style='color:%1; padding-right:10px; white-space:nowrap'>%2</td><td>%3</td></tr>")
                    .arg(muted, escaped(field.name), escaped(field.value));
    html += QStringLiteral("</table>");
    if (m_snapshot)
        html += writtenHtml(*m_snapshot, *item) + decisionsHtml(*m_snapshot, *item, muted);
    showHtml(html);
}

// To lay the text out takes longer than to make it, and with every moment and every step it is asked for more than once.
void InspectorPanel::showHtml(const QString &html)
{
    if (std::exchange(m_html, html) != html)
        m_text->setHtml(html);
}

} // namespace stepwell::ui
