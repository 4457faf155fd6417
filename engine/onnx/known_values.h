#pragma once
// What is known of values while a model is imported: constants, parameters, and whatever follows from them and from the tensors
// that are given for inputs. A value is computed when an operator asks for it, by the reference interpreter of the graph.

#include "engine/graph/builder.h"

#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <unordered_map>

namespace sw::onnx {

// Elements that may be computed while importing one model, in all.
inline constexpr std::int64_t kMaxComputedElements = std::int64_t{1} << 26U;

class KnownValues {
public:
    // The builder is borrowed, and may go on building.
    KnownValues(const GraphBuilder &builder, std::stop_token stop) : m_builder(builder), m_stop(std::move(stop)) {}

    // A tensor given for an input: the graph reads it from the placeholder, and it is known here.
    void give(NodeId placeholder, HostTensor tensor);

    // The value of a node. What was given for the inputs that it depends on is a part of the program from then on. Errors are the
    // rest of a sentence that says what the value is for: "it depends on ...".
    [[nodiscard]] Result<HostTensor> valueOf(NodeId node);

    // Names of the inputs that values were taken from.
    [[nodiscard]] const std::set<std::string> &decidingInputs() const { return m_decidingInputs; }

private:
    // Placeholders of given inputs, sorted.
    using Inputs = std::vector<NodeId>;
    struct Known {
        HostTensor value;
        std::shared_ptr<const Inputs> inputs;
    };

    [[nodiscard]] Result<std::vector<NodeId>> unknownBefore(NodeId node) const;
    [[nodiscard]] Result<Done> addLeaf(NodeId id);
    [[nodiscard]] Result<Done> compute(NodeId id);
    [[nodiscard]] std::shared_ptr<const Inputs> inputsOf(const Node &node) const;
    [[nodiscard]] std::string nameOf(NodeId placeholder) const;

    const GraphBuilder &m_builder;
    std::stop_token m_stop;
    std::unordered_map<std::uint32_t, HostTensor> m_given; // by the number of the placeholder
    std::unordered_map<std::uint32_t, Known> m_known;      // by the number of the node
    std::set<std::string> m_decidingInputs;
    std::int64_t m_computedElements = 0;
};

} // namespace sw::onnx
