// A kernel alone in a folder: it is built by the tools that the folder names, runs, and tells right results from wrong ones.

#include "engine/api/front_end.h"
#include "engine/types/npy.h"
#include "tests/unit/app/command_fixture.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sys/wait.h>

namespace sw::command {
namespace {

struct Ended {
    int exitCode = -1;
    std::string output;
};

std::string contentsOf(const std::string &file)
{
    const Result<std::string> text = readTextFile(file);
    return text ? *text : "cannot read " + file;
}

class ReproduceCommand : public CommandTest {
protected:
    // What the words say, in the folder.
    Ended shell(const std::string &folder, const std::string &words) const
    {
        const std::string log = path("shell.log");
        const int status = std::system(format("cd '{}' && {} > '{}' 2>&1", folder, words, log).c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contentsOf(log)};
    }

    bool isThere(const std::string &device) const { return m_registry.device(device).has_value(); }

    // Writes, builds and runs it; the output of the program.
    std::string reproduced(const std::string &folder, std::vector<std::string> words) const
    {
        words.insert(words.begin(), "reproduce");
        words.insert(words.end(), {"-o", folder});
        const Outcome written = call(words);
        EXPECT_EQ(written.exitCode, ExitCode::Success) << written.errors;
        const Ended built = shell(folder, "sh build.sh");
        EXPECT_EQ(built.exitCode, 0) << built.output;
        const Ended ran = shell(folder, "./reproduce 3");
        EXPECT_EQ(ran.exitCode, 0) << ran.output;
        EXPECT_NE(ran.output.find("PASSED"), std::string::npos) << ran.output;
        EXPECT_NE(ran.output.find("median time"), std::string::npos) << ran.output;
        return ran.output;
    }

