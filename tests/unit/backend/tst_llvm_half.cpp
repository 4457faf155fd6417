// Operations of f16 in LLVM IR and in machine code, for a device that computes with f16 itself and for one that does not.

#include "engine/backend/llvm/cross_compiler.h"
#include "engine/backend/llvm/llvm_renderer.h"
#include "tests/unit/backend/operations_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw::test {
namespace {

// relu(x * y) + sqrt(x)
LoweredKernel halfKernel()
{
    constexpr std::uint32_t kLanes = 16;
    LoweredBuilder builder(kernelFrame("half", {1, 1, 1}));
    const Origin origin = anyOrigin();
    const auto x = builder.defineGlobal(origin, {BufferId(0U), DType::F16, kLanes, false, "x"});
    const auto y = builder.defineGlobal(origin, {BufferId(1U), DType::F16, kLanes, false, "y"});
    const auto z = builder.defineGlobal(origin, {BufferId(2U), DType::F16, kLanes, true, "z"});
    const auto at = builder.index(origin, 0);
    const auto a = builder.load(origin, x, at, kLanes);
    const auto product = builder.alu(origin, Op::Mul, {a, builder.load(origin, y, at, kLanes)});
    const auto rectified = builder.alu(origin, Op::Relu, {product});
    builder.store(origin, z, at, builder.alu(origin, Op::Add, {rectified, builder.alu(origin, Op::Sqrt, {a})}));
    return builder.take();
}

std::string textFor(bool hasF16)
{
    DeviceInfo device;
    device.hasF16 = hasF16;
    const auto source = LlvmRenderer().render(lowered(halfKernel(), TargetLanguage::Llvm, device), device);
    EXPECT_TRUE(source) << toText(source.error());
    return source ? source->text : std::string();
}

TEST(LlvmHalf, isKeptWhereTheDeviceComputesWithIt)
{
    const std::string kept = textFor(true);
    for (const char *part : {"fmul <16 x half>", "fadd <16 x half>", "fcmp ole <16 x half>", "sqrt.v16f32"})
        EXPECT_NE(kept.find(part), std::string::npos) << part << "\n" << kept;
    const std::string widened = textFor(false);
    EXPECT_EQ(widened.find("fmul <16 x half>"), std::string::npos) << widened;
    EXPECT_NE(widened.find("fmul <16 x float>"), std::string::npos) << widened;
}

TEST(LlvmHalf, isOneInstruction)
{
    DeviceInfo device;
    device.hasF16 = true;
    const auto source = LlvmRenderer().render(lowered(halfKernel(), TargetLanguage::Llvm, device), device);
    ASSERT_TRUE(source);
    const auto made = crossCompiled(*source, "sapphirerapids");
    ASSERT_TRUE(made) << toText(made.error());
    const auto has = [&](std::string_view mnemonic) {
        return std::ranges::any_of(made->instructions,
                                   [&](const MachineInstruction &one) { return one.text.starts_with(mnemonic); });
    };
    EXPECT_TRUE(has("vmulph"));
    EXPECT_TRUE(has("vaddph"));
    EXPECT_TRUE(has("vsqrtps"));
    EXPECT_FALSE(has("vsqrtph"));
    EXPECT_TRUE(crossCompiled(*source, "znver4")) << "a text that was written for another processor";
}

} // namespace
} // namespace sw::test
