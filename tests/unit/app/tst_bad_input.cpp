// Whatever a file holds, the answer is a clear error and exit code 1, never a crash.

#include "engine/types/npy.h"
#include "tests/unit/app/command_fixture.h"

#include <random>

namespace sw::command {
namespace {

class BadInput : public CommandTest {
protected:
    void expectError(const std::string &file, const std::vector<std::string> &more = {}) const
    {
        std::vector<std::string> words{"run", file, "--device", "interpreter"};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = call(words);
        EXPECT_EQ(outcome.exitCode, ExitCode::Error) << file << "\n" << outcome.errors;
        EXPECT_NE(outcome.errors.find("error:"), std::string::npos) << outcome.errors;
        EXPECT_EQ(outcome.errors.find("[internal]"), std::string::npos) << outcome.errors;
    }
};

std::string randomBytes(std::size_t count, std::uint32_t seed)
{
    std::mt19937 generator(seed);
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i)
        bytes += static_cast<char>(generator() & 0xFFU);
    return bytes;
}

TEST_F(BadInput, missingFile)
{
    for (const char *ending : {".sw", ".onnx", ".graph", ".lowered"})
        expectError(path(std::string("missing") + ending));
}

TEST_F(BadInput, folderInsteadOfAFile)
{
    std::filesystem::create_directories(m_folder / "folder.sw");
    expectError(path("folder.sw"));
}

TEST_F(BadInput, emptyFile)
{
    for (const char *ending : {".sw", ".onnx", ".graph", ".lowered"})
        expectError(write(std::string("empty") + ending, ""));
}

TEST_F(BadInput, randomBytesInEveryFormat)
{
    for (std::uint32_t seed = 0; seed < 20; ++seed)
        for (const char *ending : {".sw", ".onnx", ".graph", ".lowered"})
            expectError(write(std::string("random") + ending, randomBytes(1 + 37 * seed, seed)));
}

TEST_F(BadInput, truncatedTexts)
{
    const std::string graph =
        "stepwell graph 1\n%0 = placeholder {name = \"x\", role = input} : f32[16]\n%1 = neg %0 : f32[16]\n";
    for (std::size_t length = 0; length <= graph.size(); length += 7) // never reaches the sink
        expectError(write("cut.graph", graph.substr(0, length)));
}

TEST_F(BadInput, shapesThatDoNotMatch)
{
    expectError(write("shapes.sw", "input x: f32[2, 3]\ninput y: f32[2, 4]\noutput x / y\n"));
}

TEST_F(BadInput, deepNesting)
{
    const std::string deep = std::string(100'000, '(') + "1.0" + std::string(100'000, ')');
    expectError(write("deep.sw", "output " + deep + "\n"));
    expectError(write("open.sw", "output " + std::string(100'000, '(') + "\n"));
    expectError(write("lists.sw", "const x: f32[1] = " + std::string(100'000, '[') + "\noutput x\n"));
    expectError(write("minus.sw", "output " + std::string(100'000, '-') + "1.0\n"));
}

TEST_F(BadInput, sizeThatOverflows)
{
    expectError(write("huge.sw", "input x: f32[4611686018427387904, 4611686018427387904]\noutput x + 1.0\n"));
    expectError(write("large.sw", "input x: f32[1099511627776]\noutput x + 1.0\n"));
    expectError(write("literal.sw", "input x: f32[99999999999999999999999999]\noutput x + 1.0\n"));
}

TEST_F(BadInput, arraysThatDoNotFit)
{
    const std::string file = write("program.sw", "input x: f32[2, 3]\noutput x + 1.0\n");
    ASSERT_TRUE(writeNpyFile(path("shape.npy"), HostTensor(DType::F32, Shape{3, 2})));
    ASSERT_TRUE(writeNpyFile(path("type.npy"), HostTensor(DType::F64, Shape{2, 3})));
    expectError(file, {"--input", "x=" + path("shape.npy")});
    expectError(file, {"--input", "x=" + path("type.npy")});
    expectError(file, {"--input", "nothing=" + path("type.npy")});
    expectError(file, {"--input", "x=" + path("missing.npy")});
    expectError(file, {"--input", "x=" + write("random.npy", randomBytes(200, 1))});
    expectError(file, {"--input", "x=" + write("empty.npy", "")});
}

TEST_F(BadInput, unknownKindOfFile)
{
    expectError(write("program.txt", "output 1.0\n"));
}

} // namespace
} // namespace sw::command
