#include "tests/benchmarks/library_peers.h"

#ifdef STEPWELL_HAS_EIGEN

#include "engine/base/text.h"
#include "engine/types/host_tensor.h"
#include "tests/benchmarks/range_threads.h"

#include <Eigen/Core>

namespace sw::benchmark {

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using GivenMatrix = Eigen::Map<const Matrix>;

enum class Second : std::uint8_t { AsItIs, Transposed };

// Eigen's own threads are those of OpenMP, whose runtime here is oneDNN's and C's alone (peer_threads.h). Without it Eigen works
// on one thread, so each thread is given some of the rows, and brings the second matrix into blocks for itself.
std::vector<Peer> productOf(const ProductSize &size, Second second)
{
    const auto run = [size, second](const std::vector<HostTensor> &inputs, float *out, std::uint32_t threads) {
        const GivenMatrix a(floatsOf(inputs[0]), size.rows, size.depth);
        const float *b = floatsOf(inputs[1]);
        inParallel(threads, static_cast<std::size_t>(size.rows), [&](std::size_t begin, std::size_t end) {
            const auto first = static_cast<Eigen::Index>(begin);
            const auto count = static_cast<Eigen::Index>(end - begin);
            Eigen::Map<Matrix> result(out + first * size.columns, count, size.columns);
            if (second == Second::AsItIs)
                result.noalias() = a.middleRows(first, count) * GivenMatrix(b, size.depth, size.columns);
            else
                result.noalias() = a.middleRows(first, count) * GivenMatrix(b, size.columns, size.depth).transpose();
        });
    };
    return {{"Eigen", run}};
}

} // namespace

std::string eigenText()
{
    return format("Eigen {}.{}.{} (compiled for {})", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION,
                  Eigen::SimdInstructionSetsInUse());
}

std::vector<Peer> eigenProduct(const ProductSize &size)
{
    return productOf(size, Second::AsItIs);
}

std::vector<Peer> eigenLinear(const ProductSize &size)
{
    return productOf(size, Second::Transposed);
}

} // namespace sw::benchmark

#else

namespace sw::benchmark {

std::string eigenText()
{
    return "Eigen is not here (package libeigen3-dev)";
}

std::vector<Peer> eigenProduct(const ProductSize &)
{
    return {};
}

std::vector<Peer> eigenLinear(const ProductSize &)
{
    return {};
}

} // namespace sw::benchmark

#endif
