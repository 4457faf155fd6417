#include "ui/text_view/program_editor.h"

#include "ui/session/session.h"
#include "ui/text_view/placed_messages.h"
#include "ui/text_view/syntax.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QSyntaxHighlighter>
#include <QTextBlock>
#include <QToolTip>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr int kIndent = 4;
constexpr int kGutterPadding = 8;
constexpr int kLeastPoints = 5;
constexpr int kMostPoints = 40;

class Gutter : public QWidget {
public:
    explicit Gutter(ProgramEditor *editor) : QWidget(editor), m_editor(editor) {}

protected:
    void paintEvent(QPaintEvent *event) override { m_editor->paintGutter(event); }

private:
    ProgramEditor *m_editor;
};

class ProgramHighlighter : public QSyntaxHighlighter {
public:
    ProgramHighlighter(QTextDocument *document, const Appearance &appearance)
        : QSyntaxHighlighter(document), m_appearance(appearance)
    {
    }

protected:
    void highlightBlock(const QString &text) override
    {
        for (const SyntaxSpan &span : tokenize(text, Language::Program))
            setFormat(span.start, span.length, m_appearance.theme().color(span.style));
    }

private:
    const Appearance &m_appearance;
};

} // namespace

ProgramEditor::ProgramEditor(const Appearance &appearance, Session &session, Selection &selection, QWidget *parent)
    : QPlainTextEdit(parent),
      m_appearance(appearance),
      m_session(session),
      m_selection(selection),
      m_gutter(new Gutter(this)),
      m_highlighter(new ProgramHighlighter(document(), appearance))
{
    setObjectName(QStringLiteral("programEditor"));
    setAccessibleName(tr("Program"));
    setFrameShape(QFrame::NoFrame);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    viewport()->setMouseTracking(true);
    applyAppearance();
    connect(&appearance, &Appearance::changed, this, &ProgramEditor::applyAppearance);
    connect(this, &QPlainTextEdit::blockCountChanged, this, [this] { setViewportMargins(gutterWidth(), 0, 0, 0); });
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect &area, int dy) {
        if (dy != 0)
            m_gutter->scroll(0, dy);
        else
            m_gutter->update(0, area.y(), m_gutter->width(), area.height());
    });
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, [this] {
        m_gutter->update();
        updateMarks();
    });
    connect(&selection, &Selection::hoverChanged, this, &ProgramEditor::updateMarks);
    connect(&selection, &Selection::selectionChanged, this, [this] {
        updateMarks();
        ensurePartnerVisible();
    });
}

void ProgramEditor::applyAppearance()
{
    QFont font = m_appearance.codeFont();
    font.setPointSize(std::clamp(font.pointSize() + m_zoomPoints, kLeastPoints, kMostPoints));
    setFont(font);
    document()->setDefaultFont(font);
    setTabStopDistance(kIndent * QFontMetricsF(font).horizontalAdvance(u' '));
    setViewportMargins(gutterWidth(), 0, 0, 0);
    m_highlighter->rehighlight();
    updateMarks();
}

void ProgramEditor::setProgram(const QString &text)
{
    setPlainText(text);
    setViewportMargins(gutterWidth(), 0, 0, 0); // also where signals are blocked
    document()->setModified(false);
    m_messages.clear();
    updateMarks();
}

void ProgramEditor::replaceProgram(const QString &text)
{
    const int line = textCursor().blockNumber();
    const int column = textCursor().positionInBlock();
    const int scrolled = verticalScrollBar()->value();
    QTextCursor all(document());
    all.select(QTextCursor::Document);
    all.insertText(text);
    const QTextBlock block = document()->findBlockByNumber(std::min(line, blockCount() - 1));
    QTextCursor cursor(block);
    cursor.setPosition(block.position() + std::min(column, block.length() - 1));
    setTextCursor(cursor);
    verticalScrollBar()->setValue(scrolled);
    document()->setModified(false);
}

QString ProgramEditor::programText() const
{
    return document()->toRawText().replace(QChar::ParagraphSeparator, u'\n').replace(QChar::LineSeparator, u'\n');
}

int ProgramEditor::gutterWidth() const
{
    const auto digits = std::max<qsizetype>(2, QString::number(blockCount()).size());
    return static_cast<int>(static_cast<double>(digits) * QFontMetricsF(font()).horizontalAdvance(u'0')) + 2 * kGutterPadding;
}

void ProgramEditor::resizeEvent(QResizeEvent *event)
{
    QPlainTextEdit::resizeEvent(event);
    const QRect area = contentsRect();
    m_gutter->setGeometry(area.left(), area.top(), gutterWidth(), area.height());
}