    // The last kernel of the program, so that others run before it.
    std::string lastKernel(const std::string &program, const std::string &device) const
    {
        const Outcome shown = call({"show", program, "--stage", "schedule", "--device", device});
        std::string name;
        for (std::size_t at = shown.output.find("kernel k"); at != std::string::npos;
             at = shown.output.find("kernel k", at + 1)) {
            const std::size_t begin = at + 7;
            name = shown.output.substr(begin, shown.output.find_first_of(" :,\n", begin) - begin);
        }
        return name;
    }
};

const char *const kDevices[] = {"llvm", "c", "opencl"};

TEST_F(ReproduceCommand, examplesPassOnEveryDevice)
{
    const std::filesystem::path examples = std::filesystem::path(findResourceFolder()) / "examples";
    for (const char *device : kDevices) {
        if (!isThere(device))
            continue;
        for (const char *name : {"softmax", "matmul", "attention"}) {
            const std::string program = (examples / (std::string(name) + ".sw")).string();
            const std::string kernel = lastKernel(program, device);
            ASSERT_FALSE(kernel.empty());
            SCOPED_TRACE(format("{} of {} on {}", kernel, name, device));
            const std::string folder = path(format("{}_{}", name, device));
            reproduced(folder, {program, "--kernel", kernel, "--device", device});
            const std::string readMe = contentsOf(folder + "/README.md");
            for (const std::string &told : {kernel, format("{}.sw", name), format("`{}`", device), std::string("Stepwell"),
                                            std::string("sh build.sh"), std::string("stepwellc reproduce")})
                EXPECT_NE(readMe.find(told), std::string::npos) << told << "\n" << readMe;
        }
    }
}

// Element types that are stored in few bits, integers, truth values, and a dimension that is known only when it runs.
TEST_F(ReproduceCommand, typesAndDimensionsPassOnEveryDevice)
{
    struct Case {
        const char *name;
        const char *text;
        std::vector<std::string> more;
    };
    const Case cases[] = {
        {"half", "input x: f16[33, 17]\noutput exp(x) + sum(x, axis = -1, keepdims = true)\n", {}},
        {"brain", "input x: bf16[40]\noutput x * x + 1.0\n", {}},
        {"eight", "input x: f8e4m3[40]\noutput x + x\n", {}},
        {"whole", "input x: i32[50]\noutput (x // 3) * 7\n", {}},
        {"truth", "input x: f32[50]\noutput x < 0.5\n", {}},
        {"open", "n: dim[1, 64]\ninput x: f32[n, 8]\noutput softmax(x, axis = 0)\n", {"--dim", "n=13"}},
        {"double", "input x: f64[50]\noutput sqrt(abs(x)) / 3.0\n", {}},
    };
    for (const char *device : kDevices) {
        if (!isThere(device))
            continue;
        for (const Case &one : cases) {
            SCOPED_TRACE(format("{} on {}", one.name, device));
            const std::string program = write(format("{}.sw", one.name), one.text);
            std::vector<std::string> words{program, "--kernel", "0", "--device", device};
            words.insert(words.end(), one.more.begin(), one.more.end());
            const std::string output = reproduced(path(format("{}_{}", one.name, device)), words);
            EXPECT_NE(output.find("equal, bit for bit"), std::string::npos) << output;
        }
    }
}

TEST_F(ReproduceCommand, aCorruptInputIsTold)
{
    for (const char *device : kDevices) {
        if (!isThere(device))
            continue;
        SCOPED_TRACE(device);
        const std::string program = write("p.sw", "input x: f32[64]\noutput z = x * 2.0 + 1.0\n");
        const std::string folder = path(device);
        reproduced(folder, {program, "--kernel", "z", "--device", device});
        for (int argument = 0; argument < 2; ++argument) {
            const std::string file = format("{}/argument{}.npy", folder, argument);
            if (std::filesystem::exists(format("{}/expected{}.npy", folder, argument)))
                continue;
            const HostTensor value = readNpyFile(file).value();
            HostTensor wrong(value.dtype(), value.shape());
            for (std::int64_t i = 0; i < value.elements(); ++i)
                wrong.set(i, i == 17 ? Scalar::of(DType::F32, 1000.0) : value.at(i));
            ASSERT_TRUE(writeNpyFile(file, wrong));
        }
        const Ended ran = shell(folder, "./reproduce 1");
        EXPECT_EQ(ran.exitCode, 1) << ran.output;
        EXPECT_NE(ran.output.find("DIFFERENT: 1 elements differ"), std::string::npos) << ran.output;
        EXPECT_NE(ran.output.find("at element 17"), std::string::npos) << ran.output;
        EXPECT_NE(ran.output.find("ULP"), std::string::npos) << ran.output;
        EXPECT_NE(ran.output.find("FAILED"), std::string::npos) << ran.output;
    }
}

// The values are those of the run: what the program's first kernel computes reaches the second one.
TEST_F(ReproduceCommand, argumentsAreThoseOfTheRun)
{
    const std::string program = write("p.sw", "input x: f32[8, 8]\nsmall = sum(x, axis = 1)\noutput small @ x\n");
    if (!isThere("llvm"))
        GTEST_SKIP();
    const std::string kernel = lastKernel(program, "llvm");
    ASSERT_EQ(kernel.rfind("k1", 0), 0U) << kernel;
    const Outcome ran = call({"run", program, "--device", "llvm", "--seed", "5", "--output-dir", path("out")});
    ASSERT_EQ(ran.exitCode, ExitCode::Success) << ran.errors;
    reproduced(path("folder"), {program, "--kernel", kernel, "--device", "llvm", "--seed", "5"});
    const HostTensor output = readNpyFile(path("out/output.npy")).value();
    const HostTensor expected = readNpyFile(path("folder/expected0.npy")).value();
    ASSERT_EQ(output.elements(), expected.elements());
    for (std::int64_t i = 0; i < output.elements(); ++i)
        EXPECT_NEAR(output.at(i).asDouble(), expected.at(i).asDouble(), 1e-5);
}

// A kernel with an edited text is judged by what the compiler's own instructions give.
TEST_F(ReproduceCommand, anEditedKernelThatIsWrongFails)
{
    if (!isThere("c"))
        GTEST_SKIP();
    const std::string program = write("p.sw", "input x: f32[64]\noutput z = x - 2.5\n");
    std::string text = call({"edit", program, "--kernel", "z", "--device", "c", "--plain"}).output;
    text.insert(text.find("\n{\n") + 3, "    out0[5] = 77.0f; return;\n");
    const Outcome written =
        call({"reproduce", program, "--kernel", "z", "--device", "c", "--code", "z=" + write("k.c", text), "-o", path("folder")});
    ASSERT_EQ(written.exitCode, ExitCode::Success) << written.errors;
    EXPECT_EQ(contentsOf(path("folder/kernel.c")), text);
    EXPECT_NE(contentsOf(path("folder/README.md")).find("edited by hand"), std::string::npos);
    ASSERT_EQ(shell(path("folder"), "sh build.sh").exitCode, 0);
    const Ended ran = shell(path("folder"), "./reproduce 1");
    EXPECT_EQ(ran.exitCode, 1) << ran.output;
    EXPECT_NE(ran.output.find("DIFFERENT"), std::string::npos) << ran.output;

    std::string lowered = call({"edit", program, "--kernel", "z", "--device", "c", "--stage", "lowered", "--plain"}).output;
    const std::size_t number = lowered.find("2.5");
    ASSERT_NE(number, std::string::npos) << lowered;
    lowered.replace(number, 3, "3.5");
    ASSERT_EQ(call({"reproduce", program, "--kernel", "z", "--device", "c", "--code", "z=" + write("k.lowered", lowered), "-o",
                    path("other")})
                  .exitCode,
              ExitCode::Success);
    ASSERT_EQ(shell(path("other"), "sh build.sh").exitCode, 0);
    EXPECT_EQ(shell(path("other"), "./reproduce 1").exitCode, 1);
}

// The README says who computed what is expected.
TEST_F(ReproduceCommand, aKernelTooLargeForTheInterpreterIsExpectedFromItsDevice)
{
    if (!isThere("llvm"))
        GTEST_SKIP();
    const std::string program = write("p.sw", "input x: f32[1024, 1024]\noutput x @ x\n");
    const std::string output = reproduced(path("folder"), {program, "--kernel", "0", "--device", "llvm"});
    EXPECT_NE(output.find("equal, bit for bit"), std::string::npos) << output;
    const std::string readMe = contentsOf(path("folder/README.md"));
    EXPECT_NE(readMe.find("computed by this source on llvm itself, because the interpreter would take too long"),
              std::string::npos)
        << readMe;
}

// What its compiler says about it can be reproduced, although nothing has run.
TEST_F(ReproduceCommand, aKernelThatItsCompilerRefusesIsWritten)
{
    if (!isThere("c"))
        GTEST_SKIP();
    const std::string program = write("p.sw", "input x: f32[64]\n"
                                              "output custom(\"bad\", [x * 2.0], c = \"no_such_thing({0})\", reference = x)\n");
    const Outcome written = call({"reproduce", program, "--kernel", "0", "--device", "c", "-o", path("folder")});
    EXPECT_EQ(written.exitCode, ExitCode::Error) << written.output; // the program has an error
    EXPECT_NE(contentsOf(path("folder/README.md")).find("What is expected is not known"), std::string::npos);
    const Ended built = shell(path("folder"), "sh build.sh");
    EXPECT_NE(built.exitCode, 0);
    EXPECT_NE(built.output.find("no_such_thing"), std::string::npos) << built.output;
    // With a fix, it runs.
    ASSERT_EQ(shell(path("folder"), "sed -i 's/no_such_thing//' kernel.c && sh build.sh").exitCode, 0);
    const Ended ran = shell(path("folder"), "./reproduce 1");
    EXPECT_EQ(ran.exitCode, 0);
    EXPECT_NE(ran.output.find("NOT COMPARED"), std::string::npos) << ran.output;
}

TEST_F(ReproduceCommand, saysWhatCannotBe)
{
    const std::string program = write("p.sw", "input x: f32[64]\noutput z = x - 2.5\n");
    EXPECT_EQ(call({"reproduce", program, "--kernel", "z"}).exitCode, ExitCode::Usage);
    EXPECT_EQ(call({"reproduce", program, "-o", path("f")}).exitCode, ExitCode::Usage);
    EXPECT_EQ(call({"reproduce", program, "--kernel", "nothing", "-o", path("f")}).exitCode, ExitCode::Usage);
    const Outcome noSource = call({"reproduce", program, "--kernel", "z", "--device", "interpreter", "-o", path("f")});
    EXPECT_EQ(noSource.exitCode, ExitCode::Unsupported) << noSource.errors;
    EXPECT_NE(noSource.errors.find("interpreter has no source"), std::string::npos) << noSource.errors;
    EXPECT_FALSE(std::filesystem::exists(path("f")));

    std::filesystem::create_directory(path("mine"));
    write("mine/notes.txt", "mine");
    const Outcome taken = call({"reproduce", program, "--kernel", "z", "-o", path("mine")});
    EXPECT_EQ(taken.exitCode, ExitCode::Error) << taken.output;
    EXPECT_NE(taken.errors.find("is not empty"), std::string::npos) << taken.errors;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("mine")), std::filesystem::directory_iterator()), 1);
}

} // namespace
} // namespace sw::command
