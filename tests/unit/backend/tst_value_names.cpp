// What instructions, buffers and kernels are called never reaches the text that is compiled: only what they are, and where.

#include "tests/unit/backend/backend_fixture.h"

#include "tests/support/language_words.h"

#include <gtest/gtest.h>

#include <array>

namespace sw {
namespace {

constexpr std::array kBackends{"interpreter", "llvm", "c", "opencl"};

// out[i] = in[i] summed twice, with everything that can have a name called so.
LoweredKernel kernelOfNames(const std::string &word, const std::string &symbol)
{
    LoweredKernel frame = test::kernelFrame(symbol);
    frame.name = word;
    LoweredBuilder builder(frame);
    const Origin origin = test::anyOrigin();
    const auto out = builder.defineGlobal(origin, {BufferId(3U), DType::F32, 8, true, word});
    const auto in = builder.defineGlobal(origin, {BufferId(9U), DType::F32, 8, false, word});
    const auto scratch = builder.buffer(origin, DType::F32, 8, word);
    builder.beginBlock(origin, "the first part");
    const auto first = builder.beginRange(origin, 8, word);
    builder.store(origin, scratch, first, builder.load(origin, in, first));
    builder.endRange(origin);
    builder.endBlock(origin);
    const auto sum = builder.acc(origin, DType::F32, 1, word);
    const auto second = builder.beginRange(origin, 8, word);
    const auto loaded = builder.load(origin, scratch, second);
    builder.assign(origin, sum, loaded);
    builder.store(origin, out, second, builder.alu(origin, Op::Add, {sum, loaded}));
    builder.endRange(origin);
    return builder.take();
}

void expectDoubles(test::OpenBackend &backend, const LoweredKernel &kernel)
{
    std::vector<HostTensor> arguments{HostTensor(DType::F32, {8}), HostTensor(DType::F32, {8})};
    for (std::int64_t i = 0; i < 8; ++i)
        arguments[1].set(i, Scalar::of(DType::F32, static_cast<double>(i + 1)));
    const auto ran = backend.run(kernel, arguments);
    ASSERT_TRUE(ran) << kernel.symbol << ": " << toText(ran.error());
    for (std::int64_t i = 0; i < 8; ++i)
        EXPECT_EQ(arguments[0].at(i).asDouble(), static_cast<double>(2 * i + 2)) << kernel.symbol;
}

// "i0", "i64": what the loop stage calls its axes is kept, where it can be.
bool isLikeAnAxis(const std::string &word)
{
    return word.size() > 1 && (word[0] == 'i' || word[0] == 'r') && word[1] >= '0' && word[1] <= '9';
}

TEST(ValueNames, noNameReachesTheText)
{
    const std::set<std::string> words = test::languageWords(std::string(STEPWELL_SOURCE_DIR) + "/resources");
    for (const char *id : {"llvm", "c", "opencl"}) {
        SCOPED_TRACE(id);
        test::OpenBackend backend(id);
        if (!backend.isThere())
            continue;
        const std::string wanted = backend.render(kernelOfNames("plain", "same")).value().text;
        EXPECT_EQ(wanted.find("plain"), std::string::npos);
        for (const std::string &word : words) {
            if (isLikeAnAxis(word))
                continue;
            const std::string text = backend.render(kernelOfNames(word, "same")).value().text;
            EXPECT_EQ(text, wanted) << word;
        }
    }
}

TEST(ValueNames, axesKeepTheirNamesWhereTheyMeanNothingElse)
{
    for (const char *id : kBackends) {
        SCOPED_TRACE(id);
        test::OpenBackend backend(id);
        if (!backend.isThere())
            continue;
        for (const char *axis : {"i0", "r2.o", "i0_i1.i.o", "i1.q", "i1.r.o", "i0.p", "i1", "i8", "i16", "i64", "i128", "i0_2",
                                 "i386", "", "0", "r", "\"", "a\nb"})
            expectDoubles(backend, kernelOfNames(axis, "axes"));
        if (std::string_view(id) == "c") {
            EXPECT_NE(backend.render(kernelOfNames("r2.o", "axes"))->text.find("for (i64 r2_o = 0;"), std::string::npos);
            EXPECT_NE(backend.render(kernelOfNames("i1.q.o", "axes"))->text.find("for (i64 i1_q_o = 0;"), std::string::npos);
            EXPECT_EQ(backend.render(kernelOfNames("i64", "axes"))->text.find("for (i64 i64 = 0;"), std::string::npos);
        }
    }
}

TEST(ValueNames, anySymbolIsAnEntryPoint)
{
    for (const char *id : kBackends) {
        SCOPED_TRACE(id);
        test::OpenBackend backend(id);
        if (!backend.isThere())
            continue;
        for (const char *symbol : {"main", "int", "f32", "get_global_id", "memcpy", "sw_max", "_start", "a b", "1", "\"", "k_"})
            expectDoubles(backend, kernelOfNames("x", symbol));
    }
}

// A comment that went on in the next line would take an instruction with it.
TEST(ValueNames, commentsEndWithTheirLine)
{
    for (const char *id : {"llvm", "c", "opencl"}) {
        SCOPED_TRACE(id);
        test::OpenBackend backend(id);
        if (!backend.isThere())
            continue;
        for (const char *part : {"ends \\",
                                 "ends ?"
                                 "?/",
                                 "two\nlines", "two\r\nlines", "*/ #error"}) {
            LoweredKernel kernel = kernelOfNames("x", "comments");
            for (Instruction &instruction : kernel.instructions)
                if (instruction.kind == InstructionKind::Block)
                    instruction.name = part;
            expectDoubles(backend, kernel);
        }
    }
}

} // namespace
} // namespace sw
