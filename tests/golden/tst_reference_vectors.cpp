// Known answers on every device: the counter-based generators, uniform numbers, conversions, operations and reductions. The
// operands are inputs, so nothing is computed before the program runs.

#include "tests/golden/program_fixture.h"

#include "engine/execute/input_values.h"
#include "engine/graph/interpreter.h"
#include "engine/types/npy.h"

#include <bit>
#include <cmath>
#include <set>

namespace sw::test {
namespace {

constexpr std::uint32_t kF = 0xffffffff;

HostTensor words(Shape shape, const std::vector<std::uint64_t> &bits, DType dtype = DType::U32)
{
    HostTensor out(dtype, std::move(shape));
    SW_ASSERT(out.elements() == static_cast<std::int64_t>(bits.size()), "as many words as elements");
    for (std::size_t i = 0; i < bits.size(); ++i)
        out.set(static_cast<std::int64_t>(i), Scalar::fromBits(dtype, bits[i]));
    return out;
}

HostTensor numbers(DType dtype, Shape shape, const std::vector<double> &values)
{
    return HostTensor::ofValues(dtype, std::move(shape), values);
}

// The bits of each element; for a u32x4, its words.
std::vector<std::uint64_t> bitsOf(const HostTensor &tensor)
{
    const HostTensor stored = toRawBits(tensor);
    std::vector<std::uint64_t> bits;
    for (std::int64_t i = 0; i < stored.elements(); ++i)
        bits.push_back(stored.at(i).bits());
    return bits;
}

std::vector<double> valuesOf(const HostTensor &tensor)
{
    std::vector<double> values;
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        values.push_back(tensor.at(i).asDouble());
    return values;
}

// The known answers for one output, by name.
using Answers = std::vector<std::pair<std::string, std::vector<std::uint64_t>>>;

class ReferenceVectors : public ProgramTest, public testing::WithParamInterface<std::string> {
protected:
    void SetUp() override
    {
        if (GetParam() == "reference")
            return;
        if (const std::string reason = whyUnavailable(GetParam()); !reason.empty())
            GTEST_SKIP() << reason;
    }

    std::vector<NamedTensor> outputsOf(const std::string &program, std::vector<NamedTensor> inputs)
    {
        const bool isReference = GetParam() == "reference";
        CompileRequest request = requestFor("vectors.sw", isReference ? "interpreter" : GetParam(),
                                            isReference ? CompileUntil::Program : CompileUntil::Machine);
        request.program.text = program;
        request.program.isText = true;
        ProgramCompiler compiler(m_registry);
        if (!isReference) {
            auto result = run(compiler, request, std::move(inputs));
            EXPECT_TRUE(result) << toText(result.error());
            return result ? std::move(result->outputs) : std::vector<NamedTensor>();
        }
        const Compilation compilation = compiler.compile(request, {});
        EXPECT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        const auto values = placeholderValues(*compilation.graph, inputs, 1);
        EXPECT_TRUE(values) << toText(values.error());
        const auto results = interpretGraph(*compilation.graph, *values);
        EXPECT_TRUE(results) << toText(results.error());
        std::vector<NamedTensor> outputs;
        for (std::size_t i = 0; i < results->size(); ++i)
            outputs.push_back({compilation.graph->outputNames()[i], (*results)[i]});
        return outputs;
    }

