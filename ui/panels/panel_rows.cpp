#include "ui/panels/panel_rows.h"

#include "ui/panels/access_panel.h"
#include "ui/panels/activity_panel.h"
#include "ui/panels/compiler_passes_panel.h"
#include "ui/panels/editor_panel.h"
#include "ui/panels/graph_panel.h"
#include "ui/panels/health_panel.h"
#include "ui/panels/inputs_panel.h"
#include "ui/panels/inspector_panel.h"
#include "ui/panels/life_panel.h"
#include "ui/panels/machine_panel.h"
#include "ui/panels/matrix_panel.h"
#include "ui/panels/memory_panel.h"
#include "ui/panels/messages_panel.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/passes_panel.h"
#include "ui/panels/roofline_panel.h"
#include "ui/panels/step_panel.h"
#include "ui/panels/sweep_panel.h"
#include "ui/panels/text_panel.h"
#include "ui/panels/timings_panel.h"
#include "ui/panels/tuning_panel.h"
#include "ui/panels/values_panel.h"
#include "ui/panels/watch_panel.h"
#include "ui/panels/what_if_panel.h"
#include "ui/panels/why_panel.h"

namespace stepwell::ui {

namespace {

template <typename P>
Panel *make(const PanelContext &context, const PanelName &name)
{
    return new P(context, name);
}

template <typename P, sw::StageKind stage>
Panel *makeOf(const PanelContext &context, const PanelName &name)
{
    return new P(context, name, stage);
}

using enum sw::StageKind;

constexpr PanelRow kRows[] = {
    {"program", QT_TRANSLATE_NOOP("Panels", "Program"), "program", 1, make<EditorPanel>},
    {"inspector", QT_TRANSLATE_NOOP("Panels", "Details"), "inspector", 0, make<InspectorPanel>},
    {"why", QT_TRANSLATE_NOOP("Panels", "Why"), "inspector", 0, make<WhyPanel>},
    {"whatIf", QT_TRANSLATE_NOOP("Panels", "What if"), "inspector", 0, make<WhatIfPanel>},
    {"graph", QT_TRANSLATE_NOOP("Panels", "Graph"), "graph", 2, makeOf<GraphPanel, Graph>},
    {"kernels", QT_TRANSLATE_NOOP("Panels", "Kernels"), "kernels", 3, makeOf<GraphPanel, Schedule>},
    {"lowered", QT_TRANSLATE_NOOP("Panels", "Lowered"), "lowered", 5, makeOf<TextPanel, Lowered>},
    {"code", QT_TRANSLATE_NOOP("Panels", "Source"), "source", 6, makeOf<TextPanel, Code>},
    {"loops", QT_TRANSLATE_NOOP("Panels", "Loops"), "loops", 4, makeOf<TextPanel, Loops>},
    {"access", QT_TRANSLATE_NOOP("Panels", "Access"), "source", 0, make<AccessPanel>},
    {"machine", QT_TRANSLATE_NOOP("Panels", "Machine code"), "machine", 7, make<MachinePanel>},
    {"messages", QT_TRANSLATE_NOOP("Panels", "Messages"), "strip", 0, make<MessagesPanel>},
    {"timings", QT_TRANSLATE_NOOP("Panels", "Timings"), "strip", 8, make<TimingsPanel>},
    {"matrix", QT_TRANSLATE_NOOP("Panels", "Matrix"), "strip", 0, make<MatrixPanel>},
    {"roofline", QT_TRANSLATE_NOOP("Panels", "Roofline"), "strip", 0, make<RooflinePanel>},
    {"activity", QT_TRANSLATE_NOOP("Panels", "Activity"), "strip", 0, make<ActivityPanel>},
    {"sweep", QT_TRANSLATE_NOOP("Panels", "Sweep"), "strip", 0, make<SweepPanel>},
    {"tuning", QT_TRANSLATE_NOOP("Panels", "Tuning"), "strip", 0, make<TuningPanel>},
    {"inputs", QT_TRANSLATE_NOOP("Panels", "Inputs"), "strip", 0, make<InputsPanel>},
    {"values", QT_TRANSLATE_NOOP("Panels", "Values"), "strip", 0, make<ValuesPanel>},
    {"watch", QT_TRANSLATE_NOOP("Panels", "Watch"), "strip", 0, make<WatchPanel>},
    {"health", QT_TRANSLATE_NOOP("Panels", "Health"), "strip", 0, make<HealthPanel>},
    {"passes", QT_TRANSLATE_NOOP("Panels", "Passes"), "strip", 0, make<PassesPanel>},
    {"step", QT_TRANSLATE_NOOP("Panels", "Step"), "strip", 0, make<StepPanel>},
    {"life", QT_TRANSLATE_NOOP("Panels", "Life"), "inspector", 0, make<LifePanel>},
    {"notes", QT_TRANSLATE_NOOP("Panels", "Notes"), "inspector", 0, make<NotesPanel>},
    {"memory", QT_TRANSLATE_NOOP("Panels", "Memory"), "strip", 9, make<MemoryPanel>},
    {"compilerPasses", QT_TRANSLATE_NOOP("Panels", "LLVM passes"), "strip", 0, make<CompilerPassesPanel>},
};

} // namespace

std::span<const PanelRow> panelRows()
{
    return kRows;
}

} // namespace stepwell::ui
