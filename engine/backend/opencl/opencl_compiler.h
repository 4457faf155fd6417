#pragma once
// Builds OpenCL C through the device's driver.

#include "engine/backend/opencl/cl_device.h"

#include <array>

namespace sw {

class OpenClCompiler final : public Compiler {
public:
    explicit OpenClCompiler(std::shared_ptr<ClOpened> device) : m_device(std::move(device)) {}

    [[nodiscard]] std::vector<Result<Artifact>> compile(std::span<const RenderedSource> sources, std::stop_token stop) override;
    void release(ArtifactId artifact) override;

private:
    struct Program {
        std::shared_ptr<std::remove_pointer_t<cl_program>> built;
        std::string log;
    };
    using SourceList = std::span<const RenderedSource *const>;

    [[nodiscard]] Result<Program> built(SourceList sources);
    [[nodiscard]] Result<Artifact> kernelOf(const Program &program, const RenderedSource &source);
    void readMachineCode(const ClBuilt &kernel, const RenderedSource &source, Artifact &artifact);
    [[nodiscard]] Result<Done> runEmpty(const ClBuilt &kernel, const std::array<std::size_t, 3> &group);

    std::shared_ptr<ClOpened> m_device;
};

} // namespace sw
