#pragma once
// The values known during import: constants, parameters, and whatever follows from them and from tensors given for inputs. The
// reference interpreter of the graph computes a value when an operator asks for it.

#include "engine/graph/builder.h"

#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <unordered_map>

namespace sw::onnx {

// How many elements may be computed in total while importing one model.
inline constexpr std::int64_t kMaxComputedElements = std::int64_t{1} << 26U;
// How many are computed for a value that the program could do without.
inline constexpr std::int64_t kQuicklyComputedElements = std::int64_t{1} << 16U;

class KnownValues {
public:
    // Borrows the builder, which may continue to build.
    KnownValues(const GraphBuilder &builder, std::stop_token stop) : m_builder(builder), m_stop(std::move(stop)) {}

    // Gives a tensor for an input: the graph still reads the placeholder, but its value is known here.
    void give(NodeId placeholder, HostTensor tensor);
    // The nodes from this one on were taken back.
    void forgetFrom(NodeId first);

    // Returns the value of a node; the given inputs that it depends on become part of the program. An error completes a sentence
    // that says what the value is for: "it depends on ...".
    [[nodiscard]] Result<HostTensor> valueOf(NodeId node);

    // Whether only given inputs are missing, and few elements have to be computed.
    [[nodiscard]] bool isQuick(NodeId node) const;

    // Whether it depends on an input, given or not.
    [[nodiscard]] bool needsInput(NodeId node) const;

    // The names of the given inputs whose values were used.
    [[nodiscard]] const std::set<std::string> &decidingInputs() const { return m_decidingInputs; }

private:
    // The placeholders of given inputs, sorted.
    using Inputs = std::vector<NodeId>;
    struct Known {
        HostTensor value;
        std::shared_ptr<const Inputs> inputs;
    };

    [[nodiscard]] Result<std::vector<NodeId>> unknownBefore(NodeId node, std::int64_t most) const;
    [[nodiscard]] Result<Done> addLeaf(NodeId id);
    [[nodiscard]] Result<Done> compute(NodeId id);
    [[nodiscard]] std::shared_ptr<const Inputs> inputsOf(const Node &node) const;
    [[nodiscard]] std::string nameOf(NodeId placeholder) const;

    const GraphBuilder &m_builder;
    std::stop_token m_stop;
    std::unordered_map<std::uint32_t, HostTensor> m_given; // by the placeholder's node number
    std::unordered_map<std::uint32_t, Known> m_known;      // by node number
    std::set<std::string> m_decidingInputs;
    std::int64_t m_computedElements = 0;
};

} // namespace sw::onnx
