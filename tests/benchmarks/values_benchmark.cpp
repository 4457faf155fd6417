// What looking at a large tensor costs: a gigabyte of f32.

#include "engine/api/tensor_search.h"
#include "engine/api/tensor_slice.h"
#include "engine/types/random_fill.h"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <unistd.h>

namespace {

using namespace sw;

constexpr std::int64_t kRows = 16'384;
constexpr std::int64_t kColumns = 16'384; // 1 GiB
constexpr std::int64_t kPixels = 1000;    // of a heat map, each way
constexpr std::int64_t kShown = 60 * 20;  // cells of a grid

double milliseconds(std::chrono::steady_clock::time_point since)
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since).count();
}

// Of this process, in MiB.
double residentMemory()
{
    std::ifstream file("/proc/self/statm");
    double size = 0;
    double resident = 0;
    file >> size >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

template <class Work>
void measure(const char *what, Work &&work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    std::printf("%-44s %9.2f ms   %7.0f MiB\n", what, milliseconds(start), residentMemory());
}

} // namespace

int main()
{
    const HostTensor tensor = randomTensor(DType::F32, Shape({kRows, kColumns}), 1);
    std::printf("%-44s %12s   %7.0f MiB\n", "a tensor of 1 GiB", "", residentMemory());
    TensorViewPtr view;
    TensorSlice slice;
    measure("open it and write what a grid shows", [&] {
        view = std::make_shared<const TensorView>("x", tensor);
        slice = TensorSlice(view->shape(), TensorSlice::usual(view->shape()));
        static_cast<void>(view->texts(0, kShown, ValueFormat::Decimal));
    });
    measure("tiles of a heat map of 1000 x 1000", [&] { static_cast<void>(tilesOf(*view, slice, kPixels, kPixels, {})); });
    measure("statistics and histogram", [&] { static_cast<void>(view->statistics({})); });
    measure("search all of it for a NaN",
            [&] { static_cast<void>(findElement(*view, FindWhat::NotANumber, -1, FindDirection::Forward, {})); });
    measure("the 10000 largest", [&] { static_cast<void>(firstInOrder(*view, SortOrder::Descending, 10'000, {})); });
    return 0;
}
