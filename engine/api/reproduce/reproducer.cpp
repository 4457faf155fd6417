#include "engine/api/reproduce/reproducer.h"

#include "engine/api/compilation.h"
#include "engine/api/reproduce/reproducer_text.h"
#include "engine/base/checked_size.h"
#include "engine/execute/kernel_arguments.h"
#include "engine/execute/run_limit.h"
#include "engine/lowered/work.h"
#include "engine/types/npy.h"

#include "embedded/ReproducerMainCpu.h"
#include "embedded/ReproducerMainOpenCl.h"
#include "embedded/ReproducerTensors.h"

#include <algorithm>
#include <charconv>

namespace sw {

namespace {

// Operations and bytes: some seconds of the interpreter, in vectors.
constexpr std::int64_t kMostInterpreted = 2'000'000'000;

// Device buffers, freed at the end.
class Buffers {
public:
    explicit Buffers(Runtime &runtime) : m_runtime(runtime) {}
    ~Buffers()
    {
        for (const DeviceBufferId id : m_ids)
            m_runtime.free(id);
    }
    Buffers(const Buffers &) = delete;
    Buffers &operator=(const Buffers &) = delete;

    Result<DeviceBufferId> add(const HostTensor &value)
    {
        SW_TRY(const DeviceBufferId id,
               m_runtime.allocate(std::max<std::int64_t>(1, static_cast<std::int64_t>(value.byteSize()))));
        m_ids.push_back(id);
        if (value.byteSize() > 0)
            SW_CHECK(m_runtime.upload(id, 0, value.unalignedBytes()));
        return id;
    }

private:
    Runtime &m_runtime;
    std::vector<DeviceBufferId> m_ids;
};

std::vector<bool> writtenArguments(const LoweredKernel &kernel)
{
    std::vector<bool> written(kernel.arguments.size());
    for (const Instruction &instruction : kernel.instructions)
        if (instruction.kind == InstructionKind::DefineGlobal && instruction.isWritten)
            written[instruction.argument] = true;
    return written;
}

// Launches the kernel once and sets what is expected of the arguments that it writes.
Result<Done> setExpected(std::vector<ReproducedArgument> &arguments, OpenedDevice &device, const RenderedSource &source,
                         const LoweredKernel &kernel, const std::stop_token &stop)
{
    SW_TRY(const std::vector<ArtifactPtr> artifacts, device.compile(std::span(&source, 1), stop));
    Runtime &runtime = device.runtime();
    Buffers buffers(runtime);
    std::vector<DeviceBufferId> ids;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].same < i) {
            ids.push_back(ids[arguments[i].same]);
            continue;
        }
        SW_TRY(const DeviceBufferId id, buffers.add(arguments[i].value));
        ids.push_back(id);
    }
    SW_CHECK(runtime.launch({artifacts.front()->id, ids, kernel.globalSize, kernel.localSize}, stop));
    const std::vector<bool> written = writtenArguments(kernel);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!written[i])
            continue;
        HostTensor value(arguments[i].value.dtype(), arguments[i].value.shape());
        if (value.byteSize() > 0)
            SW_CHECK(runtime.download(ids[i], 0, value.mutableBytes()));
        arguments[i].expected = std::move(value);
    }
    return Done{};
}

bool isEditOf(const std::vector<KernelEdit> &edits, KernelId kernel)
{
    return std::ranges::any_of(
        edits, [&](const KernelEdit &edit) { return edit.kernel == kernel && edit.outcome.state == OverrideState::Applied; });
}

class Reproducing {
public:
    Reproducing(ProgramCompiler &compiler, const CompileRequest &compile, const Compilation &compilation,
                const ReproducerRequest &request, const std::stop_token &stop)
        : m_compiler(compiler),
          m_compile(compile),
          m_compilation(compilation),
          m_request(request),
          m_limit(request.limit, stop),
          m_kernel(compilation.lowered->kernels.at(request.kernel.value)),
          m_source(compilation.code->at(request.kernel.value))
    {
    }

    Result<ReproducedKernel> make()
    {
        SW_TRY(ReproducedKernel made, facts());
        Result<Done> done = setArguments(made);
        if (done)
            done = expect(made);
        if (!done)
            return Failure(m_limit.errorsOf(done.error()));
        return made;
    }

private:
    [[nodiscard]] const Schedule &schedule() const { return *m_compilation.schedule; }

    Result<ReproducedKernel> facts() const
    {
        const DeviceSlot slot = m_kernel.device;
        const DeviceInfo &device =
            slot.value == 0 ? m_compilation.target.device : m_compilation.target.others.at(slot.value - 1).device;
        if (m_source.language == TargetLanguage::Lowered)
            return Diagnostic::error(Code::Unsupported, {}, "{} has no source that other tools can build", device.id)
                .withHint("choose a device of llvm, c or opencl");
        ReproducedKernel made;
        made.name = m_kernel.name;
        made.program = m_request.program;
        made.command = m_request.command;
        made.source = &m_source;
        made.device = device;
        if (const std::size_t colon = device.id.find(':'); colon != std::string::npos)
            std::from_chars(device.id.data() + colon + 1, device.id.data() + device.id.size(), made.deviceNumber);
        made.globalSize = m_kernel.globalSize;
        made.localSize = m_kernel.localSize;
        made.isEdited =
            isEditOf(m_compilation.edits.edits, m_request.kernel) || isEditOf(m_compilation.lowered->edits, m_request.kernel);
        made.dimensions = join(m_request.inputs.dimensions, ", ",
                               [](const auto &dimension) { return format("{} = {}", dimension.first, dimension.second); });
        return made;
    }

