#include "engine/backend/interpreter/interpreter_backend.h"

#include "engine/backend/interpreter/interpreter_device.h"
#include "engine/backend/source/kernel_values.h"
#include "engine/lowered/printer.h"

namespace sw {

namespace {

// Kernels that do the same get the same text: as in the other languages, names depend on position only.
LoweredKernel withoutNames(const LoweredKernel &kernel)
{
    LoweredKernel made = kernel;
    made.kernel = KernelId(0U);
    made.name = kernel.symbol;
    for (std::size_t i = 0; i < made.arguments.size(); ++i)
        made.arguments[i] = BufferId(i);
    const std::vector<std::string> names = generatedNames(kernel);
    for (std::size_t i = 0; i < names.size(); ++i)
        if (const InstructionKind kind = made.instructions[i].kind;
            kind == InstructionKind::DefineGlobal || kind == InstructionKind::DefineVar)
            made.instructions[i].name = names[i];
    return made;
}

class InterpreterRenderer : public Renderer {
public:
    [[nodiscard]] TargetLanguage language() const override { return TargetLanguage::Lowered; }

    [[nodiscard]] Result<RenderedSource> render(const LoweredKernel &kernel, const DeviceInfo &) const override
    {
        const LoweredKernel anonymous = withoutNames(kernel);
        LoweredText text = printLowered(anonymous, PrintOrigins::Hidden);
        RenderedSource out{kernel.kernel, anonymous.symbol, TargetLanguage::Lowered, std::move(text.text), {}};
        for (const InstructionId id : text.lineInstructions)
            out.lines.push_back({id.isValid() ? CodeTag::Instruction : CodeTag::Frame, id});
        return out;
    }
};

class InterpreterBackend : public Backend {
public:
    [[nodiscard]] std::string_view id() const override { return "interpreter"; }

    [[nodiscard]] Result<std::vector<DeviceInfo>> probe() override
    {
        DeviceInfo device;
        device.id = "interpreter";
        device.backend = "interpreter";
        device.description = "reference interpreter of the lowered form";
        device.kind = DeviceKind::Interpreter;
        device.maxWorkgroup = 1024;
        device.localMemoryBytes = 1 << 20;
        return std::vector{device};
    }

    [[nodiscard]] const Renderer &renderer() const override { return m_renderer; }

    [[nodiscard]] Result<Opened> open(const DeviceInfo &, const DeviceOptions &) override
    {
        const auto kernels = std::make_shared<PreparedKernels>();
        return Opened{std::make_unique<InterpreterCompiler>(kernels), std::make_unique<InterpreterRuntime>(kernels)};
    }

private:
    InterpreterRenderer m_renderer;
};

} // namespace

std::unique_ptr<Backend> makeInterpreterBackend()
{
    return std::make_unique<InterpreterBackend>();
}

} // namespace sw
