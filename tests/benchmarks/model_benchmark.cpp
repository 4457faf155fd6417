// How long whole models run on llvm: the ONNX models named on the command line. Weights that are one number each, as in the test
// models of the ONNX project, get random values first, or they would fold away.
//
//   [STEPWELL_ONNX_RUNTIME=libonnxruntime.so.1] stepwell_model_benchmark MODEL.onnx... [blocks] [operators]
//
// "blocks" and "operators" stand for the models of block_models.h and operator_models.h. With the library it is the peer, in the
// same run (see onnx_runtime_peer.h). Inputs that are stored beside a model are used, others are random.

#include "engine/api/front_end.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"
#include "engine/execute/input_values.h"
#include "tests/benchmarks/block_models.h"
#include "tests/benchmarks/clean_environment.h"
#include "tests/benchmarks/model_inputs.h"
#include "tests/benchmarks/onnx_runtime_peer.h"
#include "tests/benchmarks/operator_models.h"
#include "tests/benchmarks/prepared_graph.h"
#include "tests/benchmarks/prepared_program.h"
#include "tests/benchmarks/random_weights.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <optional>

namespace sw::benchmark {
namespace {

constexpr int kRounds = 7;
constexpr std::uint64_t kSeed = 1;

template <class T>
T valueOrEnd(Result<T> result)
{
    if (!result)
        giveUp(result.error());
    return std::move(*result);
}

struct Model {
    GraphPtr graph = nullptr;            // null, with a message, when it cannot be opened
    std::vector<NamedTensor> given = {}; // to the file
    std::vector<NamedTensor> left = {};  // to the graph: without those whose values became part of it
};

Model opened(const std::string &original, const std::string &file)
{
    Model made{.given = valueOrEnd(storedInputs(original))};
    ProgramInput input;
    input.fileName = file;
    input.resourceFolder = findResourceFolder();
    input.knownInputs = made.given;
    const FrontEndResult result = openProgram(input, {});
    if (result.stage)
        made.graph = std::get<GraphPtr>(*result.stage);
    else
        print(toText(result.diagnostics));
    for (const NamedTensor &one : made.given)
        if (std::ranges::find(result.constantInputs, one.name) == result.constantInputs.end())
            made.left.push_back(one);
    return made;
}

// Of the outputs, relative to the largest magnitude of each: against kernels of one node each, without tiles and vectors.
// Nothing where those would need too much memory: they store all products.
std::optional<double> differenceFromPlain(const BackendRegistry &registry, const Model &model, const ExecutionResult &fast)
{
    constexpr std::int64_t kMostElements = std::int64_t{1} << 31U;
    for (std::size_t i = 0; i < model.graph->size(); ++i)
        if (model.graph->node(NodeId(i)).shape.elements() > kMostElements)
            return std::nullopt;
    PreparedGraph plain(registry, model.graph, {.fuse = false, .optimize = false}, 0, model.left);
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

// Of the outputs that are f32, relative to the largest magnitude of each.
double differenceFrom(const OnnxRuntimeModel &peer, const ExecutionResult &ours)
{
    double largest = 0;
    for (std::size_t i = 0; i < ours.outputs.size(); ++i) {
        const std::vector<float> theirs = peer.floats(i);
        double magnitude = 0;
        double difference = 0;
        for (std::size_t k = 0; k < theirs.size(); ++k) {
            const double wanted = static_cast<double>(theirs[k]);
            magnitude = std::fmax(magnitude, std::fabs(wanted));
            difference =
                std::fmax(difference, std::fabs(wanted - ours.outputs[i].value.at(static_cast<std::int64_t>(k)).asDouble()));
        }
        largest = std::fmax(largest, magnitude == 0 ? difference : difference / magnitude);
    }
    return largest;
}

// The peer with the inputs of our run; null, with a message, when it refuses the model.
std::unique_ptr<OnnxRuntimeModel> peerOf(const std::shared_ptr<const OnnxRuntime> &library, const std::string &file,
                                         const Model &model, const ExecutionResult &ours, std::uint32_t threads)
{
    const Graph &graph = *model.graph;
    const std::vector<HostTensor> values = valueOrEnd(placeholderValues(graph, model.left, kSeed));
    std::vector<NamedValue> inputs;
    for (const NamedTensor &given : model.given)
        inputs.push_back({given.name, given.value});
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto &placeholder = attributesOf<PlaceholderAttributes>(graph.node(graph.placeholders()[i]));
        const bool isGiven = std::ranges::find(inputs, placeholder.name, &NamedValue::name) != inputs.end();
        if (placeholder.role == PlaceholderRole::Input && !isGiven) // the file has the values of the others
            inputs.push_back({placeholder.name, values[i]});
    }
    std::vector<std::string> outputs;
    for (const NamedTensor &output : ours.outputs)
        outputs.push_back(output.name);
    auto opened = OnnxRuntimeModel::open(library, file, threads, std::move(inputs), std::move(outputs));
    if (opened)
        if (const Result<Done> ran = (*opened)->run(); !ran)
            opened = ran.failure();
    if (!opened) {
        print(format("  {}\n", toText(opened.error())));
        return nullptr;
    }
    return std::move(*opened);
}

// Logarithms of how many times as long the peer takes, by threads.
using Ratios = std::map<std::uint32_t, std::vector<double>>;

void measure(const BackendRegistry &registry, const std::shared_ptr<const OnnxRuntime> &library, const std::string &file,
             Ratios &ratios)
{
    const RandomWeights weights = valueOrEnd(withRandomWeights(file, kSeed));
    const Model model = opened(file, weights.file);
    if (model.graph == nullptr)
        return;
    std::string line = std::filesystem::path(file).parent_path().filename().string();
    for (const std::uint32_t threads : {1U, 2U}) {
        PreparedGraph ours(registry, model.graph, {}, threads, model.left);
        const ExecutionResult first = ours.run();
        if (threads == 1) {
            line += format(" ({} kernels, {} random weights in {} tensors): compile {}", ours.kernelCount(), weights.elements,
                           weights.tensors, millisecondsText(ours.compileTime()));
            if (const std::optional<double> difference = differenceFromPlain(registry, model, first))
                line += format(", differs from plain kernels by {:.1g}", *difference);
        }
        const std::unique_ptr<OnnxRuntimeModel> peer =
            library == nullptr ? nullptr : peerOf(library, weights.file, model, first, threads);
        std::vector<Contender> contenders{{"stepwell", [&] { return ours.run().total.median; }}};
        if (peer != nullptr)
            contenders.push_back({"peer", [&] { return timeOf([&] { valueOrEnd(peer->run()); }); }});
        const std::vector<Timing> timings = measureInTurns(contenders, kRounds, kPauseForSpinners);
        line += threads == 1 ? format("; 1 thread {}", millisecondsText(timings[0].median))
                             : format("; {} threads, a word there and back {} ns: {}", threads, handoverTime().count(),
                                      millisecondsText(timings[0].median));
        if (peer == nullptr)
            continue;
        const double ratio = static_cast<double>(timings[1].median.count()) / static_cast<double>(timings[0].median.count());
        ratios[threads].push_back(std::log(ratio));
        line += format(", peer {} ({:.2f} x, off by {:.1g})", millisecondsText(timings[1].median), ratio,
                       differenceFrom(*peer, first));
    }
    print(line + "\n");
}

} // namespace
} // namespace sw::benchmark