    // What reaches the kernel in a run.
    Result<Done> setArguments(ReproducedKernel &made)
    {
        SW_TRY(const auto values, inputValues(*m_compilation.graph, m_request.inputs));
        SW_TRY(const KernelArguments found, reach(values));
        const std::span<const BufferId> buffers = m_compilation.lowered->kernels.argumentsOf(m_request.kernel.value);
        for (std::size_t i = 0; i < buffers.size(); ++i)
            made.arguments.push_back({schedule().buffer(buffers[i]).name, found.values.at(i),
                                      static_cast<std::size_t>(std::ranges::find(buffers, buffers[i]) - buffers.begin())});
        return Done{};
    }

    Result<KernelArguments> reach(std::span<const HostTensor> values)
    {
        if (m_compilation.program == nullptr) { // its compiler does not accept some kernel
            SW_TRY(OpenedDevice *const interpreter, m_compiler.openedDevice("interpreter", 0));
            return argumentsOf(*interpreter, m_compilation.lowered, m_request.kernel, values, m_request.inputs.dimensions,
                               m_limit.token());
        }
        SW_TRY(std::vector<OpenedDevice *> devices, m_compiler.openedDevices(m_compilation));
        SW_TRY(const auto executor,
               Executor::prepare(std::move(devices), m_compilation.program, values, {}, m_request.inputs.dimensions));
        return executor->runUpTo(m_request.kernel, m_limit.token());
    }

    Result<Done> expect(ReproducedKernel &made)
    {
        std::string why = "would take too long";
        SW_TRY(const LoweredKernel own, ownKernel());
        const auto work = workOf(own, m_request.inputs.dimensions);
        if (!work || CheckedSize(work->flops) + work->bytes() <= kMostInterpreted) {
            const Result<Done> interpreted = expectOf(made, own);
            if (interpreted || m_limit.token().stop_requested())
                return interpreted;
            why = format("cannot run it ({})", interpreted.error().front().message);
        }
        if (m_compilation.program == nullptr) { // what its compiler says is worth a folder, too
            made.expectedFrom.clear();
            made.whyNotExpected = format("the interpreter {}, and {} does not compile the program", why, made.device.id);
            return Done{};
        }
        made.expectedFrom = format("this source on {} itself, because the interpreter {}", made.device.id, why);
        SW_TRY(const std::vector<OpenedDevice *> devices, m_compiler.openedDevices(m_compilation));
        return setExpected(made.arguments, *devices.at(m_kernel.device.value), m_source, m_kernel, m_limit.token());
    }

    Result<Done> expectOf(ReproducedKernel &made, const LoweredKernel &own)
    {
        made.expectedFrom = "the interpreter, from the lowered instructions that the compiler made for the kernel";
        SW_TRY(OpenedDevice *const interpreter, m_compiler.openedDevice("interpreter", 0));
        SW_TRY(const RenderedSource text, interpreter->renderer().render(own, interpreter->info()));
        return setExpected(made.arguments, *interpreter, text, own, m_limit.token());
    }

    // The kernel without edits.
    Result<LoweredKernel> ownKernel()
    {
        if (!isEditOf(m_compilation.lowered->edits, m_request.kernel))
            return m_kernel;
        CompileRequest plain = m_compile;
        plain.until = CompileUntil::Lowered;
        std::erase_if(plain.options.overrides.items, [](const Override &item) { return item.kind == OverrideKind::Code; });
        const Compilation compiled = m_compiler.compile(plain, m_limit.token());
        if (!compiled.succeeded)
            return Failure(compiled.diagnostics);
        return compiled.lowered->kernels.at(m_request.kernel.value);
    }

    ProgramCompiler &m_compiler;
    const CompileRequest &m_compile;
    const Compilation &m_compilation;
    const ReproducerRequest &m_request;
    RunLimit m_limit;
    const LoweredKernel &m_kernel;
    const RenderedSource &m_source;
};

std::string npyText(const HostTensor &tensor)
{
    const std::vector<std::byte> bytes = npyBytes(tensor);
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

} // namespace

Result<std::vector<FolderFile>> reproducerOf(ProgramCompiler &compiler, const CompileRequest &compile,
                                             const Compilation &compilation, const ReproducerRequest &request,
                                             const std::stop_token &stop)
{
    SW_ASSERT(compilation.code != nullptr && request.kernel.value < compilation.code->size(), "a kernel with its source");
    SW_TRY(const ReproducedKernel made, Reproducing(compiler, compile, compilation, request, stop).make());
    const bool isOpenCl = made.source->language == TargetLanguage::OpenCl;
    std::vector<FolderFile> files;
    files.push_back({"README.md", readMe(made)});
    files.push_back({"build.sh", buildScript(made), true});
    files.push_back({std::string(sourceFileName(made.source->language)), made.source->text});
    files.push_back({"launch.h", launchHeader(made)});
    files.push_back({"main.c", std::string(isOpenCl ? embedded::kReproducerMainOpenCl : embedded::kReproducerMainCpu)});
    files.push_back({"tensors.h", std::string(embedded::kReproducerTensors)});
    for (std::size_t i = 0; i < made.arguments.size(); ++i) {
        const ReproducedArgument &argument = made.arguments[i];
        if (argument.same == i)
            files.push_back({argumentFile(i), npyText(argument.value)});
        if (argument.expected)
            files.push_back({expectedFile(i), npyText(*argument.expected)});
    }
    return files;
}

} // namespace sw
