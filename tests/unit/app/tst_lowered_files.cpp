#include "engine/types/npy.h"
#include "tests/unit/app/command_fixture.h"

#include <array>
#include <functional>
#include <map>
#include <optional>

namespace sw::command {
namespace {

constexpr std::array kDevices{"interpreter", "llvm", "c", "opencl"};

// A kernel over x, which has 16 elements, and y, which has 4 and is written.
std::string kernelOf(std::string_view body, std::string_view arguments = "[0, 1]")
{
    return format("kernel \"k0\" symbol \"k0\" id 0 global [1, 1, 1] local [1, 1, 1] arguments {}\n"
                  "  %x = define_global f32[16] argument 0\n"
                  "  %y = define_global f32[4] argument 1 written\n"
                  "  %zero = const i64 0\n"
                  "{}"
                  "end\n",
                  arguments, body);
}

class LoweredFiles : public CommandTest {
protected:
    // The devices that are here; each runs the file.
    void forEachDevice(const std::string &file, const std::function<void(const std::string &, const Outcome &)> &check)
    {
        std::size_t ran = 0;
        for (const char *device : kDevices) {
            const Outcome outcome = call({"run", file, "--device", device, "--output-dir", path(device)});
            if (outcome.exitCode == ExitCode::Unsupported)
                continue;
            ++ran;
            check(device, outcome);
        }
        EXPECT_GE(ran, 2U);
    }

    void expectFault(const std::string &text, const std::string &message)
    {
        forEachDevice(write("hostile.lowered", text), [&](const std::string &device, const Outcome &outcome) {
            EXPECT_EQ(outcome.exitCode, ExitCode::Error) << device << "\n" << text << outcome.errors;
            EXPECT_NE(outcome.errors.find(message), std::string::npos) << device << "\n" << text << outcome.errors;
        });
    }

    void expectRefused(const std::string &text, const std::string &message)
    {
        const Outcome outcome = call({"check", write("refused.lowered", text)});
        EXPECT_EQ(outcome.exitCode, ExitCode::Error) << text;
        EXPECT_NE(outcome.errors.find(message), std::string::npos) << text << outcome.errors;
    }

    // By output, what a file gives on the interpreter.
    std::map<std::string, HostTensor> outputsOf(const std::string &file, const std::string &folder)
    {
        const Outcome outcome = call({"run", file, "--device", "interpreter", "--output-dir", path(folder)});
        EXPECT_EQ(outcome.exitCode, ExitCode::Success) << file << "\n" << outcome.errors;
        std::map<std::string, HostTensor> values;
        for (const auto &entry : std::filesystem::directory_iterator(path(folder)))
            if (entry.path().extension() == ".npy")
                values.emplace(entry.path().stem().string(), readNpyFile(entry.path()).value());
        return values;
    }

