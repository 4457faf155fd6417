// How long it takes to find the difference of two texts of 100,000 lines, by what differs between them (the goal is 100 ms), of
// two tensors, and, when a model is given, of its documents compiled with and without fusion (the goal for the graph of
// light_resnet50 is 50 ms). Prints the median of some runs, in processor time. stepwell_difference_benchmark [MODEL.onnx]

#include "engine/api/compare/graph_difference.h"
#include "engine/api/compare/tensor_difference.h"
#include "engine/api/compare/text_difference.h"
#include "engine/api/compilation.h"
#include "engine/api/describe.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"
#include "engine/types/random_fill.h"

#include <algorithm>
#include <ctime>
#include <random>
#include <string>
#include <vector>

namespace sw {
namespace {

constexpr int kRuns = 7;

// Kernels of a hundred lines, as the lowered stage prints them.
std::vector<std::string> loweredText(std::size_t lines, std::uint32_t seed)
{
    std::mt19937 random(seed);
    const char *const kOps[] = {"add", "mul", "fma", "max", "sub"};
    std::vector<std::string> text;
    for (std::size_t kernel = 0; text.size() < lines; ++kernel) {
        text.push_back(format("kernel \"k{}_value{}\" symbol \"add_{}x256_{:08x}\" id {}", kernel, kernel % 50, kernel % 9 + 1,
                              static_cast<std::uint32_t>(random()), kernel));
        for (std::size_t i = 1; i < 100 && text.size() < lines; ++i)
            text.push_back(i % 7 == 0
                               ? format("  %{} = const i64 {}", i, random() % 512)
                               : format("    %{} = {} f32x16 %{}, %{}", i, kOps[random() % 5], random() % i, random() % i));
    }
    return text;
}

// What the numbers of a kernel become when a line is added at its front.
std::string shifted(const std::string &line)
{
    std::string made;
    for (std::size_t i = 0; i < line.size();) {
        made += line[i++];
        if (made.back() != '%')
            continue;
        std::size_t end = i;
        while (end < line.size() && line[end] >= '0' && line[end] <= '9')
            ++end;
        made += std::to_string(std::stoul(line.substr(i, end - i)) + 1);
        i = end;
    }
    return made;
}

template <class Run>
double medianMilliseconds(Run &&run)
{
    std::vector<double> times;
    for (int i = 0; i < kRuns; ++i) {
        const std::clock_t begin = std::clock();
        run();
        times.push_back(static_cast<double>(std::clock() - begin) * 1e3 / CLOCKS_PER_SEC);
    }
    std::ranges::sort(times);
    return times[times.size() / 2];
}

void measure(const std::string &what, const std::vector<std::string> &before, const std::vector<std::string> &after)
{
    const std::vector<std::string_view> from(before.begin(), before.end());
    const std::vector<std::string_view> to(after.begin(), after.end());
    TextDifference difference;
    const double time = medianMilliseconds([&] { difference = differenceOf(from, to, StageKind::Lowered); });
    fmt::print("{:<34} {:7.1f} ms  ", what, time);
    for (std::size_t kind = 0; kind < kRowKinds; ++kind)
        fmt::print(" {} {}", nameOf(static_cast<RowKind>(kind)), difference.counts[kind]);
    fmt::print("\n");
}

void measureTexts(std::size_t lines)
{
    const std::vector<std::string> text = loweredText(lines, 1);
    measure("equal", text, text);
    std::vector<std::string> edited = text;
    std::mt19937 random(2);
    for (std::size_t i = 0; i < lines / 100; ++i)
        edited[random() % lines] = format("    %{} = neg f32x16 %{}", i % 99 + 1, i % 7);
    measure("1 % of the lines edited", text, edited);
    std::vector<std::string> inserted;
    for (const std::string &line : text) {
        inserted.push_back(line.starts_with("kernel") ? line : shifted(line));
        if (line.starts_with("kernel"))
            inserted.emplace_back("  %1 = special global_x");
    }
    measure("a line added to every kernel", text, inserted);
    std::vector<std::string> moved = text;
    std::rotate(moved.begin(), moved.begin() + static_cast<std::ptrdiff_t>(lines / 300 * 100), moved.end());
    measure("the first third moved to the end", text, moved);
    std::vector<std::string> half = text;
    for (std::size_t i = 0; i < lines; i += 2)
        half[i] = format("    %{} = other f32x8 %{}", i % 99 + 1, i % 5);
    measure("every second line edited", text, half);
    measure("nothing in common but the form", text, loweredText(lines, 3));
}

void measureTensors()
{
    constexpr std::int64_t kElements = std::int64_t{1} << 26;
    const HostTensor one = uniformTensor(DType::F32, Shape({kElements / 1024, 1024}), 1, -1, 1);
    const HostTensor other = uniformTensor(DType::F32, Shape({kElements / 1024, 1024}), 2, -1, 1);
    const TensorView before("before", one);
    for (const auto &[what, tensor] : {std::pair("256 MiB, equal", one), std::pair("256 MiB, all elements differ", other)}) {
        const TensorView after("after", tensor);
        const double time = medianMilliseconds([&] { (void)differenceOf(before, after); });
        fmt::print("{:<34} {:7.1f} ms\n", what, time);
    }
}

void measureModel(const std::string &file)
{
    BackendRegistry registry;
    addNativeBackends(registry);
    ProgramCompiler compiler(registry);
    CompileRequest request;
    request.program.fileName = file;
    request.program.resourceFolder = findResourceFolder();
    request.until = CompileUntil::Lowered;
    const Compilation fused = compiler.compile(request, {});
    request.options.fuse = false;
    const Compilation unfused = compiler.compile(request, {});
    if (!fused.succeeded || !unfused.succeeded) {
        fmt::print("{}\n", toText(fused.succeeded ? unfused.diagnostics : fused.diagnostics));
        return;
    }
    for (const auto &[one, other] :
         {std::pair(Stage(fused.pipeline.steps.front().before), Stage(fused.graph)),
          std::pair(Stage(fused.graph), Stage(unfused.graph)), std::pair(Stage(fused.schedule), Stage(unfused.schedule)),
          std::pair(Stage(fused.loops), Stage(unfused.loops)), std::pair(Stage(fused.lowered), Stage(unfused.lowered))}) {
        const StageDocumentPtr before = describeStage(one);
        const StageDocumentPtr after = describeStage(other);
        GraphDifference items;
        TextDifference text;
        const double itemTime = medianMilliseconds([&] { items = graphDifferenceOf(*before, *after); });
        const double textTime = medianMilliseconds([&] { text = differenceOf(*before, *after); });
        fmt::print("{:<9} {:6} and {:6} items {:7.1f} ms  {:6} and {:6} lines {:7.1f} ms\n", nameOf(before->kind),
                   before->items.size(), after->items.size(), itemTime, before->lines.size(), after->lines.size(), textTime);
    }
}

} // namespace
} // namespace sw

int main(int count, char **words)
{
    sw::measureTexts(100'000);
    sw::measureTensors();
    if (count > 1)
        sw::measureModel(words[1]);
    return 0;
}
