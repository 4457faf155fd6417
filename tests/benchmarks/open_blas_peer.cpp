#include "tests/benchmarks/library_peers.h"

#include "engine/base/text.h"
#include "engine/types/host_tensor.h"

#include <cblas.h>

extern "C" {
void openblas_set_num_threads(int);
char *openblas_get_corename();
char *openblas_get_config();
}

namespace sw::benchmark {

std::string openBlasText()
{
    return format("{} ({} kernels)", openblas_get_config(), openblas_get_corename());
}

namespace {

Peer productOf(const ProductSize &size, CBLAS_TRANSPOSE second)
{
    const auto run = [size, second](const std::vector<HostTensor> &inputs, float *out, std::uint32_t threads) {
        const auto length = [](std::int64_t elements) { return static_cast<blasint>(elements); };
        openblas_set_num_threads(static_cast<int>(threads));
        cblas_sgemm(CblasRowMajor, CblasNoTrans, second, length(size.rows), length(size.columns), length(size.depth), 1,
                    floatsOf(inputs[0]), length(size.depth), floatsOf(inputs[1]),
                    length(second == CblasTrans ? size.depth : size.columns), 0, out, length(size.columns));
    };
    return {"OpenBLAS", run};
}

} // namespace

Peer openBlasProduct(const ProductSize &size)
{
    return productOf(size, CblasNoTrans);
}

Peer openBlasLinear(const ProductSize &size)
{
    return productOf(size, CblasTrans);
}

} // namespace sw::benchmark
