#include "engine/backend/interpreter/interpreter_device.h"

#include "engine/lowered/parser.h"

#include <chrono>
#include <cstring>

namespace sw {

namespace {

using Clock = std::chrono::steady_clock;

// Any mistake in the text counts as a compile error.
Failure asCompileErrors(Diagnostics diagnostics)
{
    for (Diagnostic &diagnostic : diagnostics)
        diagnostic.code = Code::Compile;
    return Failure(std::move(diagnostics));
}

} // namespace

std::vector<Result<Artifact>> InterpreterCompiler::compile(std::span<const RenderedSource> sources, std::stop_token stop)
{
    std::vector<Result<Artifact>> out;
    for (const RenderedSource &source : sources) {
        if (stop.stop_requested())
            out.push_back(Diagnostic::error(Code::Cancelled, {}, "compiling {} was cancelled", source.symbol));
        else
            out.push_back(compileOne(source));
    }
    return out;
}

Result<Artifact> InterpreterCompiler::compileOne(const RenderedSource &source)
{
    const auto start = Clock::now();
    // An edited line may have lost its origin; a run needs none.
    LoweredParseOptions options;
    options.originOf = [](const SourceRange &) { return Origin(SourceId(0U)); };
    const auto kernel = parseLoweredKernel(source.text, options);
    if (!kernel)
        return asCompileErrors(kernel.error());
    SW_TRY(PreparedKernel prepared, PreparedKernel::prepare(*kernel));
    Artifact artifact;
    artifact.id = ArtifactId(m_nextArtifact++);
    artifact.symbol = kernel->symbol;
    artifact.compileTime = Clock::now() - start;
    m_kernels->emplace(artifact.id, std::move(prepared));
    return artifact;
}

Result<MachineCode> InterpreterCompiler::machineCode(ArtifactId /*artifact*/)
{
    return Diagnostic::error(Code::Unsupported, {}, "the interpreter runs the lowered form itself; there is no machine code");
}

Result<DeviceBufferId> InterpreterRuntime::allocate(std::int64_t bytes)
{
    SW_TRY(const Shape shape, Shape::checked({bytes}));
    const DeviceBufferId id(m_nextBuffer++);
    try {
        HostTensor memory(DType::U8, shape);
        const std::span<std::byte> whole = memory.mutableBytes();
        m_buffers.emplace(id, Buffer{std::move(memory), whole});
    } catch (const std::bad_alloc &) {
        return Diagnostic::error(Code::Run, {}, "there is no memory for a buffer of {} bytes", bytes);
    }
    return id;
}

Result<DeviceBufferId> InterpreterRuntime::view(DeviceBufferId buffer, std::int64_t offset, std::int64_t bytes)
{
    SW_TRY(const auto part, bytesOf(buffer, offset, static_cast<std::size_t>(bytes)));
    const DeviceBufferId id(m_nextBuffer++);
    m_buffers.emplace(id, Buffer{std::nullopt, part});
    return id;
}

Result<std::span<std::byte>> InterpreterRuntime::bytesOf(DeviceBufferId buffer, std::int64_t offset, std::size_t count) const
{
    const auto found = m_buffers.find(buffer);
    if (found == m_buffers.end())
        return Diagnostic::error(Code::Run, {}, "there is no device buffer {}", buffer.value);
    const std::span<std::byte> all = found->second.bytes;
    if (offset < 0 || static_cast<std::size_t>(offset) > all.size() || count > all.size() - static_cast<std::size_t>(offset))
        return Diagnostic::error(Code::Run, {}, "bytes {} to {} are outside of device buffer {}, which has {}", offset,
                                 static_cast<std::size_t>(offset) + count, buffer.value, all.size());
    return all.subspan(static_cast<std::size_t>(offset), count);
}

Result<Done> InterpreterRuntime::upload(DeviceBufferId buffer, std::int64_t offset, std::span<const std::byte> bytes)
{
    SW_TRY(const auto target, bytesOf(buffer, offset, bytes.size()));
    std::copy(bytes.begin(), bytes.end(), target.begin());
    return Done{};
}

Result<Done> InterpreterRuntime::download(DeviceBufferId buffer, std::int64_t offset, std::span<std::byte> bytes)
{
    SW_TRY(const auto source, bytesOf(buffer, offset, bytes.size()));
    std::copy(source.begin(), source.end(), bytes.begin());
    return Done{};
}

Result<Done> InterpreterRuntime::copy(const BufferCopy &copy)
{
    SW_TRY(const auto source, bytesOf(copy.from, copy.fromOffset, static_cast<std::size_t>(copy.bytes)));
    SW_TRY(const auto target, bytesOf(copy.to, copy.toOffset, static_cast<std::size_t>(copy.bytes)));
    if (!source.empty())
        std::memmove(target.data(), source.data(), source.size());
    return Done{};
}

Result<LaunchResult> InterpreterRuntime::launch(const LaunchRequest &request, std::stop_token stop)
{
    const auto kernel = m_kernels->find(request.artifact);
    if (kernel == m_kernels->end())
        return Diagnostic::error(Code::Run, {}, "there is no compiled kernel {}", request.artifact.value);
    SW_CHECK(workItemsOf(request));
    InterpretRequest run;
    run.globalSize = request.globalSize;
    run.localSize = request.localSize;
    run.stop = std::move(stop);
    for (const DeviceBufferId id : request.buffers) {
        const auto found = m_buffers.find(id);
        if (found == m_buffers.end())
            return Diagnostic::error(Code::Run, {}, "there is no device buffer {}", id.value);
        run.buffers.push_back(found->second.bytes);
    }
    const auto start = Clock::now();
    SW_TRY(auto faults, kernel->second.run(run));
    return LaunchResult{Clock::now() - start, std::move(faults)};
}

} // namespace sw
