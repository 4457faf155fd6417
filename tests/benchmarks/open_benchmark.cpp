// How long models take from their files to the graph that the window shows, and how much memory that takes: the ONNX models named
// on the command line, or made ones of so many megabytes of weights, in the model's own file and beside it. Each is opened in
// processes of its own, which know nothing of the file yet; the time is the median, and a second is the goal.
//
//   stepwell_open_benchmark MODEL.onnx...
//   stepwell_open_benchmark --made MEGABYTES

#include "engine/api/describe.h"
#include "engine/api/front_end.h"
#include "engine/api/resources.h"
#include "tests/unit/onnx/model_bytes.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

namespace sw::benchmark {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 5;
constexpr double kGoalSeconds = 1;

// Over what the process has without the model.
struct Opening {
    double seconds = 0;
    double peakMegabytes = 0; // of memory, with pages of the file that the system had in memory and has mapped, 2 MB at a time
    double ownMegabytes = 0;  // without them, at the end
};

// A row of the process's status, "VmHWM" for example.
double megabytes(std::string_view row)
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(row))
            return 1.024e-3 * std::stod(line.substr(row.size() + 1));
    return 0;
}

// In this process.
std::optional<Opening> openHere(const std::filesystem::path &file)
{
    const double peakBefore = megabytes("VmHWM");
    const double ownBefore = megabytes("RssAnon");
    ProgramInput input;
    input.fileName = file.string();
    input.resourceFolder = findResourceFolder();
    const auto begin = Clock::now();
    const FrontEndResult opened = openProgram(input, {});
    if (!opened.stage) {
        std::fputs(toText(opened.diagnostics).c_str(), stderr);
        return std::nullopt;
    }
    const StageDocumentPtr shown = describeGraph(*std::get<GraphPtr>(*opened.stage), nullptr);
    const std::chrono::duration<double> seconds = Clock::now() - begin;
    if (shown == nullptr)
        return std::nullopt;
    return Opening{seconds.count(), megabytes("VmHWM") - peakBefore, megabytes("RssAnon") - ownBefore};
}

std::optional<Opening> openInProcess(const std::filesystem::path &file)
{
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0)
        return std::nullopt;
    const pid_t child = ::fork();
    if (child == 0) {
        const auto opening = openHere(file);
        const bool isSent = opening && ::write(ends[1], &*opening, sizeof *opening) == sizeof *opening;
        ::_exit(isSent ? 0 : 1);
    }
    ::close(ends[1]);
    Opening opening;
    const bool isThere = child > 0 && ::read(ends[0], &opening, sizeof opening) == sizeof opening;
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    return isThere ? std::optional(opening) : std::nullopt;
}

bool measure(const std::string &title, const std::filesystem::path &file)
{
    std::vector<double> seconds;
    double peak = 0;
    double own = 0;
    for (int round = 0; round < kRounds; ++round) {
        const auto opening = openInProcess(file);
        if (!opening)
            return false;
        seconds.push_back(opening->seconds);
        peak = std::max(peak, opening->peakMegabytes);
        own = std::max(own, opening->ownMegabytes);
    }
    std::ranges::sort(seconds);
    const double median = seconds[seconds.size() / 2];
    std::puts(format("{:40} {:7.3f} s  {:6.1f} MB at most, {:6.1f} MB of its own{}", title, median, peak, own,
                     median > kGoalSeconds ? "  longer than the goal" : "")
                  .c_str());
    return true;
}

// Layers of 4 MB, one after the other.
void writeModel(const std::filesystem::path &folder, std::int64_t megabytes, bool isBeside)
{
    constexpr std::int64_t kWidth = 1000;
    std::vector<float> weights(static_cast<std::size_t>(kWidth * kWidth));
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] = static_cast<float>(i % 997) / 997 - 0.5F;
    const std::string_view bytes(reinterpret_cast<const char *>(weights.data()), weights.size() * sizeof(float));
    std::ofstream beside(folder / "weights.bin", std::ios::binary);
    test::Message graph;
    const std::int64_t layers = std::max<std::int64_t>(megabytes / 4, 1);
    for (std::int64_t i = 0; i < layers; ++i) {
        test::Message tensor;
        tensor.number(1, kWidth).number(1, kWidth).number(2, test::kFloat).text(8, format("w{}", i));
        if (isBeside) {
            tensor.message(13, test::Message().text(1, "location").text(2, "weights.bin"));
            tensor.message(13, test::Message().text(1, "offset").text(2, format("{}", i * kWidth * kWidth * 4))).number(14, 1);
            beside << bytes;
        } else {
            tensor.text(9, bytes);
        }
        graph.message(5, tensor).message(
            1, test::nodeMessage(
                   {.op = "MatMul", .inputs = {format("y{}", i), format("w{}", i)}, .outputs = {format("y{}", i + 1)}}));
    }
    graph.message(11, test::valueInfo("y0", {1, kWidth})).message(12, test::valueInfo(format("y{}", layers), {1, kWidth}));
    const test::Message model = test::Message().number(1, 8).message(7, graph).message(8, test::Message().number(2, 13));
    std::ofstream(folder / "model.onnx", std::ios::binary) << model.bytes();
}

bool measureMade(std::int64_t megabytes)
{
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / format("stepwell-open-{}", ::getpid());
    std::filesystem::create_directories(folder);
    bool isMeasured = true;
    for (const bool isBeside : {false, true}) {
        // What is written stays in the process that writes it.
        if (const pid_t child = ::fork(); child == 0) {
            writeModel(folder, megabytes, isBeside);
            ::_exit(0);
        } else {
            int status = 0;
            ::waitpid(child, &status, 0);
        }
        isMeasured = measure(format("{} MB of weights {}", megabytes, isBeside ? "beside the model" : "in the model"),
                             folder / "model.onnx") &&
                     isMeasured;
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    return isMeasured;
}

} // namespace
} // namespace sw::benchmark

int main(int argumentCount, char **arguments)
{
    const std::vector<std::string> given(arguments + 1, arguments + argumentCount);
    if (given.empty() || (given.front() == "--made" && given.size() != 2)) {
        std::fputs("stepwell_open_benchmark MODEL.onnx... | --made MEGABYTES\n", stderr);
        return 2;
    }
    if (given.front() == "--made")
        return sw::benchmark::measureMade(std::strtoll(given[1].c_str(), nullptr, 10)) ? 0 : 1;
    bool isMeasured = true;
    for (const std::string &file : given)
        isMeasured = sw::benchmark::measure(std::filesystem::path(file).parent_path().filename().string(), file) && isMeasured;
    return isMeasured ? 0 : 1;
}
