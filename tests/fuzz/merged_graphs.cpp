#include "tests/fuzz/merged_graphs.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace sw {

namespace {

std::string renamed(std::size_t graph, const std::string &name)
{
    return format("g{}_{}", graph, name);
}

class Merger {
public:
    Merger() : m_file(m_sources->addFile({"merged", {}})) {}

    void add(const Graph &graph, std::size_t number)
    {
        const auto base = static_cast<std::uint32_t>(m_nodes.size());
        m_firstScan = m_scans;
        for (std::size_t i = 0; i + 1 < graph.size(); ++i)
            m_nodes.push_back(moved(graph.node(NodeId(i)), base, number));
        for (const NodeId output : graph.outputs())
            m_outputs.emplace_back(output.value + base);
        for (const std::string &name : graph.outputNames())
            m_names.push_back(renamed(number, name));
    }

    std::size_t outputs() const { return m_outputs.size(); }

    Graph finish()
    {
        Node sink{NodeKind::Sink,         Op::Add, DType::F32, {}, m_outputs, SinkAttributes{m_names}, nextOrigin(),
                  SourceMap::rootScope(), {}};
        m_nodes.push_back(std::move(sink));
        return Graph(std::move(m_nodes), std::move(m_sources));
    }

private:
    // One source item per node: nobody looks for the program of a random graph.
    Origin nextOrigin()
    {
        const auto line = static_cast<std::uint32_t>(m_nodes.size() + 1);
        return Origin(m_sources->addItem({m_file, {"merged", line, 1, line, 2}, SourceMap::rootScope(), {}, "node"}));
    }
    Node moved(Node node, std::uint32_t base, std::size_t number)
    {
        for (NodeId &input : node.inputs)
            input = NodeId(input.value + base);
        node.origin = nextOrigin();
        node.scope = SourceMap::rootScope();
        if (auto *placeholder = std::get_if<PlaceholderAttributes>(&node.attributes))
            placeholder->name = renamed(number, placeholder->name);
        if (auto *scan = std::get_if<ScanAttributes>(&node.attributes)) {
            scan->scan += m_firstScan;
            m_scans = std::max(m_scans, scan->scan + 1);
        }
        return node;
    }

    std::shared_ptr<SourceMap> m_sources = std::make_shared<SourceMap>();
    FileId m_file;
    std::vector<Node> m_nodes;
    std::vector<NodeId> m_outputs;
    std::vector<std::string> m_names;
    std::int64_t m_firstScan = 0; // of the graph that is being added
    std::int64_t m_scans = 0;     // a number behind those of all scans so far
};

} // namespace

MergedGraphs mergedGraphs(std::span<const RandomGraph> graphs)
{
    Merger merger;
    std::vector<HostTensor> inputs;
    std::vector<std::size_t> firstOutputs;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
        firstOutputs.push_back(merger.outputs());
        merger.add(graphs[i].graph, i);
        inputs.insert(inputs.end(), graphs[i].inputs.begin(), graphs[i].inputs.end());
    }
    return {{merger.finish(), std::move(inputs)}, std::move(firstOutputs)};
}

} // namespace sw
