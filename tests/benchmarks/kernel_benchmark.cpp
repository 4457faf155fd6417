// Kernels against what people use otherwise, taking turns in one run: a matrix product against OpenBLAS, softmax and gelu of 16
// million elements against plain C loops with libm, on one and two threads.

#include "engine/backend/native_backends.h"
#include "tests/benchmarks/plain_loops.h"
#include "tests/benchmarks/prepared_program.h"

#include <cblas.h>

#include <cmath>
#include <thread>

extern "C" void openblas_set_num_threads(int);

namespace sw::benchmark {
namespace {

constexpr int kRounds = 11;
constexpr std::int64_t kSide = 1024;
constexpr std::size_t kRows = 16384;
constexpr std::size_t kColumns = 1024;
constexpr std::size_t kElements = kRows * kColumns;

// Peers write over the same memory each time, as our program does.
using PeerFunction = std::function<void(const std::vector<HostTensor> &, float *, std::uint32_t threads)>;

struct Case {
    std::string name;
    std::string program;
    std::string peer;
    std::size_t outputElements = 0;
    PeerFunction runPeer;
};

const float *floatsOf(const HostTensor &tensor)
{
    return reinterpret_cast<const float *>(tensor.bytes().data());
}

// Splits a range among threads.
void inParallel(std::uint32_t threads, std::size_t count, const std::function<void(std::size_t begin, std::size_t end)> &work)
{
    std::vector<std::jthread> others;
    const std::size_t part = count / threads;
    for (std::uint32_t i = 1; i < threads; ++i)
        others.emplace_back(work, i * part, i + 1 == threads ? count : (i + 1) * part);
    work(0, threads == 1 ? count : part);
}

std::vector<Case> cases()
{
    const auto product = [](const std::vector<HostTensor> &inputs, float *out, std::uint32_t threads) {
        openblas_set_num_threads(static_cast<int>(threads));
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kSide, kSide, kSide, 1, floatsOf(inputs[0]), kSide,
                    floatsOf(inputs[1]), kSide, 0, out, kSide);
    };
    const auto softmax = [](const std::vector<HostTensor> &inputs, float *out, std::uint32_t threads) {
        inParallel(threads, kRows, [&](std::size_t begin, std::size_t end) {
            plainSoftmax(floatsOf(inputs[0]) + begin * kColumns, out + begin * kColumns, end - begin, kColumns);
        });
    };
    const auto gelu = [](const std::vector<HostTensor> &inputs, float *out, std::uint32_t threads) {
        inParallel(threads, kElements,
                   [&](std::size_t begin, std::size_t end) { plainGelu(floatsOf(inputs[0]) + begin, out + begin, end - begin); });
    };
    return {
        {"matmul 1024", "input a: f32[1024, 1024]\ninput b: f32[1024, 1024]\noutput a @ b\n", "OpenBLAS",
         static_cast<std::size_t>(kSide * kSide), product},
        {"softmax 16384 x 1024", "input x: f32[16384, 1024]\noutput softmax(x, axis = -1)\n", "C loop", kElements, softmax},
        {"gelu 16M", "input x: f32[16777216]\noutput gelu(x)\n", "C loop", kElements, gelu},
    };
}

// A ratio means nothing when one side computes something else.
double largestDifference(const HostTensor &ours, const std::vector<float> &theirs)
{
    double largest = 0;
    for (std::size_t i = 0; i < theirs.size(); ++i)
        largest = std::fmax(largest, std::fabs(static_cast<double>(floatsOf(ours)[i]) - static_cast<double>(theirs[i])));
    return largest;
}

void measure(const BackendRegistry &registry, const Case &wanted, std::uint32_t threads)
{
    PreparedProgram program(registry, wanted.program, threads);
    std::vector<float> out(wanted.outputElements);
    const std::vector<Timing> timings =
        measureInTurns({{"stepwell", [&] { return program.run(); }},
                        {wanted.peer, [&] { return timeOf([&] { wanted.runPeer(program.inputs(), out.data(), threads); }); }}},
                       kRounds);
    print(format("{:<22} {} thread{}  stepwell {:>12}  {:<8} {:>12}  ratio {:.2f}  max difference {:.2g}\n", wanted.name, threads,
                 threads == 1 ? " " : "s", millisecondsText(timings[0].median), wanted.peer, millisecondsText(timings[1].median),
                 static_cast<double>(timings[1].median.count()) / static_cast<double>(timings[0].median.count()),
                 largestDifference(program.output(), out)));
}

} // namespace
} // namespace sw::benchmark

int main()
{
    sw::BackendRegistry registry;
    sw::addNativeBackends(registry);
    sw::benchmark::print("ratio: how many times faster than the peer\n");
    for (const sw::benchmark::Case &wanted : sw::benchmark::cases())
        for (const std::uint32_t threads : {1U, 2U})
            sw::benchmark::measure(registry, wanted, threads);
    return 0;
}