int main(int argumentCount, char **arguments)
{
    sw::benchmark::runWithCleanEnvironment(arguments);
    sw::BackendRegistry registry;
    sw::addNativeBackends(registry);
    const std::shared_ptr<const sw::benchmark::OnnxRuntime> library = sw::benchmark::onnxRuntime();
    if (library != nullptr)
        sw::benchmark::print(textOf(*library) + "\n");
    sw::benchmark::Ratios ratios;
    std::vector<std::string> files;
    for (int i = 1; i < argumentCount; ++i) {
        const std::string_view argument = arguments[i];
        if (argument != "blocks" && argument != "operators") {
            files.emplace_back(argument);
            continue;
        }
        const auto written = argument == "blocks" ? sw::benchmark::writtenBlockModels(sw::benchmark::kSeed)
                                                  : sw::benchmark::writtenOperatorModels(sw::benchmark::kSeed);
        if (!written)
            sw::benchmark::giveUp(written.error());
        files.insert(files.end(), written->begin(), written->end());
    }
    for (const std::string &file : files)
        sw::benchmark::measure(registry, library, file, ratios);
    for (const auto &[threads, logarithms] : ratios)
        sw::benchmark::print(sw::format(
            "geometric mean of {} models, {} threads: {:.2f} x\n", logarithms.size(), threads,
            std::exp(std::accumulate(logarithms.begin(), logarithms.end(), 0.0) / static_cast<double>(logarithms.size()))));
    return 0;
}
