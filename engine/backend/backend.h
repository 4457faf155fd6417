#pragma once
// What a backend is: facts about its devices, a Renderer (pure; runs anywhere), a Compiler that takes text (so edited text is
// compiled the same way) and a Runtime. The engine knows backends only through this file and a BackendRegistry. Compilers and
// runtimes may live in another process; a hosted backend forwards exactly these calls.
//
// A kernel's entry point takes its buffers and runs one work item. The global size counts work items in each dimension.

#include "engine/backend/machine_code.h"
#include "engine/base/cache_line.h"
#include "engine/lowered/lowered.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

enum class DeviceKind : std::uint8_t { Interpreter, Cpu, Gpu };

// Facts that are the same for equal machines. The schedule, the loops and the renderers read them.
struct DeviceInfo {
    std::string id;          // "llvm", "opencl", "opencl:1"
    std::string backend;     // "opencl"
    std::string description; // "PoCL, pthread-skylake-avx512, 2 compute units"
    DeviceKind kind = DeviceKind::Cpu;
    std::uint32_t threads = 1;      // threads that run work items at the same time
    std::uint32_t vectorBytes = 16; // width of the widest vector register; GPUs: of one work item's widest access
    std::uint32_t vectorRegisters = 16;
    std::int64_t maxWorkgroup = 1; // work items per group
    std::int64_t localMemoryBytes = 0;
    std::int64_t firstLevelBytes = 32 << 10;  // the data cache that is nearest to a core
    std::uint32_t firstLevelWays = 8;         // lines that each of its sets keeps
    std::int64_t cacheBytesPerCore = 1 << 20; // the last cache level that belongs to one core alone
    std::int64_t sharedCacheBytes = 8 << 20;  // what a program may count on of the level that cores share; 0: there is none
    std::int64_t bufferAlignment = 64;        // bytes, a power of two: buffers and views begin at multiples of it
    bool hasF64 = true;
    bool hasF16 = false; // computes with f16 itself what is rounded once, and need not go by way of f32
    std::uint32_t tensorInstructions =
        0; // the rows of tensor_instructions.def that it executes: a bit for each; see hasTensorInstruction
    std::uint32_t scratchBytes = 1U << 20; // the most private memory a work item may use; CPUs keep it on the stack
    std::string driver = {};               // includes its version: another driver may be faster or slower
    bool operator==(const DeviceInfo &) const = default;
};

// Of the first level: lines that lie a multiple of so many bytes apart fall on the same set.
[[nodiscard]] inline std::int64_t wayBytesOf(const DeviceInfo &device)
{
    return std::max(device.firstLevelBytes / std::max(device.firstLevelWays, 1U), kCacheLineBytes);
}

struct RenderedSource {
    KernelId kernel;
    std::string symbol; // entry point
    TargetLanguage language = TargetLanguage::C;
    std::string text;                            // complete: compiles on its own
    std::vector<SourceLine> lines;               // one per line of text
    std::vector<InstructionId> indexChecks = {}; // the IndexCheck instructions in order; launches report faults by them
};

class Renderer {
public:
    virtual ~Renderer() = default;
    [[nodiscard]] virtual TargetLanguage language() const = 0;
    [[nodiscard]] virtual Result<RenderedSource> render(const LoweredKernel &kernel, const DeviceInfo &device) const = 0;
};

using ArtifactId = Id<struct ArtifactTag>;

// A compiled kernel. Its Compiler keeps it until it is released.
struct Artifact {
    ArtifactId id;
    std::string symbol;
    std::string log; // what the compiler printed, warnings included
    std::chrono::nanoseconds compileTime{0};
};

// A run of one of a compiler's own passes over a kernel.
struct CompilerPass {
    std::string name; // "instcombine"
    std::chrono::nanoseconds time{0};
    bool isChanged = false;
    std::string before = {}; // the kernel's function, when it changed; empty when there was too much text to keep
    std::string after = {};
};

