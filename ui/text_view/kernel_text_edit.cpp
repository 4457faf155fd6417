#include "ui/text_view/kernel_text_edit.h"

#include "ui/text_view/placed_messages.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QSyntaxHighlighter>
#include <QTextBlock>
#include <QToolTip>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr int kGutterPadding = 8;
constexpr int kIndent = 4;

class KernelGutter : public QWidget {
public:
    explicit KernelGutter(KernelTextEdit *editor) : QWidget(editor), m_editor(editor) {}

protected:
    void paintEvent(QPaintEvent *event) override { m_editor->paintGutter(event); }

private:
    KernelTextEdit *m_editor;
};

class KernelHighlighter : public QSyntaxHighlighter {
public:
    KernelHighlighter(QTextDocument *document, const Appearance &appearance, const Language &language)
        : QSyntaxHighlighter(document), m_appearance(appearance), m_language(language)
    {
    }

protected:
    void highlightBlock(const QString &text) override
    {
        for (const SyntaxSpan &span : tokenize(text, m_language))
            setFormat(span.start, span.length, m_appearance.theme().color(span.style));
    }

private:
    const Appearance &m_appearance;
    const Language &m_language;
};

bool isApply(const QKeyEvent &event)
{
    const bool isReturn = event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter;
    return isReturn && (event.modifiers() & Qt::ControlModifier) != 0;
}

} // namespace

KernelTextEdit::KernelTextEdit(const Appearance &appearance, QWidget *parent)
    : QPlainTextEdit(parent),
      m_appearance(appearance),
      m_gutter(new KernelGutter(this)),
      m_highlighter(new KernelHighlighter(document(), appearance, m_language))
{
    setFrameShape(QFrame::NoFrame);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setTabChangesFocus(false);
    applyAppearance();
    connect(&appearance, &Appearance::changed, this, &KernelTextEdit::applyAppearance);
    connect(this, &QPlainTextEdit::blockCountChanged, this, [this] { setViewportMargins(gutterWidth(), 0, 0, 0); });
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect &area, int dy) {
        if (dy != 0)
            m_gutter->scroll(0, dy);
        else
            m_gutter->update(0, area.y(), m_gutter->width(), area.height());
    });
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, &KernelTextEdit::updateMarks);
}

void KernelTextEdit::applyAppearance()
{
    setFont(m_appearance.codeFont());
    document()->setDefaultFont(m_appearance.codeFont());
    setTabStopDistance(kIndent * QFontMetricsF(font()).horizontalAdvance(u' '));
    setViewportMargins(gutterWidth(), 0, 0, 0);
    m_highlighter->rehighlight();
    updateMarks();
}

void KernelTextEdit::setLanguage(Language language)
{
    if (language == m_language)
        return;
    m_language = language;
    m_highlighter->rehighlight();
}

void KernelTextEdit::setMessages(const std::vector<sw::Message> &messages)
{
    m_messages.clear();
    for (const sw::Message &message : messages) {
        const QTextBlock block = document()->findBlockByNumber(static_cast<int>(message.line) - 1);
        if (message.line == 0 || !block.isValid())
            continue;
        QTextCursor cursor(block);
        const int column = std::max(static_cast<int>(message.column) - 1, 0);
        const bool isInside = column + 1 < block.length() && column > 0;
        cursor.setPosition(block.position() + (isInside ? column : 0));
        cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
        m_messages.push_back({cursor, message.severity, QString::fromStdString(message.text)});
    }
    updateMarks();
    m_gutter->update();
}

void KernelTextEdit::setChangedLines(std::vector<int> lines, Role role)
{
    m_changed = std::move(lines);
    m_changedRole = role;
    updateMarks();
}

void KernelTextEdit::goTo(std::uint32_t line)
{
    const QTextBlock block = document()->findBlockByNumber(static_cast<int>(line) - 1);
    if (!block.isValid())
        return;
    setTextCursor(QTextCursor(block));
    centerCursor();
}

std::vector<int> KernelTextEdit::markedLines() const
{
    std::vector<int> lines;
    for (const LineMessage &message : m_messages)
        lines.push_back(document()->findBlock(message.range.selectionStart()).blockNumber());
    return lines;
}

