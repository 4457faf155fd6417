#pragma once
// The program editor: line numbers, colours, errors in place, and the expressions that belong to what is pointed at
// elsewhere.

#include "ui/session/selection.h"
#include "ui/theme/appearance.h"

#include <QPlainTextEdit>

#include <vector>

class QSyntaxHighlighter;

namespace stepwell::ui {

class Session;

class ProgramEditor : public QPlainTextEdit {
    Q_OBJECT

public:
    ProgramEditor(const Appearance &appearance, Session &session, Selection &selection, QWidget *parent = nullptr);

    // Shows a new program: undo does not lead back to the old one.
    void setProgram(const QString &text);
    // A new version of the same program: undo leads back, the cursor stays near its line.
    void replaceProgram(const QString &text);
    // Every character as it was read; toPlainText() turns no-break spaces into plain ones.
    [[nodiscard]] QString programText() const;
    // Marks the messages of this program; those from inside a library function appear where the program calls it.
    void setMessages(const std::vector<sw::Message> &messages);
    void goTo(std::uint32_t line, std::uint32_t column); // both count from 1, columns in bytes
    void zoomBy(int points);
    void resetZoom();

    [[nodiscard]] const std::vector<QTextEdit::ExtraSelection> errorMarks() const { return m_errorMarks; }
    [[nodiscard]] QString messageAt(const QPoint &viewportPosition) const; // empty: none
    // The innermost item of the program document at the cursor; kNoIndex: none, or the text was edited since.
    [[nodiscard]] sw::ItemIndex itemAt(const QTextCursor &cursor) const;
    // The number of text ranges now marked for items of the program; for tests.
    [[nodiscard]] int partnerMarkCount() const { return m_partnerMarks; }

    void paintGutter(QPaintEvent *event); // called by the gutter widget
    [[nodiscard]] int gutterWidth() const;

protected:
    void resizeEvent(QResizeEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    bool viewportEvent(QEvent *event) override;

private:
    struct MarkedMessage {
        QTextCursor range; // moves with the text around it
        sw::MessageSeverity severity = sw::MessageSeverity::Error;
        QString text;
    };

    void applyAppearance();
    void updateMarks();
    void addPartnerMarks(QList<QTextEdit::ExtraSelection> &marks, const PartnerSet &set, Role role);
    void ensurePartnerVisible();
    void indentSelection(bool isMore);
    void insertNewLine();
    [[nodiscard]] int positionOf(std::uint32_t line, std::uint32_t column) const; // position in the text; -1: not there
    [[nodiscard]] QTextCursor cursorOver(int start, int end) const;
    [[nodiscard]] const sw::StageDocument *programDocument() const; // null when it was made from another text

    const Appearance &m_appearance;
    Session &m_session;
    Selection &m_selection;
    QWidget *m_gutter;
    QSyntaxHighlighter *m_highlighter;
    std::vector<MarkedMessage> m_messages;
    std::vector<QTextEdit::ExtraSelection> m_errorMarks;
    int m_partnerMarks = 0;
    std::uint64_t m_revealed = 0; // the number of the selection already scrolled to, or made here
    int m_zoomPoints = 0;
};

} // namespace stepwell::ui
