// stepwell: the window.

#include "app/explorer_service.h"
#include "engine/backend/host/host_process.h"
#include "engine/base/cache_folder.h"
#include "ui/against_words.h"
#include "ui/capture.h"
#include "ui/main_window.h"
#include "ui/panels/panel_rows.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>
#include <QTextStream>

#include <algorithm>
#include <optional>

namespace {

using namespace stepwell::ui;

constexpr QSize kPictureSize(1440, 900);

struct Options {
    QString file;
    QString device;
    QString perspective;
    QString theme;
    QString screenshot;
    QString select;
    QString moment;
    QString step;
    QStringList panels;
    QString tried;
    QStringList watched;
    QString against;
    QSize size;
    bool showsHealth = false;
    bool showsBeside = false;
    bool run = false;
};

QString text(const char *english)
{
    return QCoreApplication::translate("stepwell", english);
}

std::optional<QSize> sizeOf(const QString &words)
{
    const QStringList parts = words.split(u'x');
    const QSize size = parts.size() == 2 ? QSize(parts[0].toInt(), parts[1].toInt()) : QSize();
    return size.width() >= 200 && size.height() >= 200 && size.width() <= 16'384 && size.height() <= 16'384 ? std::optional(size)
                                                                                                            : std::nullopt;
}

QStringList panelIds()
{
    QStringList ids;
    for (const PanelRow &row : panelRows())
        ids << QLatin1String(row.id);
    return ids;
}

int fail(int exitCode, const QString &reason)
{
    QTextStream(stderr) << "stepwell: " << reason << '\n';
    return exitCode;
}

void defineOptions(QCommandLineParser &parser)
{
    parser.setApplicationDescription(text("A desktop explorer for a tensor compiler."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument("file",
                                 text("A program (.sw, .graph, .lowered), a model (.onnx), a session (.stepwell), or the name of "
                                      "an example."),
                                 "[FILE]");
    parser.addOptions({
        {"device", text("Compile for and run on this device."), "D"},
        {"perspective", text("Arrange the panes: %1.").arg(MainWindow::perspectives().join(u", ")), "P"},
        {"theme", text("dark or light."), "name"},
        {"run", text("Run the program once it is compiled.")},
        {"screenshot", text("Save a picture of the window after compiling and running, and exit."), "OUT.png"},
        {"size", text("Size of the window, for --screenshot."), "WxH"},
        {"moment", text("Show the program after this pass, or after so many of its rewrites, for --screenshot."), "PASS[:K]"},
        {"step",
         text("Step through the kernel of this name, or the first whose name holds it, so far into its run, for --screenshot."),
         "KERNEL:STEPS"},
        {"against",
         text("Compare with the program compiled in another way, or with another file, for --screenshot: --device D, --no-fuse, "
              "--no-optimize, FILE, and --show now, before or difference, --first, or --both to run both."),
         "OPTIONS"},
        {"select", text("Select the node or decision of this label, or the first whose label holds it, for --screenshot."),
         "text"},
        {"panel",
         text("Bring a panel to the front of its pane, for --screenshot; may be given again: %1.").arg(panelIds().join(u", ")),
         "ID"},
        {"try", text("Compile with this override and measure its effect, for --screenshot."), "override"},
        {"watch", text("Watch the node of this label, for --screenshot; may be given again."), "text"},
        {"health", text("Examine the values, for --screenshot.")},
        {"beside", text("In Access, show the kernel before its newest transformation beside it, for --screenshot.")},
    });
}

// Returns an error message, or an empty text if all is well.
QString readOptions(const QCommandLineParser &parser, Options &options)
{
    if (parser.positionalArguments().size() > 1)
        return text("more than one file");
    options.file = parser.positionalArguments().value(0);
    options.device = parser.value("device");
    options.perspective = parser.value("perspective");
    options.theme = parser.value("theme");
    options.screenshot = parser.value("screenshot");
    options.select = parser.value("select");
    options.moment = parser.value("moment");
    options.step = parser.value("step");
    options.panels = parser.values("panel");
    options.tried = parser.value("try");
    options.watched = parser.values("watch");
    options.showsHealth = parser.isSet("health");
    options.showsBeside = parser.isSet("beside");
    options.against = parser.value("against");
    options.run = parser.isSet("run") || parser.isSet("screenshot");
    if (!options.perspective.isEmpty() && !MainWindow::perspectives().contains(options.perspective))
        return text("no perspective is called %1; there are %2").arg(options.perspective, MainWindow::perspectives().join(u", "));
    if (!options.theme.isEmpty() && !Theme::names().contains(options.theme))
        return text("no theme is called %1; there are %2").arg(options.theme, Theme::names().join(u", "));
    for (const QString &panel : options.panels)
        if (!panelIds().contains(panel))
            return text("no panel is called %1; there are %2").arg(panel, panelIds().join(u", "));
    if (QString reason; !options.against.isEmpty() && !againstOf(options.against, reason))
        return reason;
    if (parser.isSet("size")) {
        const std::optional<QSize> size = sizeOf(parser.value("size"));
        if (!size)
            return text("--size wants WxH, from 200x200 to 16384x16384, not %1").arg(parser.value("size"));
        options.size = *size;
    } else if (!options.screenshot.isEmpty()) {
        options.size = kPictureSize;
    }
    return {};
}

// Runs before there is a window, so that --help needs no display.
QString readCommandLine(int &argumentCount, char **arguments, Options &options)
{
    const QCoreApplication application(argumentCount, arguments);
    QCommandLineParser parser;
    defineOptions(parser);
    if (!parser.parse(QCoreApplication::arguments()))
        return parser.errorText();
    if (parser.isSet("help"))
        parser.showHelp(0);
    if (parser.isSet("version"))
        parser.showVersion();
    return readOptions(parser, options);
}

// Opens a file, or else the example of that name. Without a name: the unsaved work of the last session, or else a first example.
void openProgram(MainWindow &window, const QString &file)
{
    if (file.isEmpty() && window.restoreNewestDraft())
        return;
    if (file.isEmpty())
        window.openExampleNamed(QStringLiteral("softmax"));
    else if (QFileInfo::exists(file) || file.contains(u'.') || file.contains(u'/'))
        window.openFile(file);
    else
        window.openExampleNamed(file);
}

void runWhenCompiled(MainWindow &window)
{
    auto *once = new QObject(&window);
    QObject::connect(&window.session(), &Session::compileFinished, once, [once, &window](bool succeeded) {
        once->deleteLater();
        if (succeeded)
            window.action(QStringLiteral("compile.run"))->trigger();
    });
}

void capture(MainWindow &window, const Options &options)
{
    auto *picture = new Capture(window, {options.screenshot, options.select, options.run, 300'000, options.moment, options.step,
                                         options.panels, options.tried, options.watched, options.showsHealth, options.showsBeside,
                                         options.against});
    QObject::connect(picture, &Capture::finished, &window, [](const QString &reason) {
        if (!reason.isEmpty())
            QTextStream(stderr) << "stepwell: " << reason << '\n';
        QCoreApplication::exit(reason.isEmpty() ? 0 : 1);
    });
}

} // namespace

int main(int argumentCount, char **arguments)
{
    QCoreApplication::setApplicationName(QStringLiteral("stepwell"));
    QCoreApplication::setApplicationVersion(QStringLiteral(STEPWELL_VERSION));
    Options options;
    if (const QString reason = readCommandLine(argumentCount, arguments, options); !reason.isEmpty())
        return fail(2, reason);
    const char *const displays[] = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"};
    if (std::ranges::none_of(displays, [](const char *name) { return qEnvironmentVariableIsSet(name); })) {
        if (options.screenshot.isEmpty())
            return fail(1, text("there is no display; --screenshot OUT.png takes a picture without one"));
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }

    QApplication application(argumentCount, arguments);
    QApplication::setApplicationDisplayName(QStringLiteral("Stepwell"));
    QApplication::setDesktopFileName(QStringLiteral("stepwell"));
    // A screenshot shows the requested program and adds nothing to the record of what the user opened and wrote.
    Settings settings({}, options.screenshot.isEmpty() ? Settings::Access::ReadAndWrite : Settings::Access::ReadOnly);
    Appearance appearance(options.theme.isEmpty() ? settings.theme() : options.theme);
    // A screenshot must look the same on every machine.
    const std::filesystem::path figures = options.screenshot.isEmpty() ? sw::cacheFolder() / "figures" : std::filesystem::path();
    stepwell::ExplorerService service(sw::findHostProgram(), figures);
    MainWindow window(service, appearance, settings);
    if (!options.device.isEmpty())
        window.setDevice(options.device);
    if (!options.perspective.isEmpty())
        window.setPerspective(options.perspective);
    if (options.size.isValid())
        window.resize(options.size);
    window.show();
    if (!options.screenshot.isEmpty())
        capture(window, options);
    else if (options.run)
        runWhenCompiled(window);
    openProgram(window, options.file);
    window.mentionDrafts();
    window.offerRestore();
    return QApplication::exec();
}
