// How long a user waits for the first result of a program that was never compiled here, with the backend in a host as the window
// has it, and how long for it the next time:
//   stepwell_first_result_benchmark FILE [DEVICE]
// The caches of the program and of the drivers are in a new folder, which goes away again.

#include "engine/api/explorer.h"
#include "engine/api/resources.h"
#include "engine/backend/host/host_process.h"
#include "engine/backend/host/hosted_backend.h"
#include "engine/base/text.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace {

using namespace sw;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// False: it failed.
bool measure(const char *title, const ExploreRequest &request)
{
    BackendRegistry registry;
    addHostedBackends(registry, findHostProgram());
    Explorer explorer(registry, findResourceFolder());
    const auto begin = Clock::now();
    const ReportPtr compiled = explorer.compile(request, {}, {});
    const Seconds compiledAfter = Clock::now() - begin;
    if (compiled == nullptr || !compiled->succeeded)
        return false;
    const ReportPtr run = explorer.run({.warmup = 0, .repeats = 1}, {});
    const Seconds ranAfter = Clock::now() - begin;
    if (run == nullptr || run->outputs.empty())
        return false;
    std::puts(format("{}: compiled after {:.2f} s, first result after {:.2f} s", title, compiledAfter.count(), ranAfter.count())
                  .c_str());
    for (const StageTime &stage : compiled->compileTimes)
        std::puts(format("  {:9} {:6.3f} s", stage.name, 1e-9 * static_cast<double>(stage.nanoseconds)).c_str());
    return true;
}

} // namespace

int main(int argumentCount, char **arguments)
{
    if (argumentCount < 2) {
        std::fputs("stepwell_first_result_benchmark FILE [DEVICE]\n", stderr);
        return 2;
    }
    ExploreRequest request;
    request.fileName = arguments[1];
    request.isFile = true;
    request.device = argumentCount > 2 ? arguments[2] : "opencl";
    const std::filesystem::path caches = std::filesystem::temp_directory_path() / format("stepwell-first-result-{}", ::getpid());
    for (const char *name : {"XDG_CACHE_HOME", "POCL_CACHE_DIR"}) {
        std::filesystem::create_directories(caches / name);
        ::setenv(name, (caches / name).c_str(), 1);
    }
    const bool succeeded = measure("empty caches", request) && measure("once more", request);
    std::error_code ignored;
    std::filesystem::remove_all(caches, ignored);
    if (!succeeded)
        std::fputs("it cannot be compiled or run\n", stderr);
    return succeeded ? 0 : 1;
}
