#pragma once
// Computes the value of one node from the values of its inputs. The reference interpreter does this for each node, the constant
// folder for some.

#include "engine/graph/interpreter.h"

namespace sw {

struct EvaluateContext {
    std::stop_token stop;
    NodeId node;                                         // named in faults
    std::function<void(const NodeIndexFault &)> onFault; // may be empty
};

// Evaluates a node of any kind but Placeholder and Sink. `inputs` have the types and shapes of the nodes that it reads.
// Error: Unsupported for nodes of scans (see interpreter_scan.h) and for what a pass has to write out first.
[[nodiscard]] Result<HostTensor> evaluateNode(const Node &node, std::span<const HostTensor> inputs,
                                              const EvaluateContext &context);

// ---- the families, used by evaluateNode

[[nodiscard]] Result<HostTensor> evaluateElementwise(const Node &node, std::span<const HostTensor> inputs,
                                                     const EvaluateContext &context);
[[nodiscard]] Result<HostTensor> evaluateReduce(const Node &node, const HostTensor &input, const EvaluateContext &context);
[[nodiscard]] HostTensor evaluateMovement(const Node &node, const HostTensor &input);
[[nodiscard]] HostTensor evaluateCat(const Node &node, std::span<const HostTensor> inputs);
[[nodiscard]] HostTensor evaluateMulti(const Node &node, std::span<const HostTensor> inputs);
[[nodiscard]] HostTensor evaluateGather(const Node &node, std::span<const HostTensor> inputs, const EvaluateContext &context);
[[nodiscard]] HostTensor evaluateIndex(const Node &node, std::span<const HostTensor> inputs, const EvaluateContext &context);

// ---- what a pass writes as simpler nodes

[[nodiscard]] HostTensor evaluateThreefry(const Node &node, std::span<const HostTensor> inputs);
[[nodiscard]] HostTensor evaluateUniform(const Node &node, const HostTensor &input);
[[nodiscard]] HostTensor evaluateAssign(const Node &node, std::span<const HostTensor> inputs);
[[nodiscard]] HostTensor evaluateBufferView(const Node &node, const HostTensor &input);
[[nodiscard]] HostTensor evaluateValid(const Node &node);
[[nodiscard]] HostTensor evaluateGep(const Node &node, const HostTensor &input);
[[nodiscard]] HostTensor evaluateVectorize(const Node &node, std::span<const HostTensor> inputs);
[[nodiscard]] Result<HostTensor> evaluateWmma(const Node &node, std::span<const HostTensor> inputs,
                                              const EvaluateContext &context);
[[nodiscard]] Result<HostTensor> evaluateContract(const Node &node, std::span<const HostTensor> inputs,
                                                  const EvaluateContext &context);
[[nodiscard]] HostTensor evaluateScatter(const Node &node, std::span<const HostTensor> inputs, const EvaluateContext &context);

// Counts the indices that are out of range and reports them once.
class IndexFaultCounter {
public:
    IndexFaultCounter(const EvaluateContext &context, std::size_t axis, std::int64_t extent);

    // A u64 above the range of i64 is negative here; it is out of range either way.
    [[nodiscard]] bool isInRange(std::int64_t index);
    void report() const;

private:
    const EvaluateContext &m_context;
    NodeIndexFault m_fault;
};

// The number of elements processed between two checks of the stop token.
inline constexpr std::int64_t kElementsPerStopCheck = std::int64_t{1} << 16;

// Calls body(begin, end) for pieces of [0, count). Returns false if a stop was requested and the rest was skipped.
template <class Body>
[[nodiscard]] bool forPieces(std::int64_t count, const std::stop_token &stop, Body body)
{
    for (std::int64_t begin = 0; begin < count; begin += kElementsPerStopCheck) {
        if (stop.stop_requested())
            return false;
        body(begin, std::min(count, begin + kElementsPerStopCheck));
    }
    return true;
}

[[nodiscard]] Diagnostic cancelled();

} // namespace sw
