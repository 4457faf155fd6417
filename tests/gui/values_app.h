#pragma once
// The window on the real engine, with hands for the panels of values.

#include "tests/gui/engine_app.h"
#include "ui/models/input_model.h"
#include "ui/models/value_model.h"
#include "ui/panels/panel.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QToolButton>

namespace stepwell::ui {

inline constexpr const char *kValuesProgram = "input x: f32[4, 6]\n"
                                              "param w: f32[6] = random(1)\n"
                                              "h = sqrt(x) * w\n"
                                              "output y = h + 1.0\n";

struct ValuesApp : EngineApp {
    explicit ValuesApp(const char *program = kValuesProgram) : EngineApp(program) {}

    void wait() { QTRY_VERIFY_WITH_TIMEOUT(isReady(), kPatience); }
    void run()
    {
        wait();
        window.action("compile.run")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(snapshot().measured && isReady(), kPatience);
    }
    void go(const char *panel)
    {
        window.action(QStringLiteral("go.") + QLatin1String(panel))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(window.findChild<QWidget *>(panel)->isVisible(), kPatience);
    }
    // Chooses the entry of a box as a person does.
    void choose(const char *name, const QString &text)
    {
        auto &box = child<QComboBox>(name);
        const int index = box.findText(text, Qt::MatchStartsWith);
        QVERIFY2(index >= 0, qPrintable(text));
        box.setCurrentIndex(index);
        emit box.activated(index);
    }
    void type(const char *field, const QString &text)
    {
        auto &edit = child<QLineEdit>(field);
        edit.setFocus();
        edit.selectAll();
        QTest::keyClicks(&edit, text);
        QTest::keyClick(&edit, Qt::Key_Return);
    }
    [[nodiscard]] QAbstractItemModel &cells() { return *child<QTableView>("valuesTable").model(); }
    [[nodiscard]] QString cell(int row, int column) { return cells().index(row, column).data().toString(); }
    [[nodiscard]] QString statistics() { return child<QLabel>("statistics").text(); }
    void typeCell(int row, int column, const QString &text)
    {
        auto &table = child<QTableView>("valuesTable");
        table.setFocus();
        table.setCurrentIndex(cells().index(row, column));
        table.edit(table.currentIndex());
        const QList<QLineEdit *> editors = table.viewport()->findChildren<QLineEdit *>();
        QVERIFY(!editors.empty());
        QLineEdit *editor = editors.last(); // an earlier one may still be on its way out
        editor->selectAll();
        QTest::keyClicks(editor, text);
        QTest::keyClick(editor, Qt::Key_Return);
    }
};

} // namespace stepwell::ui
