#pragma once
// The compiler and the runtime of the interpreter's one device.

#include "engine/backend/backend.h"
#include "engine/lowered/interpreter.h"
#include "engine/types/host_tensor.h"

#include <optional>
#include <unordered_map>

namespace sw {

// The kernels that the compiler has made and the runtime runs.
using PreparedKernels = std::unordered_map<ArtifactId, PreparedKernel>;

class InterpreterCompiler : public Compiler {
public:
    explicit InterpreterCompiler(std::shared_ptr<PreparedKernels> kernels) : m_kernels(std::move(kernels)) {}

    [[nodiscard]] std::vector<Result<Artifact>> compile(std::span<const RenderedSource> sources, std::stop_token stop) override;
    [[nodiscard]] Result<MachineCode> machineCode(ArtifactId artifact) override;
    void release(ArtifactId artifact) override { m_kernels->erase(artifact); }

private:
    [[nodiscard]] Result<Artifact> compileOne(const RenderedSource &source);

    std::shared_ptr<PreparedKernels> m_kernels;
    std::uint32_t m_nextArtifact = 0;
};

class InterpreterRuntime : public Runtime {
public:
    explicit InterpreterRuntime(std::shared_ptr<const PreparedKernels> kernels) : m_kernels(std::move(kernels)) {}

    [[nodiscard]] Result<DeviceBufferId> allocate(std::int64_t bytes) override;
    [[nodiscard]] Result<DeviceBufferId> view(DeviceBufferId buffer, std::int64_t offset, std::int64_t bytes) override;
    void free(DeviceBufferId buffer) override { m_buffers.erase(buffer); }
    [[nodiscard]] Result<Done> upload(DeviceBufferId buffer, std::int64_t offset, std::span<const std::byte> bytes) override;
    [[nodiscard]] Result<Done> download(DeviceBufferId buffer, std::int64_t offset, std::span<std::byte> bytes) override;
    [[nodiscard]] Result<Done> copy(const BufferCopy &copy) override;
    [[nodiscard]] Result<Done> synchronize() override { return Done{}; } // every call returns when it is done
    [[nodiscard]] Result<LaunchResult> launch(const LaunchRequest &request, std::stop_token stop) override;

private:
    struct Buffer {
        std::optional<HostTensor> memory; // nothing: a view
        std::span<std::byte> bytes;
    };

    // Errors: there is no such buffer, or the range leaves it.
    [[nodiscard]] Result<std::span<std::byte>> bytesOf(DeviceBufferId buffer, std::int64_t offset, std::size_t count) const;

    std::shared_ptr<const PreparedKernels> m_kernels;
    std::unordered_map<DeviceBufferId, Buffer> m_buffers;
    std::uint32_t m_nextBuffer = 0;
};

} // namespace sw
