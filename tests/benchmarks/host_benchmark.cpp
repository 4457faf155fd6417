// What it costs that the window's backends live in other processes: starting a host, launching, moving bytes.

#include "engine/backend/host/hosted_backend.h"
#include "engine/backend/native_backends.h"
#include "engine/lowered/builder.h"
#include "tests/benchmarks/measure.h"

#include <algorithm>

namespace {

using namespace sw;
using namespace sw::benchmark;

constexpr int kLaunches = 2000;
constexpr int kStarts = 9;
constexpr int kMoves = 9;
constexpr std::size_t kMovedBytes = std::size_t{64} << 20;

double microseconds(Nanoseconds time)
{
    return std::chrono::duration<double, std::micro>(time).count();
}

// One store: what a launch takes is its overhead.
LoweredKernel tinyKernel()
{
    const Origin origin{SourceId(0U)};
    LoweredBuilder builder({.kernel = KernelId(0U),
                            .name = "tiny",
                            .symbol = "tiny",
                            .instructions = {},
                            .arguments = {},
                            .globalSize = {1, 1, 1},
                            .localSize = {1, 1, 1},
                            .origin = origin});
    const auto out = builder.defineGlobal(origin, {BufferId(0U), DType::F32, 1, true, "out"});
    builder.store(origin, out, builder.index(origin, 0), builder.constant(origin, Scalar::of(DType::F32, 1.0)));
    return builder.take();
}

// A device with the kernel and a large buffer on it.
struct Prepared {
    Backend::Opened opened;
    ArtifactId artifact;
    DeviceBufferId buffer;
};

Result<Prepared> prepare(const BackendRegistry &registry, std::string_view id)
{
    SW_TRY(const auto found, registry.device(id));
    Prepared made;
    SW_TRY(made.opened, found.backend->open(found.device, {}));
    SW_TRY(const RenderedSource source, found.backend->renderer().render(tinyKernel(), found.device));
    SW_TRY(const Artifact artifact, std::move(made.opened.compiler->compile({&source, 1}, {}).front()));
    made.artifact = artifact.id;
    SW_TRY(made.buffer, made.opened.runtime->allocate(static_cast<std::int64_t>(kMovedBytes)));
    return made;
}

Contender launching(const std::string &name, Prepared &on)
{
    return {name, [&on] {
                return timeOf([&on] {
                    const std::array buffers = {on.buffer};
                    const auto result = on.opened.runtime->launch({on.artifact, buffers, {1, 1, 1}, {1, 1, 1}}, {});
                    SW_ASSERT(result.has_value(), "a launch that works");
                });
            }};
}

Contender uploading(const std::string &name, Prepared &on, std::span<const std::byte> bytes)
{
    return {name, [&on, bytes] {
                return timeOf([&on, bytes] {
                    const auto done = on.opened.runtime->upload(on.buffer, 0, bytes);
                    SW_ASSERT(done.has_value(), "an upload that works");
                });
            }};
}

Contender downloading(const std::string &name, Prepared &on, std::span<std::byte> bytes)
{
    return {name, [&on, bytes] {
                return timeOf([&on, bytes] {
                    const auto done = on.opened.runtime->download(on.buffer, 0, bytes);
                    SW_ASSERT(done.has_value(), "a download that works");
                });
            }};
}

Result<Done> measureCalls(const BackendRegistry &native, const BackendRegistry &hosted, std::string_view id)
{
    SW_TRY(Prepared own, prepare(native, id));
    SW_TRY(Prepared other, prepare(hosted, id));
    std::vector<std::byte> bytes(kMovedBytes, std::byte{1});
    const auto launches = measureInTurns({launching("own", own), launching("host", other)}, kLaunches);
    const auto uploads = measureInTurns({uploading("own", own, bytes), uploading("host", other, bytes)}, kMoves);
    const auto downloads = measureInTurns({downloading("own", own, bytes), downloading("host", other, bytes)}, kMoves);
    print(format("  launch:         {:8.1f} us in this process, {:8.1f} us in a host\n", microseconds(launches[0].median),
                 microseconds(launches[1].median)));
    print(format("  upload 64 MiB:  {} in this process, {} in a host\n", millisecondsText(uploads[0].median),
                 millisecondsText(uploads[1].median)));
    print(format("  download 64 MiB: {} in this process, {} in a host\n", millisecondsText(downloads[0].median),
                 millisecondsText(downloads[1].median)));
    own.opened.runtime.reset();
    other.opened.runtime.reset();
    return Done{};
}

// From nothing to the list of devices.
Nanoseconds startOf(std::string_view id)
{
    BackendRegistry registry;
    addHostedBackends(registry, STEPWELL_HOST_PROGRAM);
    return timeOf([&] { static_cast<void>(registry.find(id)->probe()); });
}

} // namespace

int main()
{
    BackendRegistry native;
    BackendRegistry hosted;
    addNativeBackends(native);
    addHostedBackends(hosted, STEPWELL_HOST_PROGRAM);
    bool isFailed = false;
    for (const std::string id : {"llvm", "c", "opencl"}) {
        print(id + "\n");
        if (const auto done = measureCalls(native, hosted, id); !done) {
            print(toText(done.error()) + "\n");
            isFailed = true;
            continue;
        }
        const auto starts = measureInTurns({{id, [&id] { return startOf(id); }}}, kStarts);
        print(format("  start, until the devices are known: {}\n", millisecondsText(starts[0].median)));
    }
    return isFailed ? 1 : 0;
}
