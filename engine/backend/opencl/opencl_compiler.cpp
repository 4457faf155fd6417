#include "engine/backend/opencl/opencl_compiler.h"

#include "engine/backend/llvm/native_code.h"
#include "engine/backend/opencl/pocl_cache.h"
#include "engine/backend/opencl/program_text.h"
#include "engine/backend/source/compiler_messages.h"

#include <algorithm>
#include <fstream>
#include <optional>

namespace sw {

namespace {

std::string buildLog(cl_program program, cl_device_id device)
{
    std::size_t size = 0;
    if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS || size == 0)
        return {};
    std::string log(size, '\0');
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    log.resize(size - 1);
    return log;
}

std::optional<ObjectBytes> fileBytes(const std::filesystem::path &path)
{
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file)
        return std::nullopt;
    ObjectBytes bytes(static_cast<std::size_t>(file.tellg()));
    file.seekg(0);
    file.read(reinterpret_cast<char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return file ? std::optional(std::move(bytes)) : std::nullopt;
}

// One program holds one kernel of each name.
bool haveDistinctSymbols(std::span<const RenderedSource *const> sources)
{
    std::vector<std::string_view> symbols;
    for (const RenderedSource *source : sources)
        symbols.push_back(source->symbol);
    std::ranges::sort(symbols);
    return std::ranges::adjacent_find(symbols) == symbols.end();
}

} // namespace

std::vector<Result<Artifact>> OpenClCompiler::compile(std::span<const RenderedSource> sources, std::stop_token stop)
{
    std::vector<const RenderedSource *> all;
    for (const RenderedSource &source : sources)
        all.push_back(&source);
    const auto start = std::chrono::steady_clock::now();
    std::optional<Program> together;
    if (all.size() > 1 && haveDistinctSymbols(all) && !stop.stop_requested())
        if (auto program = built(all))
            together = std::move(*program);

    // On its own, a text that does not build says so itself.
    std::vector<Result<Artifact>> results;
    for (const RenderedSource *source : all) {
        const auto one = [&]() -> Result<Artifact> {
            if (stop.stop_requested())
                return Diagnostic::error(Code::Cancelled, {}, "compiling was stopped");
            if (together)
                return kernelOf(*together, *source);
            SW_TRY(const Program program, built({&source, 1}));
            return kernelOf(program, *source);
        };
        results.push_back(one());
    }
    const auto each = (std::chrono::steady_clock::now() - start) / std::max<std::size_t>(1, all.size());
    for (Result<Artifact> &result : results)
        if (result)
            result->compileTime = each;
    return results;
}

void OpenClCompiler::release(ArtifactId artifact)
{
    m_device->kernels.erase(artifact);
}

Result<OpenClCompiler::Program> OpenClCompiler::built(SourceList sources)
{
    const std::string text = combinedProgram(sources);
    const char *start = text.data();
    const std::size_t length = text.size();
    cl_int error = CL_SUCCESS;
    ClProgram owned(clCreateProgramWithSource(m_device->context.get(), 1, &start, &length, &error));
    if (error != CL_SUCCESS)
        return clFailure("clCreateProgramWithSource", error);
    Program program{std::move(owned), {}};
    error = clBuildProgram(program.built.get(), 1, &m_device->handle.device, m_device->buildOptions.c_str(), nullptr, nullptr);
    program.log = buildLog(program.built.get(), m_device->handle.device);
    if (error == CL_SUCCESS)
        return program;
    Diagnostics messages = compilerMessages(program.log, sources.front()->symbol + ".cl");
    if (messages.empty())
        messages.push_back(Diagnostic::error(Code::Compile, {sources.front()->symbol + ".cl", 1, 1, 1, 1}, "{}: {}",
                                             clErrorName(error), program.log));
    return Failure(std::move(messages));
}

Result<Artifact> OpenClCompiler::kernelOf(const Program &program, const RenderedSource &source)
{
    ClBuilt made;
    made.program = program.built;
    made.indexChecks = source.indexChecks;
    cl_int error = CL_SUCCESS;
    made.kernel.reset(clCreateKernel(program.built.get(), source.symbol.c_str(), &error));
    if (error != CL_SUCCESS)
        return Diagnostic::error(Code::Compile, {source.symbol + ".cl", 1, 1, 1, 1}, "{}: {}", source.symbol, clErrorName(error));
    clGetKernelInfo(made.kernel.get(), CL_KERNEL_NUM_ARGS, sizeof made.arguments, &made.arguments, nullptr);

    Artifact artifact;
    artifact.symbol = source.symbol;
    artifact.log = program.log;
    readMachineCode(made, source, artifact);
    artifact.id = ArtifactId(m_device->nextArtifact++);
    m_device->kernels.emplace(artifact.id, std::move(made));
    return artifact;
}

// A launch without buffers, which the text returns from at once: it makes the driver translate the kernel for its size of group,
// so that the first real launch need not.
Result<Done> OpenClCompiler::runEmpty(const ClBuilt &kernel, const std::array<std::size_t, 3> &group)
{
    for (cl_uint i = 0; i < kernel.arguments; ++i)
        if (const cl_int error = clSetKernelArg(kernel.kernel.get(), i, sizeof(cl_mem), nullptr); error != CL_SUCCESS)
            return clFailure("clSetKernelArg", error);
    cl_int error = clEnqueueNDRangeKernel(m_device->queue.get(), kernel.kernel.get(), 3, nullptr, group.data(), group.data(), 0,
                                          nullptr, nullptr);
    if (error == CL_SUCCESS)
        error = clFinish(m_device->queue.get());
    if (error != CL_SUCCESS)
        return clFailure("clEnqueueNDRangeKernel", error);
    return Done{};
}

void OpenClCompiler::readMachineCode(const ClBuilt &kernel, const RenderedSource &source, Artifact &artifact)
{
    std::array<std::size_t, 3> group{1, 1, 1};
    clGetKernelWorkGroupInfo(kernel.kernel.get(), m_device->handle.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group,
                             group.data(), nullptr);
    for (std::size_t &size : group)
        size = std::max<std::size_t>(size, 1);
    const auto ran = runEmpty(kernel, group);
    if (!ran) {
        artifact.machineNote = toText(ran.error());
        return;
    }
    if (!m_device->isPocl) {
        artifact.machineNote = "this driver does not show its machine code";
        return;
    }
    const auto path = poclObjectOf(source.symbol, group);
    const auto object = path ? fileBytes(*path) : std::nullopt;
    if (!object) {
        artifact.machineNote = "the driver's compiled kernel was not found in its cache";
        return;
    }
    auto machine = disassembled(*object, "_pocl_kernel_" + source.symbol, source.lines);
    if (machine)
        artifact.machine = std::move(*machine);
    else
        artifact.machineNote = toText(machine.error());
}

} // namespace sw
