#pragma once
// What a backend is: facts about its devices, a Renderer (pure; runs anywhere), a Compiler that takes text (so that edited text
// takes the same road) and a Runtime. The engine knows backends only through this file and a BackendRegistry. Compilers and
// runtimes may live in another process; a hosted backend forwards these very calls.
//
// A kernel's entry point takes its buffers and runs one work item. Global size = number of work items, in each dimension.

#include "engine/lowered/lowered.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

enum class DeviceKind : std::uint8_t { Interpreter, Cpu, Gpu };

// Facts, the same for equal machines; the schedule, the loops and the renderers read them.
struct DeviceInfo {
    std::string id;          // "llvm", "opencl", "opencl:1"
    std::string backend;     // "opencl"
    std::string description; // "PoCL, pthread-skylake-avx512, 2 compute units"
    DeviceKind kind = DeviceKind::Cpu;
    std::uint32_t threads = 1;      // that run work items at once
    std::uint32_t vectorBytes = 16; // of the widest vector register; GPUs: of one work item's widest access
    std::uint32_t vectorRegisters = 16;
    std::int64_t maxWorkgroup = 1; // work items per group
    std::int64_t localMemoryBytes = 0;
    std::int64_t cacheBytesPerCore = 1 << 20; // the last level that a core has for itself
    std::int64_t bufferAlignment = 64;        // bytes, a power of two: buffers begin at multiples of it, views as well
    bool hasF64 = true;
    std::uint32_t scratchBytes = 1U << 20; // that a work item may have for itself; on processors they are on the stack
    std::string driver = {};               // with its version: another one may be faster or slower
};

// Where a line of generated source, or a machine instruction, came from.
enum class CodeTag : std::uint8_t {
    Instruction,       // made for a lowered instruction
    Frame,             // prologue, epilogue, braces, declarations, prelude
    AddressArithmetic, // made by the compiler for indexing
    Spill,             // register saved and restored
    Compiler,          // other work of the compiler: constants, padding
};
[[nodiscard]] std::string_view nameOf(CodeTag tag);

struct SourceLine {
    CodeTag tag = CodeTag::Frame;
    InstructionId instruction; // valid when tag is Instruction
};

struct RenderedSource {
    KernelId kernel;
    std::string symbol; // entry point
    TargetLanguage language = TargetLanguage::C;
    std::string text;                            // complete: compiles on its own
    std::vector<SourceLine> lines;               // one per line of text
    std::vector<InstructionId> indexChecks = {}; // the IndexCheck instructions, in order: launches report faults by these
};

class Renderer {
public:
    virtual ~Renderer() = default;
    [[nodiscard]] virtual TargetLanguage language() const = 0;
    [[nodiscard]] virtual Result<RenderedSource> render(const LoweredKernel &kernel, const DeviceInfo &device) const = 0;
};

struct MachineInstruction {
    std::uint64_t address = 0; // from the entry point
    std::vector<std::uint8_t> bytes;
    std::string text;             // "vaddps zmm0, zmm0, zmmword ptr [rsi + rax]"
    std::uint32_t sourceLine = 0; // of the rendered text, from 1; 0: none
    CodeTag tag = CodeTag::Compiler;
    bool isInferred = false;  // the compiler gave no line; sourceLine is that of what the instruction is for
    std::uint64_t target = 0; // of a jump inside the kernel, as an address; 0: none
};

using ArtifactId = Id<struct ArtifactTag>;

// A compiled kernel. Lives in its Compiler until released.
struct Artifact {
    ArtifactId id;
    std::string symbol;
    std::string log; // what the compiler said, warnings included
    std::chrono::nanoseconds compileTime{0};
};

class Compiler {
public:
    virtual ~Compiler() = default;
    // One result per source. Errors of the text (edited by hand, say) are diagnostics placed at its lines, code Compile.
    [[nodiscard]] virtual std::vector<Result<Artifact>> compile(std::span<const RenderedSource> sources,
                                                                std::stop_token stop) = 0;
    // Read when somebody looks at it, from what compile() has kept. Errors: the backend cannot tell, and why.
    [[nodiscard]] virtual Result<std::vector<MachineInstruction>> machineCode(ArtifactId artifact) = 0;
    virtual void release(ArtifactId artifact) = 0;
    // Returns when nothing goes on in the background that compile() has begun. Who measures waits for it.
    [[nodiscard]] virtual Result<Done> finish(std::stop_token /*stop*/) { return Done{}; }
};

