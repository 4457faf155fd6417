#pragma once
// One program on its way down all the stages, on one device and those that it names. The window's Explorer and the command line
// both stand on this; what it returns is complete as far as the compilation came, also when it failed.

#include "engine/api/front_end.h"
#include "engine/execute/executor.h"
#include "engine/pipeline/runner.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace sw {

// Where to stop. Program: parsed and verified, for no device.
enum class CompileUntil : std::uint8_t { Program, Graph, Lowered, Code, Machine };

inline constexpr std::string_view kUsualDevice = "llvm";

struct CompileRequest {
    ProgramInput program;
    std::string device = std::string(kUsualDevice); // empty: the one that the text was compiled for, or the usual one
    CompileOptions options;
    std::uint32_t threads = 0; // 0: all
    CompileUntil until = CompileUntil::Machine;
};

struct NamedTime {
    std::string name;
    std::chrono::nanoseconds time{0};
};

struct Compilation {
    CompileTarget target;
    std::uint32_t threads = 0;
    SourceMapPtr sources;                    // null: nothing could be read
    std::vector<std::string> constantInputs; // known inputs that are none of the graph's
    SymbolicBindings runDimensions;          // given dimensions that are still to be bound
    PipelineRun pipeline;
    // Null when the compilation stopped before.
    GraphPtr graph; // after the graph passes
    SchedulePtr schedule;
    LoopProgramPtr loops;
    LoweredProgramPtr lowered;
    std::shared_ptr<const std::vector<RenderedSource>> code;
    CompiledProgramPtr program;

    std::vector<NamedTime> times; // "parse", "graph", "schedule", "loops", "lower", "render", "compile"
    Diagnostics diagnostics;
    bool succeeded = false; // as far as was asked for
    bool cancelled = false;
};

// Called on the compiling thread, after each stage that was made.
using CompilationObserver = std::function<void(const Compilation &)>;

// Keeps devices open and compiled kernels at hand between compilations. Serves one thread at a time.
class ProgramCompiler {
public:
    explicit ProgramCompiler(const BackendRegistry &registry) : m_registry(registry) {}

    // Never throws: a fault of ours is a diagnostic like any other.
    [[nodiscard]] Compilation compile(const CompileRequest &request, std::stop_token stop,
                                      const CompilationObserver &observer = {});

    // Ready to run.
    [[nodiscard]] Result<OpenedDevice *> openedDevice(const std::string &id, std::uint32_t threads);
    // Those that the compilation was made for, by slot of its schedule.
    [[nodiscard]] Result<std::vector<OpenedDevice *>> openedDevices(const Compilation &compilation);

    // Reads the machine code of a kernel that was compiled to the end.
    [[nodiscard]] MachineListing machineCode(const Compilation &compilation, KernelId kernel);
    // By KernelId. Of the kernel alone, when it is valid.
    [[nodiscard]] std::vector<MachineListing> machineListings(const Compilation &compilation, KernelId kernel = {});

private:
    struct Opened {
        std::string id;
        std::uint32_t threads = 0;
        std::unique_ptr<OpenedDevice> device;
    };

    const BackendRegistry &m_registry;
    std::vector<Opened> m_opened;
};

} // namespace sw
