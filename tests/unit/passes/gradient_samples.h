#pragma once
// For the kinds of nodes that a gradient goes through, a function with such a node.

#include "tests/unit/passes/gradient_fixture.h"

#include <vector>

namespace sw::test {

struct KindSample {
    const char *name;
    NodeKind kind;
    std::vector<HostTensor> inputs;
    GraphFunction function;
};

[[nodiscard]] std::vector<KindSample> gradientSamples();

} // namespace sw::test
