#include "engine/graph/kernel_body.h"

#include <algorithm>
#include <set>

namespace sw {

namespace {

struct WayBack {
    std::set<NodeId> body;
    std::set<NodeId> usedInputs;
};

WayBack wayBack(std::span<const Node> nodes, const Node &kernel)
{
    WayBack way;
    const std::span<const NodeId> inputs = std::span(kernel.inputs).subspan(1);
    std::vector<NodeId> pending{kernel.inputs.front()};
    while (!pending.empty()) {
        const NodeId id = pending.back();
        pending.pop_back();
        const Node &node = nodes[id.value];
        if (std::ranges::find(inputs, id) != inputs.end())
            way.usedInputs.insert(id);
        else if (familyOf(node.kind) != NodeFamily::Leaf && way.body.insert(id).second)
            pending.insert(pending.end(), node.inputs.begin(), node.inputs.end());
    }
    return way;
}

} // namespace

std::vector<NodeId> kernelBody(std::span<const Node> nodes, const Node &kernel)
{
    const std::set<NodeId> body = wayBack(nodes, kernel).body;
    return {body.begin(), body.end()};
}

std::optional<NodeId> unusedKernelInput(std::span<const Node> nodes, const Node &kernel)
{
    const std::set<NodeId> used = wayBack(nodes, kernel).usedInputs;
    const auto unused = std::ranges::find_if(kernel.inputs.begin() + 1, kernel.inputs.end(),
                                             [&used](NodeId input) { return !used.contains(input); });
    return unused == kernel.inputs.end() ? std::nullopt : std::optional(*unused);
}

Diagnostic unusedInputOf(const Node &kernel, const Node &input)
{
    return Diagnostic::error(Code::Argument, {}, "{} does not read its input {}", kernelText(kernel),
                             input.name.empty() ? format("{} of {}", operationText(input), typeText(input.dtype, input.shape))
                                                : quoted(input.name))
        .withHint("leave it out of the inputs, or compute the value from it; what only other inputs are made of is none");
}

std::vector<NodeId> kernelsAround(const Graph &graph)
{
    std::vector<NodeId> around(graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const Node &node = graph.nodes()[i];
        if (node.kind != NodeKind::Kernel)
            continue;
        around[i] = NodeId(i);
        for (const NodeId id : kernelBody(graph.nodes(), node))
            if (!around[id.value].isValid())
                around[id.value] = NodeId(i);
    }
    return around;
}

std::string kernelText(const Node &kernel)
{
    const std::string &name = attributesOf<KernelAttributes>(kernel).name;
    return name.empty() ? "kernel()" : format("kernel {}", quoted(name));
}

std::vector<bool> isInsideKernels(const Graph &graph)
{
    std::vector<bool> isInside;
    for (const NodeId kernel : kernelsAround(graph))
        isInside.push_back(kernel.isValid());
    return isInside;
}

} // namespace sw
