#pragma once
// Builds OpenCL C with the device's driver. The kernels are then translated in the background while callers use the result.

#include "engine/backend/opencl/cl_device.h"

#include <optional>
#include <string>

namespace sw {

class OpenClCompiler final : public Compiler {
public:
    explicit OpenClCompiler(std::shared_ptr<ClOpened> device) : m_device(std::move(device)) {}

    [[nodiscard]] std::vector<Result<Artifact>> compile(std::span<const RenderedSource> sources, std::stop_token stop) override;
    [[nodiscard]] Result<MachineCode> machineCode(ArtifactId artifact) override;
    void release(ArtifactId artifact) override;
    [[nodiscard]] Result<Done> finish(std::stop_token stop) override { return m_device->translator->finishAll(stop); }

private:
    struct Program {
        std::shared_ptr<std::remove_pointer_t<cl_program>> built;
        std::string log;
        std::optional<std::string> folder = {}; // in PoCL's cache, where the kernels' objects will be
    };
    // Of sources with distinct symbols, by place.
    struct Parts {
        std::vector<std::size_t> own;
        std::vector<std::size_t> assistants;
    };
    using SourceList = std::span<const RenderedSource *const>;

    [[nodiscard]] Parts partsOf(const std::vector<std::size_t> &program, std::span<const RenderedSource> sources) const;
    // The sources have distinct symbols.
    void compileTogether(SourceList sources, std::vector<Result<Artifact>> &results, const std::stop_token &stop);
    [[nodiscard]] Result<Program> built(SourceList sources);
    [[nodiscard]] Result<Artifact> kernelOf(const Program &program, const RenderedSource &source);

    std::shared_ptr<ClOpened> m_device;
};

} // namespace sw
