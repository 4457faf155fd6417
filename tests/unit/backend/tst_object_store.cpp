// Compiled kernels that are kept on disk: found by what they were made from, believed only when whole, bounded.

#include "engine/backend/llvm/ir_compiler.h"
#include "engine/backend/llvm/llvm_renderer.h"
#include "engine/backend/llvm/native_compiler.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/backend/backend_fixture.h"

#include <fstream>
#include <iterator>
#include <thread>

namespace sw::test {
namespace {

RenderedSource sourceOf(std::string symbol, std::string text)
{
    return {.kernel = KernelId(0U),
            .symbol = std::move(symbol),
            .language = TargetLanguage::Llvm,
            .text = std::move(text),
            .lines = {}};
}

Translation translationOf(std::string_view object, std::string log = {})
{
    Translation made{{}, std::move(log)};
    for (const char c : object)
        made.object.push_back(static_cast<std::byte>(c));
    return made;
}

class ObjectStoreTest : public testing::Test {
protected:
    [[nodiscard]] std::string bytes() const
    {
        std::ifstream file(m_store.fileOf(m_source), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void write(std::string_view bytes) const { std::ofstream(m_store.fileOf(m_source), std::ios::binary) << bytes; }
    [[nodiscard]] std::uint64_t bytesInFolder() const
    {
        std::uint64_t all = 0;
        for (const auto &file : std::filesystem::directory_iterator(m_where))
            all += file.file_size();
        return all;
    }

    TemporaryFolder m_folder;
    std::filesystem::path m_where = m_folder.path() / "made" / "when needed";
    ObjectStore m_store{m_where, "compiler 1"};
    RenderedSource m_source = sourceOf("k", "text");
    Translation m_made = translationOf(std::string("\0object\n", 8), "a warning");
};

TEST_F(ObjectStoreTest, findsWhatAnotherProcessKept)
{
    EXPECT_FALSE(m_store.find(m_source));
    m_store.keep(m_source, m_made.object, m_made.log);
    const auto found = ObjectStore(m_where, "compiler 1").find(m_source);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->object, m_made.object);
    EXPECT_EQ(found->log, m_made.log);
}

TEST_F(ObjectStoreTest, tellsTextsSymbolsAndCompilersApart)
{
    m_store.keep(m_source, m_made.object, m_made.log);
    EXPECT_FALSE(m_store.find(sourceOf("k", "text ")));
    EXPECT_FALSE(m_store.find(sourceOf("k2", "text")));
    EXPECT_FALSE(m_store.find(sourceOf("kt", "ext")));
    EXPECT_FALSE(ObjectStore(m_where, "compiler 2").find(m_source));
}

TEST_F(ObjectStoreTest, aDamagedFileIsNoneAndGoes)
{
    m_store.keep(m_source, m_made.object, m_made.log);
    const std::string whole = bytes();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        write(whole.substr(0, size));
        EXPECT_FALSE(m_store.find(m_source)) << "cut off after " << size << " bytes";
        EXPECT_FALSE(std::filesystem::exists(m_store.fileOf(m_source)));
    }
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        write(changed);
        EXPECT_FALSE(m_store.find(m_source)) << "byte " << at << " changed";
    }
    write(whole + "x");
    EXPECT_FALSE(m_store.find(m_source));
    m_store.keep(m_source, m_made.object, m_made.log);
    EXPECT_TRUE(m_store.find(m_source));
}

TEST_F(ObjectStoreTest, makesRoomForNewObjects)
{
    constexpr std::uint64_t kMost = 20'000;
    ObjectStore store(m_where, "compiler 1", kMost);
    const Translation large = translationOf(std::string(1000, 'x'));
    const auto used = sourceOf("k", "used again and again");
    store.keep(used, large.object, {});
    const auto now = std::filesystem::file_time_type::clock::now();
    for (int i = 0; i < 100; ++i) {
        const auto source = sourceOf("k", format("text {}", i));
        store.keep(source, large.object, {});
        std::filesystem::last_write_time(store.fileOf(source), now + std::chrono::seconds(i));
        ASSERT_TRUE(store.find(used)) << "after " << i;
        std::filesystem::last_write_time(store.fileOf(used), now + std::chrono::seconds(i + 1));
        EXPECT_LE(bytesInFolder(), kMost + kMost / 8);
    }
    EXPECT_FALSE(store.find(sourceOf("k", "text 0")));
    EXPECT_TRUE(store.find(sourceOf("k", "text 99")));
}

TEST_F(ObjectStoreTest, severalThreadsKeepAndFindTheSame)
{
    constexpr int kTexts = 20;
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([this] {
            ObjectStore store(m_where, "compiler 1", 4000); // so that they make room under each other's hands
            for (int round = 0; round < 10; ++round)
                for (int i = 0; i < kTexts; ++i) {
                    const std::string text = format("text {}", i);
                    const ObjectBytes object = translationOf(text + std::string(200, '.')).object;
                    store.keep(sourceOf("k", text), object, {});
                    const auto found = store.find(sourceOf("k", text));
                    EXPECT_TRUE(!found || found->object == object);
                }
        });
}

// What is compiled with a store by a translator that counts.
class StoredKernels : public ObjectStoreTest {
protected:
    StoredKernels() : m_llvm("llvm")
    {
        auto source = m_llvm.render(vectorBinaryKernel(Op::Add, DType::F32, 1024, 16, 256));
        SW_ASSERT(source.has_value(), "a kernel that renders");
        m_source = std::move(*source);
        auto ir = IrCompiler::create();
        SW_ASSERT(ir.has_value(), "a compiler");
        m_compiler = std::move(*ir);
    }

