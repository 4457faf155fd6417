#include "engine/lowered/interpreter.h"
#include "engine/lowered/lane_functions.h"
#include "engine/lowered/parser.h"
#include "tests/unit/lowered/interpret.h"
#include "tests/unit/lowered/lowered_samples.h"
#include "tests/unit/lowered/random_kernel.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sw {
namespace {

using test::bytesOfValues;
using test::interpret;
using test::originOf;
using test::valuesOfBytes;

const Origin kOrigin = originOf(1);

LoweredKernel parsed(const std::string &body, const std::string &frame = "global [1, 1, 1] local [1, 1, 1] arguments [0, 1]")
{
    LoweredParseOptions options{.file = "t"};
    options.originOf = [](const SourceRange &range) { return Origin(SourceId(range.line)); };
    auto kernel = parseLoweredKernel(format("kernel \"k\" symbol \"k\" id 0 {}\n{}end\n", frame, body), options);
    EXPECT_TRUE(kernel) << toText(kernel ? Diagnostics{} : kernel.error());
    return std::move(kernel).value();
}

std::vector<Scalar> specialValues(DType dtype)
{
    std::vector<Scalar> out = {lowestOf(dtype), highestOf(dtype)};
    for (const double value :
         {0.0, -0.0, 1.0, -1.0, 2.0, 3.0, 7.5, -2.5, 0.5, 1e-3, 64.0, 31.0, 1e10, -300.0, 1e-42, double{NAN}})
        out.push_back(Scalar::of(dtype, value));
    return out;
}

// Every inner loop gives what the table's evaluation gives, for all operands from the list.
TEST(LoweredInterpreter, laneFunctionsEqualTheTable)
{
    alignas(64) std::byte frame[256] = {};
    for (const Op op : allOps())
        for (const DType dtype : scalarDTypes()) {
            if (!accepts(op, dtype))
                continue;
            const LaneStep step{0, {64, 128, 192}, 1, op, resultType(op, dtype), dtype};
            const LaneStep reference{32, {64, 128, 192}, 1, op, resultType(op, dtype), dtype};
            const auto values = specialValues(dtype);
            for (std::size_t i = 0; i < (arityOf(op) == 1 ? values.size() : values.size() * values.size()); ++i) {
                values[i % values.size()].store(frame + 64);
                values[i / values.size() % values.size()].store(frame + 128);
                values[(i + 3) % values.size()].store(frame + 192);
                if (op == Op::Where)
                    Scalar::ofBool(i % 2 == 0).store(frame + 64);
                aluFunction(op, dtype)(step, frame);
                evaluateLanes(reference, frame);
                const Scalar found = Scalar::load(step.dtype, frame);
                const Scalar expected = Scalar::load(step.dtype, frame + 32);
                EXPECT_TRUE(found == expected || (found.isNan() && expected.isNan()))
                    << nameOf(op) << " " << nameOf(dtype) << " " << toText(Scalar::load(dtype, frame + 64)) << " "
                    << toText(Scalar::load(dtype, frame + 128)) << ": " << toText(found) << " not " << toText(expected);
            }
        }
}

TEST(LoweredInterpreter, conversionsEqualTheTable)
{
    alignas(64) std::byte frame[192] = {};
    for (const DType from : scalarDTypes())
        for (const DType to : scalarDTypes())
            for (const Scalar &value : specialValues(from)) {
                value.store(frame + 64);
                const LaneStep step{0, {64, 0, 0}, 1, Op::Add, to, from};
                castFunction(from, to)(step, frame);
                const Scalar found = Scalar::load(to, frame);
                const Scalar expected = value.castTo(to);
                EXPECT_TRUE(found == expected || (found.isNan() && expected.isNan()))
                    << nameOf(from) << " " << nameOf(to) << " " << toText(value);
            }
}

TEST(LoweredInterpreter, sumsWithAnAccumulatorInNestedLoops)
{
    const LoweredKernel kernel = parsed(R"(
%x = define_global f32[6] argument 0
%y = define_global f32[2] argument 1 written
%2 = const i64 2
%3 = const i64 3
%4 = const f32 0.0
%i = range %2
  %sum = acc f32
  assign f32 %sum, %4
  %row = mul i64 %i, %3
  %j = range %3
    %at = add i64 %row, %j
    %v = load f32 %x[%at]
    %next = add f32 %sum, %v
    assign f32 %sum, %next
  end_range %j
  store f32 %y[%i], %sum
end_range %i
)");
    const auto out = interpret(kernel, {bytesOfValues<float>({1, 2, 3, 4, 5, 6}), bytesOfValues<float>({0, 0})});
    ASSERT_TRUE(out);
    EXPECT_EQ(valuesOfBytes<float>(out->buffers[1]), (std::vector<float>{6, 15}));
}

TEST(LoweredInterpreter, runsVectorsMasksAndIfs)
{
    const LoweredKernel kernel = parsed(R"(
%x = define_global i32[6] argument 0
%y = define_global i32[16] argument 1 written
%4 = const i64 4
%i = special global_x
%at = mul i64 %i, %4
%limit = vconst i64x4 [0, 1, 2, 3]
%ats = vectorize i64x4 %at
%all = add i64x4 %ats, %limit
%six = const i64x4 6
%valid = cmplt boolx4 %all, %six
%none = const i32x4 -1
%v = masked_load i32x4 %x[%at], %valid, %none
%twice = add i32x4 %v, %v
store i32x4 %y[%at], %twice
%last = gep i32 %v[3]
%one = const i64 1
%isone = cmpeq bool %i, %one
if %isone
  %eight = const i64 8
  store i32 %y[%eight], %last
end_if
)",
                                        "global [2, 1, 1] local [1, 1, 1] arguments [0, 1]");
    const auto out = interpret(
        kernel, {bytesOfValues<std::int32_t>({1, 2, 3, 4, 5, 6}), bytesOfValues<std::int32_t>(std::vector<std::int32_t>(16, 9))});
    ASSERT_TRUE(out) << toText(out.error());
    EXPECT_EQ(valuesOfBytes<std::int32_t>(out->buffers[1]),
              (std::vector<std::int32_t>{2, 4, 6, 8, 10, 12, -2, -2, -1, 9, 9, 9, 9, 9, 9, 9}));
}