class Compiler {
public:
    virtual ~Compiler() = default;
    // Returns one result per source. Errors in the text (edited by hand, say) are diagnostics at its lines, with code Compile.
    [[nodiscard]] virtual std::vector<Result<Artifact>> compile(std::span<const RenderedSource> sources,
                                                                std::stop_token stop) = 0;
    // Called when somebody looks at the code; reads what compile() has kept. Errors: why the backend cannot show machine code.
    [[nodiscard]] virtual Result<MachineCode> machineCode(ArtifactId artifact) = 0;
    // The machine code of a text for another processor, a name of crossTargets() (engine/backend/machine). Nothing is kept.
    // Errors: this compiler makes no such code, no such target, the text.
    [[nodiscard]] virtual Result<MachineCode> crossCode(const RenderedSource &source, const std::string &target);
    // The compiler's own passes over the kernel of a text, in the order in which they ran. Errors: it does not tell; the text.
    [[nodiscard]] virtual Result<std::vector<CompilerPass>> passes(const RenderedSource &source);
    virtual void release(ArtifactId artifact) = 0;
    // Returns when none of the background work that compile() started is left. Callers that measure wait for it.
    [[nodiscard]] virtual Result<Done> finish(std::stop_token /*stop*/) { return Done{}; }
};

using DeviceBufferId = Id<struct DeviceBufferTag>;

struct LaunchRequest {
    ArtifactId artifact;
    std::span<const DeviceBufferId> buffers; // by argument position
    std::array<std::int64_t, 3> globalSize{1, 1, 1};
    std::array<std::int64_t, 3> localSize{1, 1, 1};
};

// The number of work items in all three dimensions. Errors: a size is negative, or the number exceeds kMaxWorkItems.
[[nodiscard]] Result<std::int64_t> workItemsOf(const LaunchRequest &request);

struct LaunchResult {
    std::chrono::nanoseconds time{0}; // on the device: from events where it has them, else measured around the launch
    std::vector<IndexFault> faults;
};

// Transfers that a device does in its turn. Until collect() has told of one, nobody writes its bytes, nor reads those of a
// download. The runtime keeps their owner as long as it needs them, whatever becomes of the run.
struct QueuedUpload {
    DeviceBufferId buffer;
    std::int64_t offset = 0;
    std::span<const std::byte> bytes = {};
    std::shared_ptr<const void> owner = {};
};
struct QueuedDownload {
    DeviceBufferId buffer;
    std::int64_t offset = 0;
    std::span<std::byte> bytes = {};
    std::shared_ptr<const void> owner = {};
};

// What came of what a device had queued.
struct Collected {
    std::vector<LaunchResult> results; // in the order in which it was queued; a transfer's has a time only
    Diagnostics errors = {};           // of the one that comes next, which failed; empty: none did
};
inline constexpr std::size_t kAllQueued = ~std::size_t{0};

// A part of one buffer that becomes a part of another one, or of the same where they do not overlap. Offsets in bytes.
struct BufferCopy {
    DeviceBufferId from;
    DeviceBufferId to;
    std::int64_t bytes = 0;
    std::int64_t fromOffset = 0;
    std::int64_t toOffset = 0;
};

