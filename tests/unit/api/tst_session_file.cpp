// Session files: saved and opened they are equal, an interrupted save leaves the old or the new one whole, and files of a hostile
// author are refused with a sentence.

#include "engine/api/explorer.h"
#include "engine/api/report_data.h"
#include "engine/api/resources.h"
#include "engine/api/session_file/session_file.h"
#include "engine/api/session_file/zip_archive.h"
#include "engine/backend/native_backends.h"
#include "engine/base/sha256.h"
#include "tests/support/equal_documents.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <numeric>
#include <random>

namespace sw {
namespace {

using test::TemporaryFolder;

SessionContents contentsOf(const std::string &path)
{
    BackendRegistry registry;
    addNativeBackends(registry);
    Explorer explorer(registry, findResourceFolder());
    ExploreRequest request;
    request.fileName = path;
    request.isFile = true;
    request.device = "c";
    const ReportPtr compiled = explorer.compile(request, {}, {});
    std::vector<std::uint32_t> kernels(compiled->kernels.size());
    std::iota(kernels.begin(), kernels.end(), 0U);
    static_cast<void>(explorer.readMachineCode(kernels, {}));
    const ReportPtr ran = explorer.run({.repeats = 1}, {});
    SessionContents contents;
    contents.fileName = std::filesystem::path(path).filename().string();
    contents.program = "the text";
    contents.programDigest = hexText(sha256Of(*contents.program));
    contents.programBytes = contents.program->size();
    contents.device = "c";
    contents.overrides = "apart a -> b\n";
    contents.fuse = false;
    contents.tensorInstructions = false;
    contents.winograd = false;
    contents.layouts = false;
    contents.tunings = false;
    contents.threads = 3;
    contents.inputs.seed = ~std::uint64_t{0};
    contents.inputs.dimensions = {{"n", 7}};
    contents.openDimensions = {{"batch", {1, 16}}};
    InputChoice tensor{.name = "x", .fill = InputFill::Tensor};
    tensor.tensor = std::make_shared<const TensorView>("x", HostTensor::ofValues(DType::F32, Shape({2}), std::vector{1.5, -2.0}));
    contents.inputs.inputs = {tensor, {.name = "w", .fill = InputFill::Normal, .seed = 9, .first = -0.5, .second = 2}};
    contents.inputs.inputs.back().changes = {{{1, 2}, "nan"}};
    contents.report = ran ? *ran : *compiled;
    for (std::uint32_t pass = 0; pass < contents.report.passes.size(); ++pass)
        contents.rewrites.push_back({pass, explorer.rewrites(pass, 0, 5, {})});
    contents.machine = "2 processors";
    contents.savedBy = "test";
    contents.savedAt = "2026-11-22T00:00:00Z";
    contents.watched = {"softmax/exp"};
    contents.notes = {{StageKind::Graph, 3, "exp", "why here? \xC3\xA4"}, {std::nullopt, kNoIndex, "", "of the program"}};
    contents.bookmarks = {{"before fusion", {2, kNoIndex}}, {"third rewrite", {1, 3}}};
    contents.layout = std::string("\0\1binary", 8);
    contents.view = {StageKind::Schedule, {2, 0}, MomentPlace{1, kNoIndex}, "teach", {"x"}, {"output"}, {}};
    KeptBaseline baseline;
    baseline.name = "before \xC3\xA4";
    baseline.fileName = "old.sw";
    baseline.program = "an old text\n";
    baseline.device = "llvm";
    baseline.overrides = "apart a -> b\n";
    baseline.optimize = false;
    baseline.tunings = false;
    contents.view.baseline = baseline;
    return contents;
}

void expectEqual(const SessionContents &a, const SessionContents &b)
{
    EXPECT_EQ(firstDifference(a.report, b.report), "");
    EXPECT_EQ(a.fileName, b.fileName);
    EXPECT_EQ(a.program, b.program);
    EXPECT_EQ(a.device + a.overrides + a.machine + a.savedBy + a.savedAt,
              b.device + b.overrides + b.machine + b.savedBy + b.savedAt);
    EXPECT_EQ(static_cast<const CompileSwitches &>(a), b);
    EXPECT_TRUE(a.threads == b.threads && a.repeats == b.repeats);
    EXPECT_EQ(a.dimensions, b.dimensions);
    EXPECT_EQ(a.openDimensions, b.openDimensions);
    EXPECT_EQ(a.inputs.seed, b.inputs.seed);
    EXPECT_EQ(a.inputs.dimensions, b.inputs.dimensions);
    ASSERT_EQ(a.inputs.inputs.size(), b.inputs.inputs.size());
    for (std::size_t i = 0; i < a.inputs.inputs.size(); ++i) {
        InputChoice one = a.inputs.inputs[i];
        InputChoice other = b.inputs.inputs[i];
        ASSERT_EQ(one.tensor == nullptr, other.tensor == nullptr);
        if (one.tensor != nullptr)
            EXPECT_TRUE(std::ranges::equal(one.tensor->texts(0, 99, ValueFormat::Hexadecimal),
                                           other.tensor->texts(0, 99, ValueFormat::Hexadecimal)));
        one.tensor = other.tensor = nullptr;
        EXPECT_EQ(one, other);
    }
    ASSERT_EQ(a.report.outputs.size(), b.report.outputs.size());
    for (std::size_t i = 0; i < a.report.outputs.size(); ++i) {
        const TensorView &one = *a.report.outputs[i];
        const TensorView &other = *b.report.outputs[i];
        EXPECT_EQ(one.name() + one.type(), other.name() + other.type());
        EXPECT_EQ(one.texts(0, one.elements(), ValueFormat::Hexadecimal),
                  other.texts(0, other.elements(), ValueFormat::Hexadecimal));
    }
    ASSERT_EQ(a.rewrites.size(), b.rewrites.size());
    for (std::size_t i = 0; i < a.rewrites.size(); ++i) {
        ASSERT_EQ(a.rewrites[i].rewrites.size(), b.rewrites[i].rewrites.size());
        for (std::size_t k = 0; k < a.rewrites[i].rewrites.size(); ++k) {
            const RewriteEntry &one = a.rewrites[i].rewrites[k];
            const RewriteEntry &other = b.rewrites[i].rewrites[k];
            EXPECT_EQ(one.rule + one.doc + one.detail, other.rule + other.doc + other.detail);
            EXPECT_TRUE(one.kernel == other.kernel && one.before == other.before && one.after == other.after);
        }
    }
    EXPECT_EQ(a.watched, b.watched);
    EXPECT_EQ(a.notes, b.notes);
    EXPECT_EQ(a.bookmarks, b.bookmarks);
    EXPECT_EQ(a.layout, b.layout);
    EXPECT_EQ(a.view, b.view);
}

std::string errorOf(std::string_view bytes)
{
    const Result<SessionContents> read = unpackSession(bytes, "x.stepwell");
    return read ? "" : toText(read.error().front());
}

const SessionContents &softmaxSession()
{
    static const SessionContents kContents = contentsOf(findResourceFolder() + "/examples/softmax.sw");
    return kContents;
}

const std::string &softmaxBytes()
{
    static const std::string kBytes = packSession(softmaxSession()).value();
    return kBytes;
}

TEST(SessionFile, ofEveryExampleOpensEqual)
{
    BackendRegistry registry;
    const Explorer explorer(registry, findResourceFolder());
    const TemporaryFolder folder;
    for (const ExampleEntry &example : explorer.examples()) {
        const SessionContents contents = contentsOf(example.path);
        std::filesystem::create_directories(folder.path());
        const std::filesystem::path file = folder.path() / "a.stepwell";
        ASSERT_TRUE(saveSession(contents, file, Durability::Cached));
        const Result<SessionContents> again = openSession(file);
        ASSERT_TRUE(again) << example.path << ": " << toText(again.error());
        expectEqual(contents, *again);
    }
}

TEST(SessionFile, hasEqualBytesForEqualContents)
{
    EXPECT_EQ(packSession(softmaxSession()).value(), softmaxBytes());
    EXPECT_EQ(packSession(unpackSession(softmaxBytes(), "x").value()).value(), softmaxBytes());
}

// As magic numbers of file types want it: what the file is stands in its first bytes.
TEST(SessionFile, beginsWithItsType)
{
    EXPECT_EQ(softmaxBytes().substr(30, 8), "mimetype");
    EXPECT_EQ(softmaxBytes().substr(38, kSessionType.size()), kSessionType);
}

TEST(SessionFile, withoutItsProgramStillOpens)
{
    SessionContents contents = softmaxSession();
    contents.program.reset();
    const Result<SessionContents> again = unpackSession(packSession(contents).value(), "x");
    ASSERT_TRUE(again) << toText(again.error());
    EXPECT_FALSE(again->program);
    EXPECT_EQ(again->programDigest, contents.programDigest);
}

// Version 1 had no view; all else that it had is the same.
TEST(SessionFile, ofTheFirstVersionOpensWithoutAView)
{
    std::vector<ZipEntry> entries = entriesOf(softmaxBytes(), "x").value();
    std::string &json = std::ranges::find(entries, "session.json", &ZipEntry::name)->bytes;
    const std::size_t version = json.find("\"version\": 7");
    ASSERT_NE(version, std::string::npos);
    json.replace(version, 12, "\"version\": 1");
    const std::size_t view = json.find(",\n  \"view\"");
    ASSERT_NE(view, std::string::npos);
    json.replace(view, std::string::npos, "\n}\n");
    const Result<SessionContents> old = unpackSession(zipOf(entries).value(), "x");
    ASSERT_TRUE(old) << toText(old.error());
    SessionContents expected = softmaxSession();
    expected.view = {};
    expectEqual(expected, *old);
}

// ---- saving is all or nothing

// Counts the calls, and before call `stopAt` does what `stop` does; it may give back an error number for the call to fail with.
FileCalls interrupted(int &count, int stopAt, const std::function<int()> &stop)
{
    const FileCalls &system = systemFileCalls();
    const auto fails = [&count, stopAt, stop] {
        if (++count != stopAt)
            return false;
        errno = stop();
        return true;
    };
    return {
        [=](const char *name, int flags, unsigned mode) { return fails() ? -1 : system.open(name, flags, mode); },
        // In small pieces, as a slow disk takes them: there are many places to stop at.
        [=](int file, const void *bytes, std::size_t size) {
            return fails() ? std::ptrdiff_t{-1} : system.write(file, bytes, std::min<std::size_t>(size, 4096));
        },
        [=](int file) { return fails() ? -1 : system.sync(file); },
        [=](int file) { return fails() ? (system.close(file), -1) : system.close(file); },
        [=](const char *from, const char *to) { return fails() ? -1 : system.rename(from, to); },
    };
}

std::string contentsOfFile(const std::filesystem::path &file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

class InterruptedSave : public testing::Test {
protected:
    InterruptedSave()
    {
        std::filesystem::create_directories(m_folder.path());
        std::ofstream(m_file, std::ios::binary) << m_old;
        int count = 0;
        std::filesystem::copy(m_file, m_folder.path() / "copy.stepwell");
        EXPECT_TRUE(saveSession(softmaxSession(), m_folder.path() / "copy.stepwell", Durability::Synced,
                                interrupted(count, -1, [] { return 0; })));
        m_calls = count;
    }

    TemporaryFolder m_folder;
    std::filesystem::path m_file = m_folder.path() / "a.stepwell";
    std::string m_old = "the session of yesterday";
    int m_calls = 0; // of a save
};

TEST_F(InterruptedSave, onAFullDiskLeavesTheOldFile)
{
    ASSERT_GT(m_calls, 10);
    for (int stopAt = 1; stopAt <= m_calls; ++stopAt) {
        int count = 0;
        const Result<Done> saved =
            saveSession(softmaxSession(), m_file, Durability::Synced, interrupted(count, stopAt, [] { return ENOSPC; }));
        if (saved) { // only the folder's entry was not made durable: the new file is there
            EXPECT_EQ(stopAt, m_calls);
            EXPECT_EQ(contentsOfFile(m_file), softmaxBytes());
            continue;
        }
        EXPECT_NE(saved.error().front().message.find(std::strerror(ENOSPC)), std::string::npos) << stopAt;
        EXPECT_EQ(contentsOfFile(m_file), m_old) << stopAt;
        // And nothing else is left beside it.
        for (const auto &entry : std::filesystem::directory_iterator(m_folder.path()))
            EXPECT_EQ(entry.path().extension(), ".stepwell") << stopAt;
    }
}

TEST_F(InterruptedSave, byTheEndOfTheProcessLeavesOneOfThemWhole)
{
    (void)softmaxBytes();
    int fresh = 0;
    for (int stopAt = 1; stopAt <= m_calls; ++stopAt) {
        std::ofstream(m_file, std::ios::binary) << m_old;
        const pid_t child = ::fork();
        if (child == 0) {
            int count = 0;
            (void)saveSession(softmaxSession(), m_file, Durability::Synced,
                              interrupted(count, stopAt, []() -> int { ::_exit(0); }));
            ::_exit(0);
        }
        ASSERT_EQ(::waitpid(child, nullptr, 0), child);
        const std::string found = contentsOfFile(m_file);
        fresh += found == softmaxBytes() ? 1 : 0;
        EXPECT_TRUE(found == m_old || found == softmaxBytes()) << "stopped at call " << stopAt;
    }
    EXPECT_GE(fresh, 1); // after the new name was given
    EXPECT_LT(fresh, m_calls / 2);
}

// ---- files of a hostile author

std::string zipWith(const std::vector<ZipEntry> &more)
{
    std::vector<ZipEntry> entries = entriesOf(softmaxBytes(), "x").value();
    entries.insert(entries.end(), more.begin(), more.end());
    return zipOf(entries).value();
}

// Changes the text of an entry.
std::string changed(std::string_view entry, std::string_view from, std::string_view to)
{
    std::vector<ZipEntry> entries = entriesOf(softmaxBytes(), "x").value();
    const auto found = std::ranges::find(entries, entry, &ZipEntry::name);
    const std::size_t at = found->bytes.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    found->bytes.replace(at, from.size(), to);
    return zipOf(entries).value();
}

TEST(HostileSession, withNamesThatClimbIsRefused)
{
    for (const char *name : {"../x", "a/../../x", "/etc/passwd", "a\\b", "C:x", "a//b", "./a", "folder/"})
        EXPECT_NE(errorOf(zipWith({{name, "x"}})).find("its name"), std::string::npos) << name;
}

// The library writes no name twice, so one is made by changing the bytes of another.
TEST(HostileSession, withANameTwiceIsRefused)
{
    std::string bytes = zipWith({{"twin1", "x"}, {"twin2", "y"}});
    for (std::size_t at; (at = bytes.find("twin2")) != std::string::npos;)
        bytes.replace(at, 5, "twin1");
    EXPECT_NE(errorOf(bytes).find("is not a whole archive: File already exists"), std::string::npos) << errorOf(bytes);
}

TEST(HostileSession, thatIsABombIsRefused)
{
    const std::string bytes = zipWith({{"zeros", std::string(std::size_t{64} << 20, '\0')}});
    ASSERT_LT(bytes.size(), std::size_t{1} << 20);
    EXPECT_NE(errorOf(bytes).find("67108864 bytes became"), std::string::npos) << errorOf(bytes);
    ZipLimits limits;
    limits.allBytes = 1000;
    const auto read = entriesOf(softmaxBytes(), "x", limits);
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().front().message.find("more than 1000 bytes"), std::string::npos);
}

// The directory at the end of the archive says how large an entry is: 46 bytes of it before the name, the size at byte 24.
TEST(HostileSession, withForgedSizesIsRefused)
{
    for (const std::uint32_t size : {0U, 5U, 0x0FFFFFFFU}) {
        std::string bytes = softmaxBytes();
        const std::size_t directory = bytes.rfind("session.json") - 46;
        ASSERT_EQ(bytes.substr(directory, 4), "PK\1\2");
        std::memcpy(bytes.data() + directory + 24, &size, 4);
        EXPECT_NE(errorOf(bytes), "") << size;
        // And in both places where it is said.
        const std::size_t local = bytes.find("session.json") - 30;
        std::memcpy(bytes.data() + local + 22, &size, 4);
        EXPECT_NE(errorOf(bytes), "") << size;
    }
}

TEST(HostileSession, withAWrongChecksumIsRefused)
{
    std::string bytes = softmaxBytes();
    for (const std::size_t place : {bytes.rfind("session.json") - 46 + 16, bytes.find("session.json") - 30 + 14})
        bytes[place] = static_cast<char>(bytes[place] ^ 1);
    EXPECT_NE(errorOf(bytes).find("CRC"), std::string::npos) << errorOf(bytes);
}

TEST(HostileSession, thatIsCutOffIsRefused)
{
    const std::string &bytes = softmaxBytes();
    for (std::size_t size = 0; size < bytes.size(); size += std::max<std::size_t>(1, bytes.size() / 300))
        EXPECT_NE(errorOf(std::string_view(bytes).substr(0, size)), "") << size;
}

TEST(HostileSession, ofANewerVersionIsRefusedWithASentence)
{
    EXPECT_EQ(errorOf(changed("session.json", "\"version\": 7", "\"version\": 8")),
              "x.stepwell: error: x.stepwell is a session of version 8, and this Stepwell reads up to 7 [unsupported]\n"
              "x.stepwell: hint: open it with a newer Stepwell\n");
}

// Version 2 had none of them.
TEST(HostileSession, withoutTheNewerSwitchesHasThemOn)
{
    const Result<SessionContents> read = unpackSession(changed("session.json",
                                                               "    \"tensor_instructions\": false,\n    \"winograd\": false,\n  "
                                                               "  \"layouts\": false,\n    \"tunings\": false,\n    \"threads\"",
                                                               "    \"threads\""),
                                                       "x");
    ASSERT_TRUE(read) << toText(read.error());
    EXPECT_TRUE(read->tensorInstructions && read->winograd && read->layouts && read->tunings);
    EXPECT_FALSE(read->fuse);
}

TEST(HostileSession, withDeepNestingIsRefused)
{
    EXPECT_NE(errorOf(changed("report.json", "[", std::string(500'000, '['))).find("nested deeper"), std::string::npos);
}

TEST(HostileSession, withOtherPartsThanItSaysIsRefused)
{
    EXPECT_NE(errorOf(changed("program", "the text", "my text!")).find("its program is not the one"), std::string::npos);
    EXPECT_NE(errorOf(changed("session.json", "\"name\": \"softmax.sw\"", "\"name\": \"../softmax.sw\""))
                  .find("not the name of a file"),
              std::string::npos);
    EXPECT_NE(errorOf(changed("session.json", "\"fill\": \"normal\"", "\"fill\": \"gold\"")).find("no way \"gold\""),
              std::string::npos);
    EXPECT_NE(errorOf(changed("session.json", "\"selected_stage\": \"schedule\"", "\"selected_stage\": \"cellar\""))
                  .find("is none of the stages"),
              std::string::npos);
    EXPECT_NE(errorOf(changed("session.json", "\"pass\": 1,\n    \"rewrites\": -1", "\"pass\": -2,\n    \"rewrites\": -1"))
                  .find("pass"),
              std::string::npos);
    EXPECT_NE(errorOf(changed("mimetype", "stepwell", "elsewise")).find("is not a session"), std::string::npos);
    EXPECT_NE(errorOf(""), "");
    EXPECT_NE(errorOf("PK"), "");
}

// Bytes changed anywhere: refused, or, where nothing depends on them, opened as it was.
TEST(HostileSession, withBytesChangedIsRefusedOrEqual)
{
    std::mt19937 random(3);
    int refused = 0;
    constexpr int kTrials = 1500;
    for (int i = 0; i < kTrials; ++i) {
        std::string bytes = softmaxBytes();
        for (std::uint32_t k = random() % 4 + 1; k > 0; --k)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        const Result<SessionContents> read = unpackSession(bytes, "x");
        refused += read ? 0 : 1;
        if (read)
            EXPECT_EQ(firstDifference(read->report, softmaxSession().report), "");
    }
    EXPECT_GT(refused, kTrials * 9 / 10);
}

} // namespace
} // namespace sw
