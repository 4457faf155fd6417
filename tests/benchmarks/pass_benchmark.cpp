// How the time of each pass grows with the program: at n, 2n and 4n nodes or layers, and the exponent of the last step, which is
// 1 where the work grows with the size.
//
//   stepwell_pass_benchmark [N]

#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/runner.h"
#include "tests/benchmarks/measure.h"
#include "tests/support/growing_graphs.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

namespace sw::benchmark {
namespace {

struct Growth {
    std::string name;
    Graph (*make)(std::size_t);
};

CompileTarget plainTarget()
{
    CompileTarget target;
    target.device.id = "c";
    target.device.backend = "c";
    target.device.threads = 2;
    target.device.vectorBytes = 32;
    target.device.cacheBytesPerCore = 1 << 20;
    return target;
}

double seconds(Nanoseconds time)
{
    return static_cast<double>(time.count()) / 1e9;
}

std::string exponentOf(Nanoseconds before, Nanoseconds after)
{
    constexpr Nanoseconds kTooShort{1'000'000};
    return before < kTooShort ? "-" : format("{:.2f}", std::log2(seconds(after) / seconds(before)));
}

void measure(const Growth &growth, std::size_t size)
{
    print(format("\n{}, n = {}\n{:<26}{:>10}{:>10}{:>10}{:>10}\n", growth.name, size, "pass", "n", "2n", "4n", "exponent"));
    std::vector<PipelineRun> runs;
    std::vector<Nanoseconds> totals;
    for (const std::size_t factor : {1U, 2U, 4U}) {
        const auto graph = std::make_shared<const Graph>(growth.make(factor * size));
        totals.push_back(timeOf([&] { runs.push_back(runPipeline(graph, standardPipeline(), plainTarget(), {})); }));
        if (!runs.back().succeeded) {
            print(toText(runs.back().diagnostics));
            return;
        }
    }
    const auto line = [](std::string_view name, Nanoseconds a, Nanoseconds b, Nanoseconds c) {
        print(format("{:<26}{:>10.3f}{:>10.3f}{:>10.3f}{:>10}\n", name, seconds(a), seconds(b), seconds(c), exponentOf(b, c)));
    };
    for (std::size_t i = 0; i < runs.front().steps.size(); ++i)
        line(runs[0].steps[i].pass->id, runs[0].steps[i].time, runs[1].steps[i].time, runs[2].steps[i].time);
    line("all, and verifying", totals[0], totals[1], totals[2]);
}

} // namespace
} // namespace sw::benchmark

int main(int count, char **words)
{
    std::size_t size = 5000;
    if (count > 1)
        std::from_chars(words[1], words[1] + std::strlen(words[1]), size);
    using sw::test::GrowingGraph;
    sw::benchmark::measure({"a chain of operations", GrowingGraph::chain}, size);
    sw::benchmark::measure({"a chain of views", GrowingGraph::views}, size);
    sw::benchmark::measure({"a cat of many inputs", GrowingGraph::cat}, size);
    sw::benchmark::measure({"layers", GrowingGraph::layers}, size / 50);
    return 0;
}