TEST(LoweredInterpreter, exchangesLocalMemoryAcrossABarrier)
{
    const LoweredKernel kernel = parsed(R"(
%x = define_global i64[4] argument 0 written
%shared = local i64[4]
%l = special local_x
%three = const i64 3
store i64 %shared[%l], %l
barrier
%other = sub i64 %three, %l
%v = load i64 %shared[%other]
store i64 %x[%l], %v
)",
                                        "global [4, 1, 1] local [4, 1, 1] arguments [0]");
    const auto out = interpret(kernel, {bytesOfValues<std::int64_t>({0, 0, 0, 0})});
    ASSERT_TRUE(out) << toText(out.error());
    EXPECT_EQ(valuesOfBytes<std::int64_t>(out->buffers[0]), (std::vector<std::int64_t>{3, 2, 1, 0}));
}

// The items run one after the other here, and would find some value; on a device, nobody knows which.
TEST(LoweredInterpreter, findsRacesInTheMemoryOfAGroup)
{
    const auto problemOf = [](const std::string &body) {
        const std::string head = "%x = define_global i64[4] argument 0 written\n%shared = local i64[4]\n%l = special local_x\n"
                                 "%three = const i64 3\n%zero = const i64 0\n%other = sub i64 %three, %l\n";
        const LoweredKernel kernel = parsed(head + body, "global [8, 1, 1] local [4, 1, 1] arguments [0]");
        const auto out = interpret(kernel, {bytesOfValues<std::int64_t>({0, 0, 0, 0})});
        return out ? std::string() : out.error().front().message;
    };
    const std::string give = "store i64 %shared[%l], %l\n";
    const std::string take = "%v = load i64 %shared[%other]\nstore i64 %x[%l], %v\n";
    const std::string barrier = "barrier\n";
    EXPECT_EQ(problemOf(give + barrier + take), "");
    EXPECT_EQ(
        problemOf(give + take + barrier),
        "kernel k: a race: %6 of work item [2, 0, 0] stores element 2 of shared, which [1, 0, 0] loaded since the last barrier");
    EXPECT_EQ(problemOf("store i64 %shared[%zero], %l\n" + barrier),
              "kernel k: a race: %6 of work item [1, 0, 0] stores element 0 of shared, which [0, 0, 0] stored since the last "
              "barrier");
    // The copy of the next round is made while others still read that of this one.
    const std::string loop = "%n = const i64 2\n%r = range %n\n";
    EXPECT_EQ(
        problemOf(loop + give + barrier + take + "end_range %r\n"),
        "kernel k: a race: %10 of work item [2, 0, 0] loads element 1 of shared, which [1, 0, 0] stored since the last barrier");
    EXPECT_EQ(problemOf(loop + barrier + give + barrier + take + "end_range %r\n"), "");
}

