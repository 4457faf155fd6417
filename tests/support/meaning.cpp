#include "tests/support/meaning.h"

#include "engine/execute/dimensions.h"
#include "engine/execute/reference_graph.h"
#include "engine/graph/interpreter.h"

namespace sw::test {

namespace {

std::vector<GivenShape> shapesOf(std::span<const HostTensor> inputs)
{
    std::vector<GivenShape> shapes;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        shapes.push_back({i, inputs[i].shape()});
    return shapes;
}

} // namespace

Result<std::vector<HostTensor>> meaningOf(const Graph &graph, std::span<const HostTensor> inputs)
{
    SW_TRY(const SymbolicBindings dimensions, dimensionsOf(graph, shapesOf(inputs), {}));
    SW_TRY(const GraphPtr reference, referenceGraphOf(std::make_shared<const Graph>(graph), dimensions));
    return interpretGraph(*reference, inputs);
}

Comparison Meaning::compared(std::size_t output, const HostTensor &actual) const
{
    return compareTensors(values[output], actual, limits.limits.empty() ? nullptr : &limits.limits[output]);
}

Result<Meaning> meaningAndLimitsOf(const GraphPtr &graph, std::span<const HostTensor> inputs)
{
    Meaning meaning;
    SW_TRY(meaning.values, meaningOf(*graph, inputs));
    meaning.limits = outputLimitsOf(graph, inputs, {}, {});
    return meaning;
}

} // namespace sw::test
