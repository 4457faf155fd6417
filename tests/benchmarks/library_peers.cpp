#include "tests/benchmarks/library_peers.h"

#include "engine/types/host_tensor.h"

namespace sw::benchmark {

const float *floatsOf(const HostTensor &tensor)
{
    return reinterpret_cast<const float *>(tensor.bytes().data());
}

std::vector<const float *> floatsOf(const std::vector<HostTensor> &tensors)
{
    std::vector<const float *> places;
    for (const HostTensor &tensor : tensors)
        places.push_back(floatsOf(tensor));
    return places;
}

std::vector<std::vector<std::int64_t>> extentsOf(const std::vector<HostTensor> &tensors)
{
    std::vector<std::vector<std::int64_t>> extents;
    for (const HostTensor &tensor : tensors)
        extents.emplace_back(tensor.shape().begin(), tensor.shape().end());
    return extents;
}

} // namespace sw::benchmark
