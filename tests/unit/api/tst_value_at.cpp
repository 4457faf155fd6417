// Values of items at moments: a rewrite does not change the values of the nodes that stay, and what has no value says why.

#include "engine/accuracy/agreement.h"
#include "engine/api/document_change.h"
#include "engine/api/explorer.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace sw {
namespace {

constexpr std::size_t kMostMoments = 12; // of an example
constexpr std::size_t kMostNodes = 4;    // of a moment

// How far the values of two moments may be apart, relative to the largest: a rule may compute them another way.
double roundingOf(const TensorView &view)
{
    if (!view.isFloat())
        return 0;
    double largest = 0;
    for (std::int64_t i = 0; i < view.elements(); ++i)
        if (const double value = std::abs(view.tensor().at(i).asDouble()); std::isfinite(value))
            largest = std::max(largest, value);
    const bool isNarrow = view.elementType() == "f16" || view.elementType() == "bf16";
    return largest * (isNarrow ? 2e-2 : 1e-5);
}

// A gradient that is not written out yet, dimensions that are not padded yet, words of which some are split.
bool hasGoodReason(const ValueOpening &opening)
{
    return std::ranges::any_of(std::array{"a gradient is not evaluated as it stands", "the graph has open dimensions",
                                          "in the middle of this pass the graph is no program"},
                               [&](const char *reason) { return opening.error.find(reason) != std::string::npos; });
}

bool isGone(const DocumentItem &item)
{
    return std::ranges::find(item.tags, kGoneTag) != item.tags.end();
}

class ValueAtTest : public testing::Test {
protected:
    ValueAtTest() { addNativeBackends(m_registry); }

    void compile(const std::string &fileName, const std::string &text = {}, const char *device = "llvm")
    {
        ExploreRequest request;
        request.fileName = fileName;
        request.text = text;
        request.isFile = text.empty();
        request.device = device;
        m_report = m_explorer.compile(request, {}, {});
        ASSERT_TRUE(m_report && m_report->succeeded);
    }
    ValueOpening valueAt(MomentPlace place, StageKind stage, ItemIndex item, ValueSource source = ValueSource::Reference)
    {
        return m_explorer.valueAt({place, stage, item}, source, {});
    }
    ValueOpening valueAtEnd(StageKind stage, ItemIndex item, ValueSource source = ValueSource::Reference)
    {
        return valueAt({kNoIndex}, stage, item, source);
    }
    // The first item with the tag.
    static ItemIndex itemWith(const StageDocument &document, std::string_view tag)
    {
        const auto found = std::ranges::find_if(
            document.items, [&](const DocumentItem &item) { return std::ranges::find(item.tags, tag) != item.tags.end(); });
        return static_cast<ItemIndex>(found - document.items.begin());
    }
    std::uint32_t passNamed(std::string_view id) const
    {
        return static_cast<std::uint32_t>(std::ranges::find(m_report->passes, id, &PassEntry::id) - m_report->passes.begin());
    }

