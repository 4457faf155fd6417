#pragma once
// Random programs of integers, so that every order of evaluation gives the same bits: chains, diamonds, views of all kinds,
// reductions read by more reductions, lookups, several outputs.

#include "tests/unit/passes/schedule/schedule_fixture.h"

#include <random>

namespace sw {

class RandomProgram {
public:
    explicit RandomProgram(std::uint32_t seed) : m_random(seed) {}

    // As many nodes as steps, and some more; 1 to 3 outputs.
    GraphPtr make(std::size_t steps);

private:
    std::size_t below(std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(m_random); }
    NodeId any() { return m_values[below(m_values.size())]; }
    NodeId recent();
    NodeId step();
    NodeId elementwise(NodeId x);
    NodeId reduced(NodeId x);
    NodeId broadcastAgain(NodeId x);
    NodeId reshaped(NodeId x);
    NodeId permuted(NodeId x);
    NodeId padded(NodeId x);
    NodeId shrunk(NodeId x);
    NodeId joined(NodeId x);
    NodeId windows(NodeId x);
    NodeId lookedUp(NodeId x);
    NodeId constant(std::int64_t value);
    Shape randomShape();

    std::mt19937 m_random;
    TensorProgram m_program;
    std::vector<NodeId> m_values;
};

// Small integers for every placeholder.
[[nodiscard]] std::vector<HostTensor> randomValues(const Graph &graph, std::uint32_t seed);

} // namespace sw
