#include "engine/backend/opencl/opencl_compiler.h"

#include "engine/backend/llvm/native_code.h"
#include "engine/backend/opencl/cl_program.h"
#include "engine/backend/opencl/pocl_cache.h"
#include "engine/backend/opencl/program_text.h"
#include "engine/backend/source/compiler_messages.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <thread>

namespace sw {

namespace {

constexpr std::size_t kFewestShared = 4; // kernels: starting a process and building two programs costs about as much as three

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

using SourcePointers = std::vector<const RenderedSource *>;

SourcePointers sourcesAt(std::span<const RenderedSource> sources, const std::vector<std::size_t> &places)
{
    SourcePointers found;
    for (const std::size_t place : places)
        found.push_back(&sources[place]);
    return found;
}

// Starts an assistant when building takes longer than a program from the driver's cache would.
class LateAssistant {
public:
    LateAssistant(const ClOpened &device, const SourcePointers &sources)
    {
        AssistantJob job{.device = device.id, .text = combinedProgram(sources)};
        for (const RenderedSource *source : sources)
            job.symbols.push_back(source->symbol);
        m_starter = std::jthread([this, options = device.assistance, job = std::move(job)](const std::stop_token &stop) {
            std::mutex mutex;
            std::unique_lock lock(mutex);
            std::condition_variable_any().wait_for(lock, stop, options.delay, [] { return false; });
            if (!stop.stop_requested())
                m_started = ClAssistant::start(options, job);
        });
    }
    // The assistant, if one was needed by now.
    [[nodiscard]] std::unique_ptr<ClAssistant> take()
    {
        m_starter.request_stop();
        m_starter.join();
        return std::move(m_started);
    }

private:
    std::unique_ptr<ClAssistant> m_started;
    std::jthread m_starter;
};

} // namespace

OpenClCompiler::Parts OpenClCompiler::partsOf(const std::vector<std::size_t> &program,
                                              std::span<const RenderedSource> sources) const
{
    if (!m_device->isPocl || program.size() < kFewestShared || !ClAssistant::isPossible(m_device->assistance))
        return {program, {}};
    std::size_t whole = 0;
    for (const std::size_t place : program)
        whole += sources[place].text.size();
    Parts parts;
    std::size_t before = 0; // how much text
    for (const std::size_t place : program) {
        (2 * before < whole ? parts.own : parts.assistants).push_back(place);
        before += sources[place].text.size();
    }
    return parts;
}

std::vector<Result<Artifact>> OpenClCompiler::compile(std::span<const RenderedSource> sources, std::stop_token stop)
{
    std::vector<std::optional<Result<Artifact>>> made(sources.size());
    const auto compilePart = [&](const std::vector<std::size_t> &part) {
        std::vector<Result<Artifact>> results;
        compileTogether(sourcesAt(sources, part), results, stop);
        for (std::size_t i = 0; i < part.size(); ++i)
            made[part[i]] = std::move(results[i]);
    };
    std::vector<std::vector<std::size_t>> programs = programsOf(sources);
    Parts parts;
    std::unique_ptr<ClAssistant> assistant;
    for (const std::vector<std::size_t> &program : programs) {
        // The programs after the first are small: they hold what has the name of another kernel.
        if (&program == &programs.front())
            parts = partsOf(program, sources);
        if (&program != &programs.front() || parts.assistants.empty()) {
            compilePart(program);
            continue;
        }
        LateAssistant late(*m_device, sourcesAt(sources, parts.assistants));
        compilePart(parts.own);
        assistant = late.take();
        if (assistant != nullptr)
            assistant->awaitProgram(stop);
        compilePart(parts.assistants);
    }
    // The last program is built, so work in the background delays nothing now.
    ClTranslator::Kernels own;
    ClTranslator::Kernels shared;
    std::vector<Result<Artifact>> results;
    for (std::size_t i = 0; i < made.size(); ++i) {
        if (*made[i])
            (std::ranges::binary_search(parts.assistants, i) ? shared : own)
                .push_back(m_device->kernels.at((*made[i])->id).translation);
        results.push_back(std::move(*made[i]));
    }
    // Places count only if all of its kernels are there.
    if (shared.size() != parts.assistants.size())
        assistant.reset();
    m_device->translator->add(own, shared, std::move(assistant));
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
    SW_TRY(ClProgramBuild build, buildProgram(*m_device, combinedProgram(sources)));
    Program program{std::move(build.program), std::move(build.log)};
    if (build.error == CL_SUCCESS) {
        if (const auto folder = m_device->isPocl ? newestPoclProgram(sources.front()->symbol) : std::nullopt)
            program.folder = folder->string();
        return program;
    }
    Diagnostics messages = compilerMessages(program.log, sources.front()->symbol + ".cl");
    if (messages.empty())
        messages.push_back(Diagnostic::error(Code::Compile, {sources.front()->symbol + ".cl", 1, 1, 1, 1}, "{}: {}",
                                             clErrorName(build.error), program.log));
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

    Artifact artifact;
    artifact.symbol = source.symbol;
    artifact.log = program.log;
    artifact.id = ArtifactId(m_device->nextArtifact++);
    m_device->kernels.emplace(artifact.id, std::move(made));
    return artifact;
}

Result<MachineCode> OpenClCompiler::machineCode(ArtifactId artifact)
{
    const auto found = m_device->kernels.find(artifact);
    if (found == m_device->kernels.end())
        return Diagnostic::error(Code::Compile, {}, "there is no compiled kernel {}", artifact.value);
    const ClBuilt &kernel = found->second;
    SW_CHECK(m_device->translator->finish(kernel.translation));
    if (!m_device->isPocl)
        return Diagnostic::error(Code::Unsupported, {}, "this driver does not show its machine code");
    const std::string &symbol = kernel.translation->symbol;
    const auto path = kernel.folder
                          ? poclObjectOf(*kernel.folder, symbol, requiredGroup(kernel.kernel.get(), m_device->handle.device))
                          : std::nullopt;
    const auto object = path ? fileBytes(*path) : std::nullopt;
    if (!object)
        return Diagnostic::error(Code::File, {}, "the driver's compiled kernel was not found in its cache");
    return disassembled(*object, "_pocl_kernel_" + symbol, kernel.lines);
}

} // namespace sw
