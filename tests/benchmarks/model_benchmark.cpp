// How long whole models run on llvm: the ONNX models named on the command line. Weights that are one number each, as in the test
// models of the ONNX project, get random values first, or they would fold away.
//
//   stepwell_model_benchmark MODEL.onnx...

#include "engine/api/front_end.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"
#include "tests/benchmarks/prepared_graph.h"
#include "tests/benchmarks/prepared_program.h"
#include "tests/benchmarks/random_weights.h"

#include <cmath>
#include <filesystem>

namespace sw::benchmark {
namespace {

constexpr int kRounds = 7;
constexpr std::uint64_t kSeed = 1;

GraphPtr opened(const std::string &file)
{
    ProgramInput input;
    input.fileName = file;
    input.resourceFolder = findResourceFolder();
    const FrontEndResult result = openProgram(input, {});
    if (!result.stage)
        giveUp(result.diagnostics);
    return std::get<GraphPtr>(*result.stage);
}

// Of the outputs, relative to the largest magnitude of each: against kernels of one node each, without tiles and vectors.
double differenceFromPlain(const BackendRegistry &registry, const GraphPtr &graph, const ExecutionResult &fast)
{
    PreparedGraph plain(registry, graph, {.fuse = false, .optimize = false}, 0);
    const ExecutionResult expected = plain.run();
    double largest = 0;
    for (std::size_t i = 0; i < expected.outputs.size(); ++i) {
        const HostTensor &wanted = expected.outputs[i].value;
        double magnitude = 0;
        double difference = 0;
        for (std::int64_t k = 0; k < wanted.elements(); ++k) {
            magnitude = std::fmax(magnitude, std::fabs(wanted.at(k).asDouble()));
            const double distance = std::fabs(wanted.at(k).asDouble() - fast.outputs[i].value.at(k).asDouble());
            difference = std::isnan(distance) ? distance : std::fmax(difference, distance);
        }
        largest = std::isnan(difference) ? difference : std::fmax(largest, magnitude == 0 ? difference : difference / magnitude);
    }
    return largest;
}

void measure(const BackendRegistry &registry, const std::string &file)
{
    RandomWeights weights = withRandomWeights(*opened(file), kSeed);
    const auto graph = std::make_shared<const Graph>(std::move(weights.graph));
    PreparedGraph one(registry, graph, {}, 1);
    PreparedGraph two(registry, graph, {}, 2);
    const std::vector<Timing> timings = measureInTurns(
        {{"1 thread", [&] { return one.run().total.median; }}, {"2 threads", [&] { return two.run().total.median; }}}, kRounds,
        kPauseForSpinners);
    print(format("{} ({} kernels, {} random weights in {} tensors): compile {}, 1 thread {}, 2 threads {}, differs from plain "
                 "kernels by {:.1g}\n",
                 std::filesystem::path(file).parent_path().filename().string(), two.kernelCount(), weights.elements,
                 weights.tensors, millisecondsText(two.compileTime()), millisecondsText(timings[0].median),
                 millisecondsText(timings[1].median), differenceFromPlain(registry, graph, two.run())));
}

} // namespace
} // namespace sw::benchmark

int main(int argumentCount, char **arguments)
{
    sw::BackendRegistry registry;
    sw::addNativeBackends(registry);
    for (int i = 1; i < argumentCount; ++i)
        sw::benchmark::measure(registry, arguments[i]);
    return 0;
}
