#include "tests/golden/program_fixture.h"

#include "engine/execute/input_values.h"

#include <algorithm>

namespace sw::test {

std::filesystem::path sourceFolder()
{
    return STEPWELL_SOURCE_DIR;
}

std::vector<std::filesystem::path> exampleFiles()
{
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator(sourceFolder() / "resources/examples"))
        if (entry.path().extension() == ".sw")
            files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

std::string parameterName(const std::filesystem::path &file)
{
    return identifierText(file.stem().string());
}

CompileRequest ProgramTest::requestFor(const std::filesystem::path &file, const std::string &device, CompileUntil until) const
{
    CompileRequest request;
    request.program.fileName = file.string();
    request.program.resourceFolder = (sourceFolder() / "resources").string();
    request.device = device;
    request.until = until;
    return request;
}

CompileRequest ProgramTest::requestOf(const std::string &text, const std::string &device) const
{
    CompileRequest request = requestFor("program.sw", device);
    request.program.isText = true;
    request.program.text = text;
    return request;
}

std::string ProgramTest::whyUnavailable(const std::string &device) const
{
    const auto found = m_registry.device(device);
    return found ? std::string() : toText(found.error());
}

std::string ProgramTest::whyNoProcessor(const std::string &device) const
{
    const auto found = m_registry.device(device);
    if (!found)
        return toText(found.error());
    return found->device.kind == DeviceKind::Gpu ? device + " is a GPU here" : std::string();
}

Result<ExecutionResult> ProgramTest::run(ProgramCompiler &compiler, const CompileRequest &request,
                                         std::vector<NamedTensor> inputs, std::uint64_t seed)
{
    const Compilation compilation = compiler.compile(request, {});
    if (!compilation.succeeded)
        return Failure(compilation.diagnostics);
    std::erase_if(inputs, [&](const NamedTensor &input) {
        return std::ranges::find(compilation.constantInputs, input.name) != compilation.constantInputs.end();
    });
    SW_TRY(const auto values, placeholderValues(*compilation.graph, inputs, seed, compilation.runDimensions));
    SW_TRY(std::vector<OpenedDevice *> devices, compiler.openedDevices(compilation));
    SW_TRY(const auto executor,
           Executor::prepare(std::move(devices), compilation.program, values, {}, compilation.runDimensions));
    return executor->run({.warmup = 0, .repeats = 1}, {});
}

Result<ProgramTest::BothWays> ProgramTest::runBothWays(const std::string &text, const std::string &device)
{
    ProgramCompiler compiler(m_registry);
    CompileRequest request = requestOf(text, device);
    Compilation compilation = compiler.compile(request, {});
    if (!compilation.succeeded)
        return Failure(compilation.diagnostics);
    SW_TRY(const ExecutionResult chosen, run(compiler, request));
    request.options.optimize = false;
    SW_TRY(const ExecutionResult plain, run(compiler, request));
    BothWays both{std::move(compilation), chosen.outputs.front().value, plain.outputs.front().value};
    EXPECT_EQ(both.chosen.elements(), both.plain.elements());
    return both;
}

void expectNear(const HostTensor &got, const HostTensor &expected, double limit)
{
    ASSERT_EQ(got.elements(), expected.elements());
    const double most = isFloat(got.dtype()) ? limit : 0;
    for (std::int64_t i = 0; i < got.elements(); ++i)
        ASSERT_NEAR(got.at(i).asDouble(), expected.at(i).asDouble(), most) << "element " << i;
}

bool hasShuffle(const LoweredProgram &program)
{
    return std::ranges::any_of(program.kernels, [](const LoweredKernel &kernel) {
        const auto isComputed = [&](InstructionId operand) {
            return kernel.instruction(operand).kind != InstructionKind::Const; // what padding is beside
        };
        return std::ranges::any_of(kernel.instructions, [&](const Instruction &instruction) {
            return instruction.kind == InstructionKind::Shuffle && std::ranges::all_of(instruction.operands, isComputed);
        });
    });
}

} // namespace sw::test