    void expectSameValues(const std::string &file, const std::string &copy)
    {
        const auto expected = outputsOf(file, "expected");
        const auto found = outputsOf(copy, "found");
        ASSERT_FALSE(expected.empty());
        ASSERT_EQ(expected.size(), found.size());
        for (const auto &[name, value] : expected)
            EXPECT_TRUE(found.contains(name) && value.isIdenticalTo(found.at(name))) << name;
    }
};

// Nobody reads megabytes of weights in a terminal; a text without them is not taken for a whole one.
TEST_F(LoweredFiles, leaveLargeTensorsOutUnlessAskedFor)
{
    HostTensor counted(DType::F32, {40, 40});
    for (std::int64_t i = 0; i < counted.elements(); ++i)
        counted.set(i, Scalar::of(DType::F32, static_cast<double>(i)));
    ASSERT_TRUE(writeNpyFile(path("w.npy"), counted));
    const std::string program = write("p.sw", "input x: f32[3, 40]\nparam w: f32[40, 40] = load(\"w.npy\")\noutput x @ w\n");
    for (const std::string stage : {"graph", "lowered"}) {
        const std::string text = call({"show", program, "--stage", stage}).output;
        EXPECT_NE(text.find("name = \"w\""), std::string::npos) << text;
        EXPECT_NE(text.find("value = omitted(1600 elements: 0.0, 1.0, 2.0, ...)"), std::string::npos) << text;
        const Outcome refused = call({"check", write("cut." + stage, text)});
        EXPECT_EQ(refused.exitCode, ExitCode::Error);
        EXPECT_NE(refused.errors.find("the elements of \"w\", f32[40, 40] are not in this text"), std::string::npos)
            << refused.errors;
        const Outcome whole = call({"show", program, "--stage", stage, "--all-values"});
        EXPECT_EQ(whole.output.find("omitted"), std::string::npos);
        expectSameValues(program, write("whole." + stage, whole.output));
    }
}

TEST_F(LoweredFiles, reportsLoadsBeyondTheirBuffer)
{
    expectFault(kernelOf("  %n = const i64 17\n"
                         "  %i = range %n\n"
                         "    %v = load f32 %x[%i]\n"
                         "    store f32 %y[%zero], %v\n"
                         "  end_range %i\n"),
                "index 16 is out of range for size 16 in x");
    expectFault(kernelOf("  %at = const i64 -1\n"
                         "  %v = load f32 %x[%at]\n"
                         "  store f32 %y[%zero], %v\n"),
                "index -1 is out of range for size 16 in x");
    expectFault(kernelOf("  %at = const i64 9223372036854775807\n"
                         "  %v = load f32 %x[%at]\n"
                         "  store f32 %y[%zero], %v\n"),
                "index 9223372036854775807 is out of range");
}

TEST_F(LoweredFiles, reportsVectorsThatDoNotFit)
{
    expectFault(kernelOf("  %at = const i64 9\n"
                         "  %v = load f32x8 %x[%at]\n"
                         "  %first = gep f32 %v[0]\n"
                         "  store f32 %y[%zero], %first\n"),
                "index 9 is out of range for size 9 in x");
    expectFault(kernelOf("  %v = load f32x8 %x[%zero]\n"
                         "  store f32x8 %y[%zero], %v\n"),
                "index 0 is out of range for size 0 in y");
}

TEST_F(LoweredFiles, reportsStoresBeyondTheirBuffer)
{
    const std::string text = kernelOf("  %n = const i64 4096\n"
                                      "  %i = range %n\n"
                                      "    %v = const f32 7.0\n"
                                      "    store f32 %y[%i], %v\n"
                                      "  end_range %i\n");
    expectFault(text, "(4092 such indices in k0)");
    const auto y = readNpyFile(path("llvm") + "/y.npy");
    ASSERT_TRUE(y) << toText(y.error());
    for (std::int64_t i = 0; i < 4; ++i)
        EXPECT_EQ(y->at(i).asDouble(), 7.0);
}

TEST_F(LoweredFiles, reportsAddressesThatLieApart)
{
    expectFault(kernelOf("  %a = const i64 15\n"
                         "  %b = const i64 16\n"
                         "  %places = ptrcat f32x2 %x[%a, %b]\n"
                         "  %v = load f32x2 %places[%zero]\n"
                         "  store f32x2 %y[%zero], %v\n"),
                "index 16 is out of range for size 16 in x");
    expectFault(kernelOf("  %a = const i64 3\n"
                         "  %v = load f32x2 %x[%zero]\n"
                         "  %places = ptrcat f32x2 %y[%zero, %a]\n"
                         "  store f32x2 %places[%a], %v\n"),
                "index 6 is out of range for size 4 in y");
}

TEST_F(LoweredFiles, reportsIndicesThatMemoryGives)
{
    expectFault(kernelOf("  %place = load f32 %x[%zero]\n"
                         "  %scale = const f32 1e12\n"
                         "  %one = const f32 2.0\n"
                         "  %sum = add f32 %place, %one\n"
                         "  %far = mul f32 %sum, %scale\n"
                         "  %at = cast i64 %far\n"
                         "  %v = load f32 %x[%at]\n"
                         "  store f32 %y[%zero], %v\n"),
                "is out of range for size 16 in x");
}

TEST_F(LoweredFiles, reportsScratchMemory)
{
    expectFault(kernelOf("  %scratch = buffer f32[8]\n"
                         "  %at = const i64 100000000\n"
                         "  %v = load f32 %scratch[%at]\n"
                         "  store f32 %y[%zero], %v\n"),
                "index 100000000 is out of range for size 8 in scratch");
}

TEST_F(LoweredFiles, leavesIndicesOfFalseMasksAlone)
{
    const std::string text = kernelOf("  %n = const i64 4\n"
                                      "  %i = range %n\n"
                                      "    %far = const i64 1000000\n"
                                      "    %two = const i64 2\n"
                                      "    %wanted = cmplt bool %i, %two\n"
                                      "    %at = where i64 %wanted, %i, %far\n"
                                      "    %five = const f32 5.0\n"
                                      "    %v = masked_load f32 %x[%at], %wanted, %five\n"
                                      "    store f32 %y[%i], %v\n"
                                      "  end_range %i\n");
    forEachDevice(write("masked.lowered", text), [&](const std::string &device, const Outcome &outcome) {
        EXPECT_EQ(outcome.exitCode, ExitCode::Success) << device << outcome.errors;
        EXPECT_EQ(readNpyFile(path(device) + "/y.npy")->at(3).asDouble(), 5.0) << device;
    });
}

TEST_F(LoweredFiles, checksTheLanesOfAMaskOneByOne)
{
    const std::string start = "  %at = const i64 14\n"
                              "  %yes = const bool true\n"
                              "  %no = const bool false\n"
                              "  %none = const f32x4 5.0\n";
    const std::string end = "  %v = masked_load f32x4 %x[%at], %mask, %none\n"
                            "  store f32x4 %y[%zero], %v\n";
    const std::string inside = kernelOf(start + "  %mask = vectorize boolx4 %yes, %yes, %no, %no\n" + end);
    forEachDevice(write("inside.lowered", inside), [&](const std::string &device, const Outcome &outcome) {
        EXPECT_EQ(outcome.exitCode, ExitCode::Success) << device << outcome.errors;
        EXPECT_EQ(readNpyFile(path(device) + "/y.npy")->at(3).asDouble(), 5.0) << device;
    });
    expectFault(kernelOf(start + "  %mask = vectorize boolx4 %yes, %no, %yes, %no\n" + end),
                "index 16 is out of range for size 16 in x");
}

TEST_F(LoweredFiles, loadsUnderMasksThatAreWholePartialAndEmpty)
{
    for (const int lanes : {2, 4, 8, 16}) {
        const std::string type = format("f32x{}", lanes);
        const auto mask = [&](std::string_view name, std::string_view even, std::string_view odd) {
            std::string line = format("  %{} = vectorize boolx{} ", name, lanes);
            for (int lane = 0; lane < lanes; ++lane)
                line += format("{}{}", lane == 0 ? "" : ", ", lane % 2 == 0 ? even : odd);
            return line + "\n";
        };
        // From the buffer and from the kernel's own memory; the masks are known only when it runs.
        std::string body = "  %first = load f32 %x[%zero]\n"
                           "  %far = const f32 1e30\n"
                           "  %yes = cmplt bool %first, %far\n"
                           "  %no = cmplt bool %far, %first\n";
        body += format("  %none = const {} 5.0\n  %scratch = buffer f32[16]\n  %all = load f32x16 %x[%zero]\n"
                       "  store f32x16 %scratch[%zero], %all\n",
                       type);
        body += mask("whole", "%yes", "%yes") + mask("part", "%yes", "%no") + mask("empty", "%no", "%no");
        body += format("  %a = masked_load {0} %x[%zero], %whole, %none\n"
                       "  %b = masked_load {0} %x[%zero], %part, %none\n"
                       "  %c = masked_load {0} %scratch[%zero], %part, %none\n"
                       "  %d = masked_load {0} %scratch[%zero], %empty, %none\n",
                       type);
        const char *const values[] = {"a", "b", "c", "d"};
        for (int i = 0; i < 4; ++i)
            body += format("  %at{0} = const i64 {0}\n  %lane{0} = gep f32 %{1}[{2}]\n  store f32 %y[%at{0}], %lane{0}\n", i,
                           values[i], i == 2 ? lanes - 2 : lanes - 1);
        std::optional<HostTensor> first;
        forEachDevice(write("masks.lowered", kernelOf(body)), [&](const std::string &device, const Outcome &outcome) {
            ASSERT_EQ(outcome.exitCode, ExitCode::Success) << device << outcome.errors;
            const auto y = readNpyFile(path(device) + "/y.npy");
            ASSERT_TRUE(y) << device;
            if (!first)
                first = *y;
            EXPECT_TRUE(y->isIdenticalTo(*first)) << device << ", " << type;
            EXPECT_EQ(y->at(1).asDouble(), 5.0) << device << ", " << type;
            EXPECT_NE(y->at(2).asDouble(), 5.0) << device << ", " << type;
            EXPECT_EQ(y->at(3).asDouble(), 5.0) << device << ", " << type;
        });
    }
}

TEST_F(LoweredFiles, doesNotBelieveAnAlignmentThatNothingProves)
{
    const std::string text = kernelOf("  %at = const i64 1\n"
                                      "  %v = load f32x4 %x[%at] aligned\n"
                                      "  store f32x4 %y[%zero], %v aligned\n");
    const std::string file = write("aligned.lowered", text);
    const std::string plain = write("plain.lowered", kernelOf("  %at = const i64 1\n"
                                                              "  %v = load f32x4 %x[%at]\n"
                                                              "  store f32x4 %y[%zero], %v\n"));
    const auto expected = outputsOf(plain, "plain");
    forEachDevice(file, [&](const std::string &device, const Outcome &outcome) {
        EXPECT_EQ(outcome.exitCode, ExitCode::Success) << device << outcome.errors;
        EXPECT_TRUE(readNpyFile(path(device) + "/y.npy")->isIdenticalTo(expected.at("y"))) << device;
    });
}

TEST_F(LoweredFiles, saysWhatIsProvedAndWhatIsChecked)
{
    const std::string file = write("both.lowered", kernelOf("  %at = const i64 16\n"
                                                            "  %v = load f32 %x[%at]\n"
                                                            "  store f32 %y[%zero], %v\n"));
    const Outcome outcome = call({"run", file, "--device", "interpreter"});
    EXPECT_NE(outcome.errors.find("of 2 accesses to memory, 1 are proved to stay in it and 1 are checked while they run"),
              std::string::npos)
        << outcome.errors;
}

TEST_F(LoweredFiles, refusesArgumentsThatContradictTheBuffers)
{
    expectRefused("kernel \"k0\" symbol \"k0\" id 0 global [1, 1, 1] local [1, 1, 1] arguments [3, 3]\n"
                  "  %x = define_global f32[4] argument 0\n"
                  "  %y = define_global f32[4] argument 1 written\n"
                  "end\n",
                  "has the buffer 3 as two arguments and writes it");
    expectRefused(kernelOf("", "[0, 1, 2]"), "has the buffer 2 as an argument, which there is not");
    const std::string frame = "stepwell lowered 1\n"
                              "device \"llvm\"\n"
                              "buffers\n"
                              "  %0 = placeholder {name = \"x\", role = input} : f32[16]\n"
                              "  %1 = placeholder {name = \"y\", role = input} : f32[4]\n"
                              "  sink %1 {names = [\"y\"]}\n"
                              "end\n";
    expectRefused(frame + kernelOf(""), "buffer 1 is written here, and it is a placeholder at line 5");
    expectRefused(kernelOf("  %n = define_var i64 %x[%zero] from 0 to 3\n"), "accesses memory of f32 as i64");
}

TEST_F(LoweredFiles, refusesWhatIsFilledWithAViewOfAnInput)
{
    const std::string program = write("seen.graph", "stepwell graph 1\n"
                                                    "%0 = placeholder {name = \"x\", role = input} : f32[4]\n"
                                                    "%1 = reshape %0 : f32[2, 2]\n"
                                                    "%2 = copy %1 {device = \"default\", clone = true} : f32[2, 2]\n"
                                                    "sink %2 {names = [\"y\"]}\n");
    const Outcome shown = call({"show", program, "--stage", "lowered"});
    ASSERT_EQ(shown.exitCode, ExitCode::Success) << shown.errors;
    const Outcome refused = call({"check", write("seen.lowered", shown.output)});
    EXPECT_EQ(refused.exitCode, ExitCode::Unsupported) << shown.output;
    EXPECT_TRUE(refused.errors.find("fills a buffer from another one, or with a view of an input") != std::string::npos)
        << refused.errors;
}

// The copy is filled by the upload itself, and no kernel is needed.
TEST_F(LoweredFiles, saysWhichInputACopyIs)
{
    const std::string program = write("copied.graph", "stepwell graph 1\n"
                                                      "%0 = placeholder {name = \"x\", role = input} : f32[4]\n"
                                                      "%1 = copy %0 {device = \"default\", clone = true} : f32[4]\n"
                                                      "sink %1 {names = [\"y\"]}\n");
    const Outcome shown = call({"show", program, "--stage", "lowered", "-o", path("copied.lowered")});
    ASSERT_EQ(shown.exitCode, ExitCode::Success) << shown.errors;
    expectSameValues(program, path("copied.lowered"));
}

TEST_F(LoweredFiles, takesDimensionsOnlyWithTheirTrueBounds)
{
    const auto text = [](std::string_view high) {
        return format("stepwell lowered 1\n"
                      "device \"any\"\n"
                      "buffers\n"
                      "  %0 = placeholder {{name = \"n\", role = dimension, low = 0, high = 3}} : i64[]\n"
                      "  %1 = buffer : i64[4]\n"
                      "  sink %1 {{names = [\"y\"]}}\n"
                      "end\n"
                      "kernel \"k0\" symbol \"k0\" id 0 global [1, 1, 1] local [1, 1, 1] arguments [0, 1]\n"
                      "  %d = define_global i64[1] argument 0\n"
                      "  %y = define_global i64[4] argument 1 written\n"
                      "  %zero = const i64 0\n"
                      "  %n = define_var i64 %d[%zero] from 0 to {}\n"
                      "  store i64 %y[%n], %n\n"
                      "end\n",
                      high);
    };
    expectRefused(text("1"), "the dimension lies between 0 and 1 here and between 0 and 3 at line 4");
    const std::string file = write("dimension.lowered", text("3"));
    EXPECT_EQ(call({"run", file, "--device", "llvm", "--dim", "n=2", "--output-dir", path("two")}).exitCode, ExitCode::Success);
    EXPECT_EQ(readNpyFile(path("two") + "/y.npy")->at(2).asInt(), 2);
    EXPECT_EQ(call({"run", file, "--device", "llvm", "--dim", "n=4"}).exitCode, ExitCode::Error);
}

constexpr const char *kWhole = "input x: f32[4]\n"
                               "const k: f32[4] = [1, 2, 3, 4]\n"
                               "param w: f32[4] = random(7)\n"
                               "param v: f32[4]\n"
                               "y = sum(x * k + w * v, axis = 0)\n"
                               "output reshape(x + k, [2, 2])\n"
                               "output x\n"
                               "output contiguous(y)\n";

TEST_F(LoweredFiles, giveWhatTheirProgramGives)
{
    const std::string file = write("whole.sw", kWhole);
    for (const char *stage : {"graph", "lowered"}) {
        const Outcome shown = call({"show", file, "--stage", stage, "--device", "interpreter"});
        ASSERT_EQ(shown.exitCode, ExitCode::Success) << shown.errors;
        expectSameValues(file, write(std::string("copy.") + stage, shown.output));
    }
}

TEST_F(LoweredFiles, keepLargeConstantsBesideThem)
{
    std::vector<double> numbers(3000);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<double>(i) / 8;
    ASSERT_TRUE(writeNpyFile(path("w.npy"), HostTensor::ofValues(DType::F32, Shape{3000}, numbers)));
    const std::string file = write("large.sw", "input x: f32[3000]\nparam w: f32[3000] = load(\"w.npy\")\noutput x * w\n");
    for (const char *stage : {"graph", "lowered"}) {
        const std::string copy = path(std::string("copy.") + stage);
        ASSERT_EQ(call({"show", file, "--stage", stage, "--device", "interpreter", "-o", copy}).exitCode, ExitCode::Success);
        EXPECT_LT(std::filesystem::file_size(copy), 4000U);
        EXPECT_TRUE(std::filesystem::exists(copy + ".0.npy"));
        expectSameValues(file, copy);
    }
}

TEST_F(LoweredFiles, mayBeOneKernelOfAProgram)
{
    const std::string file = write("two.sw", "input x: f32[64, 64]\nconst k: f32[64] = 3\noutput contiguous(x * k) + 1.0\n");
    const Outcome shown = call({"show", file, "--stage", "lowered", "--device", "interpreter", "--kernel", "0"});
    const auto values = outputsOf(write("one.lowered", shown.output), "one");
    ASSERT_EQ(values.size(), 1U);
    EXPECT_NE(shown.output.find("name = \"x\""), std::string::npos);
}

} // namespace
} // namespace sw::command
