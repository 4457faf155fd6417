// stepwell-host BACKEND: compiles and runs kernels for another process, which starts it with a socket and shared memory
// (engine/backend/host). It ends when the socket is closed.
// stepwell-host assist: helps another process to translate OpenCL kernels (engine/backend/opencl/cl_assistant.h).

#include "engine/backend/cpu/crash_handler.h"
#include "engine/backend/host/host_server.h"
#include "engine/backend/native_backends.h"
#include "engine/backend/opencl/cl_assistant.h"
#include "engine/base/cache_folder.h"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>

namespace {

constexpr int kUsage = 2;

int fail(const std::string &reason, int code)
{
    std::fputs(("stepwell-host: " + reason + "\n").c_str(), stderr);
    return code;
}

} // namespace

int main(int argumentCount, char **arguments)
{
    if (argumentCount != 2)
        return fail("it is started by stepwell, with the name of a backend", kUsage);
    // Compilers started from here must not keep the socket open.
    const bool hasSocket = fcntl(sw::kHostSocket, F_SETFD, FD_CLOEXEC) == 0;
    if (hasSocket && arguments[1] == sw::kAssistArgument)
        return sw::assistTranslating(sw::Descriptor(sw::kHostSocket));
    if (!hasSocket || fcntl(sw::kHostMemory, F_SETFD, FD_CLOEXEC) != 0)
        return fail("it is started by stepwell, which gives it a socket and memory", kUsage);
    sw::BackendRegistry registry;
    sw::addNativeBackends(registry, "/proc/self/exe", sw::cacheFolder() / "kernels");
    sw::Backend *backend = registry.find(arguments[1]);
    if (backend == nullptr)
        return fail("there is no backend " + std::string(arguments[1]), kUsage);
    auto staging = sw::StagingMemory::open(sw::Descriptor(sw::kHostMemory));
    if (!staging)
        return fail(sw::toText(staging.error()), 1);
    sw::describeCrashesIn(staging->crashNote());
    sw::HostServer server(*backend, sw::Descriptor(sw::kHostSocket), std::move(*staging));
    // A kernel that hangs must not keep the process alive.
    const auto leave = [](const sw::Result<sw::Done> &ended) { std::_Exit(ended ? 0 : fail(sw::toText(ended.error()), 1)); };
    return server.serve(leave) ? 0 : 1;
}