void ProgramEditor::paintGutter(QPaintEvent *event)
{
    QPainter painter(m_gutter);
    painter.fillRect(event->rect(), m_appearance.color(Role::Base));
    painter.setFont(font());
    QTextBlock block = firstVisibleBlock();
    double top = blockBoundingGeometry(block).translated(contentOffset()).top();
    while (block.isValid() && top <= event->rect().bottom()) {
        const double height = blockBoundingRect(block).height();
        if (block.isVisible() && top + height >= event->rect().top()) {
            const auto isHere = [&](const MarkedMessage &message) {
                return message.range.selectionStart() <= block.position() + block.length() - 1 &&
                       message.range.selectionEnd() >= block.position();
            };
            const bool isCurrent = block == textCursor().block();
            painter.setPen(m_appearance.color(isCurrent ? Role::Text : Role::Muted));
            // The worst comes last.
            const auto worst = std::ranges::find_if(m_messages.rbegin(), m_messages.rend(), isHere);
            if (worst != m_messages.rend()) {
                const QColor color = m_appearance.color(roleOf(worst->severity));
                painter.setPen(color);
                painter.fillRect(QRectF(0, top, 3, height), color);
            }
            painter.drawText(QRectF(0, top, m_gutter->width() - kGutterPadding, height), Qt::AlignRight | Qt::AlignVCenter,
                             QString::number(block.blockNumber() + 1));
        }
        top += height;
        block = block.next();
    }
}

void ProgramEditor::zoomBy(int points)
{
    m_zoomPoints = std::clamp(m_zoomPoints + points, kLeastPoints - m_appearance.codeFont().pointSize(),
                              kMostPoints - m_appearance.codeFont().pointSize());
    applyAppearance();
}

void ProgramEditor::resetZoom()
{
    m_zoomPoints = 0;
    applyAppearance();
}

void ProgramEditor::wheelEvent(QWheelEvent *event)
{
    if (event->modifiers() & Qt::ControlModifier)
        zoomBy(event->angleDelta().y() > 0 ? 1 : -1);
    else
        QPlainTextEdit::wheelEvent(event);
}

void ProgramEditor::mouseMoveEvent(QMouseEvent *event)
{
    QPlainTextEdit::mouseMoveEvent(event);
    if (event->buttons() != Qt::NoButton)
        return;
    const sw::ItemIndex item = itemAt(cursorForPosition(event->position().toPoint()));
    if (item == sw::kNoIndex)
        m_selection.clearHover();
    else
        m_selection.setHover(sw::StageKind::Program, {item});
}

void ProgramEditor::mouseReleaseEvent(QMouseEvent *event)
{
    QPlainTextEdit::mouseReleaseEvent(event);
    if (event->button() != Qt::LeftButton || textCursor().hasSelection())
        return;
    const sw::ItemIndex item = itemAt(textCursor());
    m_revealed = m_selection.number() + 1; // selections made here do not scroll the view
    if (item == sw::kNoIndex)
        m_selection.clear();
    else
        m_selection.select(sw::StageKind::Program, {item});
}

bool ProgramEditor::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::Leave)
        m_selection.clearHover();
    if (event->type() != QEvent::ToolTip)
        return QPlainTextEdit::viewportEvent(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const QString message = messageAt(help->pos());
    if (message.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), message, this);
    return true;
}

void ProgramEditor::keyPressEvent(QKeyEvent *event)
{
    const bool isPlain = (event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == Qt::NoModifier;
    if (isPlain && event->key() == Qt::Key_Tab) {
        if (textCursor().hasSelection())
            indentSelection(true);
        else
            textCursor().insertText(QString(kIndent - textCursor().positionInBlock() % kIndent, u' '));
        return;
    }
    if (isPlain && event->key() == Qt::Key_Backtab) {
        indentSelection(false);
        return;
    }
    if (isPlain && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)) {
        insertNewLine();
        return;
    }
    if (event->key() == Qt::Key_Escape) {
        m_selection.clear();
        return;
    }
    QPlainTextEdit::keyPressEvent(event);
}

// As deep as the line before; deeper after a colon.
void ProgramEditor::insertNewLine()
{
    QTextCursor cursor = textCursor();
    const QString before = cursor.block().text().left(cursor.positionInBlock());
    qsizetype indent = 0;
    while (indent < before.size() && before[indent] == u' ')
        ++indent;
    if (before.trimmed().endsWith(u':'))
        indent += kIndent;
    cursor.insertText(u'\n' + QString(indent, u' '));
    setTextCursor(cursor);
    ensureCursorVisible();
}

void ProgramEditor::indentSelection(bool isMore)
{
    QTextCursor cursor = textCursor();
    const QTextBlock first = document()->findBlock(cursor.selectionStart());
    const QTextBlock last = document()->findBlock(cursor.selectionEnd());
    cursor.beginEditBlock();
    for (QTextBlock block = first; block.isValid(); block = block.next()) {
        QTextCursor edit(block);
        if (isMore) {
            edit.insertText(QString(kIndent, u' '));
        } else {
            const QString text = block.text();
            int spaces = 0;
            while (spaces < kIndent && spaces < text.size() && text[spaces] == u' ')
                ++spaces;
            edit.movePosition(QTextCursor::NextCharacter, QTextCursor::KeepAnchor, spaces);
            edit.removeSelectedText();
        }
        if (block == last)
            break;
    }
    cursor.endEditBlock();
}

} // namespace stepwell::ui
