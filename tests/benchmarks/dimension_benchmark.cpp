// What a dimension costs: programs compiled once for dim[1, 4096] and run at some size, against the program of that size. The two
// take turns. Results are compared first.

#include "engine/backend/native_backends.h"
#include "tests/benchmarks/prepared_program.h"

#include <cmath>
#include <cstdlib>

namespace sw::benchmark {
namespace {

struct OpenProgram {
    const char *name;
    const char *text; // after the line that declares n
};

constexpr OpenProgram kPrograms[] = {
    {"elementwise n x 784", "input x: f32[n, 784]\noutput x * 2 + 1\n"},
    {"gelu n x 1024", "input x: f32[n, 1024]\noutput gelu(x)\n"},
    {"elementwise 784 x n", "input x: f32[784, n]\noutput x * 2 + 1\n"},
    {"sum over 256 x n", "input x: f32[256, n]\noutput sum(x, axis = 1)\n"},
    {"sum over n of n x 1024", "input x: f32[n, 1024]\noutput sum(x, axis = 0)\n"},
    {"softmax n x 1024", "input x: f32[n, 1024]\noutput softmax(x, axis = -1)\n"},
    {"softmax 256 x n", "input x: f32[256, n]\noutput softmax(x, axis = -1)\n"},
    {"product, rows open", "input x: f32[n, 784]\ninput w: f32[784, 128]\noutput x @ w\n"},
    {"product, columns open", "input x: f32[128, 784]\ninput w: f32[784, n]\noutput x @ w\n"},
    {"product, depth open", "input x: f32[256, n]\ninput w: f32[n, 256]\noutput x @ w\n"},
    {"layers n x 784", "input x: f32[n, 784]\nparam w: f32[784, 128] = random(1)\nparam b: f32[128] = random(2)\n"
                       "param v: f32[128, 10] = random(3)\noutput softmax(relu(x @ w + b) @ v, axis = -1)\n"},
    {"attention n x 64", "input q: f32[n, 64]\ninput k: f32[n, 64]\ninput v: f32[n, 64]\n"
                         "output softmax(q @ k.T / 8, axis = -1) @ v\n"},
};

double largestDifference(const HostTensor &a, const HostTensor &b)
{
    double most = 0;
    for (std::int64_t i = 0; i < a.elements(); ++i)
        most = std::max(most, std::abs(a.at(i).asDouble() - b.at(i).asDouble()) / (1 + std::abs(b.at(i).asDouble())));
    return most;
}

// The workers of the other program spin for 0.5 ms after its run, on the core that this one's workers want.
constexpr std::chrono::milliseconds kPauseForWorkers{1};
constexpr int kRunsToWake = 3; // and this one's are asleep

Nanoseconds lastOf(PreparedProgram &program)
{
    for (int run = 1; run < kRunsToWake; ++run)
        static_cast<void>(program.run());
    return program.run();
}

void measure(const BackendRegistry &registry, const OpenProgram &program, std::int64_t size, std::uint32_t threads)
{
    PreparedProgram open(registry, format("n: dim[1, 4096] = {}\n{}", size, program.text), threads);
    PreparedProgram fixed(registry, format("n = {}\n{}", size, program.text), threads);
    const double difference = largestDifference(open.output(), fixed.output());
    const std::vector<Timing> times =
        measureInTurns({{"open", [&] { return lastOf(open); }}, {"fixed", [&] { return lastOf(fixed); }}}, 100, kPauseForWorkers);
    const double ratio = static_cast<double>(times[0].median.count()) / static_cast<double>(times[1].median.count());
    print(format("{:<24} n = {:<5} {} threads  open {:>12}  fixed {:>12}  ratio {:.2f}{}\n", program.name, size, threads,
                 millisecondsText(times[0].median), millisecondsText(times[1].median), ratio,
                 difference < 1e-4 ? "" : format("  WRONG by {}", difference)));
}

} // namespace
} // namespace sw::benchmark

int main(int count, char **arguments)
{
    sw::BackendRegistry registry;
    sw::addNativeBackends(registry);
    const std::int64_t size = count > 1 ? std::atoll(arguments[1]) : 64;
    for (const std::uint32_t threads : {1U, 2U})
        for (const auto &program : sw::benchmark::kPrograms)
            sw::benchmark::measure(registry, program, size, threads);
    return 0;
}