QString KernelTextEdit::messageAt(int line) const
{
    QStringList texts;
    for (const LineMessage &message : m_messages)
        if (document()->findBlock(message.range.selectionStart()).blockNumber() == line)
            texts << message.text;
    return texts.join(QStringLiteral("\n\n"));
}

void KernelTextEdit::updateMarks()
{
    QList<QTextEdit::ExtraSelection> marks;
    const auto wholeLine = [&](const QTextBlock &block, Role role) {
        QTextEdit::ExtraSelection mark;
        mark.format.setBackground(m_appearance.color(role));
        mark.format.setProperty(QTextFormat::FullWidthSelection, true);
        mark.cursor = QTextCursor(block);
        marks << mark;
    };
    for (const int line : m_changed)
        if (const QTextBlock block = document()->findBlockByNumber(line); block.isValid())
            wholeLine(block, m_changedRole);
    if (!isReadOnly() && m_changed.empty())
        wholeLine(textCursor().block(), Role::CurrentLine);
    for (const LineMessage &message : m_messages) {
        QTextEdit::ExtraSelection mark;
        mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        mark.format.setUnderlineColor(m_appearance.color(roleOf(message.severity)));
        mark.cursor = message.range;
        marks << mark;
    }
    setExtraSelections(marks);
    m_gutter->update();
}

int KernelTextEdit::gutterWidth() const
{
    const auto digits = std::max<qsizetype>(2, QString::number(blockCount()).size());
    return static_cast<int>(static_cast<double>(digits) * QFontMetricsF(font()).horizontalAdvance(u'0')) + 2 * kGutterPadding;
}

void KernelTextEdit::resizeEvent(QResizeEvent *event)
{
    QPlainTextEdit::resizeEvent(event);
    const QRect area = contentsRect();
    m_gutter->setGeometry(area.left(), area.top(), gutterWidth(), area.height());
}

void KernelTextEdit::paintGutter(QPaintEvent *event)
{
    QPainter painter(m_gutter);
    painter.fillRect(event->rect(), m_appearance.color(Role::Base));
    painter.setFont(font());
    const std::vector<int> marked = markedLines();
    QTextBlock block = firstVisibleBlock();
    double top = blockBoundingGeometry(block).translated(contentOffset()).top();
    for (; block.isValid() && top <= event->rect().bottom(); block = block.next()) {
        const double height = blockBoundingRect(block).height();
        const bool isMarked = std::ranges::find(marked, block.blockNumber()) != marked.end();
        const bool isCurrent = !isReadOnly() && block == textCursor().block();
        painter.setPen(m_appearance.color(isMarked ? Role::Error : isCurrent ? Role::Text : Role::Muted));
        if (isMarked)
            painter.fillRect(QRectF(0, top, 3, height), m_appearance.color(Role::Error));
        painter.drawText(QRectF(0, top, m_gutter->width() - kGutterPadding, height), Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(block.blockNumber() + 1));
        top += height;
    }
}

// The window has an action of these keys, too.
bool KernelTextEdit::event(QEvent *event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const auto &key = *static_cast<QKeyEvent *>(event);
        if (isApply(key) || key.key() == Qt::Key_Escape) {
            event->accept();
            return true;
        }
    }
    return QPlainTextEdit::event(event);
}

void KernelTextEdit::keyPressEvent(QKeyEvent *event)
{
    if (isApply(*event) && (event->modifiers() & Qt::ShiftModifier) != 0)
        emit runWanted();
    else if (isApply(*event))
        emit applyWanted();
    else if (event->key() == Qt::Key_Escape)
        emit closeWanted();
    else
        QPlainTextEdit::keyPressEvent(event);
}

bool KernelTextEdit::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto &help = *static_cast<QHelpEvent *>(event);
        QToolTip::showText(help.globalPos(), messageAt(cursorForPosition(help.pos()).blockNumber()), viewport());
        return true;
    }
    return QPlainTextEdit::viewportEvent(event);
}

} // namespace stepwell::ui
