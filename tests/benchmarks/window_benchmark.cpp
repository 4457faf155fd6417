// What a person waits for: a window, another perspective, from a key to the new instructions on screen, from a model's file to
// its graph on screen, and from pointing at a node to everything that lights up. stepwell_window_benchmark HOST [MODEL...]; HOST
// is the path of stepwell-host.

#include "tests/benchmarks/measured_window.h"
#include "ui/panels/graph_panel.h"
#include "ui/panels/text_panel.h"
#include "ui/text_view/program_editor.h"

#include <QAction>
#include <QApplication>
#include <QKeyEvent>

#include <cstdlib>
#include <functional>
#include <optional>

namespace stepwell::ui {
namespace {

using sw::benchmark::Nanoseconds;

constexpr int kKeys = 41;
constexpr int kOpenings = 7;

// An empty window, its perspectives one after the other, and the other theme.
void measureArranging(const char *host)
{
    std::vector<Nanoseconds> starts;
    std::vector<Nanoseconds> changes;
    std::vector<Nanoseconds> themes;
    for (int i = 0; i < kOpenings; ++i) {
        std::optional<MeasuredWindow> app;
        starts.push_back(sw::benchmark::timeOf([&] {
            app.emplace(host);
            app->paint();
        }));
        app->waitUntil([&] { return app->window.isSettled(); });
        for (QAction *choice : app->window.findChildren<QAction *>())
            if (choice->objectName().startsWith(QStringLiteral("view.perspective.")))
                changes.push_back(sw::benchmark::timeOf([&] {
                    choice->trigger();
                    app->paint();
                }));
        themes.push_back(sw::benchmark::timeOf([&] {
            app->appearance.setTheme(QStringLiteral("light"));
            app->paint();
        }));
    }
    const auto told = [](const std::vector<Nanoseconds> &times) {
        const sw::Timing timing = sw::timingOf(times);
        return sw::format("{} (longest {})", sw::benchmark::millisecondsText(timing.median),
                          sw::benchmark::millisecondsText(timing.max));
    };
    sw::benchmark::print(sw::format("from nothing to an empty window {}, to another perspective {}, to the other theme {}\n",
                                    told(starts), told(changes), told(themes)));
}

// The instructions change with every key: the digits of a number.
void measureKeys(const char *host, const char *example)
{
    MeasuredWindow app(host);
    app.window.openExampleNamed(QString::fromLatin1(example));
    app.waitUntil([&] { return app.shows(sw::StageKind::Machine, 0) && app.window.isSettled(); });
    auto *editor = app.window.findChild<ProgramEditor *>(QStringLiteral("programEditor"));
    auto &lowered = app.window.findChild<TextPanel *>(QStringLiteral("lowered"))->view();
    editor->moveCursor(QTextCursor::End);
    editor->insertPlainText(QStringLiteral("\noutput more = 1.5"));
    app.waitUntil([&] { return app.window.isSettled() && app.window.session().isCompiledText(editor->toPlainText()); });
    std::vector<Nanoseconds> times;
    for (int i = 0; i < kKeys; ++i) {
        const bool isBack = i % 2 == 1;
        const std::uint64_t before = app.window.session().snapshot()->compilation;
        const auto begin = std::chrono::steady_clock::now();
        QKeyEvent press(QEvent::KeyPress, isBack ? Qt::Key_Backspace : Qt::Key_7, Qt::NoModifier,
                        isBack ? QStringLiteral("\b") : QStringLiteral("7"));
        QCoreApplication::sendEvent(editor, &press);
        app.waitUntil([&] { return app.shows(sw::StageKind::Lowered, before); });
        lowered.viewport()->repaint();
        times.push_back(std::chrono::steady_clock::now() - begin);
        app.waitUntil([&] { return app.window.isSettled(); });
    }
    editor->document()->setModified(false);
    const sw::Timing timing = sw::timingOf(times);
    sw::benchmark::print(sw::format("{:<12} from a key to the instructions on screen {:>12}  (longest {})\n", example,
                                    sw::benchmark::millisecondsText(timing.median), sw::benchmark::millisecondsText(timing.max)));
}

// Every pane repainted with what belongs to a node, one node after the other.
void measurePointing(const char *host, const QString &file)
{
    MeasuredWindow app(host);
    if (!app.window.openFile(file))
        std::exit(1);
    app.waitUntil([&] { return app.shows(sw::StageKind::Machine, 0) && app.window.isSettled(); });
    const std::size_t nodes = app.window.session().snapshot()->stage(sw::StageKind::Graph).document->items.size();
    std::vector<Nanoseconds> times;
    for (std::size_t i = 0; i < nodes; i += nodes / kKeys + 1) {
        const auto begin = std::chrono::steady_clock::now();
        app.window.selection().setHover(sw::StageKind::Graph, {static_cast<sw::ItemIndex>(i)});
        QCoreApplication::processEvents();
        times.push_back(std::chrono::steady_clock::now() - begin);
    }
    const sw::Timing timing = sw::timingOf(times);
    sw::benchmark::print(sw::format("{} from pointing at a node to all panes lit {}  (longest {})\n", file.toStdString(),
                                    sw::benchmark::millisecondsText(timing.median), sw::benchmark::millisecondsText(timing.max)));
}

void measureOpening(const char *host, const QString &file)
{
    std::vector<Nanoseconds> times;
    for (int i = 0; i < kOpenings; ++i) {
        MeasuredWindow app(host);
        app.waitUntil([&] { return app.window.isSettled(); });
        auto &graph = app.window.findChild<GraphPanel *>(QStringLiteral("graph"))->view().canvas();
        const auto begin = std::chrono::steady_clock::now();
        if (!app.window.openFile(file))
            std::exit(1);
        app.waitUntil([&] { return graph.scene() && !graph.scene()->boxes.empty(); });
        graph.repaint();
        times.push_back(std::chrono::steady_clock::now() - begin);
    }
    const sw::Timing timing = sw::timingOf(times);
    sw::benchmark::print(sw::format("{} from the file to its graph on screen {}  (longest {})\n", file.toStdString(),
                                    sw::benchmark::millisecondsText(timing.median), sw::benchmark::millisecondsText(timing.max)));
}

// Steps through the first kernel, there and back, and jumps: until all panes show where it came to.
void measureStepping(const char *host, const char *example)
{
    MeasuredWindow app(host);
    app.window.openExampleNamed(QString::fromLatin1(example));
    const std::uint64_t end = beginStepping(app);
    Debugger &debugger = app.window.debugger();
    const auto measured = [&](const std::function<void(int round)> &move) {
        return sw::benchmark::millisecondsText(sw::timingOf(stepTimes(app, kKeys, move)).median);
    };
    const std::string forth = measured([&](int) { debugger.step(sw::TraceDirection::Forward); });
    const std::string back = measured([&](int) { debugger.step(sw::TraceDirection::Backward); });
    const std::string jump =
        measured([&](int round) { debugger.goTo(end * static_cast<std::uint64_t>(round * 7 % kKeys) / kKeys); });
    sw::benchmark::print(sw::format("{:<12} from a step to all panes {:>12}, back {:>12}, jump {:>12}  ({} steps)\n", example,
                                    forth, back, jump, end));
}

} // namespace
} // namespace stepwell::ui

int main(int argumentCount, char **arguments)
{
    if (argumentCount < 2) {
        sw::benchmark::print("stepwell_window_benchmark HOST [MODEL...]\n");
        return 2;
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argumentCount, arguments);
    stepwell::ui::measureArranging(arguments[1]);
    for (const char *example : {"add", "mlp", "softmax", "attention"})
        stepwell::ui::measureKeys(arguments[1], example);
    for (const char *example : {"mlp", "softmax", "attention"})
        stepwell::ui::measureStepping(arguments[1], example);
    for (int i = 2; i < argumentCount; ++i) {
        stepwell::ui::measureOpening(arguments[1], QString::fromLocal8Bit(arguments[i]));
        stepwell::ui::measurePointing(arguments[1], QString::fromLocal8Bit(arguments[i]));
    }
    return 0;
}
