#include "engine/backend/c/c_backend.h"

#include "engine/backend/c/c_options.h"
#include "engine/backend/c/c_renderer.h"
#include "engine/backend/c/process.h"
#include "engine/backend/cpu/cpu_device.h"
#include "engine/backend/cpu/cpu_runtime.h"
#include "engine/backend/llvm/native_compiler.h"
#include "engine/backend/source/compiler_messages.h"

#include <cstring>

namespace sw {

namespace {

constexpr std::chrono::milliseconds kLongestCompile{60000};

// The source by stdin, the object by stdout, messages without colours.
constexpr std::string_view kStreams[] = {"-fno-color-diagnostics", "-c", "-", "-o", "-"};

Result<Translation> translated(const std::string &compiler, const RenderedSource &source, const std::stop_token &stop)
{
    std::vector<std::string> command = {compiler};
    command.insert(command.end(), kCOptions.begin(), kCOptions.end());
    command.insert(command.end(), std::begin(kStreams), std::end(kStreams));
    SW_TRY(const ProcessOutput made, runProcess(command, source.text, kLongestCompile, stop));
    if (made.exitCode != 0) {
        Diagnostics messages = compilerMessages(made.errors, source.symbol + ".c");
        if (messages.empty())
            messages.push_back(
                Diagnostic::error(Code::Compile, {}, "{} ended with code {}: {}", compiler, made.exitCode, made.errors));
        return Failure(std::move(messages));
    }
    Translation translation;
    translation.object.resize(made.output.size());
    std::memcpy(translation.object.data(), made.output.data(), made.output.size());
    translation.log = made.errors;
    return translation;
}

// Null: nothing is kept. A compiler that was replaced has another time or size.
std::unique_ptr<ObjectStore> storeFor(const std::string &compiler, const std::filesystem::path &folder)
{
    std::error_code error;
    const std::filesystem::path program = std::filesystem::canonical(compiler, error);
    const auto time = error ? std::filesystem::file_time_type() : std::filesystem::last_write_time(program, error);
    const auto size = error ? 0 : std::filesystem::file_size(program, error);
    if (folder.empty() || error)
        return nullptr;
    std::string maker =
        format("{}, {} bytes of {}, {}", program.string(), size, time.time_since_epoch().count(), hostProcessorText());
    for (const std::string_view option : kCOptions)
        maker.append(" ").append(option);
    return std::make_unique<ObjectStore>(folder, std::move(maker));
}

class CBackend final : public Backend {
public:
    CBackend(std::string compiler, std::filesystem::path kernelFolder)
        : m_compiler(std::move(compiler)), m_kernelFolder(std::move(kernelFolder))
    {
    }
    [[nodiscard]] std::string_view id() const override { return "c"; }
    [[nodiscard]] Result<std::vector<DeviceInfo>> probe() override;
    [[nodiscard]] const Renderer &renderer() const override { return m_renderer; }
    [[nodiscard]] Result<Opened> open(const DeviceInfo &device, const DeviceOptions &options) override;

private:
    [[nodiscard]] Result<std::string> compilerPath() const;

    std::string m_compiler;
    std::filesystem::path m_kernelFolder;
    CRenderer m_renderer;
};

Result<std::string> CBackend::compilerPath() const
{
    const auto found = findProgram(m_compiler);
    if (!found)
        return Diagnostic::error(Code::DeviceUnavailable, {}, "the compiler {} is not installed", m_compiler)
            .withHint("install the package clang-22");
    return found->string();
}

Result<std::vector<DeviceInfo>> CBackend::probe()
{
    SW_CHECK(compilerPath());
    return std::vector{cpuDevice("c", m_compiler)};
}

Result<Backend::Opened> CBackend::open(const DeviceInfo &device, const DeviceOptions &options)
{
    SW_TRY(const std::string compiler, compilerPath());
    SW_TRY(auto loader, CodeLoader::create());
    auto kernels = std::make_shared<KernelTable>();
    const auto translate = [compiler](const RenderedSource &source, const std::stop_token &stop) {
        return translated(compiler, source, stop);
    };
    Opened opened;
    opened.compiler = std::make_unique<NativeCompiler>(std::move(loader), translate, std::string(kCRangeSuffix), kernels,
                                                       storeFor(compiler, m_kernelFolder));
    opened.runtime = std::make_unique<CpuRuntime>(kernels, threadsFor(device, options), options);
    return opened;
}

} // namespace

std::unique_ptr<Backend> makeCBackend(std::string compiler, std::filesystem::path kernelFolder)
{
    return std::make_unique<CBackend>(std::move(compiler), std::move(kernelFolder));
}

} // namespace sw
