#pragma once
// The messages between the window's process and a stepwell-host: one for each call of backend.h, and one reply to each call.
// The bytes of buffers do not travel in messages but through memory that both processes share (kStagingBytes).

#include "engine/backend/backend.h"
#include "engine/backend/host/wire.h"
#include "engine/backend/work_recorder.h"

namespace sw {

inline constexpr std::uint32_t kHostProtocol = 11;                    // raised with every change
inline constexpr std::uint64_t kLargestBody = std::uint64_t{1} << 30; // bytes in a message
inline constexpr std::size_t kStagingBytes = std::size_t{32} << 20;
// The file descriptors at which a host finds its socket and the shared memory.
inline constexpr int kHostSocket = 3;
inline constexpr int kHostMemory = 4;
// Instead of a backend's name: the process assists another one in translating kernels (engine/backend/opencl/cl_assistant.h).
inline constexpr std::string_view kAssistArgument = "assist";

enum class HostCall : std::uint32_t {
    Probe,       //                                        -> vector<DeviceInfo>
    Open,        // DeviceInfo, DeviceOptions              -> session, Runtime::queuesUploads
    Close,       // session
    Compile,     // session, vector<RenderedSource>        -> vector<CompileOutcome>
    MachineCode, // session, ArtifactId                    -> MachineCode
    CrossCode,   // session, RenderedSource, target        -> MachineCode
    Passes,      // session, RenderedSource                -> vector<CompilerPass>
    Finish,      // session: Compiler::finish
    Release,     // session, ArtifactId
    Allocate,    // session, bytes                         -> DeviceBufferId
    View,        // session, DeviceBufferId, offset, bytes -> DeviceBufferId
    Free,        // session, DeviceBufferId
    Upload,      // session, BufferPart: out of the shared memory
    Download,    // session, BufferPart: into the shared memory
    Copy,        // session, BufferCopy
    Synchronize, // session
    Launch,      // session, HostLaunch                    -> LaunchResult
    Submit,      // session, HostLaunch                    -> vector<LaunchResult>: of this launch, if it is done
    QueueUpload, // session, BufferPart: out of the shared memory; whether it is the last part, which queues all of them
    Collect,     // session, count                         -> Collected
    Record,      // session, HostPart, WithCounters: WorkRecorder::startRecording; no recorder: nothing happens
    Recorded,    // session, HostPart                      -> RecordedWork; no recorder: nothing in it
    Cancel,      // the call with this number is no longer wanted; has no reply
    Assist,      // only to an assistant: device id, program, symbols; it answers with Progress
    Progress,    // both ways: the number of kernels that are begun
    Reply,       // from the host: Diagnostics, followed by the result above when there are none
};

using HostSession = std::uint32_t;

// Of an opened device.
enum class HostPart : std::uint8_t { Compiler, Runtime };

struct CompileOutcome {
    Diagnostics errors; // empty: the compilation succeeded
    Artifact artifact;
};

struct BufferPart {
    DeviceBufferId buffer;
    std::int64_t offset = 0;
    std::uint64_t bytes = 0; // at most kStagingBytes
};

// LaunchRequest only refers to its buffers; this one holds them.
struct HostLaunch {
    ArtifactId artifact;
    std::vector<DeviceBufferId> buffers;
    std::array<std::int64_t, 3> globalSize{1, 1, 1};
    std::array<std::int64_t, 3> localSize{1, 1, 1};
};

// clang-format off
template <class Wire, Is<SourceRange> T> void exchange(Wire &wire, T &x) { wire(x.file, x.line, x.column, x.endLine, x.endColumn); }
template <class Wire, Is<Diagnostic> T> void exchange(Wire &wire, T &x)
{
    wire.below(x.severity, Severity::Note);
    wire.below(x.code, Code::DeviceUnavailable);
    wire(x.message, x.where, x.hint, x.notes);
}
template <class Wire, Is<DeviceInfo> T> void exchange(Wire &wire, T &x)
{
    wire(x.id, x.backend, x.description, x.driver);
    wire.below(x.kind, DeviceKind::Gpu);
    wire(x.threads, x.vectorBytes, x.vectorRegisters, x.maxWorkgroup, x.localMemoryBytes, x.scratchBytes, x.firstLevelBytes, x.firstLevelWays, x.cacheBytesPerCore, x.sharedCacheBytes, x.bufferAlignment, x.hasF64, x.hasF16, x.tensorInstructions);
}
template <class Wire, Is<DeviceOptions> T> void exchange(Wire &wire, T &x) { wire(x.threads, x.flushDenormals, x.guardBuffers); }
template <class Wire, Is<SourceLine> T> void exchange(Wire &wire, T &x)
{
    wire.below(x.tag, CodeTag::Compiler);
    wire(x.instruction);
}
template <class Wire, Is<RenderedSource> T> void exchange(Wire &wire, T &x)
{
    wire(x.kernel, x.symbol);
    wire.below(x.language, TargetLanguage::Lowered);
    wire(x.text, x.lines, x.indexChecks);
}
template <class Wire, Is<RegisterUnit> T> void exchange(Wire &wire, T &x)
{
    wire(x.name, x.whole);
    wire.below(x.kind, RegisterKind::Other);
}
template <class Wire, Is<RegisterFile> T> void exchange(Wire &wire, T &x)
{
    wire.below(x.kind, RegisterKind::Other);
    wire(x.count, x.name);
}
template <class Wire, Is<InstructionCost> T> void exchange(Wire &wire, T &x) { wire(x.microOps, x.latency, x.cycles); }
template <class Wire, Is<MachineInstruction> T> void exchange(Wire &wire, T &x)
{
    wire(x.address, x.bytes, x.text, x.sourceLine);
    wire.below(x.tag, CodeTag::Compiler);
    wire(x.isInferred, x.target);
    wire.below(x.flow, MachineFlow::Leave);
    wire(x.isLoad, x.isStore, x.reads, x.writes, x.form, x.cost);
}
template <class Wire, Is<PortUse> T> void exchange(Wire &wire, T &x) { wire(x.name, x.cycles); }
template <class Wire, Is<Throughput> T> void exchange(Wire &wire, T &x)
{
    wire(x.first, x.last, x.rounds, x.cycles, x.microOps, x.width, x.ports);
    wire.below(x.bottleneck, Bottleneck::Memory);
    wire(x.busiest, x.waiting, x.problem);
}
template <class Wire, Is<MachineCode> T> void exchange(Wire &wire, T &x) { wire(x.target, x.instructions, x.units, x.registers, x.throughputs); }
template <class Wire, Is<CompilerPass> T> void exchange(Wire &wire, T &x) { wire(x.name, x.time, x.isChanged, x.before, x.after); }
template <class Wire, Is<Artifact> T> void exchange(Wire &wire, T &x) { wire(x.id, x.symbol, x.log, x.compileTime); }
template <class Wire, Is<CompileOutcome> T> void exchange(Wire &wire, T &x) { wire(x.errors, x.artifact); }
template <class Wire, Is<BufferPart> T> void exchange(Wire &wire, T &x) { wire(x.buffer, x.offset, x.bytes); }
template <class Wire, Is<BufferCopy> T> void exchange(Wire &wire, T &x) { wire(x.from, x.to, x.bytes, x.fromOffset, x.toOffset); }
template <class Wire, Is<HostLaunch> T> void exchange(Wire &wire, T &x) { wire(x.artifact, x.buffers, x.globalSize, x.localSize); }
template <class Wire, Is<IndexFault> T> void exchange(Wire &wire, T &x) { wire(x.instruction, x.index, x.count); }
template <class Wire, Is<LaunchResult> T> void exchange(Wire &wire, T &x) { wire(x.time, x.faults); }
template <class Wire, Is<Collected> T> void exchange(Wire &wire, T &x) { wire(x.results, x.errors); }
template <class Wire, Is<WorkSpan> T> void exchange(Wire &wire, T &x) { wire(x.thread, x.begin, x.end); }
template <class Wire, Is<HardwareCount> T> void exchange(Wire &wire, T &x) { wire(x.value, x.wanted, x.counted); }
template <class Wire, Is<HardwareCounts> T> void exchange(Wire &wire, T &x) { wire(x.events); }
template <class Wire, Is<RecordedLaunch> T> void exchange(Wire &wire, T &x) { wire(x.begin, x.end, x.threads, x.counts); }
template <class Wire, Is<RecordedTransfer> T> void exchange(Wire &wire, T &x) { wire(x.begin, x.end); }
template <class Wire, Is<RecordedCompile> T> void exchange(Wire &wire, T &x) { wire(x.symbol, x.work); }
template <class Wire, Is<RecordedWork> T> void exchange(Wire &wire, T &x) { wire(x.launches, x.transfers, x.compiles, x.lost, x.noCounters); }
// clang-format on

template <class... T>
[[nodiscard]] std::string packed(const T &...values)
{
    WireWriter writer;
    writer(values...);
    return writer.take();
}

// False: the bytes do not hold exactly these values.
template <class... T>
[[nodiscard]] bool unpack(std::string_view bytes, T &...values)
{
    WireReader reader(bytes);
    reader(values...);
    return reader.isWhole();
}

} // namespace sw