    // By a compiler that keeps its objects in the folder, or finds them there.
    [[nodiscard]] bool compiles(const std::filesystem::path &folder)
    {
        auto loader = CodeLoader::create();
        SW_ASSERT(loader.has_value(), "a loader");
        const auto translate = [this](const RenderedSource &wanted, std::stop_token) -> Result<Translation> {
            ++m_translated;
            if (m_isBroken)
                return translationOf("this is no object");
            SW_TRY(ObjectBytes object, m_compiler->compile(wanted.text, wanted.symbol));
            return Translation{std::move(object), {}};
        };
        NativeCompiler compiler(std::move(*loader), translate, std::string(kRangeSuffix), std::make_shared<KernelTable>(),
                                std::make_unique<ObjectStore>(folder, "compiler 1"));
        return compiler.compile({&m_source, 1}, {}).front().has_value();
    }

    OpenBackend m_llvm;
    std::unique_ptr<IrCompiler> m_compiler;
    bool m_isBroken = false;
    int m_translated = 0;
};

TEST_F(StoredKernels, areTranslatedOnce)
{
    EXPECT_TRUE(compiles(m_where));
    EXPECT_TRUE(compiles(m_where));
    EXPECT_EQ(m_translated, 1);
    write("damaged");
    EXPECT_TRUE(compiles(m_where));
    EXPECT_EQ(m_translated, 2);
}

TEST_F(StoredKernels, areKeptOnlyWhenTheyCanBeLoaded)
{
    m_isBroken = true;
    EXPECT_FALSE(compiles(m_where));
    EXPECT_FALSE(m_store.find(m_source));
    m_store.keep(m_source, m_made.object, m_made.log); // by somebody else
    m_isBroken = false;
    EXPECT_TRUE(compiles(m_where));
    EXPECT_EQ(m_translated, 2);
    EXPECT_TRUE(compiles(m_where));
    EXPECT_EQ(m_translated, 2);
}

TEST_F(StoredKernels, compileWhereNothingCanBeKept)
{
    const std::filesystem::path file = m_folder.path() / "a file";
    std::filesystem::create_directories(m_folder.path());
    std::ofstream(file) << "not a folder";
    EXPECT_TRUE(compiles(file));
    EXPECT_TRUE(compiles(file));
    EXPECT_EQ(m_translated, 2);
}

// The same kernel on a device that is opened anew, as by the next process.
class KeptKernelsOn : public testing::TestWithParam<const char *> {};

TEST_P(KeptKernelsOn, runAsBefore)
{
    const TemporaryFolder folder;
    BackendRegistry registry;
    addNativeBackends(registry, {}, folder.path());
    const auto found = registry.device(GetParam());
    if (!found)
        GTEST_SKIP() << toText(found.error());
    const LoweredKernel kernel = vectorBinaryKernel(Op::Add, DType::F32, 1024, 16, 256);
    const auto source = found->backend->renderer().render(kernel, found->device);
    ASSERT_TRUE(source) << toText(source.error());
    std::vector<std::vector<MachineInstruction>> code;
    for (int time = 0; time < 2; ++time) {
        auto opened = found->backend->open(found->device, {});
        ASSERT_TRUE(opened) << toText(opened.error());
        const auto artifacts = opened->compiler->compile({&*source, 1}, {});
        ASSERT_TRUE(artifacts.front()) << toText(artifacts.front().error());
        auto machine = opened->compiler->machineCode(artifacts.front()->id);
        ASSERT_TRUE(machine) << toText(machine.error());
        code.push_back(machine->instructions);
        EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator()), 1);
    }
    ASSERT_EQ(code[0].size(), code[1].size());
    for (std::size_t i = 0; i < code[0].size(); ++i) {
        EXPECT_EQ(code[0][i].text, code[1][i].text);
        EXPECT_EQ(code[0][i].sourceLine, code[1][i].sourceLine);
    }
}

INSTANTIATE_TEST_SUITE_P(All, KeptKernelsOn, testing::Values("llvm", "c"),
                         [](const auto &test) { return std::string(test.param); });

} // namespace
} // namespace sw::test