using DeviceBufferId = Id<struct DeviceBufferTag>;

struct LaunchRequest {
    ArtifactId artifact;
    std::span<const DeviceBufferId> buffers; // by argument position
    std::array<std::int64_t, 3> globalSize{1, 1, 1};
    std::array<std::int64_t, 3> localSize{1, 1, 1};
};

// All three dimensions of them. Errors: a size is negative, or they are more than kMaxWorkItems.
[[nodiscard]] Result<std::int64_t> workItemsOf(const LaunchRequest &request);

struct LaunchResult {
    std::chrono::nanoseconds time{0}; // on the device: events where it has them, else around the launch
    std::vector<IndexFault> faults;
};

class Runtime {
public:
    virtual ~Runtime() = default;
    [[nodiscard]] virtual Result<DeviceBufferId> allocate(std::int64_t bytes) = 0; // zero-filled
    // A part of an allocated buffer (not of a view) as a buffer that shares its memory. It begins at a multiple of the device's
    // bufferAlignment, has at least one byte, and is freed before the buffer is.
    [[nodiscard]] virtual Result<DeviceBufferId> view(DeviceBufferId buffer, std::int64_t offset, std::int64_t bytes) = 0;
    virtual void free(DeviceBufferId buffer) = 0;
    [[nodiscard]] virtual Result<Done> upload(DeviceBufferId buffer, std::int64_t offset, std::span<const std::byte> bytes) = 0;
    [[nodiscard]] virtual Result<Done> download(DeviceBufferId buffer, std::int64_t offset, std::span<std::byte> bytes) = 0;
    // May return before it is done. What is asked for later sees its result, and synchronize() tells if it went wrong.
    [[nodiscard]] virtual Result<Done> copy(DeviceBufferId from, DeviceBufferId to, std::int64_t bytes) = 0;
    // Returns when everything that was asked for is done.
    [[nodiscard]] virtual Result<Done> synchronize() = 0;
    // Returns when the work is done.
    [[nodiscard]] virtual Result<LaunchResult> launch(const LaunchRequest &request, std::stop_token stop) = 0;
};

struct DeviceOptions {
    std::uint32_t threads = 0; // 0: all that the device has
    bool flushDenormals = false;
};

// The device as these options make it: kernels are planned for as many threads as will run them.
[[nodiscard]] DeviceInfo withOptions(DeviceInfo device, const DeviceOptions &options);

class Backend {
public:
    virtual ~Backend() = default;
    [[nodiscard]] virtual std::string_view id() const = 0;
    // The devices, or why there are none (code DeviceUnavailable) with what to install in the hint.
    [[nodiscard]] virtual Result<std::vector<DeviceInfo>> probe() = 0;
    [[nodiscard]] virtual const Renderer &renderer() const = 0;
    // Both belong to one device and know each other's artifacts.
    struct Opened {
        std::unique_ptr<Compiler> compiler;
        std::unique_ptr<Runtime> runtime; // destroyed first
    };
    [[nodiscard]] virtual Result<Opened> open(const DeviceInfo &device, const DeviceOptions &options) = 0;
};

// The backends that this process may use, made by the application and handed to the engine.
class BackendRegistry {
public:
    void add(std::unique_ptr<Backend> backend);
    [[nodiscard]] std::span<const std::unique_ptr<Backend>> backends() const { return m_backends; }
    [[nodiscard]] Backend *find(std::string_view id) const; // null: no such backend
    // "opencl:1" -> its backend and facts. Errors: unknown name (lists the known ones), device not available.
    struct Found {
        Backend *backend = nullptr;
        DeviceInfo device;
    };
    [[nodiscard]] Result<Found> device(std::string_view id) const;

private:
    std::vector<std::unique_ptr<Backend>> m_backends;
};

} // namespace sw
