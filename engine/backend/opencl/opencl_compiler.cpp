#include "engine/backend/opencl/opencl_compiler.h"

#include "engine/backend/llvm/native_code.h"
#include "engine/backend/opencl/pocl_cache.h"
#include "engine/backend/opencl/program_text.h"
#include "engine/backend/source/compiler_messages.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
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

// A program can hold only one kernel of each name. Puts the sources (by index) into as few programs as that allows.
std::vector<std::vector<std::size_t>> programsOf(std::span<const RenderedSource> sources)
{
    std::map<std::string_view, std::size_t> seen; // how often a symbol has occurred before
    std::vector<std::vector<std::size_t>> programs;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const std::size_t program = seen[sources[i].symbol]++;
        programs.resize(std::max(programs.size(), program + 1));
        programs[program].push_back(i);
    }
    return programs;
}

} // namespace

std::vector<Result<Artifact>> OpenClCompiler::compile(std::span<const RenderedSource> sources, std::stop_token stop)
{
    std::vector<std::optional<Result<Artifact>>> made(sources.size());
    for (const std::vector<std::size_t> &program : programsOf(sources)) {
        std::vector<const RenderedSource *> together;
        for (const std::size_t place : program)
            together.push_back(&sources[place]);
        std::vector<Result<Artifact>> results;
        compileTogether(together, results, stop);
        for (std::size_t i = 0; i < program.size(); ++i)
            made[program[i]] = std::move(results[i]);
    }
    // The last program is built, so work in the background delays nothing now.
    std::vector<Result<Artifact>> results;
    for (std::optional<Result<Artifact>> &result : made) {
        if (*result)
            m_device->translator->add(m_device->kernels.at((*result)->id).translation);
        results.push_back(std::move(*result));
    }
    return results;
}

void OpenClCompiler::compileTogether(SourceList sources, std::vector<Result<Artifact>> &results, const std::stop_token &stop)
{
    const auto start = std::chrono::steady_clock::now();
    std::optional<Program> together;
    if (sources.size() > 1 && !stop.stop_requested())
        if (auto program = built(sources))
            together = std::move(*program);

    // A text that fails to build reports its own errors when it is built alone.
    for (const RenderedSource *source : sources) {
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
    const auto each = (std::chrono::steady_clock::now() - start) / std::max<std::size_t>(1, sources.size());
    for (Result<Artifact> &result : results)
        if (result)
            result->compileTime = each;
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
    if (error == CL_SUCCESS) {
        if (const auto folder = m_device->isPocl ? newestPoclProgram() : std::nullopt)
            program.folder = folder->string();
        return program;
    }
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

    made.lines = source.lines;
    made.folder = program.folder;
    made.translation = std::make_shared<ClTranslation>(ClTranslation{program.built, source.symbol});
    std::array<std::size_t, 3> &group = made.translation->group;
    clGetKernelWorkGroupInfo(made.kernel.get(), m_device->handle.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group,
                             group.data(), nullptr);
    for (std::size_t &size : group)
        size = std::max<std::size_t>(size, 1);

    Artifact artifact;
    artifact.symbol = source.symbol;
    artifact.log = program.log;
    artifact.id = ArtifactId(m_device->nextArtifact++);
    m_device->kernels.emplace(artifact.id, std::move(made));
    return artifact;
}

Result<std::vector<MachineInstruction>> OpenClCompiler::machineCode(ArtifactId artifact)
{
    const auto found = m_device->kernels.find(artifact);
    if (found == m_device->kernels.end())
        return Diagnostic::error(Code::Compile, {}, "there is no compiled kernel {}", artifact.value);
    const ClBuilt &kernel = found->second;
    SW_CHECK(m_device->translator->finish(kernel.translation));
    if (!m_device->isPocl)
        return Diagnostic::error(Code::Unsupported, {}, "this driver does not show its machine code");
    const std::string &symbol = kernel.translation->symbol;
    const auto path = kernel.folder ? poclObjectOf(*kernel.folder, symbol, kernel.translation->group) : std::nullopt;
    const auto object = path ? fileBytes(*path) : std::nullopt;
    if (!object)
        return Diagnostic::error(Code::File, {}, "the driver's compiled kernel was not found in its cache");
    return disassembled(*object, "_pocl_kernel_" + symbol, kernel.lines);
}

} // namespace sw
