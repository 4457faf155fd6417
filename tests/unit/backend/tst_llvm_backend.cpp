// What is the llvm backend's own: its text, its machine code, its errors.

#include "engine/backend/llvm/ir_compiler.h"
#include "tests/unit/backend/backend_fixture.h"

#include <algorithm>

namespace sw::test {

TEST(LlvmBackend, runsAnElementwiseKernel)
{
    OpenBackend llvm("llvm");
    const LoweredKernel kernel = vectorBinaryKernel(Op::Add, DType::F32, 1024, 16, 256);
    std::vector<HostTensor> arguments = {HostTensor::filled(Scalar::of(DType::F32, 1.5), {1024}),
                                         HostTensor::filled(Scalar::of(DType::F32, 2.0), {1024}), HostTensor(DType::F32, {1024})};
    const auto result = llvm.run(kernel, arguments);
    ASSERT_TRUE(result) << toText(result.error());
    EXPECT_TRUE(arguments[2].isIdenticalTo(HostTensor::filled(Scalar::of(DType::F32, 3.5), {1024})));
}

TEST(LlvmBackend, everyLineOfTextHasAnOrigin)
{
    OpenBackend llvm("llvm");
    const auto source = llvm.render(vectorBinaryKernel(Op::Div, DType::I32, 1024, 8, 256));
    ASSERT_TRUE(source) << toText(source.error());
    EXPECT_EQ(source->lines.size(), static_cast<std::size_t>(std::ranges::count(source->text, '\n')));
}

TEST(LlvmBackend, machineInstructionsKnowTheirLines)
{
    OpenBackend llvm("llvm");
    const LoweredKernel kernel = vectorBinaryKernel(Op::Div, DType::I32, 1024, 8, 256);
    const auto source = llvm.render(kernel);
    ASSERT_TRUE(source);
    const auto artifact = llvm.compile(kernel);
    ASSERT_TRUE(artifact) << toText(artifact.error());
    const auto machine = llvm.compiler->machineCode(artifact->id);
    ASSERT_TRUE(machine) << toText(machine.error());
    ASSERT_FALSE(machine->empty());
    std::size_t known = 0;
    for (const MachineInstruction &instruction : *machine) {
        EXPECT_LE(instruction.sourceLine, source->lines.size());
        known += instruction.tag != CodeTag::Compiler || instruction.sourceLine != 0 ? 1U : 0U;
    }
    EXPECT_GE(static_cast<double>(known), 0.95 * static_cast<double>(machine->size()));
}

TEST(LlvmBackend, errorsOfEditedTextHaveTheirLine)
{
    OpenBackend llvm("llvm");
    auto source = llvm.render(vectorBinaryKernel(Op::Add, DType::F32, 1024, 16, 256));
    ASSERT_TRUE(source);
    const std::size_t at = source->text.find("fadd");
    ASSERT_NE(at, std::string::npos);
    source->text.replace(at, 4, "fade");
    const auto line = 1 + std::count(source->text.begin(), source->text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    const auto results = llvm.compiler->compile({&*source, 1}, {});
    ASSERT_FALSE(results.front());
    EXPECT_EQ(results.front().error().front().code, Code::Compile);
    EXPECT_EQ(results.front().error().front().where.line, line);
}

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) // a jump out of LLVM leaves its memory behind
TEST(LlvmBackend, doesNotUseATargetMachineAgainAfterACrash)
{
    const auto compiler = IrCompiler::create();
    ASSERT_TRUE(compiler) << toText(compiler.error());
    const std::string sound = "define void @k() {\n  ret void\n}\n";
    ASSERT_TRUE((*compiler)->compile(sound, "k"));
    EXPECT_EQ((*compiler)->idleMachines(), 1U);
    // No processor of today has this instruction; LLVM ends the process over it, from the middle of its work.
    const auto crashed = (*compiler)->compile("declare <4 x i32> @llvm.x86.xop.vphaddbd(<16 x i8>)\n"
                                              "define <4 x i32> @k(<16 x i8> %x) {\n"
                                              "  %y = call <4 x i32> @llvm.x86.xop.vphaddbd(<16 x i8> %x)\n"
                                              "  ret <4 x i32> %y\n}\n",
                                              "k");
    ASSERT_FALSE(crashed);
    EXPECT_NE(toText(crashed.error()).find("failed inside"), std::string::npos) << toText(crashed.error());
    EXPECT_EQ((*compiler)->idleMachines(), 0U);
    EXPECT_TRUE((*compiler)->compile(sound, "k"));
    EXPECT_EQ((*compiler)->idleMachines(), 1U);
}
#endif

} // namespace sw::test