    void check(const std::string &program, std::vector<NamedTensor> inputs, const Answers &answers)
    {
        const std::vector<NamedTensor> outputs = outputsOf(program, std::move(inputs));
        ASSERT_EQ(outputs.size(), answers.size());
        for (std::size_t i = 0; i < answers.size(); ++i) {
            EXPECT_EQ(outputs[i].name, answers[i].first);
            EXPECT_EQ(bitsOf(outputs[i].value), answers[i].second) << outputs[i].name;
        }
    }
};

const std::vector<std::uint64_t> kKeys = {0, 0, 0, 0, kF, kF, kF, kF, 0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89, 1, 2, 3, 4};
const std::vector<std::uint64_t> kCounters = {0,          0,          0,          0,          kF, kF, kF, kF,
                                              0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 5,  6,  7,  8};

TEST_P(ReferenceVectors, threefry4x32)
{
    check("input k: u32x4[4]\ninput c: u32x4[4]\n"
          "output crypto = threefry4x32_crypto(key = k, counter = c)\n"
          "output random123 = threefry4x32_crypto(key = k, counter = c, stream = \"random123\")\n"
          "output ocannl = threefry4x32_crypto(key = k, counter = c, stream = \"ocannl\")\n"
          "output light = threefry4x32_light(key = k, counter = c)\n",
          {{"k", words({4, 4}, kKeys)}, {"c", words({4, 4}, kCounters)}},
          {{"crypto",
            {0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8, 0x2a881696, 0x57012287, 0xf6c7446e, 0xa16a6732, 0x59cd1dbb,
             0xb8879579, 0x86b5d00c, 0xac8b6d84, 0x0851810c, 0x11b8ead3, 0xbfcab2d2, 0x7b13d57f}},
           {"random123",
            {0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8, 0x2a881696, 0x57012287, 0xf6c7446e, 0xa16a6732, 0x59cd1dbb,
             0xb8879579, 0x86b5d00c, 0xac8b6d84, 0x0851810c, 0x11b8ead3, 0xbfcab2d2, 0x7b13d57f}},
           {"ocannl",
            {0xaed7ff00, 0xdea3e3f9, 0x9c760045, 0xcd7c88b6, 0xa0ead4bd, 0x4a15bec1, 0x182423ea, 0x0a888de2, 0x15472028,
             0x0e3524b2, 0xa6e5d100, 0xda3458b1, 0x680d9e8e, 0x395e5c30, 0xf480106d, 0x557b82c0}},
           {"light",
            {0x00000000, 0x00000000, 0x00000000, 0x1bd11bdb, 0xed89317e, 0x64494bb2, 0x4a773d2b, 0x9b99f8da, 0xc6b1c1b3,
             0x67c5bbc4, 0xb684fe2a, 0xd9ebbff4, 0xd34edf16, 0x15111494, 0x5f161b96, 0x23d327f2}}});
}

TEST_P(ReferenceVectors, threefry2x32)
{
    // The last two rows come from JAX: key (0, 1337), counters (0, 10) and (1, 11).
    check("input k: u32[5, 2]\ninput c: u32[5, 2]\noutput threefry2x32(key = k, counter = c)\n"
          "output signed = threefry2x32(key = bitcast(k, i32), counter = bitcast(c, i32))\n"
          "output one_key = threefry2x32(key = k[3], counter = c)\n",
          {{"k", words({5, 2}, {0, 0, kF, kF, 0x13198a2e, 0x03707344, 0, 1337, 0, 1337})},
           {"c", words({5, 2}, {0, 0, kF, kF, 0x243f6a88, 0x85a308d3, 0, 10, 1, 11})}},
          {{"output",
            {0x6b200159, 0x99ba4efe, 0x1cb996fc, 0xbb002be7, 0xc4923a9c, 0x483df7a0, 2221762175, 3544324138, 1752107825,
             1436466838}},
           {"signed",
            {0x6b200159, 0x99ba4efe, 0x1cb996fc, 0xbb002be7, 0xc4923a9c, 0x483df7a0, 2221762175, 3544324138, 1752107825,
             1436466838}},
           {"one_key", [] {
                std::vector<std::uint64_t> out;
                for (const auto &c :
                     std::vector<std::array<std::uint32_t, 2>>{{0, 0}, {kF, kF}, {0x243f6a88, 0x85a308d3}, {0, 10}, {1, 11}}) {
                    const auto made = sw::threefry2x32(std::array<std::uint32_t, 2>{0, 1337}, c);
                    out.insert(out.end(), made.begin(), made.end());
                }
                return out;
            }()}});
}

// OCANNL's own test: key {42, 0, 0, 0}, counters 0, 1, 2 ... converted to u32x4.
TEST_P(ReferenceVectors, ocannlStream)
{
    check("input k: u32x4[]\ninput i: u32[5]\nbits = threefry4x32_light(key = k, counter = i)\n"
          "output bits\noutput ones = uint4x32_to_prec_uniform1(bits, f32)\noutput small = uint4x32_to_prec_uniform(bits[0], "
          "f16)\n",
          {{"k", words({4}, {42, 0, 0, 0})}, {"i", words({5}, {0, 1, 2, 3, 4})}},
          {{"output", {0x76bb7178, 0xbb82ac4f, 0x8f90552b, 0x81b2da10, 0x807b60b8, 0xf747a7f5, 0xcd955b31,
                       0xfeb25582, 0x84d2cffe, 0x2a4f3c02, 0x19dfda27, 0x4fdc2e6a, 0x6b05f63e, 0x72bc079c,
                       0x57ece819, 0x77edd1ee, 0x2d8339c7, 0xd6f6bd80, 0x8be05f66, 0x8bf5dbb5}},
           {"ones",
            {std::bit_cast<std::uint32_t>(0x76bb71p-24F), std::bit_cast<std::uint32_t>(0x807b60p-24F),
             std::bit_cast<std::uint32_t>(0x84d2cfp-24F), std::bit_cast<std::uint32_t>(0x6b05f6p-24F),
             std::bit_cast<std::uint32_t>(0x2d8339p-24F)}},
           {"small", [] {
                std::vector<std::uint64_t> out;
                for (const std::uint32_t lane : {0x7178U, 0x76bbU, 0xac4fU, 0xbb82U, 0x552bU, 0x8f90U, 0xda10U, 0x81b2U})
                    out.push_back(Scalar::of(DType::F16, std::ldexp(static_cast<double>(lane >> 5U), -11)).bits());
                return out;
            }()}});
}

TEST_P(ReferenceVectors, uniformNumbers)
{
    const std::vector<std::uint64_t> cells = {kF,         kF,         kF,         kF,         0x12345678, 0x9abcdef0,
                                              0xdeadbeef, 0x01020304, 0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8};
    const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
    check("input x: u32x4[3]\n"
          "output twice = uint4x32_to_prec_uniform(x, f64)\noutput small = uint4x32_to_prec_uniform(x, f16)\n"
          "output brain = uint4x32_to_prec_uniform(x, bf16)\noutput fp8 = uint4x32_to_prec_uniform(x, f8e5m2)\n"
          "output words = uint4x32_to_prec_uniform(x, u32)\noutput first = uint4x32_to_prec_uniform1(x, f64)\n",
          {{"x", words({3, 4}, cells)}},
          {{"twice",
            {bits(0x1.fffffffffffffp-1), bits(0x1.fffffffffffffp-1), bits(0x1.3579bde02468ap-1), bits(0x1.020304deadb8p-8),
             bits(0x1.c2fd5ccd38d95p-1), bits(0x1.495a9f63f043ap-2)}},
           {"small", {0x3bff, 0x3bff, 0x3bff, 0x3bff, 0x3bff, 0x3bff, 0x3bff, 0x3bff, 0x3566, 0x2c88, 0x3af7, 0x38d5,
                      0x39f7, 0x3af5, 0x2200, 0x1c00, 0x394b, 0x38e3, 0x3973, 0x3b0b, 0x3b66, 0x3be0, 0x393e, 0x3524}},
           {"brain", {0x3f7f, 0x3f7f, 0x3f7f, 0x3f7f, 0x3f7f, 0x3f7f, 0x3f7f, 0x3f7f, 0x3eac, 0x3d90, 0x3f5e, 0x3f1a,
                      0x3f3e, 0x3f5e, 0x3c40, 0x3b80, 0x3f29, 0x3f1c, 0x3f2e, 0x3f61, 0x3f6c, 0x3f7c, 0x3f27, 0x3ea4}},
           {"fp8", {0x3b, 0x3b, 0x3b, 0x3b, 0x3b, 0x3b, 0x3b, 0x3b, 0x3b, 0x3b, 0x3b, 0x3b, 0x3b, 0x3b, 0x3b, 0x3b,
                    0x36, 0x34, 0x30, 0x00, 0x3b, 0x3a, 0x39, 0x38, 0x3b, 0x39, 0x39, 0x3a, 0x00, 0x00, 0x00, 0x00,
                    0x36, 0x39, 0x36, 0x38, 0x36, 0x39, 0x36, 0x3b, 0x3a, 0x3b, 0x00, 0x3b, 0x3a, 0x39, 0x34, 0x34}},
           {"words", cells},
           {"first", {bits(0x1.fffffffffffffp-1), bits(0x1.3579bde02468ap-1), bits(0x1.c2fd5ccd38d95p-1)}}});
}

TEST_P(ReferenceVectors, conversionsToWords)
{
    check(
        "input i: i32[3]\ninput u: u32[1]\ninput l: u64[1]\ninput s: f32[1]\ninput d: f64[1]\ninput h: f16[1]\ninput b: bool[2]\n"
        "output cast(i, u32x4)\noutput of_u32 = cast(u, u32x4)\noutput of_u64 = cast(l, u32x4)\noutput of_f32 = cast(s, u32x4)\n"
        "output of_f64 = cast(d, u32x4)\noutput of_f16 = cast(h, u32x4)\noutput flags = cast(b, u32x4)\n"
        "output back = cast(cast(d, u32x4), f64)\noutput to_i32 = cast(cast(i, u32x4), i32)\n",
        {{"i", numbers(DType::I32, {3}, {1, -1, 0})},
         {"u", words({1}, {0x12345678})},
         {"l", words({1}, {0x0123456789abcdef}, DType::U64)},
         {"s", numbers(DType::F32, {1}, {1})},
         {"d", numbers(DType::F64, {1}, {1})},
         {"h", numbers(DType::F16, {1}, {1})},
         {"b", numbers(DType::Bool, {2}, {1, 0})}},
        {{"output",
          {0x00000001, 0x9e3779b8, 0x6c078964, 0x00010001, 0xffffffff, 0x61c88646, 0x93f8769a, 0x00000000, 0x00000000, 0x9e3779b9,
           0x6c078965, 0x00000000}},
         {"of_u32", {0x12345678, 0x8c032fc1, 0x7e33df1d, 0x444c444c}},
         {"of_u64", {0x89abcdef, 0x01234567, 0, 0}},
         {"of_f32", {0x3f800000, 0, 0, 0}},
         {"of_f64", {0, 0x3ff00000, 0, 0}},
         {"of_f16", {0x3c00, 0, 0, 0}},
         {"flags", {1, 0, 0, 0, 0, 0, 0, 0}},
         {"back", {0x3ff0000000000000}},
         {"to_i32", {1, 0xffffffff, 0}}});
}

TEST_P(ReferenceVectors, narrowing)
{
    const double inf = std::numeric_limits<double>::infinity();
    const std::vector<double> values = {-0.0,      1.0,   1.125, 1.12500095, 1.375,   1.5,     1.625,   1.75,
                                        1.875,     3.0,   0.1,   3.14159265, 0x1p-14, 0x1p-16, 0x1p-17, 0x1.000002p-17,
                                        0x1.fp-15, 1e-5,  448,   464,        480,     57344,   61439,   61440,
                                        65504,     65536, inf,   -inf};
    const auto count = static_cast<std::int64_t>(values.size());
    check("input x: f32[28]\noutput brain = cast(x, bf16)\noutput small = cast(x, f16)\noutput e5m2 = cast(x, f8e5m2)\n"
          "output e5m2_sat = cast(x, f8e5m2, saturate = true)\noutput e4m3 = cast(x, f8e4m3)\n"
          "output e4m3_sat = cast(x, f8e4m3, saturate = true)\n",
          {{"x", numbers(DType::F32, Shape{count}, values)}},
          {{"brain",
            {0x8000, 0x3f80, 0x3f90, 0x3f90, 0x3fb0, 0x3fc0, 0x3fd0, 0x3fe0, 0x3ff0, 0x4040, 0x3dcd, 0x4049, 0x3880, 0x3780,
             0x3700, 0x3700, 0x3878, 0x3728, 0x43e0, 0x43e8, 0x43f0, 0x4760, 0x4770, 0x4770, 0x4780, 0x4780, 0x7f80, 0xff80}},
           {"small",
            {0x8000, 0x3c00, 0x3c80, 0x3c80, 0x3d80, 0x3e00, 0x3e80, 0x3f00, 0x3f80, 0x4200, 0x2e66, 0x4248, 0x0400, 0x0100,
             0x0080, 0x0080, 0x03e0, 0x00a8, 0x5f00, 0x5f40, 0x5f80, 0x7b00, 0x7b80, 0x7b80, 0x7bff, 0x7c00, 0x7c00, 0xfc00}},
           {"e5m2", {0x80, 0x3c, 0x3c, 0x3d, 0x3e, 0x3e, 0x3e, 0x3f, 0x40, 0x42, 0x2e, 0x42, 0x04, 0x01,
                     0x00, 0x01, 0x04, 0x01, 0x5f, 0x5f, 0x60, 0x7b, 0x7b, 0x7c, 0x7c, 0x7c, 0x7c, 0xfc}},
           {"e5m2_sat", {0x80, 0x3c, 0x3c, 0x3d, 0x3e, 0x3e, 0x3e, 0x3f, 0x40, 0x42, 0x2e, 0x42, 0x04, 0x01,
                         0x00, 0x01, 0x04, 0x01, 0x5f, 0x5f, 0x60, 0x7b, 0x7b, 0x7b, 0x7b, 0x7b, 0x7c, 0xfc}},
           {"e4m3", {0x80, 0x38, 0x39, 0x39, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f, 0x44, 0x1d, 0x45, 0x00, 0x00,
                     0x00, 0x00, 0x00, 0x00, 0x7e, 0x7e, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0xff}},
           {"e4m3_sat", {0x80, 0x38, 0x39, 0x39, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f, 0x44, 0x1d, 0x45, 0x00, 0x00,
                         0x00, 0x00, 0x00, 0x00, 0x7e, 0x7e, 0x7e, 0x7e, 0x7e, 0x7e, 0x7e, 0x7e, 0x7e, 0xfe}}});
}

TEST_P(ReferenceVectors, reductions)
{
    const auto outputs =
        outputsOf("input x: f32[2, 3]\ninput i: i32[4]\ninput b: bool[2]\ninput e: f32[0, 3]\n"
                  "output sum(x, axis = 0)\noutput rows = sum(x, axis = 1)\noutput lowest = max(i)\noutput none = max(b)\n"
                  "output product = prod(x)\noutput empty_sum = sum(e, axis = 0)\noutput empty_max = max(e, axis = 0)\n"
                  "output epilogue = sum(x, axis = 1) * 2 + 1\noutput all = sum(x)\n",
                  {{"x", numbers(DType::F32, {2, 3}, {1, 2, 3, 4, 5, 6})},
                   {"i", numbers(DType::I32, {4}, {-5, -2147483648.0, -3, -7})},
                   {"b", numbers(DType::Bool, {2}, {0, 0})},
                   {"e", HostTensor(DType::F32, Shape{0, 3})}});
    const double inf = std::numeric_limits<double>::infinity();
    const std::vector<std::vector<double>> expected = {{5, 7, 9},          {6, 15},  {-3}, {0}, {720}, {0, 0, 0},
                                                       {-inf, -inf, -inf}, {13, 31}, {21}};
    ASSERT_EQ(outputs.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_EQ(valuesOf(outputs[i].value), expected[i]) << outputs[i].name;
    EXPECT_EQ(outputs.back().value.shape().rank(), 0U);
}

TEST_P(ReferenceVectors, operations)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto outputs = outputsOf(
        "input a: f32[4]\ninput b: f32[4]\ninput c: bool[4]\ninput p: f32[4]\ninput q: f32[4]\ninput m: i32[3]\ninput n: i32[3]\n"
        "output a + b * 0.1\noutput where = where(c, a, b * 10)\noutput mulacc = mulacc(a + 1, 10, a)\n"
        "output gate = relu_gate(p, 5)\noutput satur = satur01_gate(p, 5)\noutput remainder = m % n\noutput cmod = mod(m, n)\n"
        "output powers = q ** -2\noutput power = log2(q)\noutput greatest = maximum(p, 1)\noutput differs = p != p\n",
        {{"a", numbers(DType::F32, {4}, {1, 2, 3, 4})},
         {"b", numbers(DType::F32, {4}, {1, 2, 3, 4})},
         {"c", numbers(DType::Bool, {4}, {1, 0, 1, 0})},
         {"p", numbers(DType::F32, {4}, {0, 0.5, nan, 1})},
         {"q", numbers(DType::F32, {4}, {2, 8, 1, 0.25})},
         {"m", numbers(DType::I32, {3}, {-7, 7, 7})},
         {"n", numbers(DType::I32, {3}, {3, 3, -3})}});
    const auto bits = [](const std::vector<double> &values) { return bitsOf(numbers(DType::F32, {4}, values)); };
    ASSERT_EQ(outputs.size(), 11U);
    EXPECT_EQ(bitsOf(outputs[0].value), bits({1.1F, 2.2F, 3.3F, 4.4F}));
    EXPECT_EQ(valuesOf(outputs[1].value), (std::vector<double>{1, 20, 3, 40}));
    EXPECT_EQ(valuesOf(outputs[2].value), (std::vector<double>{21, 32, 43, 54}));
    EXPECT_EQ(valuesOf(outputs[3].value), (std::vector<double>{0, 5, 0, 5}));
    EXPECT_EQ(valuesOf(outputs[4].value), (std::vector<double>{0, 5, 0, 0}));
    EXPECT_EQ(valuesOf(outputs[5].value), (std::vector<double>{2, 1, -2}));
    EXPECT_EQ(valuesOf(outputs[6].value), (std::vector<double>{-1, 1, 1}));
    EXPECT_EQ(valuesOf(outputs[7].value), (std::vector<double>{0.25, 1 / 64.0, 1, 16}));
    EXPECT_EQ(valuesOf(outputs[8].value), (std::vector<double>{1, 3, 0, -2}));
    EXPECT_TRUE(std::isnan(outputs[9].value.at(2).asDouble()));
    EXPECT_EQ(valuesOf(outputs[10].value), (std::vector<double>{0, 0, 1, 0}));
}

TEST_P(ReferenceVectors, scatterAndPick)
{
    const auto outputs =
        outputsOf("input base: f32[2, 4]\ninput at: i32[1, 3]\ninput new: f32[1, 3]\ninput v: f32[2, 3]\ninput w: f32[3, 2]\n"
                  "output scatter(base, at, new, axis = 1)\noutput added = scatter(base, at, new, axis = 1, mode = \"add\")\n"
                  "output least = scatter(base, at, new, 1, \"min\")\noutput lanes = gep(v, [2, 0, 0])\noutput packed = "
                  "vectorize([v, v + 1])\n"
                  "output view = buffer_view(v, 3, offset = 2)\noutput mask = valid([2, 3], [[0, 2], [1, 3]])\n"
                  "output tile = wmma(v, w, base[:, :2])\noutput outer = contract(\"ij,kl->ijkl\", v, w)[1, 2, 0]\n"
                  "output trace = contract(\"ij,ji->\", v, w)\n",
                  {{"base", numbers(DType::F32, {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})},
                   {"at", numbers(DType::I32, {1, 3}, {2, 0, 2})},
                   {"new", numbers(DType::F32, {1, 3}, {10, 20, 30})},
                   {"v", numbers(DType::F32, {2, 3}, {1, 2, 3, 4, 5, 6})},
                   {"w", numbers(DType::F32, {3, 2}, {1, 2, 3, 4, 5, 6})}});
    const std::vector<std::vector<double>> expected = {{20, 2, 30, 4, 5, 6, 7, 8},
                                                       {21, 2, 43, 4, 5, 6, 7, 8},
                                                       {1, 2, 3, 4, 5, 6, 7, 8},
                                                       {3, 1, 1, 6, 4, 4},
                                                       {1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7},
                                                       {3, 4, 5},
                                                       {0, 1, 1, 0, 1, 1},
                                                       {23, 30, 54, 70},
                                                       {6, 12},
                                                       {86}};
    ASSERT_EQ(outputs.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_EQ(valuesOf(outputs[i].value), expected[i]) << outputs[i].name;
}

// Nothing is written, and the run reports which index is wrong on which axis.
TEST_P(ReferenceVectors, indicesOutOfRange)
{
    if (GetParam() == "reference")
        GTEST_SKIP() << "the interpreter of graphs reports to whoever asks";
    CompileRequest request = requestFor("vectors.sw", GetParam());
    request.program.isText = true;
    request.program.text = "input x: f32[2, 4]\ninput i: i32[2, 2]\ninput v: f32[2, 2]\ninput k: u32x4[3]\n"
                           "output scatter(x, i, v, axis = 1)\noutput gathered = gather(x, i, axis = 1)\n"
                           "output cells = gather(k, i[0], axis = 0)\n";
    ProgramCompiler compiler(m_registry);
    const auto result = run(compiler, request,
                            {{"x", numbers(DType::F32, {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})},
                             {"i", numbers(DType::I32, {2, 2}, {9, 1, 2, -1})},
                             {"v", numbers(DType::F32, {2, 2}, {10, 20, 30, 40})},
                             {"k", words({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})}});
    ASSERT_TRUE(result) << toText(result.error());
    EXPECT_EQ(valuesOf(result->outputs[0].value), (std::vector<double>{1, 20, 3, 4, 5, 6, 30, 8}));
    EXPECT_EQ(valuesOf(result->outputs[1].value), (std::vector<double>{0, 2, 7, 0}));
    EXPECT_EQ(bitsOf(result->outputs[2].value), (std::vector<std::uint64_t>{0, 0, 0, 0, 5, 6, 7, 8}));
    EXPECT_EQ(result->faults.size(), 3U) << toText(result->faults); // one for each line, however many checks the line became
    std::set<std::string> places;
    for (const Diagnostic &fault : result->faults) {
        EXPECT_TRUE(fault.message.starts_with("index 9 is out of range for axis ") ||
                    fault.message.starts_with("index -1 is out of range for axis "))
            << fault.message;
        places.insert(fault.message.substr(fault.message.find("axis"), sizeof("axis 1 of size 4") - 1));
    }
    EXPECT_EQ(places, (std::set<std::string>{"axis 0 of size 3", "axis 1 of size 4"}));
}

// 10,000 uniform numbers fall evenly into 20 bins, and normal numbers made from them have the spread of a normal distribution.
TEST_P(ReferenceVectors, areRandom)
{
    const auto outputs = outputsOf("input k: u32x4[]\ninput i: u32[2500]\nbits = threefry4x32_crypto(key = k, counter = i)\n"
                                   "u = uint4x32_to_prec_uniform(bits, f32)\noutput u\n"
                                   "radius = sqrt(-2 * log(1 - u[0::2]))\noutput normal = radius * cos(2 * pi * u[1::2])\n",
                                   {{"k", words({4}, {42, 0, 0, 0})}, {"i", [] {
                                                                           std::vector<std::uint64_t> counters(2500);
                                                                           for (std::size_t at = 0; at < counters.size(); ++at)
                                                                               counters[at] = at;
                                                                           return words({2500}, counters);
                                                                       }()}});
    ASSERT_EQ(outputs.size(), 2U);
    std::array<double, 20> bins{};
    for (const double value : valuesOf(outputs[0].value)) {
        ASSERT_TRUE(value >= 0 && value < 1);
        bins.at(static_cast<std::size_t>(value * 20)) += 1;
    }
    double chiSquare = 0;
    for (const double count : bins)
        chiSquare += (count - 500) * (count - 500) / 500;
    EXPECT_LT(chiSquare, 30.14);
    double within = 0;
    for (const double value : valuesOf(outputs[1].value))
        within += std::abs(value) < 2 ? 1 : 0;
    EXPECT_NEAR(within / 5000, 0.954, 0.02);
}

INSTANTIATE_TEST_SUITE_P(All, ReferenceVectors, testing::Values("reference", "interpreter", "llvm", "c", "opencl"),
                         [](const auto &test) { return test.param; });

} // namespace
} // namespace sw::test