class Runtime {
public:
    virtual ~Runtime() = default;
    [[nodiscard]] virtual Result<DeviceBufferId> allocate(std::int64_t bytes) = 0; // zero-filled
    // A buffer that shares memory with a part of an allocated buffer (not of a view). It begins at a multiple of the device's
    // bufferAlignment, has at least one byte, and must be freed before the buffer.
    [[nodiscard]] virtual Result<DeviceBufferId> view(DeviceBufferId buffer, std::int64_t offset, std::int64_t bytes) = 0;
    virtual void free(DeviceBufferId buffer) = 0;
    // Both return when the bytes are moved.
    [[nodiscard]] virtual Result<Done> upload(DeviceBufferId buffer, std::int64_t offset, std::span<const std::byte> bytes) = 0;
    [[nodiscard]] virtual Result<Done> download(DeviceBufferId buffer, std::int64_t offset, std::span<std::byte> bytes) = 0;
    // May return before the copy is done. Later calls see its result, and synchronize() reports whether it failed.
    [[nodiscard]] virtual Result<Done> copy(const BufferCopy &copy) = 0;
    // Returns when all the work requested so far is done.
    [[nodiscard]] virtual Result<Done> synchronize() = 0;
    // Returns when the work is done.
    [[nodiscard]] virtual Result<LaunchResult> launch(const LaunchRequest &request, std::stop_token stop) = 0;
    // A device that works through a queue takes the launch and returns nothing: it may not have begun yet. All later calls see
    // what it writes. Other devices launch.
    [[nodiscard]] virtual Result<std::optional<LaunchResult>> submit(const LaunchRequest &request, std::stop_token stop);
    // Whether transfers, too, may be queued: behind all that was requested so far, and later calls see what they write. Each is
    // one of those that collect() tells of. Devices that do not queue them are asked for no queued transfer (asserts).
    [[nodiscard]] virtual bool queuesUploads() const { return false; }
    [[nodiscard]] virtual bool queuesDownloads() const { return false; }
    [[nodiscard]] virtual Result<Done> queueUpload(const QueuedUpload &upload, std::stop_token stop);
    [[nodiscard]] virtual Result<Done> queueDownload(const QueuedDownload &download, std::stop_token stop);
    // Waits for the oldest `count` of all that is queued, or for all there is, and returns what came of these. What fails after
    // it was queued is told here, or by a launch() that waits for it. After an error nothing is queued; one that is returned,
    // instead of told in its place, does not say which of them failed.
    [[nodiscard]] virtual Result<Collected> collect(std::size_t count, std::stop_token stop);
};

struct DeviceOptions {
    std::uint32_t threads = 0; // 0: all threads that the device has
    bool flushDenormals = false;
    // Memory that no kernel may touch lies around every allocated buffer, where the runtime has the means: a kernel that writes
    // there ends its process or its launch fails, instead of changing other values.
    bool guardBuffers = false;
    bool operator==(const DeviceOptions &) const = default;
};

// The device with these options applied: kernels are planned for the number of threads that will run them.
[[nodiscard]] DeviceInfo withOptions(DeviceInfo device, const DeviceOptions &options);

class Backend {
public:
    virtual ~Backend() = default;
    [[nodiscard]] virtual std::string_view id() const = 0;
    // The devices, or why there are none (code DeviceUnavailable), with a hint that says what to install.
    [[nodiscard]] virtual Result<std::vector<DeviceInfo>> probe() = 0;
    [[nodiscard]] virtual const Renderer &renderer() const = 0;
    // Both belong to one device and know each other's artifacts.
    struct Opened {
        std::unique_ptr<Compiler> compiler;
        std::unique_ptr<Runtime> runtime; // destroyed first
    };
    [[nodiscard]] virtual Result<Opened> open(const DeviceInfo &device, const DeviceOptions &options) = 0;
};

// The backends that this process may use. The application makes them and hands them to the engine.
class BackendRegistry {
public:
    void add(std::unique_ptr<Backend> backend);
    [[nodiscard]] std::span<const std::unique_ptr<Backend>> backends() const { return m_backends; }
    [[nodiscard]] Backend *find(std::string_view id) const; // null: no such backend
    // Maps "opencl:1" to its backend and facts. Errors: unknown name (lists the known ones), device not available.
    struct Found {
        Backend *backend = nullptr;
        DeviceInfo device;
    };
    [[nodiscard]] Result<Found> device(std::string_view id) const;

private:
    std::vector<std::unique_ptr<Backend>> m_backends;
};

} // namespace sw
