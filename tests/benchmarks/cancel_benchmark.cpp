// How soon a cancelled compilation gives its thread back, wherever it is cancelled:
//   stepwell_cancel_benchmark FILE [DEVICE [STEP]]
// Compiles the program as the window does, with the backend in a host, again and again, each time cancelled a little later: by
// STEP milliseconds, else by a third.

#include "engine/api/explorer.h"
#include "engine/api/resources.h"
#include "engine/backend/host/host_process.h"
#include "engine/backend/host/hosted_backend.h"
#include "engine/base/text.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <pthread.h>
#include <sstream>
#include <thread>

namespace {

using namespace sw;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr int kCancellations = 24; // the last after half a minute
constexpr int kMostSteps = 500;
constexpr Milliseconds kFirstPause(100);

// Of a thread that runs.
double processorMilliseconds(pthread_t thread)
{
    clockid_t clock{};
    timespec time{};
    if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

struct Cancelled {
    std::string stage;     // that was reached
    double processor = 0;  // milliseconds of the thread's own work until it came back
    double wall = 0;       // milliseconds until it came back
    bool wasReady = false; // the compilation was faster
};

Cancelled cancelledAfter(const ExploreRequest &request, Milliseconds pause)
{
    BackendRegistry registry;
    addHostedBackends(registry, findHostProgram());
    Explorer explorer(registry, findResourceFolder());
    Cancelled result;
    std::atomic<double> ended = 0;
    std::atomic<bool> mayEnd = false;
    std::stop_source stop;
    std::thread worker([&] {
        const auto progress = [&](const ReportPtr &report) {
            result.stage = report->code       ? "compile"
                           : report->lowered  ? "render"
                           : report->loops    ? "lower"
                           : report->schedule ? "loops"
                           : report->graph    ? "schedule"
                                              : "graph";
        };
        result.wasReady = explorer.compile(request, progress, stop.get_token()) != nullptr;
        ended = processorMilliseconds(pthread_self());
        ended.notify_one();
        mayEnd.wait(false);
    });
    std::this_thread::sleep_for(pause);
    const double before = processorMilliseconds(worker.native_handle());
    const auto begin = Clock::now();
    stop.request_stop();
    ended.wait(0);
    result.wall = Milliseconds(Clock::now() - begin).count();
    result.processor = std::max(0.0, ended - before);
    mayEnd = true;
    mayEnd.notify_one();
    worker.join();
    return result;
}

} // namespace

int main(int argumentCount, char **arguments)
{
    if (argumentCount < 2) {
        std::fputs("stepwell_cancel_benchmark FILE [DEVICE [STEP]]\n", stderr);
        return 2;
    }
    ExploreRequest request;
    request.fileName = arguments[1];
    request.device = argumentCount > 2 ? arguments[2] : "llvm";
    std::ostringstream text;
    text << std::ifstream(arguments[1]).rdbuf();
    request.text = text.str();
    double longest = 0;
    const Milliseconds step(argumentCount > 3 ? std::atof(arguments[3]) : 0);
    for (int i = 0; i < (step.count() > 0 ? kMostSteps : kCancellations); ++i) {
        const Milliseconds pause = step.count() > 0 ? step * (i + 1) : kFirstPause * (1 << (i / 3)) * (1 + 0.33 * (i % 3));
        const Cancelled result = cancelledAfter(request, pause);
        std::puts(format("cancelled after {:7.0f} ms in {:9}: {:7.1f} ms of work, {:7.1f} ms until the thread is free{}",
                         pause.count(), result.stage, result.processor, result.wall, result.wasReady ? " (it was ready)" : "")
                      .c_str());
        if (result.wasReady)
            break;
        longest = std::max(longest, result.wall);
    }
    std::puts(format("longest: {:.1f} ms", longest).c_str());
    return 0;
}
