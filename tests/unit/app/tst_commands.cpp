#include "engine/types/npy.h"
#include "tests/unit/app/command_fixture.h"
#include "tests/unit/execute/fake_backend.h"

#include <sstream>
#include <tuple>

namespace sw::command {
namespace {

constexpr std::string_view kProgram = "input x: f32[4, 8]\n"
                                      "param w: f32[8] = random(5)\n"
                                      "z = relu(x * w)\n"
                                      "output total = sum(z, axis = 1)\n"
                                      "output z\n";

bool contains(const std::string &text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

class Commands : public CommandTest {
protected:
    std::string m_file = write("program.sw", kProgram);
};

TEST_F(Commands, listsDevices)
{
    const Outcome outcome = call({"devices"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success);
    EXPECT_TRUE(contains(outcome.output, "interpreter"));
    EXPECT_TRUE(contains(call({"devices", "--json"}).output, "\"version\": 1"));
}

TEST_F(Commands, checksAProgram)
{
    EXPECT_EQ(call({"check", m_file}).exitCode, ExitCode::Success);
    const Outcome outcome = call({"check", write("bad.sw", "input x: f32[2]\noutput x @ y\n")});
    EXPECT_EQ(outcome.exitCode, ExitCode::Error);
    EXPECT_TRUE(contains(outcome.errors, "bad.sw:2:12: error:")) << outcome.errors;
}

TEST_F(Commands, showsEveryStage)
{
    for (const char *stage : {"program", "graph", "schedule", "loops", "lowered", "code", "machine"}) {
        const Outcome outcome = call({"show", m_file, "--stage", stage, "--device", "interpreter"});
        EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
        EXPECT_FALSE(outcome.output.empty()) << stage;
        const Outcome json = call({"show", m_file, "--stage", stage, "--device", "interpreter", "--json"});
        EXPECT_TRUE(contains(json.output, std::string("\"stage\": \"") + stage)) << json.output;
    }
    EXPECT_EQ(call({"show", m_file, "--stage", "attic"}).exitCode, ExitCode::Usage);
}

// Two kernels that do the same share what is lowered and compiled, and are shown each by its own name.
TEST_F(Commands, showsEachOfTwoEqualKernels)
{
    const std::string file = write("twice.sw", "input x: f32[4, 8]\ninput y: f32[4, 8]\n"
                                               "output a = kernel(exp(x) * 2, name = \"first\")\n"
                                               "output b = kernel(exp(y) * 2, name = \"second\")\n");
    for (const char *device : {"interpreter", "llvm"}) {
        for (const auto &[kernel, buffer, other] : {std::tuple("first", "%x", "second"), std::tuple("second", "%y", "first")}) {
            for (const char *stage : {"loops", "lowered", "code"}) {
                const Outcome shown = call({"show", file, "--stage", stage, "--device", device, "--kernel", kernel});
                EXPECT_EQ(shown.exitCode, ExitCode::Success) << shown.errors;
                EXPECT_TRUE(contains(shown.output, kernel)) << shown.output;
                EXPECT_FALSE(contains(shown.output, other)) << shown.output;
            }
            EXPECT_TRUE(
                contains(call({"show", file, "--stage", "lowered", "--device", device, "--kernel", kernel}).output, buffer));
        }
        const std::string rewrites = call({"passes", file, "--device", device, "--kernel", "first"}).output;
        EXPECT_TRUE(contains(rewrites, "simplify-instructions"));
        const auto counts = [&](const char *kernel) {
            const std::string json = call({"passes", file, "--device", device, "--kernel", kernel, "--json"}).output;
            std::size_t found = 0;
            for (std::size_t at = json.find("\"rule\""); at != std::string::npos; at = json.find("\"rule\"", at + 1))
                ++found;
            return found;
        };
        EXPECT_GT(counts("first"), 0U);
        // The loop stage records kernels one by one, what is shared is recorded once for both.
        EXPECT_EQ(counts("first"), counts("second")) << device;
    }
}

TEST_F(Commands, showsWhatAPassLeft)
{
    const Outcome outcome = call({"show", m_file, "--after", "build-loops", "--device", "interpreter"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_FALSE(outcome.output.empty());
    const Outcome unknown = call({"show", m_file, "--after", "sing", "--device", "interpreter"});
    EXPECT_EQ(unknown.exitCode, ExitCode::Usage);
    EXPECT_TRUE(contains(unknown.errors, "build-loops"));
}

TEST_F(Commands, showsAGraphThatCanBeOpenedAgain)
{
    const Outcome shown = call({"show", m_file, "--stage", "graph", "--device", "interpreter"});
    const std::string copy = write("copy.graph", shown.output);
    EXPECT_EQ(call({"check", copy}).exitCode, ExitCode::Success);
    EXPECT_EQ(call({"show", copy, "--stage", "graph", "--device", "interpreter"}).output, shown.output);
}

TEST_F(Commands, showsALoweredProgramThatCanBeRunAgain)
{
    const Outcome shown = call({"show", m_file, "--stage", "lowered", "--device", "interpreter"});
    const std::string copy = write("copy.lowered", shown.output);
    const Outcome ran = call({"run", copy, "--device", "interpreter", "--json"});
    EXPECT_EQ(ran.exitCode, ExitCode::Success) << ran.errors;
}

TEST_F(Commands, listsPasses)
{
    const Outcome outcome = call({"passes", m_file, "--device", "interpreter"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_TRUE(contains(outcome.output, "group-kernels"));
    EXPECT_TRUE(contains(call({"passes", m_file, "--device", "interpreter", "--json"}).output, "\"id\": \"lower-loops\""));
}

TEST_F(Commands, runsWithGivenInputsAndWritesOutputs)
{
    const std::vector<double> ones(32, 1.0);
    const HostTensor x = HostTensor::ofValues(DType::F32, Shape{4, 8}, ones);
    ASSERT_TRUE(writeNpyFile(path("x.npy"), x));
    const HostTensor w = HostTensor::ofValues(DType::F32, Shape{8}, std::vector<double>(8, 2.0));
    ASSERT_TRUE(writeNpyFile(path("w.npy"), w));
    const Outcome outcome = call({"run", m_file, "--device", "interpreter", "--input", "x=" + path("x.npy"), "--input",
                                  "w=" + path("w.npy"), "--output-dir", path("out"), "--json"});
    ASSERT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    const auto total = readNpyFile(path("out/total.npy"));
    ASSERT_TRUE(total) << toText(total.error());
    EXPECT_TRUE(total->isIdenticalTo(HostTensor::ofValues(DType::F32, Shape{4}, std::vector<double>(4, 16.0))));
    std::stringstream list;
    list << std::ifstream(path("out/outputs.json")).rdbuf();
    EXPECT_TRUE(contains(list.str(), "\"name\": \"total\"") && contains(list.str(), "\"file\": \"total.npy\"")) << list.str();
    for (const char *part : {"\"version\": 1", "\"name\": \"total\"", "\"dtype\": \"f32\"", "\"kernels\""})
        EXPECT_TRUE(contains(outcome.output, part)) << part;
}

TEST_F(Commands, fillsInputsFromTheSeed)
{
    const auto valuesOf = [&](const char *seed) {
        return call({"run", m_file, "--device", "interpreter", "--seed", seed}).output.substr(0, 80);
    };
    EXPECT_EQ(valuesOf("1"), valuesOf("1"));
    EXPECT_NE(valuesOf("1"), valuesOf("2"));
}

TEST_F(Commands, benchNamesItsFixedFields)
{
    const Outcome outcome = call({"bench", m_file, "--device", "interpreter", "--repeat", "2", "--json"});
    ASSERT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    for (const char *part : {"\"version\"", "\"device\"", "\"threads\"", "\"compile\"", "\"stages\"", "\"kernels\"", "\"median\"",
                             "\"min\"", "\"max\"", "\"flops\"", "\"bytes\"", "\"steps\"", "\"name\": \"barrier\"",
                             "\"phase\": \"fetch\"", "\"total\"", "\"parts\"", "\"launches\"", "\"between\""})
        EXPECT_TRUE(contains(outcome.output, part)) << part;
}

TEST_F(Commands, comparesDevices)
{
    const Outcome outcome = call({"compare", m_file, "--devices", "interpreter,interpreter", "--json"});
    ASSERT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    for (const char *part : {"\"equal\": true", "\"max_abs\": 0.0", "\"max_rel\"", "\"max_ulp\": 0", "\"times\""})
        EXPECT_TRUE(contains(outcome.output, part)) << part << outcome.output;
    EXPECT_EQ(call({"compare", m_file, "--devices", "interpreter"}).exitCode, ExitCode::Usage);
}

TEST_F(Commands, saysWhatComparedValuesWereJudgedBy)
{
    const std::string sum = write("sum.sw", "input x: f32[64]\noutput s = sum(exp(x))\n");
    const Outcome json = call({"compare", sum, "--devices", "interpreter,llvm", "--json"});
    EXPECT_EQ(json.exitCode, ExitCode::Success) << json.errors;
    EXPECT_TRUE(contains(json.output, "\"no_bounds\": null")) << json.output;
    EXPECT_TRUE(contains(json.output, "\"by_tolerance\": 0")) << json.output;
    // Too large for bounds.
    const std::string large = write("large.sw", "input x: f32[700, 700]\noutput sum(x @ x)\n");
    const Outcome plain = call({"compare", large, "--devices", "llvm,llvm"});
    EXPECT_EQ(plain.exitCode, ExitCode::Success) << plain.errors;
    EXPECT_TRUE(contains(plain.output, "no error bounds were computed: they would take")) << plain.output;
}

TEST_F(Commands, tellsDevicesThatDiffer)
{
    FakeCounts counts{.hasFaults = false};
    m_registry.add(std::make_unique<FakeBackend>(counts)); // whose outputs stay zeros
    const Outcome outcome = call({"compare", m_file, "--devices", "interpreter,fake"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Different) << outcome.errors;
    EXPECT_TRUE(contains(outcome.output, "0.0 instead of")) << outcome.output;
    EXPECT_EQ(call({"compare", m_file, "--devices", "interpreter,abacus"}).exitCode, ExitCode::Unsupported);
}

// What explain prints to override a decision is what --overrides takes.
TEST_F(Commands, takesOverrides)
{
    const std::string program = write("chain.sw", "input x: f32[40]\na = exp(x)\noutput y = tanh(a)\n");
    const std::string plain = call({"explain", program, "--device", "interpreter"}).output;
    const std::string marker = "to override: ";
    const std::size_t at = plain.find(marker);
    ASSERT_NE(at, std::string::npos) << plain;
    const std::string line = plain.substr(at + marker.size(), plain.find('\n', at) - at - marker.size());
    EXPECT_EQ(line, "apart a -> y");
    const std::string file = write("by_hand.txt", "stepwell overrides 1\n" + line + "\nstore nothing\n");
    const Outcome explained = call({"explain", program, "--device", "interpreter", "--overrides", file});
    EXPECT_EQ(explained.exitCode, ExitCode::Success);
    EXPECT_TRUE(contains(explained.output, "override apart a -> y: applied\n")) << explained.output;
    EXPECT_TRUE(contains(explained.output, "override store nothing: unknown value, ")) << explained.output;
    EXPECT_TRUE(contains(explained.errors, "by_hand.txt:3:1: warning")) << explained.errors;
    const std::string json = call({"explain", program, "--device", "interpreter", "--overrides", file, "--json"}).output;
    EXPECT_TRUE(contains(json, "\"state\": \"applied\"")) << json;
    const auto kernels = [&](std::vector<std::string> words) {
        const std::string text = call(words).output;
        std::size_t count = 0;
        for (std::size_t k = text.find("kernel "); k != std::string::npos; k = text.find("kernel ", k + 1))
            ++count;
        return count;
    };
    EXPECT_GT(kernels({"show", program, "--stage", "lowered", "--device", "interpreter", "--overrides", file}),
              kernels({"show", program, "--stage", "lowered", "--device", "interpreter"}));
    for (const std::string command : {"run", "passes", "bench"})
        EXPECT_TRUE(contains(call({command, program, "--device", "interpreter", "--overrides", file}).errors, "by_hand.txt:3:1"))
            << command;
    // The kernels of a lowered text are made already.
    const std::string lowered =
        write("chain.lowered", call({"show", program, "--stage", "lowered", "--device", "interpreter"}).output);
    EXPECT_TRUE(contains(call({"run", lowered, "--overrides", file}).errors, "the overrides are not used"));
    const std::string broken = write("broken.txt", "stepwell overrides 1\nfuse a\n");
    const Outcome refused = call({"run", program, "--device", "interpreter", "--overrides", broken});
    EXPECT_EQ(refused.exitCode, ExitCode::Error);
    EXPECT_TRUE(contains(refused.errors, "broken.txt:2:7")) << refused.errors;
    EXPECT_EQ(call({"run", program, "--overrides", "nowhere.txt"}).exitCode, ExitCode::Error);
}

TEST_F(Commands, explainsKernelsAndBuffers)
{
    const std::string program =
        write("rows.sw", "input x: f32[31, 2000]\ne = exp(x)\ns = sum(e, axis = 1, keepdims = true)\noutput y = e - s\n");
    const std::string kernel = call({"explain", program, "--device", "llvm", "--kernel", "1"}).output;
    for (const char *part :
         {"kernel k1_reduce_add: s over f32[31, 1]\ncomputes s\nstores s\n", "\nat its border\n  e -> s: apart by ",
          "  s -> y: apart by row\n", "fused from 32: ", "to override: fuse s -> y", "loops\n", "to override: loops s: "})
        EXPECT_TRUE(contains(kernel, part)) << part << "\n" << kernel;
    // The transformations that it prints are taken back.
    const std::size_t at = kernel.find("loops s: ");
    ASSERT_NE(at, std::string::npos);
    const std::string file = write("same.txt", "stepwell overrides 1\n" + kernel.substr(at));
    EXPECT_TRUE(contains(call({"explain", program, "--device", "llvm", "--overrides", file}).output, ": applied\n"));

    const std::string lookup =
        write("lookup.sw", "input x: f32[40]\ninput i: i64[3]\ne = exp(x)\noutput y = gather(e, i, axis = 0)\n");
    const std::string unknown = call({"explain", lookup, "--device", "llvm", "--buffer", "sing"}).errors;
    EXPECT_TRUE(contains(unknown, "the program has no buffer \"sing\"; it has ")) << unknown;
    const std::string given = call({"explain", lookup, "--device", "llvm", "--buffer", "x"}).output;
    EXPECT_TRUE(contains(given, "buffer x: x f32[40], 160 bytes on llvm\nin memory because it is given: input\n")) << given;
    const std::string stored = call({"explain", lookup, "--device", "llvm", "--buffer", "e"}).output;
    EXPECT_TRUE(contains(stored, "in memory because it is read by other kernels\n  e -> y: apart by lookup-source\n")) << stored;
    EXPECT_TRUE(contains(stored, "lives from item ")) << stored;
}

TEST_F(Commands, explainsInstructions)
{
    const std::string program = write("plain.sw", "input x: f32[64, 64]\noutput y = exp(x) * 2\n");
    const std::string text = call({"show", program, "--device", "llvm", "--stage", "lowered"}).output;
    const std::size_t load = text.find(" = load f32x");
    ASSERT_NE(load, std::string::npos);
    const std::string name = text.substr(text.rfind('%', load), load - text.rfind('%', load));
    const Outcome outcome = call({"explain", program, "--device", "llvm", "--kernel", "0", "--instruction", name});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    for (const char *part : {": Neighbours at once by vector-access\n", "\nmade by ", "made so by\n",
                             "to override: loops y: ", "with \"loops y: ", "instructions: "})
        EXPECT_TRUE(contains(outcome.output, part)) << part << "\n" << outcome.output;
    EXPECT_TRUE(contains(call({"explain", program, "--kernel", "0", "--instruction", "%9999"}).errors,
                         "\"%9999\" is no instruction of k0_"));
    EXPECT_TRUE(contains(call({"explain", program, "--instruction", name}).errors, "--instruction needs a kernel"));
}

// Of one edge: also the numbers, and what it would cost otherwise or what is in the way.
TEST_F(Commands, explainsAnEdgeAndItsAlternative)
{
    const std::string program =
        write("rows.sw", "input x: f32[31, 2000]\ns = sum(x, axis = 1, keepdims = true)\noutput y = exp(x) - s\n");
    const std::string json = call({"explain", program, "--device", "llvm", "--json"}).output;
    EXPECT_TRUE(contains(json, "\"name\": \"rows\"")) << json;
    EXPECT_TRUE(contains(json, "\"limit\": \"fused from 32: ")) << json;
    const std::string all = call({"explain", program, "--device", "llvm"}).output;
    const std::size_t at = all.find(": apart by row");
    ASSERT_NE(at, std::string::npos) << all;
    const std::string line = all.substr(all.rfind('\n', at) + 1, at);
    const std::string edge = line.substr(0, line.find(' ')) + "," + line.substr(line.find("-> ") + 3, 3);
    const std::string one = call({"explain", program, "--device", "llvm", "--edge", edge.substr(0, edge.find(' '))}).output;
    for (const char *part : {"rows", "  with \"fuse s -> y\"\n    kernels: 2 -> 1, -50 %\n", "to override: fuse s -> y\n"})
        EXPECT_TRUE(contains(one, part)) << part << "\n" << one;
}

TEST_F(Commands, explainsDecisions)
{
    const Outcome outcome = call({"explain", m_file, "--device", "interpreter"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_TRUE(contains(outcome.output, "in one kernel")) << outcome.output;
    EXPECT_TRUE(contains(call({"explain", m_file, "--device", "interpreter", "--json"}).output, "\"fused\": true"));
    EXPECT_EQ(call({"explain", m_file, "--device", "interpreter", "--node", "%999"}).exitCode, ExitCode::Usage);
}

TEST_F(Commands, tellsUsageErrorsApart)
{
    for (const std::vector<std::string> &words : std::vector<std::vector<std::string>>{{},
                                                                                       {"dance"},
                                                                                       {"check"},
                                                                                       {"check", "a.sw", "b.sw"},
                                                                                       {"run", m_file, "--speed"},
                                                                                       {"run", m_file, "--threads", "0"},
                                                                                       {"run", m_file, "--input", "x"}})
        EXPECT_EQ(call(words).exitCode, ExitCode::Usage) << (words.empty() ? "" : words.front());
    EXPECT_EQ(call({"--help"}).exitCode, ExitCode::Success);
    for (const CommandInfo &command : allCommands())
        EXPECT_TRUE(contains(call({std::string(command.name), "--help"}).output, "usage: stepwellc"));
}

TEST_F(Commands, reportsADeviceThatIsNotHere)
{
    const Outcome outcome = call({"run", m_file, "--device", "abacus"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Unsupported);
    EXPECT_TRUE(contains(outcome.errors, "abacus"));
}

constexpr std::string_view kSharded = "input x: f32[5, 8]\n"
                                      "y = shard(x, [\"interpreter\", \"llvm\"]) + 1\n"
                                      "output sum(y, axis = 0)\n";

TEST_F(Commands, runsOnSeveralDevices)
{
    const std::string file = write("sharded.sw", kSharded);
    const Outcome outcome = call({"run", file, "--device", "interpreter"});
    ASSERT_EQ(outcome.exitCode, ExitCode::Success) << outcome.errors;
    EXPECT_TRUE(contains(outcome.output, " on llvm")) << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "copy ")) << outcome.output;
    EXPECT_TRUE(contains(call({"run", file, "--json"}).output, "\"device\": \"interpreter\""));
    EXPECT_TRUE(contains(call({"show", file, "--stage", "machine"}).output, " on llvm:"));
}

TEST_F(Commands, namesTheDevicesThereAre)
{
    const std::string file = write("placed.sw", "input x: f32[4]\noutput copy(x, \"cuda\")\noutput y = copy(x, \"llvm:7\")\n");
    const Outcome outcome = call({"run", file, "--device", "interpreter"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Unsupported);
    EXPECT_TRUE(contains(outcome.errors, "placed.sw:2:8: error: no device is called \"cuda\"; there are ")) << outcome.errors;
    EXPECT_TRUE(contains(outcome.errors, "placed.sw:3:12: error: there is no device \"llvm:7\"; the backend has llvm"))
        << outcome.errors;
    EXPECT_EQ(call({"check", file}).exitCode, ExitCode::Success); // for no device in particular
}

// Its transfers are not in the text, so it would not compute what it did.
TEST_F(Commands, doesNotRunLoweredTextOfSeveralDevices)
{
    const std::string file = write("sharded.sw", kSharded);
    const std::string lowered =
        write("sharded.lowered", call({"show", file, "--stage", "lowered", "--device", "interpreter"}).output);
    const Outcome outcome = call({"run", lowered, "--device", "interpreter"});
    EXPECT_NE(outcome.exitCode, ExitCode::Success);
    EXPECT_TRUE(contains(outcome.errors, "is of a program on several devices")) << outcome.errors;
}

TEST_F(Commands, reportsIndicesOutOfRange)
{
    const std::string file = write("gather.sw", "input x: f32[4]\nconst i: i32[3] = [0, 9, 2]\noutput gather(x, i, axis = 0)\n");
    const Outcome outcome = call({"run", file, "--device", "interpreter"});
    EXPECT_EQ(outcome.exitCode, ExitCode::Error);
    EXPECT_TRUE(contains(outcome.errors, "gather.sw:3:")) << outcome.errors;
    EXPECT_TRUE(contains(outcome.errors, "index 9")) << outcome.errors;
    EXPECT_TRUE(contains(outcome.errors, "size 4")) << outcome.errors;
}

} // namespace
} // namespace sw::command
