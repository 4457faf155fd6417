// A page of a report: it holds the whole report and nothing from elsewhere, and says what it leaves out. What a browser makes of
// it is tested in tests/gui.

#include "engine/api/explorer.h"
#include "engine/api/report_data.h"
#include "engine/api/report_page/report_page.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"
#include "engine/base/sha256.h"
#include "tests/support/equal_documents.h"
#include "tests/support/page_data.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

ReportPtr compiled(const std::string &program)
{
    BackendRegistry registry;
    addNativeBackends(registry);
    Explorer explorer(registry, findResourceFolder());
    ExploreRequest request;
    request.fileName = "test.sw";
    request.text = program;
    request.device = "c";
    static_cast<void>(explorer.compile(request, {}, {}));
    return explorer.readMachineCode({0}, {});
}

const char *const kProgram = "# </script><script>alert(1)</script>\ninput x: f32[64, 32]\noutput softmax(x, axis = -1)\n";

TEST(ReportPage, holdsTheWholeReport)
{
    const ReportPtr report = compiled(kProgram);
    const ReportPage page = reportPage(*report, {.title = "test.sw"});
    EXPECT_TRUE(page.leftOut.empty());
    const Result<Report> again = parseReportData(reportOfPage(page.html), "page");
    ASSERT_TRUE(again) << toText(again.error());
    EXPECT_EQ(firstDifference(*report, *again), "");
}

TEST(ReportPage, refersToNothingElsewhere)
{
    const ReportPage page = reportPage(*compiled(kProgram), {.title = "a<b>&\"", .summary = "</title><script>"});
    std::string html = page.html;
    html.erase(html.find(kDataTag), html.find("</script>", html.find(kDataTag)) - html.find(kDataTag)); // base 64
    // The name of SVG is no address that anybody loads.
    const std::string svg = "http://www.w3.org/2000/svg";
    html.erase(html.find(svg), svg.size());
    for (const char *reference : {"http:", "https:", "//cdn", "src=", "@import", "url(", "<link", "fetch(", "XMLHttp", "import(",
                                  "eval(", "</title><script>"})
        EXPECT_EQ(html.find(reference), std::string::npos) << reference;
    EXPECT_NE(html.find("<title>a&lt;b&gt;&amp;&quot;</title>"), std::string::npos);
}

// A browser runs the script and uses the style only if they have exactly these digests.
TEST(ReportPage, allowsItsOwnScriptOnly)
{
    const ReportPage page = reportPage(*compiled(kProgram), {.title = "t"});
    const auto between = [&](std::string_view begin, std::string_view end) {
        const std::size_t from = page.html.find(begin) + begin.size();
        return page.html.substr(from, page.html.find(end, from) - from);
    };
    const auto digest = [](const std::string &text) {
        const Sha256 bytes = sha256Of(text);
        return "'sha256-" + base64Of({reinterpret_cast<const char *>(bytes.data()), bytes.size()}) + "'";
    };
    EXPECT_EQ(between("Content-Security-Policy\" content=\"", "\""),
              "default-src 'none'; script-src " + digest(between("<script>", "</script>")) + "; style-src " +
                  digest(between("<style>", "</style>")) + "; base-uri 'none'; form-action 'none'");
}

TEST(ReportPage, saysWhatItLeavesOut)
{
    const ReportPtr report = compiled(kProgram);
    const std::size_t whole = reportPage(*report, {.title = "t"}).html.size();
    const ReportPage page = reportPage(*report, {.title = "t", .mostBytes = whole - 1});
    ASSERT_FALSE(page.leftOut.empty());
    EXPECT_EQ(page.leftOut.front().find("the stage machine: the page would have 0."), 0U) << page.leftOut.front();
    EXPECT_NE(page.html.find("Left out: the stage machine"), std::string::npos);
    const Result<Report> again = parseReportData(reportOfPage(page.html), "page");
    ASSERT_TRUE(again);
    EXPECT_EQ(again->machine, nullptr);
    EXPECT_NE(again->program, nullptr);
    EXPECT_LE(page.html.size(), whole - 1);
}

} // namespace
} // namespace sw
