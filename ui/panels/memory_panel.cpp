#include "ui/panels/memory_panel.h"

#include "ui/models/quantity.h"
#include "ui/panels/table.h"

namespace stepwell::ui {

MemoryPanel::MemoryPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      m_chart(new MemoryChart(context.appearance, context.selection, this)),
      m_stack(tableWithHint(m_chart, tr("No buffers yet."), this))
{
    m_chart->setObjectName(QStringLiteral("memoryChart"));
    m_chart->setAccessibleName(tr("Memory over the steps of the program"));
    setContent(m_stack);
    setFocusProxy(m_chart);
}

void MemoryPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    m_snapshot = snapshot;
    setMadeBy(snapshot ? snapshot->madeBy(sw::StageKind::Schedule) : std::nullopt);
    if (const sw::StageDocumentPtr schedule = snapshot ? snapshot->stage(sw::StageKind::Schedule).document : nullptr)
        showNote(*schedule);
    else
        setNote({});
    refillWhenVisible();
}

void MemoryPanel::refill()
{
    m_chart->setDocument(m_snapshot ? m_snapshot->stage(sw::StageKind::Schedule).document : nullptr,
                         m_snapshot ? m_snapshot->kernels : std::vector<KernelIdentity>{});
    showTable(*m_stack, !m_chart->isEmpty());
}

void MemoryPanel::showNote(const sw::StageDocument &schedule)
{
    std::int64_t arenas = 0;
    std::int64_t buffers = 0;
    for (const sw::DocumentChart &chart : schedule.charts) {
        arenas += chart.height;
        for (const sw::DocumentBar &bar : chart.bars)
            buffers += bar.to - bar.from;
    }
    if (buffers == 0)
        setNote({});
    else if (bytesText(buffers) != bytesText(arenas))
        setNote(tr("%1 for %2 of buffers").arg(bytesText(arenas), bytesText(buffers)));
    else
        setNote(bytesText(arenas));
}

} // namespace stepwell::ui
