#pragma once
// Runs lowered kernels on a backend of this process, for the tests of the backends.

#include "engine/backend/native_backends.h"
#include "engine/lowered/builder.h"
#include "engine/types/host_tensor.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace sw::test {

inline Origin anyOrigin()
{
    return Origin(SourceId(0U));
}

inline LoweredKernel kernelFrame(std::string symbol, std::array<std::int64_t, 3> globalSize = {1, 1, 1})
{
    return {.kernel = KernelId(0U),
            .name = symbol,
            .symbol = symbol,
            .instructions = {},
            .arguments = {},
            .globalSize = globalSize,
            .localSize = {1, 1, 1},
            .origin = anyOrigin()};
}

// A backend, its first device and what was opened on it.
class OpenBackend {
public:
    // Nothing when the backend has no device here; the reason is in missing().
    explicit OpenBackend(std::string_view id, DeviceOptions options = {})
    {
        addNativeBackends(m_registry);
        Backend *backend = m_registry.find(id);
        SW_ASSERT(backend != nullptr, "a backend named " + std::string(id));
        auto devices = backend->probe();
        if (!devices) {
            m_missing = toText(devices.error());
            return;
        }
        device = devices->front();
        auto opened = backend->open(device, options);
        SW_ASSERT(opened.has_value(), "a device that opens: " + (opened ? std::string() : toText(opened.error())));
        m_backend = backend;
        compiler = std::move(opened->compiler);
        runtime = std::move(opened->runtime);
    }
    ~OpenBackend() { runtime.reset(); }
    OpenBackend(const OpenBackend &) = delete;
    OpenBackend &operator=(const OpenBackend &) = delete;

    [[nodiscard]] bool isThere() const { return m_backend != nullptr; }
    [[nodiscard]] const std::string &missing() const { return m_missing; }
    [[nodiscard]] const Renderer &renderer() const { return m_backend->renderer(); }

    [[nodiscard]] Result<RenderedSource> render(const LoweredKernel &kernel) const { return renderer().render(kernel, device); }

    [[nodiscard]] Result<Artifact> compile(const LoweredKernel &kernel)
    {
        SW_TRY(const RenderedSource source, render(kernel));
        auto results = compiler->compile({&source, 1}, {});
        return std::move(results.front());
    }

    // In one call of the compiler.
    [[nodiscard]] Result<std::vector<Artifact>> compileAll(const std::vector<LoweredKernel> &kernels)
    {
        std::vector<RenderedSource> sources;
        for (const LoweredKernel &kernel : kernels) {
            SW_TRY(RenderedSource source, render(kernel));
            sources.push_back(std::move(source));
        }
        std::vector<Artifact> artifacts;
        for (auto &result : compiler->compile(sources, {})) {
            SW_TRY(Artifact artifact, std::move(result));
            artifacts.push_back(std::move(artifact));
        }
        return artifacts;
    }

    // Uploads the arguments, runs, and downloads all of them again.
    [[nodiscard]] Result<LaunchResult> run(const LoweredKernel &kernel, std::vector<HostTensor> &arguments)
    {
        SW_TRY(const Artifact artifact, compile(kernel));
        return run(artifact, kernel, arguments);
    }
    [[nodiscard]] Result<LaunchResult> run(const Artifact &artifact, const LoweredKernel &kernel,
                                           std::vector<HostTensor> &arguments, std::stop_token stop = {})
    {
        std::vector<DeviceBufferId> buffers;
        for (const HostTensor &argument : arguments) {
            SW_TRY(const DeviceBufferId buffer, runtime->allocate(static_cast<std::int64_t>(argument.byteSize())));
            SW_CHECK(runtime->upload(buffer, 0, argument.bytes()));
            buffers.push_back(buffer);
        }
        SW_TRY(const LaunchResult result, runtime->launch({artifact.id, buffers, kernel.globalSize, kernel.localSize}, stop));
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            HostTensor fresh(arguments[i].dtype(), arguments[i].shape());
            SW_CHECK(runtime->download(buffers[i], 0, fresh.mutableBytes()));
            arguments[i] = fresh;
            runtime->free(buffers[i]);
        }
        return result;
    }

    DeviceInfo device;
    std::unique_ptr<Compiler> compiler;
    std::unique_ptr<Runtime> runtime;

private:
    BackendRegistry m_registry;
    Backend *m_backend = nullptr;
    std::string m_missing;
};

// z[i] = op(x[i], y[i]) in vectors, one work item per `perItem` elements.
inline LoweredKernel vectorBinaryKernel(Op op, DType dtype, std::int64_t elements, std::uint32_t lanes, std::int64_t perItem)
{
    LoweredBuilder builder(kernelFrame("binary", {elements / perItem, 1, 1}));
    const Origin origin = anyOrigin();
    const auto x = builder.defineGlobal(origin, {BufferId(0U), dtype, elements, false, "x"});
    const auto y = builder.defineGlobal(origin, {BufferId(1U), dtype, elements, false, "y"});
    const auto z = builder.defineGlobal(origin, {BufferId(2U), resultType(op, dtype), elements, true, "z"});
    const auto item = builder.special(origin, SpecialIndex::GlobalX);
    const auto first = builder.alu(origin, Op::Mul, {item, builder.index(origin, perItem)});
    const auto i = builder.beginRange(origin, perItem / lanes, "i");
    const auto offset = builder.alu(origin, Op::Mul, {i, builder.index(origin, lanes)});
    const auto at = builder.alu(origin, Op::Add, {first, offset});
    const auto value = builder.alu(origin, op, {builder.load(origin, x, at, lanes), builder.load(origin, y, at, lanes)});
    builder.store(origin, z, at, value);
    builder.endRange(origin);
    return builder.take();
}

// Checks x[0], x[0] + 1, ... against 8, `times` times.
inline LoweredKernel checkingKernel(std::int64_t times)
{
    LoweredBuilder builder(kernelFrame("checking"));
    const Origin origin = anyOrigin();
    const auto x = builder.defineGlobal(origin, {BufferId(0U), DType::I64, 1, false, "x"});
    const auto y = builder.defineGlobal(origin, {BufferId(1U), DType::Bool, times, true, "y"});
    const auto i = builder.beginRange(origin, times, "i");
    const auto at = builder.alu(origin, Op::Add, {builder.load(origin, x, builder.index(origin, 0), 1), i});
    builder.store(origin, y, i, builder.indexCheck(origin, at, 8, 0));
    builder.endRange(origin);
    return builder.take();
}

} // namespace sw::test
