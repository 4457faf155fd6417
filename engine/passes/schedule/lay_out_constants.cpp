#include "engine/passes/schedule/lay_out_constants.h"

#include "engine/graph/builder.h"
#include "engine/passes/schedule/load_values.h"
#include "engine/passes/schedule/panel_reads.h"
#include "engine/types/stored_bytes.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace sw {

namespace {

// [panel, row, step] or [step, panel, row], from and to [panel, step, row].
std::vector<std::size_t> orderOf(const Panels &panels)
{
    return panels.stepStride == 1 ? std::vector<std::size_t>{0, 2, 1} : std::vector<std::size_t>{1, 0, 2};
}

class PanelMaker {
public:
    PanelMaker(const Graph &graph, const std::vector<PanelRead> &reads, PassContext &context)
        : m_graph(graph), m_reads(reads), m_context(context), m_builder(graph)
    {
    }

    Result<Graph> run() &&
    {
        auto read = m_reads.begin();
        std::vector<NodeId> made;
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            const NodeId id(i);
            const bool isLaidOut = read != m_reads.end() && read->matrix == id && m_context.mayRewrite();
            if (read != m_reads.end() && read->matrix == id)
                ++read;
            if (isLaidOut) {
                SW_TRY(const NodeId whole, laidOut(m_graph.node(id).readingFrom(made), std::prev(read)->panels, id));
                made.push_back(whole);
            } else {
                made.push_back(m_builder.addUnchecked(m_graph.node(id).readingFrom(made)));
            }
        }
        return std::move(m_builder).finishUnchecked();
    }

private:
    // The matrix as before, as a view of its panels. id: of the matrix in the graph.
    Result<NodeId> laidOut(const Node &matrix, const Panels &panels, NodeId id)
    {
        m_builder.setScope(matrix.scope);
        const bool isConstant = std::holds_alternative<TensorAttributes>(matrix.attributes);
        SW_TRY(const NodeId stored, isConstant ? constantPanels(matrix, panels) : computedPanels(matrix, panels));
        SW_TRY(const NodeId rows, m_builder.permute(matrix.origin, stored, orderOf(panels)));
        SW_TRY(const NodeId whole, m_builder.reshape(matrix.origin, rows, matrix.shape));
        if (isConstant && !matrix.name.empty())
            m_builder.setName(whole, matrix.name);
        m_context.record(isConstant ? "lay-out-constant" : "lay-out-parameter", [&] {
            return RewriteDetail{format("{} becomes {} panels of {} steps of {} rows",
                                        matrix.name.empty() ? "a matrix" : matrix.name, panels.rows / panels.lanes, panels.steps,
                                        panels.lanes),
                                 {id.value},
                                 {whole.value}};
        });
        return whole;
    }

    // The elements go there when somebody reads them: a run, or a question about all of them. Compiling waits for none of it.
    Result<NodeId> constantPanels(const Node &matrix, const Panels &panels)
    {
        const HostTensor &value = *attributesOf<TensorAttributes>(matrix).value;
        HostTensor laidOut = HostTensor::stored(value.dtype(), Shape({panels.rows / panels.lanes, panels.steps, panels.lanes}),
                                                std::make_shared<const StoredBytes>(value, panels));
        return m_builder.vconst(matrix.origin, std::move(laidOut));
    }

    // What the load phase stores.
    Result<NodeId> computedPanels(const Node &matrix, const Panels &panels)
    {
        const NodeId given = m_builder.addUnchecked(matrix);
        const bool isByRow = panels.stepStride == 1;
        const std::int64_t count = panels.rows / panels.lanes;
        const Shape split = isByRow ? Shape({count, panels.lanes, panels.steps}) : Shape({panels.steps, count, panels.lanes});
        SW_TRY(const NodeId parts, m_builder.reshape(matrix.origin, given, split));
        SW_TRY(const NodeId ordered, m_builder.permute(matrix.origin, parts, orderOf(panels)));
        return m_builder.contiguous(matrix.origin, ordered);
    }

    const Graph &m_graph;
    const std::vector<PanelRead> &m_reads;
    PassContext &m_context;
    GraphBuilder m_builder;
};

// Panels of parameters are made by kernels when the program is loaded, so what the run alone may compute reads the parameters as
// they are. OpenCL's drivers take about as long to compile such a kernel as hundreds of runs take to copy what it saves.
void dropWhatNoKernelMakes(const Graph &graph, const PassContext &context, std::vector<PanelRead> &reads)
{
    const auto isConstant = [&](const PanelRead &read) {
        return std::holds_alternative<TensorAttributes>(graph.node(read.matrix).attributes);
    };
    if (context.language(DeviceSlot(0U)) == TargetLanguage::OpenCl)
        std::erase_if(reads, [&](const PanelRead &read) { return !isConstant(read); });
    if (std::ranges::all_of(reads, isConstant))
        return;
    const Dataflow flow = dataflowOf(graph);
    const std::vector<bool> isEqual = equalInAllRuns(graph, flow);
    std::erase_if(reads, [&](const PanelRead &read) {
        return !isConstant(read) &&
               (!isEqual[read.matrix.value] || isEqual[read.reduction.value] || !flow.branches.of(read.reduction).empty());
    });
}

} // namespace

Result<std::optional<Graph>> layOutConstants(const Graph &graph, PassContext &context)
{
    if (!context.options().optimize || context.device().kind != DeviceKind::Cpu || context.deviceCount() > 1)
        return std::optional<Graph>();
    std::vector<PanelRead> reads = panelReadsOf(graph, context.device());
    dropWhatNoKernelMakes(graph, context, reads);
    if (reads.empty() || !context.mayRewrite())
        return std::optional<Graph>();
    SW_TRY(Graph made, PanelMaker(graph, reads, context).run());
    return std::optional(std::move(made));
}

} // namespace sw
