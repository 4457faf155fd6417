#pragma once
// One device that is ready to compile and run. It keeps compiled kernels by source text, so that recompiling a program after
// a small edit compiles only the kernels that changed.

#include "engine/backend/backend.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

namespace sw {

class WorkProgress;

using ArtifactPtr = std::shared_ptr<const Artifact>;

class OpenedDevice {
public:
    [[nodiscard]] static Result<std::unique_ptr<OpenedDevice>> open(const BackendRegistry &registry, std::string_view deviceId,
                                                                    const DeviceOptions &options);

    [[nodiscard]] const DeviceInfo &info() const { return m_info; }
    [[nodiscard]] const DeviceOptions &options() const { return m_options; }
    [[nodiscard]] const Renderer &renderer() const { return m_renderer; }
    [[nodiscard]] Runtime &runtime() { return *m_runtime; }

    // Returns one artifact per source, in their order; equal texts share one. The errors of all sources are returned together,
    // each once.
    [[nodiscard]] Result<std::vector<ArtifactPtr>> compile(std::span<const RenderedSource> sources, std::stop_token stop);
    // The same for sources that stand in several places. progress: is told how many kernels are compiled.
    [[nodiscard]] Result<std::vector<ArtifactPtr>> compile(std::span<const RenderedSource *const> sources, std::stop_token stop,
                                                           WorkProgress *progress = nullptr);

    // The machine code of a kernel that was compiled here; it is read now.
    [[nodiscard]] Result<MachineCode> machineCode(const Artifact &artifact) { return m_compiler->machineCode(artifact.id); }
    // See Compiler.
    [[nodiscard]] Result<MachineCode> crossCode(const RenderedSource &source, const std::string &target)
    {
        return m_compiler->crossCode(source, target);
    }
    [[nodiscard]] Result<std::vector<CompilerPass>> compilerPasses(const RenderedSource &source)
    {
        return m_compiler->passes(source);
    }

    // Returns when no compiler is working in the background.
    [[nodiscard]] Result<Done> finishCompiling(std::stop_token stop) { return m_compiler->finish(std::move(stop)); }

    // How many kernels were compiled, rather than found, since the device was opened.
    [[nodiscard]] std::size_t compiledCount() const { return m_compiledCount; }

private:
    struct CacheEntry {
        std::string text;
        std::string symbol;
        ArtifactPtr artifact;
        std::uint64_t lastUse = 0;
    };

    OpenedDevice(DeviceInfo info, const DeviceOptions &options, const Renderer &renderer, Backend::Opened opened);
    CacheEntry *find(std::uint64_t key, const RenderedSource &source);
    Diagnostics compileMissing(std::span<const RenderedSource> missing, const std::stop_token &stop, WorkProgress *progress);
    Diagnostics compileTogether(std::span<const RenderedSource> missing, const std::stop_token &stop);
    void dropOldest();

    DeviceInfo m_info;
    DeviceOptions m_options;
    const Renderer &m_renderer;
    std::shared_ptr<Compiler> m_compiler;                  // lives as long as its artifacts
    std::unique_ptr<Runtime> m_runtime;                    // destroyed before the compiler
    std::unordered_map<std::uint64_t, CacheEntry> m_cache; // by hash of text and symbol
    std::uint64_t m_generation = 0;                        // counts compilations
    std::size_t m_compiledCount = 0;
};

// A kernel's machine code: nothing until somebody asks for it, an error when the device cannot show it.
using MachineListing = std::optional<Result<MachineCode>>;

// The source of every kernel, by KernelId.
[[nodiscard]] Result<std::vector<RenderedSource>> renderProgram(const LoweredProgram &program, const Renderer &renderer,
                                                                const DeviceInfo &device);

// For a program on several devices: what to render for each, by slot of the schedule.
struct RenderTarget {
    const Renderer *renderer = nullptr;
    const DeviceInfo *device = nullptr;
};
[[nodiscard]] Result<std::vector<RenderedSource>> renderProgram(const LoweredProgram &program,
                                                                std::span<const RenderTarget> targets);
// Compiles each source for its kernel's device. The result is by KernelId. progress: see OpenedDevice::compile.
[[nodiscard]] Result<std::vector<ArtifactPtr>> compileProgram(const LoweredProgram &program,
                                                              std::span<const RenderedSource> sources,
                                                              std::span<OpenedDevice *const> devices, std::stop_token stop,
                                                              WorkProgress *progress = nullptr);

} // namespace sw
