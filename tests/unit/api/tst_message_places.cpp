// A message's place belongs to its file: what stands in the library is told from what stands in the program.

#include "engine/api/explorer.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw {
namespace {

class MessagePlaces : public testing::Test {
protected:
    MessagePlaces() { addNativeBackends(m_registry); }

    ReportPtr compile(std::string text)
    {
        ExploreRequest request;
        request.fileName = "folder/test.sw";
        request.text = std::move(text);
        request.device = "interpreter";
        return m_explorer.compile(request, {}, {});
    }

    BackendRegistry m_registry;
    Explorer m_explorer{m_registry, findResourceFolder()};
};

constexpr const char *kFailsInLibrary = "input x: f32[4]\n"
                                        "def normalise(v):\n"
                                        "    return layer_norm(v, ones([3]))\n"
                                        "output normalise(x)\n";

TEST_F(MessagePlaces, aNoteInTheLibraryNamesItsFileAndTheCall)
{
    const ReportPtr report = compile(kFailsInLibrary);
    ASSERT_NE(report, nullptr);
    ASSERT_EQ(report->messages.size(), 3U);
    const Message &error = report->messages[0];
    EXPECT_TRUE(error.isInProgram);
    EXPECT_EQ(error.file, "folder/test.sw");
    EXPECT_EQ(error.line, 3U);
    EXPECT_EQ(error.call.line, 0U);
    const Message &inLibrary = report->messages[1];
    EXPECT_FALSE(inLibrary.isInProgram);
    EXPECT_EQ(inLibrary.severity, MessageSeverity::Note);
    EXPECT_EQ(inLibrary.file, "library/layer_norm.sw");
    EXPECT_EQ(inLibrary.call.line, 3U);
    EXPECT_EQ(inLibrary.call.column, error.column);
    EXPECT_EQ(inLibrary.call.endColumn, error.endColumn);
    const Message &caller = report->messages[2];
    EXPECT_TRUE(caller.isInProgram);
    EXPECT_EQ(caller.line, 4U);
}

TEST_F(MessagePlaces, faultsOfARunLeadToTheLineOfTheLibrary)
{
    const ReportPtr compiled = compile("input table: f32[3, 2]\nconst ids: i32[1] = [7]\noutput embedding(table, ids)\n");
    ASSERT_TRUE(compiled->succeeded);
    const ReportPtr report = m_explorer.run({}, {});
    ASSERT_NE(report, nullptr);
    ASSERT_GE(report->messages.size(), 2U);
    EXPECT_EQ(report->messages[0].code, "index-out-of-range");
    EXPECT_TRUE(report->messages[0].isInProgram);
    EXPECT_EQ(report->messages[0].line, 3U);
    EXPECT_FALSE(report->messages[1].isInProgram);
    EXPECT_EQ(report->messages[1].file, "library/embedding.sw");
    EXPECT_EQ(report->messages[1].call.line, 3U);
}

TEST_F(MessagePlaces, theTextOfALibraryFileIsFoundByItsName)
{
    const ReportPtr report = compile(kFailsInLibrary);
    const Message &message = report->messages.at(1);
    const std::string text = m_explorer.libraryText(message.file);
    std::size_t begin = 0;
    for (std::uint32_t line = 1; line < message.line; ++line)
        begin = text.find('\n', begin) + 1;
    EXPECT_EQ(text.substr(begin + message.column - 1, message.endColumn - message.column), "y * weight");
    for (const std::string_view none : {"folder/test.sw", "library/nothing.sw", "library/../examples/mlp.sw", "softmax", ""})
        EXPECT_EQ(m_explorer.libraryText(none), "") << none;
    const std::vector<ExampleEntry> functions = m_explorer.library();
    EXPECT_TRUE(std::ranges::any_of(functions, [](const ExampleEntry &entry) { return entry.name == "softmax"; }));
    for (const ExampleEntry &entry : functions) {
        EXPECT_FALSE(entry.summary.empty()) << entry.name;
        EXPECT_FALSE(m_explorer.libraryText("library/" + entry.name + ".sw").empty()) << entry.name;
    }
    EXPECT_TRUE(m_explorer.libraryText("library/onnx/trilu.sw").starts_with("# ")) << "one that an operator is made of";
}

TEST_F(MessagePlaces, nodesOfLibraryFunctionsSayTheirLineAndTheCall)
{
    const ReportPtr report = compile("input x: f32[2, 4]\ny = x + 1\noutput softmax(y)\n");
    ASSERT_TRUE(report->succeeded);
    std::size_t inLibrary = 0;
    std::size_t inProgram = 0;
    for (const DocumentItem &item : report->graph->items) {
        const auto field = [&](std::string_view name) {
            const auto found = std::ranges::find(item.fields, name, &DocumentField::name);
            return found == item.fields.end() ? std::string() : found->value;
        };
        const bool isCalled = !field("called from").empty();
        EXPECT_EQ(isCalled, field("place").starts_with("library/softmax.sw:")) << item.label;
        EXPECT_TRUE(isCalled || field("place").starts_with("folder/test.sw:")) << item.label;
        EXPECT_TRUE(!isCalled || field("called from") == "folder/test.sw:3:8") << field("called from");
        inLibrary += isCalled ? 1 : 0;
        inProgram += isCalled ? 0 : 1;
    }
    EXPECT_GT(inLibrary, 2U);
    EXPECT_GT(inProgram, 1U);
}

} // namespace
} // namespace sw