TEST(LoweredInterpreter, reportsAnAccessOutOfRange)
{
    const LoweredKernel kernel = parsed(R"(
%x = define_global f32[4] argument 0
%y = define_global f32[4] argument 1 written
%i = const i64 2
%v = load f32x4 %x[%i]
store f32x4 %y[%i], %v
)");
    const auto out = interpret(kernel, {bytesOfValues<float>({1, 2, 3, 4}), bytesOfValues<float>({0, 0, 0, 0})});
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().front().message, "kernel k: %3 (load) accesses 4 elements of x at index 2, but it has 4");
}

TEST(LoweredInterpreter, readsUnwrittenScratchAsNan)
{
    const LoweredKernel kernel = parsed(R"(
%y = define_global f32[1] argument 0 written
%scratch = buffer f32[1]
%i = const i64 0
%v = load f32 %scratch[%i]
store f32 %y[%i], %v
)",
                                        "global [1, 1, 1] local [1, 1, 1] arguments [0]");
    const auto out = interpret(kernel, {bytesOfValues<float>({1})});
    ASSERT_TRUE(out);
    EXPECT_TRUE(std::isnan(valuesOfBytes<float>(out->buffers[0]).front()));
}

TEST(LoweredInterpreter, reportsFailedIndexChecksAndGoesOn)
{
    const LoweredKernel kernel = parsed(R"(
%x = define_global i64[4] argument 0
%y = define_global i64[4] argument 1 written
%n = const i64 4
%otherwise = const i64 -7
%i = range %n
  %at = load i64 %x[%i]
  %ok = index_check bool %at bound 4 axis 1
  %v = masked_load i64 %x[%at], %ok, %otherwise
  store i64 %y[%i], %v
end_range %i
)");
    const auto out = interpret(kernel, {bytesOfValues<std::int64_t>({3, 9, -1, 0}), bytesOfValues<std::int64_t>({0, 0, 0, 0})});
    ASSERT_TRUE(out) << toText(out.error());
    ASSERT_EQ(out->faults.size(), 1U);
    EXPECT_EQ(out->faults[0].instruction, InstructionId(6U));
    EXPECT_EQ(out->faults[0].index, 9);
    EXPECT_EQ(out->faults[0].count, 2);
    EXPECT_EQ(valuesOfBytes<std::int64_t>(out->buffers[1]), (std::vector<std::int64_t>{0, -7, -7, 3}));
}

TEST(LoweredInterpreter, tracesEveryValueWithItsCounters)
{
    std::string seen;
    const auto sink = [&seen](const TracedValue &value) {
        seen += format("%{} at [{}]: {}\n", value.instruction.value, join(value.counters, ", "),
                       join(value.lanes, " ", [](const Scalar &lane) { return toText(lane); }));
    };
    const auto out = interpret(test::unaryKernel(Op::Neg, DType::F32, 4, 2),
                               {bytesOfValues<float>({1, 2, 3, 4}), bytesOfValues<float>({0, 0, 0, 0})}, sink);
    ASSERT_TRUE(out);
    EXPECT_EQ(seen, R"(%3 at []: 0
%5 at [0]: 0
%6 at [0]: 1.0 2.0
%7 at [0]: -1.0 -2.0
%3 at []: 1
%5 at [1]: 2
%6 at [1]: 3.0 4.0
%7 at [1]: -3.0 -4.0
)");
}

TEST(LoweredInterpreter, stopsWhenAsked)
{
    LoweredBuilder builder(test::emptyFrame());
    builder.beginRange(kOrigin, std::numeric_limits<std::int64_t>::max());
    builder.endRange(kOrigin);
    std::stop_source source;
    std::int64_t events = 0;
    const auto sink = [&](const TracedValue &) {
        if (++events == 10)
            source.request_stop();
    };
    const auto out = interpret(builder.take(), {}, sink, source.get_token());
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().front().code, Code::Cancelled);
}

TEST(LoweredInterpreter, runsRandomKernels)
{
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
        const LoweredKernel kernel = test::randomKernel(seed);
        std::vector<std::vector<std::byte>> buffers;
        for (const Instruction &instruction : kernel.instructions)
            if (instruction.kind == InstructionKind::DefineGlobal)
                buffers.emplace_back(static_cast<std::size_t>(instruction.elements) * bytesOf(instruction.dtype), std::byte{1});
        const auto out = interpret(kernel, std::move(buffers));
        EXPECT_TRUE(out) << seed << toText(out.error());
    }
}

} // namespace
} // namespace sw
