#include "engine/passes/schedule/asked_kernels.h"

#include "engine/graph/kernel_body.h"

#include <utility>

namespace sw {

void addKernelWishes(const Graph &graph, const Dataflow &flow, const Read &edge, FusionQuestion &question)
{
    const NodeId from = flow.kernels[edge.producer.value];
    const NodeId to = flow.kernels[edge.consumer.value];
    if (from == edge.producer)
        question.border = KernelBorder::Value;
    else if (from != to && to.isValid())
        question.border = KernelBorder::Input;
    const NodeId asking = question.border == KernelBorder::Input ? to : from;
    if (asking.isValid())
        question.kernel = kernelText(graph.node(asking));
}

Diagnostic notOneKernel(const Graph &graph, NodeId kernel, NodeId node, const std::string &reason)
{
    const Node &asking = graph.node(kernel);
    const Node &inside = graph.node(node);
    Diagnostic error = Diagnostic::error(Code::Argument, graph.sources().programRange(asking.origin),
                                         "{} cannot be one kernel: of {}, {}", kernelText(asking), operationText(inside), reason);
    error.hint = inside.kind == NodeKind::Copy ? "compute all of it on one device, or make what comes from another one an input"
                                               : "make that value an input of kernel(): then it is stored before";
    Diagnostic note = Diagnostic::warning(Code::Argument, graph.sources().programRange(inside.origin), "{} is computed here",
                                          operationText(inside));
    note.severity = Severity::Note;
    error.notes.push_back(std::move(note));
    return error;
}

} // namespace sw
