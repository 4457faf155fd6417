// The graph view at 1,000 and 10,000 nodes: laying out, making the scene, and painting a frame, whole and zoomed in.

#include "engine/base/text.h"
#include "tests/benchmarks/measure.h"
#include "ui/graph_view/graph_canvas.h"
#include "ui/theme/appearance.h"

#include <QApplication>
#include <QImage>

#include <algorithm>
#include <random>

namespace stepwell::ui {
namespace {

constexpr int kRounds = 9;
constexpr QSize kWindow{1280, 900};

// Most nodes read one or two of the nodes just before them, as chains of operations do.
sw::StageDocumentPtr documentOf(std::uint32_t nodes)
{
    std::mt19937 random(nodes);
    sw::StageDocument document;
    for (std::uint32_t i = 0; i < nodes; ++i) {
        sw::DocumentItem item;
        item.label = "multiply";
        item.detail = "f32[64, 128, 28, 28]";
        item.tags = {"elementwise"};
        item.sources = {i};
        item.kernel = i / 12;
        document.items.push_back(std::move(item));
        for (std::uint32_t edge = 0; i > 0 && edge < 1 + random() % 2; ++edge) {
            const std::uint32_t reach = random() % 16 == 0 ? 200 : 8;
            const std::uint32_t back = 1 + static_cast<std::uint32_t>(random() % std::min(reach, i));
            document.edges.push_back({i - back, i, "f32[64, 128, 28, 28]", sw::kNoIndex});
        }
    }
    return std::make_shared<const sw::StageDocument>(std::move(document));
}

void measure(std::uint32_t nodes)
{
    using sw::benchmark::measureInTurns;
    using sw::benchmark::millisecondsText;
    using sw::benchmark::timeOf;
    const Appearance appearance(QStringLiteral("light"));
    const SceneFonts fonts{TextMeasure(appearance.textFont()), TextMeasure(appearance.textFont())};
    const sw::StageDocumentPtr document = documentOf(nodes);
    GraphScenePtr scene;
    GraphCanvas canvas(appearance);
    canvas.resize(kWindow);
    QImage image(kWindow, QImage::Format_ARGB32_Premultiplied);
    const auto frame = [&](double zoom) {
        if (zoom == 0)
            canvas.fit();
        else
            canvas.zoomTo(zoom);
        return timeOf([&] { canvas.render(&image); });
    };
    const auto timings = measureInTurns(
        {{"scene", [&] { return timeOf([&] { scene = makeGraphScene(document, {}, fonts); }); }},
         {"layout", [&] { return std::chrono::nanoseconds(static_cast<std::int64_t>(scene->layoutMilliseconds * 1e6)); }},
         {"set", [&] { return timeOf([&] { canvas.setScene(scene); }); }},
         {"whole", [&] { return frame(0); }},
         {"near", [&] { return frame(1); }}},
        kRounds);
    sw::benchmark::print(
        sw::format("{:>6} nodes  {:>6} edges  layout {:>10}  scene {:>10}  frame, all of it {:>10}  frame, 1:1 {:>10}\n", nodes,
                   document->edges.size(), millisecondsText(timings[1].median), millisecondsText(timings[0].median),
                   millisecondsText(timings[3].median), millisecondsText(timings[4].median)));
}

} // namespace
} // namespace stepwell::ui

int main(int argumentCount, char **arguments)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argumentCount, arguments);
    for (const std::uint32_t nodes : {1000U, 10000U})
        stepwell::ui::measure(nodes);
    return 0;
}
