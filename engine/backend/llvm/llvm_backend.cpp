#include "engine/backend/llvm/llvm_backend.h"

#include "engine/backend/cpu/cpu_device.h"
#include "engine/backend/cpu/cpu_runtime.h"
#include "engine/backend/llvm/cross_compiler.h"
#include "engine/backend/llvm/ir_compiler.h"
#include "engine/backend/llvm/llvm_renderer.h"
#include "engine/backend/llvm/native_compiler.h"
#include "engine/backend/llvm/pass_recorder.h"
#include "engine/backend/llvm/target.h"
#include "engine/base/text.h"
#include "engine/ops/tensor_instructions.h"

namespace sw {

namespace {

// Takes LLVM IR, which LLVM can translate for any processor and whose passes it shows.
class LlvmCompiler final : public NativeCompiler {
public:
    using NativeCompiler::NativeCompiler;
    [[nodiscard]] Result<MachineCode> crossCode(const RenderedSource &source, const std::string &target) override
    {
        return crossCompiled(source, target);
    }
    [[nodiscard]] Result<std::vector<CompilerPass>> passes(const RenderedSource &source) override
    {
        return recordedPasses(source);
    }
};

class LlvmBackend final : public Backend {
public:
    explicit LlvmBackend(std::filesystem::path kernelFolder) : m_kernelFolder(std::move(kernelFolder)) {}
    [[nodiscard]] std::string_view id() const override { return "llvm"; }
    [[nodiscard]] Result<std::vector<DeviceInfo>> probe() override
    {
        DeviceInfo device = cpuDevice("llvm", "LLVM 22");
        device.tensorInstructions = hostTensorInstructions();
        for (const TensorInstruction one : allTensorInstructions())
            if (hasTensorInstruction(device.tensorInstructions, one))
                device.description += format(", {}", infoOf(one).name);
        device.hasF16 = hostHasF16();
        device.description += device.hasF16 ? ", f16" : "";
        return std::vector{std::move(device)};
    }
    [[nodiscard]] const Renderer &renderer() const override { return m_renderer; }
    [[nodiscard]] Result<Opened> open(const DeviceInfo &device, const DeviceOptions &options) override;

private:
    std::filesystem::path m_kernelFolder;
    LlvmRenderer m_renderer;
};

Result<Backend::Opened> LlvmBackend::open(const DeviceInfo &device, const DeviceOptions &options)
{
    // The process that runs the kernels need not be the one that looked for the device.
    static_cast<void>(hostTensorInstructions());
    SW_TRY(auto ir, IrCompiler::create());
    SW_TRY(auto loader, CodeLoader::create());
    auto kernels = std::make_shared<KernelTable>();
    std::unique_ptr<ObjectStore> store;
    if (!m_kernelFolder.empty())
        store = std::make_unique<ObjectStore>(m_kernelFolder, ir->description());
    const auto translate = [shared = std::shared_ptr<IrCompiler>(std::move(ir))](const RenderedSource &source,
                                                                                 const std::stop_token &) -> Result<Translation> {
        SW_TRY(auto object, shared->compile(source.text, source.symbol));
        return Translation{std::move(object), {}};
    };
    Opened opened;
    opened.compiler =
        std::make_unique<LlvmCompiler>(std::move(loader), translate, std::string(kRangeSuffix), kernels, std::move(store));
    opened.runtime = std::make_unique<CpuRuntime>(kernels, threadsFor(device, options), options);
    return opened;
}

} // namespace

std::unique_ptr<Backend> makeLlvmBackend(std::filesystem::path kernelFolder)
{
    return std::make_unique<LlvmBackend>(std::move(kernelFolder));
}

} // namespace sw
