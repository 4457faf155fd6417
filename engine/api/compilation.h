#pragma once
// Compiles one program down through all stages, for one device and those that the program names. The window's Explorer and the
// command line both use this. The result holds every stage that was reached, even when the compilation failed.

#include "engine/api/front_end.h"
#include "engine/api/source_edits.h"
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
    std::string device = std::string(kUsualDevice); // empty: the device the text was compiled for, else the usual one
    CompileOptions options;
    std::uint32_t threads = 0; // 0: all
    CompileUntil until = CompileUntil::Machine;
    bool guardBuffers = false;        // see DeviceOptions; a program with edited kernels is always run so
    WorkProgress *progress = nullptr; // is told how far the compilation is; must outlive it
};

struct NamedTime {
    std::string name;
    std::chrono::nanoseconds time{0};
    std::chrono::steady_clock::time_point begin = {}; // when it first began
};

struct Compilation {
    CompileTarget target;
    std::uint32_t threads = 0;
    bool guardBuffers = false;                    // asked for, or because of edited kernels
    SourceMapPtr sources;                         // null: nothing could be read
    std::vector<std::string> constantInputs;      // known inputs that are not inputs of the graph
    SymbolicBindings runDimensions;               // given dimensions that a run still has to bind
    std::vector<DimensionChoice> modelDimensions; // of a model's inputs: what each was compiled for
    PipelineRun pipeline;
    // Null when the compilation stopped earlier.
    GraphPtr graph; // after the graph passes
    SchedulePtr schedule;
    LoopProgramPtr loops;
    LoweredProgramPtr lowered;
    std::shared_ptr<const std::vector<RenderedSource>> code;
    SourceEdits edits; // in the code
    CompiledProgramPtr program;

    std::vector<NamedTime> times; // "parse", "graph", "schedule", "loops", "lower", "render", "compile"
    Diagnostics diagnostics;
    bool succeeded = false; // up to the stage that was asked for
    bool cancelled = false;

    // Some kernel has a text that a person edited.
    [[nodiscard]] bool hasEditedCode() const;
};

// Under which name of Compilation::times the time of a pass counts.
[[nodiscard]] std::string_view stageTimeName(const PassInfo &pass);

// Called on the compiling thread after each stage.
using CompilationObserver = std::function<void(const Compilation &)>;

// Keeps devices open and compiled kernels at hand between compilations. Serves one thread at a time.
class ProgramCompiler {
public:
    explicit ProgramCompiler(const BackendRegistry &registry) : m_registry(registry) {}

    // Never throws: an internal error is reported as a diagnostic.
    [[nodiscard]] Compilation compile(const CompileRequest &request, std::stop_token stop,
                                      const CompilationObserver &observer = {});

    // The device, opened and ready to run.
    [[nodiscard]] Result<OpenedDevice *> openedDevice(const std::string &id, std::uint32_t threads, bool guardBuffers = false);
    // The devices that the compilation was made for, by slot of its schedule.
    [[nodiscard]] Result<std::vector<OpenedDevice *>> openedDevices(const Compilation &compilation);

    // Reads the machine code of a kernel that was compiled to the end.
    [[nodiscard]] MachineListing machineCode(const Compilation &compilation, KernelId kernel);
    // The machine code of a rendered kernel for another processor: a name of crossTargets().
    [[nodiscard]] MachineListing crossCode(const Compilation &compilation, KernelId kernel, const std::string &target);
    // The passes of the device's own compiler over a rendered kernel.
    [[nodiscard]] Result<std::vector<CompilerPass>> compilerPasses(const Compilation &compilation, KernelId kernel);
    // By KernelId. A valid `kernel` limits the reading to that kernel; with a target, the code is for that processor.
    [[nodiscard]] std::vector<MachineListing> machineListings(const Compilation &compilation, KernelId kernel = {},
                                                              const std::string &target = {});

private:
    [[nodiscard]] Result<OpenedDevice *> deviceOf(const Compilation &compilation, KernelId kernel);

    struct Opened {
        std::string id;
        std::uint32_t threads = 0;
        bool guardBuffers = false;
        std::unique_ptr<OpenedDevice> device;
    };

    const BackendRegistry &m_registry;
    std::vector<Opened> m_opened;
    PipelineMemo m_memo;
};

} // namespace sw
