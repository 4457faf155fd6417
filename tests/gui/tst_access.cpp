// The grids of what a stepped kernel reads and writes, on the real engine.

#include "tests/gui/engine_app.h"
#include "ui/panels/access_panel.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QImage>
#include <QImageReader>
#include <QLabel>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

using namespace stepwell::ui;

namespace {

struct AccessApp : EngineApp {
    explicit AccessApp(const char *program) : EngineApp(program) {}

    [[nodiscard]] Debugger &debugger() { return window.debugger(); }
    [[nodiscard]] AccessCanvas &canvas() { return child<AccessPanel>("access").canvas(); }
    [[nodiscard]] AccessScene &scene() { return canvas().scene(); }
    [[nodiscard]] bool open(const char *device)
    {
        if (!QTest::qWaitFor([this] { return isReady(); }, kPatience))
            return false;
        choose(QString::fromLatin1(device));
        if (!QTest::qWaitFor([&] { return isReady() && window.session().device() == QLatin1String(device); }, kPatience))
            return false;
        window.action("go.access")->trigger();
        return QTest::qWaitFor([this] { return debugger().state() == TraceState::Open && debugger().isSettled(); }, kPatience);
    }
    [[nodiscard]] bool settle()
    {
        return QTest::qWaitFor([this] { return debugger().isSettled(); }, kPatience);
    }
    [[nodiscard]] std::uint32_t memoryNamed(const std::string &name)
    {
        for (const sw::TraceMemory &memory : debugger().facts()->memories)
            if (memory.name == name)
                return memory.instruction;
        return sw::kNoIndex;
    }
    [[nodiscard]] QColor lit(Role role) { return Theme::blend(appearance.color(Role::Alternate), appearance.color(role), 0.9); }
};

// With the kernel before its newest transformation beside it.
struct BesideApp : AccessApp {
    BesideApp() : AccessApp("input x: f32[16, 64]\noutput y = exp(x) * 2\n") {}

    [[nodiscard]] AccessPanel &panel() { return child<AccessPanel>("access"); }
    [[nodiscard]] QComboBox &beside() { return child<QComboBox>("accessBeside"); }
    [[nodiscard]] bool settleBoth()
    {
        return QTest::qWaitFor([this] { return debugger().isSettled() && panel().twin().isSettled(); }, kPatience);
    }
    [[nodiscard]] bool openBeside()
    {
        if (!open("llvm") || !QTest::qWaitFor([this] { return beside().count() > 1; }, kPatience))
            return false;
        beside().setCurrentIndex(1);
        emit beside().activated(1);
        return QTest::qWaitFor([this] { return panel().twin().isOpen() && debugger().position()->steps; }, kPatience) &&
               settleBoth();
    }
};

constexpr const char *kRows = "input x: f32[6, 20]\noutput y = sum(x, axis = 1)\n";

} // namespace

class AccessTest : public QObject {
    Q_OBJECT

private slots:
    void lightsWhatTheLastStepTouches()
    {
        AccessApp app(kRows);
        QVERIFY(app.open("interpreter"));
        const QColor plain = app.appearance.color(Role::Alternate);
        for (int i = 0; i < 30; ++i) {
            app.debugger().runToAccess(sw::TraceDirection::Forward);
            QVERIFY(app.settle());
            const sw::TracePosition &position = *app.debugger().position();
            QVERIFY(!position.accesses.empty());
            const sw::TraceAccess &access = position.accesses.back();
            for (std::uint32_t lane = 0; lane < access.count; ++lane)
                QCOMPARE(app.scene().colorOf({access.memory, access.first + lane}),
                         app.lit(access.isStore ? Role::Added : Role::Note));
            const AccessScene::Place behind{access.memory, access.first + access.count};
            if (!access.isStore && behind.element < 120) {
                QCOMPARE(app.scene().colorOf(behind), plain);
            }
            // It is drawn there.
            const QRectF rect = app.scene().rectOf({access.memory, access.first});
            QVERIFY(!rect.isEmpty());
            const auto found = app.scene().placeAt(rect.center());
            QVERIFY(found && found->element == access.first && found->memory == access.memory);
            const QImage image = app.canvas().grab().toImage();
            const QColor painted = image.pixelColor((rect.center() + QPointF(6, 6)).toPoint());
            QCOMPARE(painted.rgb(), app.lit(access.isStore ? Role::Added : Role::Note).rgb());
        }
        // Of earlier accesses a trail is left, which fades.
        QVERIFY(app.scene().colorOf({app.memoryNamed("x"), 0}) != plain);
        app.child<QSpinBox>("accessTrail").setValue(1);
        QVERIFY(app.settle());
        QCOMPARE(app.scene().colorOf({app.memoryNamed("x"), 0}), plain);
        QVERIFY2(app.scene().lastStep().contains("1 cache line"), qPrintable(app.scene().lastStep()));
    }

