// How long it takes to save a program's session, to open it, and to write the page of its report, and how large they are (the
// goals for light_resnet50: 1 s for saving, 1 s for opening, 5 MB for the page). Prints the median of some runs.
// stepwell_session_benchmark FILE [DEVICE]

#include "engine/api/explorer.h"
#include "engine/api/front_end.h"
#include "engine/api/report_page/report_page.h"
#include "engine/api/resources.h"
#include "engine/api/session_file/session_file.h"
#include "engine/backend/native_backends.h"
#include "engine/base/sha256.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <numeric>

namespace sw {
namespace {

constexpr int kRuns = 7;

template <class Run>
double medianMilliseconds(Run &&run)
{
    std::vector<double> times;
    for (int i = 0; i < kRuns; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        run();
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    std::ranges::sort(times);
    return times[times.size() / 2];
}

SessionContents contentsOf(Explorer &explorer, const std::string &file, const std::string &device)
{
    ExploreRequest request;
    request.fileName = file;
    request.isFile = true;
    request.device = device;
    SessionContents contents;
    const ReportPtr compiled = explorer.compile(request, {}, {});
    std::vector<std::uint32_t> kernels(compiled->kernels.size());
    std::iota(kernels.begin(), kernels.end(), 0U);
    const ReportPtr read = explorer.readMachineCode(kernels, {});
    const ReportPtr ran = explorer.run({.repeats = 1}, {});
    contents.report = ran ? *ran : read ? *read : *compiled;
    contents.fileName = std::filesystem::path(file).filename().string();
    contents.program = readTextFile(file).value();
    contents.programDigest = hexText(sha256Of(*contents.program));
    for (std::uint32_t pass = 0; pass < contents.report.passes.size(); ++pass)
        contents.rewrites.push_back({pass, explorer.rewrites(pass, 0, kMostKeptRewrites, {})});
    return contents;
}

void measure(const std::string &file, const std::string &device)
{
    BackendRegistry registry;
    addNativeBackends(registry);
    Explorer explorer(registry, findResourceFolder());
    const SessionContents contents = contentsOf(explorer, file, device);
    const std::filesystem::path saved = std::filesystem::temp_directory_path() / "stepwell_session_benchmark.stepwell";
    const double saving = medianMilliseconds([&] { (void)saveSession(contents, saved, Durability::Synced); });
    const double opening = medianMilliseconds([&] { (void)openSession(saved); });
    std::size_t page = 0;
    const double writing =
        medianMilliseconds([&] { page = reportPage(contents.report, {.title = "benchmark", .summary = {}}).html.size(); });
    fmt::print(
        "{} kernels, session of {:.2f} MB: saved in {:.1f} ms, opened in {:.1f} ms; page of {:.2f} MB: made in {:.1f} ms\n",
        contents.report.kernels.size(), static_cast<double>(std::filesystem::file_size(saved)) / 1e6, saving, opening,
        static_cast<double>(page) / 1e6, writing);
    std::filesystem::remove(saved);
}

} // namespace
} // namespace sw

int main(int count, char **words)
{
    if (count < 2)
        return 2;
    sw::measure(words[1], count > 2 ? words[2] : "llvm");
    return 0;
}
