// What is said about machine code, on the kernels of the examples: jumps, registers, copies, mnemonics, simulated loops, and the
// code of other processors.

#include "tests/golden/program_fixture.h"

#include "engine/api/describe.h"
#include "engine/api/machine_analysis.h"
#include "engine/api/machine_explanation.h"
#include "engine/api/machine_structure.h"
#include "engine/backend/machine/cross_targets.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

namespace sw::test {
namespace {

constexpr double kLocatedShare = 0.95;

class MachineCodeOf : public ProgramTest, public testing::WithParamInterface<std::filesystem::path> {
protected:
    // The machine code of every kernel of the example on a device.
    std::vector<MachineCode> codeOn(const std::string &device)
    {
        compilation = compiler.compile(requestFor(GetParam(), device), {});
        EXPECT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        std::vector<MachineCode> code;
        for (const MachineListing &listing : compiler.machineListings(compilation)) {
            EXPECT_TRUE(*listing) << toText(listing->error());
            code.push_back(**listing);
        }
        return code;
    }

    ProgramCompiler compiler{m_registry};
    Compilation compilation;
};

// The address at the end of a jump's text; nothing: it has none.
std::optional<std::uint64_t> addressIn(const std::string &text)
{
    const std::string jump = text.substr(0, text.find("  #"));
    const std::size_t at = jump.find("0x");
    if (at == std::string::npos)
        return std::nullopt;
    std::uint64_t value = 0;
    const char *end = jump.data() + jump.size();
    return std::from_chars(jump.data() + at + 2, end, value, 16).ptr == end ? std::optional(value) : std::nullopt;
}

TEST_P(MachineCodeOf, jumpsGoWhereTheTextSays)
{
    for (const char *device : {"llvm", "c"}) {
        for (const MachineCode &code : codeOn(device)) {
            for (const MachineInstruction &instruction : code) {
                const std::string_view mnemonic = mnemonicOf(instruction.text);
                const bool isJump = mnemonic.starts_with('j');
                ASSERT_EQ(instruction.hasTarget(), isJump) << instruction.text;
                if (!isJump)
                    continue;
                EXPECT_EQ(instruction.flow == MachineFlow::Jump, mnemonic == "jmp") << instruction.text;
                EXPECT_EQ(addressIn(instruction.text), instruction.target) << instruction.text;
                EXPECT_LT(indexAt(code.instructions, instruction.target), code.size()) << instruction.text;
            }
        }
    }
}

// Register by register: goes backwards from each place that reads it, until a place that writes it.
std::vector<std::set<std::uint16_t>> slowLiveness(const MachineCode &code)
{
    const auto successors = successorsOf(code.instructions);
    std::vector<std::vector<std::uint32_t>> before(code.size());
    for (std::uint32_t i = 0; i < code.size(); ++i)
        for (const std::uint32_t to : successors[i])
            before[to].push_back(i);
    std::vector<std::set<std::uint16_t>> live(code.size()); // after each instruction
    for (std::uint16_t unit = 0; unit < code.units.size(); ++unit) {
        std::vector<std::uint32_t> waiting; // it is live before these
        for (std::uint32_t i = 0; i < code.size(); ++i)
            if (std::ranges::find(code.instructions[i].reads, unit) != code.instructions[i].reads.end())
                waiting.push_back(i);
        while (!waiting.empty()) {
            const std::uint32_t at = waiting.back();
            waiting.pop_back();
            for (const std::uint32_t from : before[at]) {
                const std::vector<std::uint16_t> &writes = code.instructions[from].writes;
                const bool isWritten = std::ranges::find(writes, unit) != writes.end();
                if (live[from].insert(unit).second && !isWritten)
                    waiting.push_back(from);
            }
        }
    }
    return live;
}

TEST_P(MachineCodeOf, registersInUseAreThoseOfASlowSearch)
{
    for (const char *device : {"llvm", "c"}) {
        for (const MachineCode &code : codeOn(device)) {
            const Liveness liveness = livenessOf(code);
            std::vector<std::set<std::uint16_t>> slow = slowLiveness(code);
            for (std::uint32_t i = 0; i < code.size(); ++i) {
                slow[i].insert(code.instructions[i].writes.begin(), code.instructions[i].writes.end());
                std::array<std::set<std::uint16_t>, kRegisterKinds> registers;
                for (const std::uint16_t unit : slow[i])
                    registers[static_cast<std::size_t>(code.units[unit].kind)].insert(code.units[unit].whole);
                for (std::size_t kind = 0; kind < kRegisterKinds; ++kind)
                    ASSERT_EQ(liveness.live[i][kind], registers[kind].size())
                        << code.instructions[i].text << ", " << nameOf(static_cast<RegisterKind>(kind));
            }
            for (const RegisterFile &file : code.registers) // no kernel uses more than there are
                EXPECT_LE(liveness.peakOf(file.kind), file.count) << file.name;
        }
    }
}

// The text without what copies may differ in: registers, numbers between brackets, and the names that these stand for.
std::string shapeOf(const std::string &whole)
{
    const std::string text = whole.substr(0, whole.find("  #"));
    std::string shape;
    bool isAddress = false;
    for (std::size_t i = 0; i < text.size();) {
        if (std::isalnum(static_cast<unsigned char>(text[i])) == 0) {
            isAddress = text[i] == '[' || (isAddress && text[i] != ']');
            shape += isAddress && (text[i] == '+' || text[i] == '-' || text[i] == ' ') ? std::string() : std::string(1, text[i]);
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0)
            ++end;
        const std::string word = text.substr(i, end - i);
        const bool isNumber = std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
        const bool isScale = isNumber && end < text.size() && text[end] == '*';
        const bool isNamed = isAddress && word.size() == 3 && word.front() == 'r'; // rax, rsi
        const bool isRegister = i > 0 && !isNumber && (isNamed || std::isdigit(static_cast<unsigned char>(word.back())) != 0);
        if (isScale || (!isNumber && !isRegister) || (isNumber && !isAddress))
            shape += word;
        i = end;
    }
    return shape;
}

TEST_P(MachineCodeOf, copiesAreEqualButForRegistersAndDisplacements)
{
    for (const MachineCode &code : codeOn("llvm")) {
        std::set<std::uint64_t> targets;
        for (const MachineInstruction &instruction : code)
            if (instruction.hasTarget())
                targets.insert(instruction.target);
        std::uint32_t end = 0;
        for (const MachineCopies &copies : machineCopies(code)) {
            EXPECT_GE(copies.first, end); // they do not overlap
            end = copies.first + copies.length * copies.count;
            ASSERT_LE(end, code.size());
            EXPECT_GE(copies.count, 2U);
            for (std::uint32_t i = copies.first; i < end; ++i) {
                const MachineInstruction &one = code.instructions[copies.first + (i - copies.first) % copies.length];
                const MachineInstruction &other = code.instructions[i];
                EXPECT_EQ(mnemonicOf(one.text), mnemonicOf(other.text));
                if (one.text.find("zmm") != std::string::npos && one.text.find('{') == std::string::npos) {
                    EXPECT_EQ(shapeOf(one.text), shapeOf(other.text)) << one.text << " / " << other.text;
                }
                EXPECT_EQ(other.flow, MachineFlow::Next);
                if (i > copies.first) {
                    EXPECT_FALSE(targets.contains(other.address)) << "a jump leads into a copy";
                }
            }
        }
    }
}

TEST_P(MachineCodeOf, everyMnemonicHasAText)
{
    for (const char *device : {"llvm", "c"})
        for (const MachineCode &code : codeOn(device))
            for (const MachineInstruction &instruction : code)
                EXPECT_FALSE(mnemonicText(mnemonicOf(instruction.text)).empty()) << instruction.text;
}

// Every line of the document belongs to its instruction, and the structure speaks of lines that are there.
TEST_P(MachineCodeOf, structureIsThatOfTheLines)
{
    static_cast<void>(codeOn("llvm"));
    const StageDocumentPtr document =
        describeMachine(*compilation.lowered, *compilation.code, compiler.machineListings(compilation));
    ASSERT_NE(document->machine, nullptr);
    const MachineStructure &structure = *document->machine;
    ASSERT_EQ(structure.lines.size(), document->lines.size());
    EXPECT_EQ(structure.kernels.size(), compilation.lowered->kernels.size());
    EXPECT_EQ(structure.byHeat.size(), structure.loops.size());
    for (const MachineJump &jump : structure.jumps) {
        const std::optional<std::uint64_t> target = addressIn(document->lines[jump.from].text);
        ASSERT_TRUE(target);
        EXPECT_TRUE(document->lines[jump.to].text.starts_with(format("{:6x}  ", *target)));
        EXPECT_LT(jump.lane, structure.lanes);
    }
    for (const MachineLoopLines &loop : structure.loops) {
        EXPECT_LE(loop.first, loop.header);
        EXPECT_LE(loop.header, loop.last);
        // Where the compiler turned the loop, its end falls into the header, and the way back leads to another of its lines.
        EXPECT_TRUE(std::ranges::any_of(structure.jumps, [&](const MachineJump &jump) {
            return loop.first <= jump.to && jump.to <= jump.from && jump.from <= loop.last;
        })) << loop.summary;
    }
}

INSTANTIATE_TEST_SUITE_P(All, MachineCodeOf, testing::ValuesIn(exampleFiles()),
                         [](const auto &test) { return parameterName(test.param); });

using MachineCodeProgram = ProgramTest;

// The hot loop of a matrix product, given to LLVM's own program.
TEST_F(MachineCodeProgram, loopsTakeAsLongAsTheAnalysersProgramSays)
{
    const std::filesystem::path program = "/usr/bin/llvm-mca-22";
    if (!std::filesystem::exists(program))
        GTEST_SKIP() << "there is no " << program;
    ProgramCompiler compiler(m_registry);
    const Compilation compilation = compiler.compile(requestFor(sourceFolder() / "resources/examples/matmul.sw", "llvm"), {});
    ASSERT_TRUE(compilation.succeeded);
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder.path());
    std::size_t compared = 0;
    for (const std::string target : {"haswell", "sapphirerapids", "znver4"}) {
        for (const MachineListing &listing : compiler.machineListings(compilation, {}, target)) {
            ASSERT_TRUE(*listing) << toText(listing->error());
            for (const Throughput &throughput : (*listing)->throughputs) {
                ASSERT_EQ(throughput.problem, "");
                const std::filesystem::path text = folder.path() / "loop.s";
                std::ofstream file(text);
                file << "here:\n";
                for (std::uint32_t i = throughput.first; i <= throughput.last; ++i) {
                    const MachineInstruction &one = (*listing)->instructions[i];
                    file << (one.hasTarget() ? std::string(mnemonicOf(one.text)) + " here" : one.text) << '\n';
                }
                file.close();
                const std::filesystem::path out = folder.path() / "loop.txt";
                const std::string command = format(
                    "{} -mtriple=x86_64-unknown-linux-gnu -mcpu={} -x86-asm-syntax=intel -iterations={} {} > {} 2>/dev/null",
                    program.string(), target, throughput.rounds, text.string(), out.string());
                ASSERT_EQ(std::system(command.c_str()), 0) << command; // NOLINT(concurrency-mt-unsafe)
                std::stringstream answer;
                answer << std::ifstream(out).rdbuf();
                const std::string said = answer.str();
                const auto number = [&](const std::string &name) {
                    return std::stod(said.substr(said.find(name) + name.size()));
                };
                EXPECT_EQ(number("Total Cycles:"), std::round(throughput.cycles * throughput.rounds)) << target;
                EXPECT_EQ(number("Total uOps:"), std::round(throughput.microOps * throughput.rounds)) << target;
                ++compared;
            }
        }
    }
    EXPECT_GE(compared, 3U);
}

class CrossCodeOf : public ProgramTest, public testing::WithParamInterface<CrossTarget> {};

TEST_P(CrossCodeOf, examplesHaveCodeWithOrigins)
{
    const std::string target(GetParam().name);
    ProgramCompiler compiler(m_registry);
    std::size_t known = 0;
    std::size_t all = 0;
    for (const std::filesystem::path &file : exampleFiles()) {
        SCOPED_TRACE(file.filename().string());
        const Compilation compilation = compiler.compile(requestFor(file, "llvm", CompileUntil::Code), {});
        ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        const std::vector<MachineListing> listings = compiler.machineListings(compilation, {}, target);
        for (const MachineListing &listing : listings) {
            if (!*listing && listing->error().front().message.find("was built without") != std::string::npos)
                GTEST_SKIP() << toText(listing->error());
            // One example places kernels on other devices, too.
            if (!*listing && listing->error().front().message.find("only the device llvm") != std::string::npos)
                continue;
            ASSERT_TRUE(*listing) << toText(listing->error());
            ASSERT_FALSE((*listing)->empty());
        }
        const StageDocumentPtr document = describeMachine(*compilation.lowered, *compilation.code, listings);
        for (const DocumentItem &item : document->items) {
            ++all;
            known += std::ranges::find(item.tags, nameOf(CodeTag::Compiler)) == item.tags.end() ? 1U : 0U;
            EXPECT_FALSE(item.sources.empty()) << item.detail;
        }
    }
    EXPECT_GE(static_cast<double>(known), kLocatedShare * static_cast<double>(all)) << known << " of " << all;
}

std::string targetName(const testing::TestParamInfo<CrossTarget> &test)
{
    std::string name(test.param.name);
    std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(All, CrossCodeOf, testing::ValuesIn(crossTargets().begin(), crossTargets().end()), targetName);

} // namespace
} // namespace sw::test