    void showsTotals()
    {
        AccessApp app(kRows);
        QVERIFY(app.open("interpreter"));
        app.child<QComboBox>("accessModes").setCurrentIndex(static_cast<int>(AccessMode::Touches));
        QVERIFY(app.settle());
        const std::uint32_t x = app.memoryNamed("x");
        const std::uint32_t y = app.memoryNamed("y");
        QVERIFY2(app.scene().describe({x, 119}).contains("[5, 19], cache line 7\nread 1 time, written 0 times"),
                 qPrintable(app.scene().describe({x, 119})));
        QVERIFY2(app.scene().describe({y, 3}).contains("written 1 time"), qPrintable(app.scene().describe({y, 3})));
        QVERIFY(app.scene().colorOf({x, 7}) != app.appearance.color(Role::Alternate));
        // What is touched later is brighter.
        app.child<QComboBox>("accessModes").setCurrentIndex(static_cast<int>(AccessMode::First));
        QVERIFY(app.settle());
        QVERIFY(app.scene().colorOf({x, 0}).lightness() < app.scene().colorOf({x, 119}).lightness());
    }

    void anElementLeadsToItsAccess()
    {
        AccessApp app(kRows);
        QVERIFY(app.open("interpreter"));
        const std::uint32_t x = app.memoryNamed("x");
        const QPoint at = (app.scene().rectOf({x, 47}).center() + QPointF(6, 6)).toPoint();
        QTest::mouseDClick(&app.canvas(), Qt::LeftButton, {}, at);
        QVERIFY(app.settle());
        QCOMPARE(app.debugger().position()->accesses.at(0).memory, x);
        QCOMPARE(app.debugger().position()->accesses.at(0).first, 47);
        // Back to an iteration with the number of its loop, in this panel too.
        const std::string loop = app.debugger().facts()->loops.back().name;
        auto *number = app.child<AccessPanel>("access").findChild<QSpinBox *>("counter." + QString::fromStdString(loop));
        QVERIFY(number);
        number->setValue(2);
        QVERIFY(app.settle());
        QCOMPARE(app.debugger().position()->counters.back().value, 2);
    }

    // The kernel without its transformations goes along, at the same part of its way.
    void showsTheKernelBeforeATransformation()
    {
        AccessApp app("input x: f32[16, 64]\noutput y = exp(x) * 2\n");
        QVERIFY(app.open("llvm"));
        auto &panel = app.child<AccessPanel>("access");
        auto &beside = app.child<QComboBox>("accessBeside");
        const auto isSettled = [&] { return app.debugger().isSettled() && panel.twin().isSettled(); };
        QTRY_VERIFY_WITH_TIMEOUT(isSettled() && beside.count() > 1, kPatience);
        QVERIFY(!panel.canvasBeside().isVisible());
        QVERIFY(beside.itemText(beside.count() - 1).startsWith("Before all: without "));
        beside.setCurrentIndex(beside.count() - 1);
        emit beside.activated(beside.count() - 1);
        QTRY_VERIFY_WITH_TIMEOUT(isSettled() && panel.twin().isOpen() && app.debugger().position()->steps, kPatience);
        QVERIFY(panel.canvasBeside().isVisible());
        QVERIFY(panel.canvasBeside().width() > 200 && panel.canvas().width() > 200);
        QTRY_VERIFY_WITH_TIMEOUT(panel.twin().linesOfRun() && panel.twin().lines(), kPatience);
        // One element at a time makes more accesses of the same cache lines.
        QCOMPARE(panel.twin().lines()->lines, panel.twin().linesOfRun()->lines);
        QVERIFY(panel.twin().lines()->reads > panel.twin().linesOfRun()->reads);
        QCOMPARE(panel.twin().lines()->reads, 1024U);
        QVERIFY(app.child<QLabel>("accessBeforeFigures").text().contains("1,024 reads"));
        QVERIFY(app.child<QLabel>("accessNowFigures").text().contains("cache lines"));
        // Half of the way is half of the way for both.
        app.debugger().goTo(*app.debugger().position()->steps / 2);
        QTRY_VERIFY_WITH_TIMEOUT(isSettled(), kPatience);
        QCOMPARE(panel.twin().position(),
                 samePartOf(panel.twin().steps(), app.debugger().position()->position, *app.debugger().position()->steps));
        const auto y = std::ranges::find(panel.twin().memories(), std::string("y"), &sw::TraceMemory::name);
        QVERIFY(y != panel.twin().memories().end());
        const auto lastOfBefore = panel.twin().trail().front();
        QVERIFY(lastOfBefore.first >= 480 && lastOfBefore.first <= 544);
        QCOMPARE(lastOfBefore.count, 1U);
        QCOMPARE(panel.canvasBeside().scene().colorOf({lastOfBefore.memory, lastOfBefore.first}),
                 app.lit(lastOfBefore.isStore ? Role::Added : Role::Note));
        QVERIFY(app.debugger().trail().front().count > 1);
        // Played together.
        const std::uint64_t before = panel.twin().position();
        app.debugger().runToAccess(sw::TraceDirection::Forward);
        QTRY_VERIFY_WITH_TIMEOUT(isSettled() && panel.twin().position() > before, kPatience);
        app.debugger().goToEnd();
        QTRY_VERIFY_WITH_TIMEOUT(isSettled() && panel.twin().position() == panel.twin().steps(), kPatience);
        // Totals of both.
        app.child<QComboBox>("accessModes").setCurrentIndex(static_cast<int>(AccessMode::Touches));
        QTRY_VERIFY_WITH_TIMEOUT(isSettled(), kPatience);
        QVERIFY2(panel.canvasBeside().scene().describe({y->instruction, 3}).contains("written 1 time"),
                 qPrintable(panel.canvasBeside().scene().describe({y->instruction, 3})));
        beside.setCurrentIndex(0);
        emit beside.activated(0);
        QVERIFY(!panel.canvasBeside().isVisible());
        QVERIFY(!app.child<QLabel>("accessNowFigures").isVisible());
    }

