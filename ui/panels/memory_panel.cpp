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
    const sw::StageDocumentPtr schedule = snapshot ? snapshot->stage(sw::StageKind::Schedule).document : nullptr;
    m_chart->setDocument(schedule, snapshot ? snapshot->kernels : std::vector<KernelIdentity>{});
    setMadeBy(snapshot ? snapshot->madeBy(sw::StageKind::Schedule) : std::nullopt);
    showTable(*m_stack, !m_chart->isEmpty());
    if (schedule)
        showNote(*schedule);
    else
        setNote({});
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
