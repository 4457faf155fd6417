// The window on the documents of FakeEngine, to look at it without a real engine: demo_window [--screenshot OUT.png]
// [--size WxH] [--theme NAME] [--layers N] [--select TEXT] [--front PANEL].

#include "tests/gui/fake_engine.h"
#include "ui/capture.h"
#include "ui/main_window.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QTemporaryDir>

using namespace stepwell::ui;

int main(int argumentCount, char **arguments)
{
    QApplication application(argumentCount, arguments);
    QCommandLineParser parser;
    parser.addOptions({{"screenshot", "picture", "file"},
                       {"size", "of the window", "WxH", "1366x768"},
                       {"theme", "dark or light", "name", "dark"},
                       {"layers", "of the program", "n", "2"},
                       {"select", "a node", "text"},
                       {"perspective", "of the window", "name"}});
    parser.addPositionalArgument("program", "text of the program instead");
    parser.process(application);

    const QTemporaryDir folder;
    Appearance appearance(parser.value("theme"));
    Settings settings(folder.filePath("settings.ini"));
    FakeEngine engine;
    MainWindow window(engine, appearance, settings);
    const QStringList size = parser.value("size").split(u'x');
    window.resize(size[0].toInt(), size[1].toInt());
    if (parser.isSet("perspective"))
        window.setPerspective(parser.value("perspective"));
    window.show();
    if (parser.isSet("screenshot")) {
        auto *capture = new Capture(window, {parser.value("screenshot"), parser.value("select"), true, 60'000});
        QObject::connect(capture, &Capture::finished, &application,
                         [](const QString &reason) { QCoreApplication::exit(reason.isEmpty() ? 0 : 1); });
    }
    const QStringList program = parser.positionalArguments();
    window.openText("two_layers.sw", program.isEmpty() ? QString::fromStdString(fakeProgram(parser.value("layers").toInt()))
                                                       : QString(program[0]).replace("\\n", "\n"));
    return QApplication::exec();
}
