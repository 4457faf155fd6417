#pragma once
// An editor for the text of one kernel, or the original beside it: colours of its language, line numbers, what a compiler says in
// its line, and the lines that differ.

#include "engine/api/report.h"
#include "ui/text_view/syntax.h"
#include "ui/theme/appearance.h"

#include <QPlainTextEdit>

#include <vector>

class QSyntaxHighlighter;

namespace stepwell::ui {

class KernelTextEdit : public QPlainTextEdit {
    Q_OBJECT

public:
    KernelTextEdit(const Appearance &appearance, QWidget *parent = nullptr);

    void setLanguage(Language language);
    // Messages in this text, whose lines count from 1. Each marks its place and its line.
    void setMessages(const std::vector<sw::Message> &messages);
    // Lines, from 0, that the other text does not have.
    void setChangedLines(std::vector<int> lines, Role role);
    void goTo(std::uint32_t line);

    [[nodiscard]] const std::vector<int> &changedLines() const { return m_changed; }
    [[nodiscard]] std::vector<int> markedLines() const; // with messages, from 0
    [[nodiscard]] QString messageAt(int line) const;
    void paintGutter(QPaintEvent *event); // called by the gutter widget
    [[nodiscard]] int gutterWidth() const;

signals:
    void applyWanted();
    void runWanted();
    void closeWanted();

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    bool viewportEvent(QEvent *event) override;

private:
    struct LineMessage {
        QTextCursor range; // moves with the text around it
        sw::MessageSeverity severity = sw::MessageSeverity::Error;
        QString text;
    };

    void applyAppearance();
    void updateMarks();

    const Appearance &m_appearance;
    Language m_language = Language::C;
    QWidget *m_gutter;
    QSyntaxHighlighter *m_highlighter;
    std::vector<LineMessage> m_messages;
    std::vector<int> m_changed;
    Role m_changedRole = Role::AddedFill;
};

} // namespace stepwell::ui