    void playsToTheEnd()
    {
        AccessApp app("input x: f32[3]\noutput y = x * 2\n");
        QVERIFY(app.open("interpreter"));
        auto &speeds = app.child<QComboBox>("accessSpeeds");
        speeds.setCurrentIndex(speeds.count() - 1);
        emit speeds.activated(speeds.count() - 1);
        auto &play = app.child<QToolButton>("accessPlay");
        QTest::mouseClick(&play, Qt::LeftButton);
        QVERIFY(play.isChecked());
        QTRY_VERIFY_WITH_TIMEOUT(!play.isChecked(), kPatience);
        QVERIFY(app.settle());
        const sw::TraceAccess &last = app.debugger().position()->accesses.at(0);
        QVERIFY(last.isStore);
        QCOMPARE(last.first, 2);
    }

    void savesAPicture()
    {
        AccessApp app(kRows);
        QVERIFY(app.open("interpreter"));
        const QString path = app.folder.filePath("access.png");
        auto &panel = app.child<AccessPanel>("access");
        QCOMPARE(panel.savePictureAs(path), QString());
        const QImage image(path);
        QCOMPARE(image.size(), app.canvas().size() * 2);
        QVERIFY(!panel.savePictureAs("/nowhere/access.png").isEmpty());
    }

    void savesAnAnimation()
    {
        AccessApp app(kRows);
        QVERIFY(app.open("interpreter"));
        app.debugger().runToAccess(sw::TraceDirection::Forward);
        QVERIFY(app.settle());
        const std::uint64_t before = app.debugger().position()->position;
        auto &panel = app.child<AccessPanel>("access");
        QSignalSpy saved(&panel, &AccessPanel::animationSaved);
        const QString path = app.folder.filePath("access.gif");
        panel.saveAnimationAs(path);
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, kPatience);
        QCOMPARE(saved[0][1].toString(), QString());
        QImageReader reader(path);
        QCOMPARE(reader.format(), QByteArray("gif"));
        QCOMPARE(reader.loopCount(), -1); // for ever
        // Where the run stands, and every access behind it: 119 elements of x, and the sums.
        QVERIFY2(reader.imageCount() >= 120, qPrintable(QString::number(reader.imageCount())));
        const QImage first = reader.read();
        QCOMPARE(first.size(), app.canvas().size());
        QImage second = reader.read();
        QVERIFY(second != first);
        QCOMPARE(app.debugger().position()->position, before);
        QVERIFY(app.settle());
        panel.saveAnimationAs("/nowhere/access.gif");
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 2, kPatience);
        QVERIFY(!saved[1][1].toString().isEmpty());
    }

    // The run stands in the middle, and so does its twin.
    void savesBothSides()
    {
        BesideApp app;
        app.appearance.setTheme(QStringLiteral("light")); // as pictures are
        QVERIFY(app.openBeside());
        app.debugger().goTo(*app.debugger().position()->steps / 2);
        QVERIFY(app.settleBoth());
        AccessPanel &panel = app.panel();
        const QSize now = panel.canvas().size();
        const QSize before = panel.canvasBeside().size();
        const QString path = app.folder.filePath("both.png");
        QCOMPARE(panel.savePictureAs(path), QString());
        const QImage image(path);
        const int gap = image.width() / 2 - now.width() - before.width();
        const int titles = image.height() / 2 - std::max(now.height(), before.height());
        QVERIFY2(gap > 0 && gap < 40, qPrintable(QString::number(gap)));
        QVERIFY2(titles > 0 && titles < 60, qPrintable(QString::number(titles)));
        // Each side is what its canvas shows.
        const auto shown = [](AccessCanvas &canvas) {
            QImage painted(canvas.size() * 2, QImage::Format_RGB32);
            painted.setDevicePixelRatio(2);
            canvas.render(&painted);
            painted.setDevicePixelRatio(1);
            return painted;
        };
        QImage plain = image;
        plain.setDevicePixelRatio(1);
        QVERIFY(shown(panel.canvas()) != shown(panel.canvasBeside()));
        QCOMPARE(plain.copy(QRect(QPoint(0, titles * 2), now * 2)), shown(panel.canvas()));
        QCOMPARE(plain.copy(QRect(QPoint((now.width() + gap) * 2, titles * 2), before * 2)), shown(panel.canvasBeside()));

        const std::uint64_t position = app.debugger().position()->position;
        const std::uint64_t positionBefore = panel.twin().trace()->where().position;
        QSignalSpy saved(&panel, &AccessPanel::animationSaved);
        panel.saveAnimationAs(app.folder.filePath("both.gif"));
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, kPatience);
        QCOMPARE(saved[0][1].toString(), QString());
        QImageReader reader(app.folder.filePath("both.gif"));
        const QImage first = reader.read();
        QCOMPARE(first.size(), image.size() / 2);
        const QImage second = reader.read();
        const QRect right(now.width() + gap, 0, before.width(), first.height());
        const QRect left(0, 0, now.width(), first.height());
        QVERIFY(second.copy(left) != first.copy(left));
        QVERIFY(second.copy(right) != first.copy(right)); // the twin went along
        QVERIFY(app.settleBoth());
        QCOMPARE(app.debugger().position()->position, position);
        QCOMPARE(panel.twin().trace()->where().position, positionBefore);
    }

    void whatStandsBesideOutlivesARecompilation()
    {
        BesideApp app;
        QVERIFY(app.openBeside());
        const QString chosen = app.beside().currentText();
        app.editor().moveCursor(QTextCursor::End);
        app.type("output z = sum(x)\n");
        QTRY_COMPARE_WITH_TIMEOUT(app.snapshot().report->kernels.size(), std::size_t{2}, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.settleBoth() && app.panel().twin().isOpen(), kPatience);
        QCOMPARE(app.beside().currentText(), chosen);
        QVERIFY(app.panel().canvasBeside().isVisible());
        // A compilation that is stopped leaves it as it is.
        app.window.session().compileNow();
        app.window.session().stop();
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.settleBoth() && app.panel().twin().isOpen(), kPatience);
        QCOMPARE(app.beside().currentText(), chosen);
        // What is not there any more is dropped.
        app.choose("interpreter");
        QTRY_VERIFY_WITH_TIMEOUT(app.isReady() && app.window.session().device() == "interpreter" && app.settleBoth(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!app.panel().twin().chosen(), kPatience);
        QCOMPARE(app.beside().currentIndex(), 0);
        QVERIFY(!app.panel().canvasBeside().isVisible());
        app.editor().document()->setModified(false);
    }

    void drawsSlicesAndLargeTensors()
    {
        AccessApp app("input x: f32[3, 4, 5]\ninput w: f32[2000, 1500]\noutput a = exp(x)\noutput b = w * 2\n");
        QVERIFY(app.open("interpreter"));
        for (std::uint32_t kernel = 0; kernel < app.snapshot().report->kernels.size(); ++kernel) {
            app.debugger().open(kernel);
            QVERIFY(app.settle());
            app.debugger().goToEnd();
            QVERIFY(app.settle());
            for (const int mode : {3, 2, 1, 0}) {
                app.child<QComboBox>("accessModes").setCurrentIndex(mode);
                QVERIFY(app.settle());
                QVERIFY(!app.canvas().grab().isNull());
            }
            const bool hasSlices = app.scene().mostSlices() > 1;
            QCOMPARE(app.child<QSpinBox>("accessSlice").isVisible(), hasSlices);
            if (!hasSlices)
                continue;
            const sw::TraceMemory &memory = app.debugger().facts()->memories.front();
            QVERIFY(!app.scene().rectOf({memory.instruction, 59}).isEmpty()); // the slice of the last access
            app.child<QSpinBox>("accessSlice").setValue(1);
            QVERIFY(app.scene().rectOf({memory.instruction, 59}).isEmpty());
            QVERIFY(!app.scene().rectOf({memory.instruction, 19}).isEmpty());
        }
    }
};

QTEST_MAIN(AccessTest)
#include "tst_access.moc"