    BackendRegistry m_registry;
    Explorer m_explorer{m_registry, findResourceFolder()};
    ReportPtr m_report;
};

class ValuesOfMoments : public ValueAtTest, public testing::WithParamInterface<const char *> {};

// The nodes that stand before and after a rewrite, some of them, pairwise.
std::vector<std::pair<ItemIndex, ItemIndex>> survivors(const StageDocument &before, const StageDocument &after)
{
    std::vector<std::pair<ItemIndex, ItemIndex>> pairs;
    const DocumentChange change = changeBetween(before, after);
    for (ItemIndex item = 0; item < change.partner.size(); ++item)
        if (change.partner[item] != kNoIndex && before.items[item].label != "sink" && !isGone(before.items[item]))
            pairs.emplace_back(item, change.partner[item]);
    // Those behind the rewrite are the ones that could change.
    if (pairs.size() > kMostNodes)
        pairs.erase(pairs.begin(), pairs.end() - static_cast<std::ptrdiff_t>(kMostNodes));
    return pairs;
}

TEST_P(ValuesOfMoments, aRewriteKeepsTheValuesOfTheNodesThatStay)
{
    const std::string file = findResourceFolder() + "/examples/" + GetParam() + ".sw";
    compile(file, {}, "interpreter");
    std::vector<MomentPlace> places;
    for (std::uint32_t pass = 0; pass < m_report->passes.size(); ++pass)
        if (m_report->passes[pass].output == StageKind::Graph)
            for (std::uint32_t done = 1; done <= m_report->passes[pass].rewrites; ++done)
                places.push_back({pass, done});
    const std::size_t stride = places.size() / kMostMoments + 1;
    std::size_t compared = 0;
    for (std::size_t at = 0; at < places.size(); at += stride) {
        const MomentPlace now = places[at];
        const MomentPlace earlier{now.pass, now.rewrites - 1};
        const StageDocumentPtr before = m_explorer.documentsAt(earlier, {}).graph.document;
        const StageDocumentPtr after = m_explorer.documentsAt(now, {}).graph.document;
        ASSERT_TRUE(before && after);
        for (const auto &[earlierItem, item] : survivors(*before, *after)) {
            const ValueOpening left = valueAt(earlier, StageKind::Graph, earlierItem);
            const ValueOpening right = valueAt(now, StageKind::Graph, item);
            if (hasGoodReason(left) || hasGoodReason(right))
                continue;
            ASSERT_NE(left.value, nullptr) << left.error;
            ASSERT_NE(right.value, nullptr) << right.error;
            ASSERT_EQ(left.value->type(), right.value->type());
            const double rounding = roundingOf(*left.value);
            for (std::int64_t element = 0; element < left.value->elements(); ++element, ++compared)
                ASSERT_TRUE(agrees(left.value->tensor().at(element), right.value->tensor().at(element), rounding))
                    << m_report->passes[now.pass].id << ":" << now.rewrites << " " << after->items[item].label << " element "
                    << element << " was " << left.value->text(element, ValueFormat::Decimal) << " and is "
                    << right.value->text(element, ValueFormat::Decimal);
        }
    }
    EXPECT_TRUE(compared > 0 || places.empty());
}

INSTANTIATE_TEST_SUITE_P(Examples, ValuesOfMoments,
                         testing::Values("add", "attention", "conv", "gelu", "layer_norm", "lengths", "matmul", "mlp", "random",
                                         "reductions", "softmax", "train_mlp", "views"),
                         [](const auto &example) { return std::string(example.param); });

// What a rewrite took away still stands in the graph of its moment, with the value that it had.
TEST_F(ValueAtTest, whatIsGoneHasTheValueOfBefore)
{
    compile("test.sw", "input x: f32[16]\noutput y = exp(x * 1.0) + 2.0\n");
    const std::uint32_t simplify = passNamed("simplify");
    ASSERT_LT(simplify, m_report->passes.size());
    bool isSeen = false;
    for (std::uint32_t done = 1; done <= m_report->passes[simplify].rewrites; ++done) {
        const StageDocumentPtr document = m_explorer.documentsAt({simplify, done}, {}).graph.document;
        for (ItemIndex item = 0; item < document->items.size(); ++item) {
            if (!isGone(document->items[item]) || document->items[item].label != "mul")
                continue;
            isSeen = true;
            const ValueOpening gone = valueAt({simplify, done}, StageKind::Graph, item);
            ASSERT_NE(gone.value, nullptr) << gone.error;
            EXPECT_TRUE(gone.value->tensor().isIdenticalTo(m_explorer.inputValue("x", {}).value->tensor()));
        }
    }
    EXPECT_TRUE(isSeen);
}

// In each of its steps, a scan's body has what the scan collects of it, by the reference and by the device; a carried value is
// what the step before has handed on. Steps that come later are not computed.
TEST_F(ValueAtTest, theBodyOfAScanHasAValueInEachStep)
{
    constexpr std::int64_t kSteps = 6;
    for (const char *device : {"interpreter", "llvm"}) {
        compile("test.sw",
                "input x: f32[6, 3]\ndef step(s, p):\n    h = exp(s[0] * 0.5) + p[0]\n    return [[h], [h]]\n"
                "last, rows = scan(step, [zeros([3])], [x])\noutput y = last[0]\noutput r = rows[0]\n",
                device);
        const ItemIndex carry = itemWith(*m_report->graph, "scan_carry");
        const ItemIndex all = itemWith(*m_report->graph, "scan_rows");
        const auto named = std::ranges::find(m_report->graph->items, "add", &DocumentItem::label);
        ASSERT_NE(named, m_report->graph->items.end());
        const auto h = static_cast<ItemIndex>(named - m_report->graph->items.begin());
        for (const ValueSource source : {ValueSource::Reference, ValueSource::Device}) {
            const ValueOpening rows = valueAtEnd(StageKind::Graph, all, source);
            ASSERT_NE(rows.value, nullptr) << rows.error;
            EXPECT_FALSE(rows.step);
            const auto stepOf = [&](ItemIndex item, std::optional<std::int64_t> step) {
                return m_explorer.valueAt({{kNoIndex}, StageKind::Graph, item, step}, source, {});
            };
            for (std::int64_t step = 0; step < kSteps; ++step) {
                const ValueOpening made = stepOf(h, step);
                const ValueOpening begins = stepOf(carry, step);
                ASSERT_NE(made.value, nullptr) << made.error;
                ASSERT_NE(begins.value, nullptr) << begins.error;
                EXPECT_EQ(made.step, (ScanStep{step, kSteps}));
                for (std::int64_t i = 0; i < 3; ++i) {
                    EXPECT_EQ(made.value->number(i), rows.value->number(step * 3 + i)) << device << " step " << step;
                    EXPECT_EQ(begins.value->number(i), step == 0 ? 0 : rows.value->number((step - 1) * 3 + i))
                        << device << " step " << step;
                }
            }
            EXPECT_NE(stepOf(h, 2).value->name().find("in step 2 of 0 to 5"), std::string::npos);
            // What is not said, or is too much, is the last one.
            for (const auto step : {std::optional<std::int64_t>(), std::optional<std::int64_t>(99)}) {
                EXPECT_EQ(stepOf(h, step).step, (ScanStep{kSteps - 1, kSteps}));
                EXPECT_NE(stepOf(h, step).value->name().find("in the last of 6 steps"), std::string::npos);
            }
        }
    }
}

// 8, 4, 2, 1: a loop that its condition ends has as many steps as the run makes, by the reference and by the device.
TEST_F(ValueAtTest, aLoopHasTheStepsThatItsConditionLeavesIt)
{
    for (const char *device : {"interpreter", "llvm"}) {
        compile("test.sw",
                "const x: f32[2] = [8, 8]\ninput y: f32[2]\ndef goes_on(s):\n    return sum(s[0]) > 2\ndef body(s):\n"
                "    h = exp(s[1]) * 0 + s[0] * 0.5\n    return [h, s[1]]\noutput r = while_loop(goes_on, body, [x, y])[0]\n",
                device);
        const ItemIndex carry = itemWith(*m_report->graph, "scan_carry");
        for (const ValueSource source : {ValueSource::Reference, ValueSource::Device}) {
            const auto stepOf = [&](std::optional<std::int64_t> step) {
                return m_explorer.valueAt({{kNoIndex}, StageKind::Graph, carry, step}, source, {});
            };
            for (std::int64_t step = 0; step < 3; ++step) {
                const ValueOpening made = stepOf(step);
                ASSERT_NE(made.value, nullptr) << made.error;
                EXPECT_EQ(made.step, (ScanStep{step, kUnboundedSteps}));
                EXPECT_EQ(made.value->number(0), std::ldexp(8.0, static_cast<int>(-step))) << device;
                EXPECT_NE(made.value->name().find(format("in step {}", step)), std::string::npos);
            }
            const ValueOpening last = stepOf({});
            ASSERT_NE(last.value, nullptr) << last.error;
            EXPECT_EQ(last.step, (ScanStep{2, 3}));
            EXPECT_EQ(last.value->number(0), 2) << device;
            EXPECT_EQ(stepOf(99).step, (ScanStep{2, kUnboundedSteps}));
            EXPECT_EQ(stepOf(99).value->number(0), 2) << device;
        }
    }
}

// Its first step is its last one: it begins with the initial value.
TEST_F(ValueAtTest, aLoopThatEndsAtOnceHasOneStep)
{
    for (const char *device : {"interpreter", "llvm"}) {
        compile("test.sw",
                "const x: f32[2] = [8, 8]\ninput y: f32[2]\ndef goes_on(s):\n    return sum(s[0]) > 2 + sum(abs(s[1]))\n"
                "def body(s):\n    return [s[0] * 0.01, s[1]]\noutput r = while_loop(goes_on, body, [x, y])[0]\n",
                device);
        const ItemIndex carry = itemWith(*m_report->graph, "scan_carry");
        for (const ValueSource source : {ValueSource::Reference, ValueSource::Device}) {
            const ValueOpening last = m_explorer.valueAt({{kNoIndex}, StageKind::Graph, carry, {}}, source, {});
            ASSERT_NE(last.value, nullptr) << last.error;
            EXPECT_EQ(last.step, (ScanStep{0, 1}));
            EXPECT_EQ(last.value->number(0), 8) << device;
        }
    }
}

// Whatever shows a buffer, in any stage, shows the tensor that it holds: by the reference and by the device.
TEST_F(ValueAtTest, buffersOfKernelsHoldTheirTensors)
{
    compile("test.sw", "input x: f32[8, 16]\nh = softmax(x, axis = -1)\noutput y = h @ transpose(h)\n");
    std::size_t buffers = 0;
    for (ItemIndex item = 0; item < m_report->schedule->items.size(); ++item) {
        const DocumentItem &buffer = m_report->schedule->items[item];
        if (std::ranges::find(buffer.tags, "buffer") == buffer.tags.end())
            continue;
        ++buffers;
        const ValueOpening wanted = m_explorer.nodeValue(buffer.node, ValueSource::Reference, {});
        const ValueOpening reference = valueAtEnd(StageKind::Schedule, item);
        const ValueOpening device = valueAtEnd(StageKind::Schedule, item, ValueSource::Device);
        ASSERT_NE(reference.value, nullptr) << reference.error;
        ASSERT_NE(device.value, nullptr) << device.error;
        EXPECT_EQ(reference.value->elements(), wanted.value->elements());
        EXPECT_EQ(reference.value->type(), device.value->type());
        EXPECT_EQ(reference.value->name(), device.value->name());
        for (std::int64_t i = 0; i < reference.value->elements(); ++i)
            EXPECT_NEAR(reference.value->tensor().at(i).asDouble(), device.value->tensor().at(i).asDouble(), 1e-4);
    }
    EXPECT_GT(buffers, 2U);
    // Parameters, loads and stores of the lowered stage, and those of the loops, at the end and while the stage is made.
    const std::uint32_t last = static_cast<std::uint32_t>(m_report->passes.size() - 1);
    for (const MomentPlace place : {MomentPlace{kNoIndex}, MomentPlace{last}}) {
        std::set<std::string> names;
        for (ItemIndex item = 0; item < m_report->lowered->items.size(); ++item)
            for (const char *tag : {"define_global", "load", "store"})
                if (const auto &tags = m_report->lowered->items[item].tags; std::ranges::find(tags, tag) != tags.end()) {
                    const ValueOpening opening = valueAt(place, StageKind::Lowered, item);
                    if (opening.value)
                        names.insert(opening.value->name());
                    else
                        EXPECT_NE(opening.error.find("only while it runs"), std::string::npos) << opening.error;
                }
        EXPECT_TRUE(names.contains("x"));
        EXPECT_TRUE(names.contains("y"));
        EXPECT_EQ(names.size(), buffers);
        const ValueOpening stored = valueAt(place, StageKind::Loops, itemWith(*m_report->loops, "store"));
        ASSERT_NE(stored.value, nullptr) << stored.error;
    }
}

TEST_F(ValueAtTest, whatHasNoValueSaysWhy)
{
    compile("test.sw", "input x: f32[8, 16]\noutput y = exp(x * 1.0)\noutput z = sum(x, axis = 1)\n");
    const auto reasonAt = [&](StageKind stage, ItemIndex item) {
        const ValueOpening opening = valueAtEnd(stage, item);
        EXPECT_EQ(opening.value, nullptr);
        return opening.error;
    };
    const auto sink = static_cast<ItemIndex>(m_report->graph->items.size() - 1);
    EXPECT_EQ(reasonAt(StageKind::Graph, sink), "it stands for all outputs: choose one of them");
    EXPECT_EQ(reasonAt(StageKind::Graph, sink + 1), format("there is no value %{}", sink + 1));
    EXPECT_EQ(reasonAt(StageKind::Loops, itemWith(*m_report->loops, "loop")),
              "a loop has no value: choose what it computes, loads or stores");
    EXPECT_NE(reasonAt(StageKind::Lowered, itemWith(*m_report->lowered, "alu")).find("step through k0_"), std::string::npos);
    EXPECT_NE(reasonAt(StageKind::Lowered, itemWith(*m_report->lowered, "end_range")).find("end_range makes no value"),
              std::string::npos);
    EXPECT_EQ(reasonAt(StageKind::Code, 0), "it has no value: the compilation did not come to it");
    // A device runs the program of the end.
    const ValueOpening early = valueAt({0, 0}, StageKind::Graph, 0, ValueSource::Device);
    EXPECT_EQ(early.value, nullptr);
    EXPECT_NE(early.error.find("a device runs the program of the end"), std::string::npos);
    const ValueOpening broken = Explorer(m_registry, findResourceFolder()).valueAt({}, ValueSource::Reference, {});
    EXPECT_EQ(broken.error, "there is no program");
}

TEST_F(ValueAtTest, stoppedValuesAreNeither)
{
    compile("test.sw", "input x: f32[400, 400]\noutput y = x @ x @ x\n");
    std::stop_source stopped;
    stopped.request_stop();
    const ValueOpening opening = m_explorer.valueAt({{0, 0}, StageKind::Graph, 0}, ValueSource::Reference, stopped.get_token());
    EXPECT_EQ(opening.value, nullptr);
    EXPECT_EQ(opening.error, "");
}

} // namespace
} // namespace sw
