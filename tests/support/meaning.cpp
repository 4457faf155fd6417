#include "tests/support/meaning.h"

#include "engine/graph/interpreter.h"
#include "engine/graph/verify.h"
#include "engine/passes/graph/differentiate.h"

namespace sw::test {

Result<std::vector<HostTensor>> meaningOf(const Graph &graph, std::span<const HostTensor> inputs)
{
    const DeviceInfo device;
    const CompileOptions options;
    PassContext context(device, TargetLanguage::C, options, {});
    SW_TRY(const auto written, differentiate(graph, context));
    if (!written)
        return interpretGraph(graph, inputs);
    SW_CHECK(verifyGraph(*written));
    return interpretGraph(*written, inputs);
}

} // namespace sw::test
