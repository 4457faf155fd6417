#include "engine/passes/schedule/lay_out_constants.h"

#include "engine/graph/builder.h"
#include "engine/passes/graph/narrow_products.h"
#include "engine/passes/schedule/load_values.h"
#include "engine/passes/schedule/panel_reads.h"
#include "engine/types/stored_bytes.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace sw {

namespace {

// The axes of the panels: [panel, step, row], or [panel, group, row, step of the group].
Shape shapeOf(const Panels &panels)
{
    const std::int64_t count = panels.rows / panels.lanes;
    return panels.group == 1 ? Shape({count, panels.steps, panels.lanes})
                             : Shape({count, panels.steps / panels.group, panels.lanes, panels.group});
}

// The matrix, with its rows and its steps split into those axes.
Shape splitShapeOf(const Panels &panels)
{
    const std::int64_t count = panels.rows / panels.lanes;
    const bool isByRow = panels.stepStride == 1;
    if (panels.group == 1)
        return isByRow ? Shape({count, panels.lanes, panels.steps}) : Shape({panels.steps, count, panels.lanes});
    const std::int64_t groups = panels.steps / panels.group;
    return isByRow ? Shape({count, panels.lanes, groups, panels.group}) : Shape({groups, panels.group, count, panels.lanes});
}

// From the axes of the panels to those of the matrix.
std::vector<std::size_t> orderOf(const Panels &panels)
{
    const bool isByRow = panels.stepStride == 1;
    if (panels.group == 1)
        return isByRow ? std::vector<std::size_t>{0, 2, 1} : std::vector<std::size_t>{1, 0, 2};
    return isByRow ? std::vector<std::size_t>{0, 2, 1, 3} : std::vector<std::size_t>{1, 3, 0, 2};
}

// From those of the matrix to those of the panels.
std::vector<std::size_t> panelOrderOf(const Panels &panels)
{
    const std::vector<std::size_t> back = orderOf(panels);
    std::vector<std::size_t> order(back.size());
    for (std::size_t i = 0; i < back.size(); ++i)
        order[back[i]] = i;
    return order;
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
            const std::string groups =
                panels.group == 1 ? "" : format(", {} steps side by side for a tensor instruction", panels.group);
            const std::int64_t count = panels.rows / panels.lanes;
            return RewriteDetail{format("{} becomes {} panel{} of {} steps of {} rows{}",
                                        matrix.name.empty() ? "a matrix" : matrix.name, count, count == 1 ? "" : "s",
                                        panels.steps, panels.lanes, groups),
                                 {id.value},
                                 {whole.value}};
        });
        return whole;
    }

    // The elements go there when somebody reads them: a run, or a question about all of them. Compiling waits for none of it.
    Result<NodeId> constantPanels(const Node &matrix, const Panels &panels)
    {
        const HostTensor &value = *attributesOf<TensorAttributes>(matrix).value;
        HostTensor laidOut =
            HostTensor::stored(value.dtype(), shapeOf(panels), std::make_shared<const StoredBytes>(value, panels));
        return m_builder.vconst(matrix.origin, std::move(laidOut));
    }

    // What the load phase stores.
    Result<NodeId> computedPanels(const Node &matrix, const Panels &panels)
    {
        const NodeId given = m_builder.addUnchecked(matrix);
        SW_TRY(const NodeId parts, m_builder.reshape(matrix.origin, given, splitShapeOf(panels)));
        SW_TRY(const NodeId ordered, m_builder.permute(matrix.origin, parts, panelOrderOf(panels)));
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
    std::vector<PanelRead> reads = panelReadsOf(graph, context.device(), usableTensorInstructions(context));
    dropWhatNoKernelMakes(graph, context, reads);
    if (reads.empty() || !context.mayRewrite())
        return std::optional<Graph>();
    SW_TRY(Graph made, PanelMaker(graph, reads, context).run());
    return std::optional(std::move(made));
}

} // namespace sw
