#include "ui/sharing/copy_source.h"

#include "ui/text_view/text_view.h"

#include <QAbstractItemView>
#include <QCoreApplication>
#include <QLabel>
#include <QLocale>
#include <QPlainTextEdit>
#include <QTextDocumentFragment>
#include <QTextEdit>

namespace stepwell::ui {

namespace {

template <class... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};

QString tr(const char *english)
{
    return QCoreApplication::translate("Copying", english);
}

std::optional<CopySource> sourceOf(QWidget *widget)
{
    if (auto *table = qobject_cast<QAbstractItemView *>(widget))
        return table;
    if (auto *text = qobject_cast<TextView *>(widget))
        return text;
    if (auto *text = qobject_cast<QPlainTextEdit *>(widget))
        return text;
    if (auto *text = qobject_cast<QTextEdit *>(widget))
        return text;
    if (auto *label = qobject_cast<QLabel *>(widget);
        label && (label->textInteractionFlags() & Qt::TextSelectableByMouse) && !label->text().isEmpty())
        return label;
    return std::nullopt;
}

// What a block of Markdown is highlighted as.
std::string_view languageOf(Language language)
{
    switch (language) {
    case Language::Program:
        return "python"; // what it is most like
    case Language::C:
        return "c";
    case Language::Llvm:
        return "llvm";
    case Language::Assembly:
        return "asm";
    case Language::Loops:
    case Language::Lowered:
    case Language::Graph:
    case Language::Schedule:
        return {};
    }
    Q_UNREACHABLE();
}

QString listing(const QString &text, sw::TextFormat format, std::string_view language)
{
    return QString::fromStdString(sw::listingText(text.toStdString(), format, language));
}

QString plainSelection(QString text)
{
    return text.replace(QChar::ParagraphSeparator, u'\n').replace(QChar::LineSeparator, u'\n');
}

Copied copiedTableOf(const QAbstractItemView &view, CopyExtent wanted, sw::TextFormat format)
{
    const CopyExtent extent = hasSelection(view) ? wanted : CopyExtent::All;
    if (const qint64 cells = cellsOf(view, extent); cells > kMostCopiedCells)
        return {{},
                tr("The table has %1 cells, and at most %2 are copied. Select fewer.")
                    .arg(QLocale().toString(cells), QLocale().toString(kMostCopiedCells))};
    return {QString::fromStdString(sw::tableText(copiedTable(view, extent), format))};
}

// Rich text is Markdown already; in the other formats, its lines are what counts.
QString copiedRichText(const QTextDocumentFragment &fragment, sw::TextFormat format)
{
    return format == sw::TextFormat::Markdown ? fragment.toMarkdown() : listing(fragment.toPlainText(), format, {});
}

} // namespace

std::optional<CopySource> copySourceAt(QWidget *widget, const QWidget &root)
{
    for (; widget; widget = widget->parentWidget()) {
        if (const std::optional<CopySource> source = sourceOf(widget))
            return source;
        if (widget == &root)
            break;
    }
    return std::nullopt;
}

std::optional<CopySource> copySourceIn(const QWidget &root)
{
    std::optional<CopySource> text;
    for (QWidget *child : root.findChildren<QWidget *>()) {
        if (!child->isVisibleTo(&root))
            continue;
        const std::optional<CopySource> source = sourceOf(child);
        if (source && std::holds_alternative<QAbstractItemView *>(*source))
            return source;
        if (source && !text)
            text = source;
    }
    return text;
}

bool hasSelection(const CopySource &source)
{
    return std::visit(Overloaded{[](const QAbstractItemView *view) { return hasSelection(*view); },
                                 [](const TextView *view) { return !view->chosenText().isEmpty(); },
                                 [](const QPlainTextEdit *edit) { return edit->textCursor().hasSelection(); },
                                 [](const QTextEdit *edit) { return edit->textCursor().hasSelection(); },
                                 [](const QLabel *label) { return label->hasSelectedText(); }},
                      source);
}

Copied copiedFrom(const CopySource &source, CopyExtent wanted, sw::TextFormat format)
{
    const CopyExtent extent = hasSelection(source) ? wanted : CopyExtent::All;
    const bool isAll = extent == CopyExtent::All;
    return std::visit(
        Overloaded{
            [&](const QAbstractItemView *view) { return copiedTableOf(*view, extent, format); },
            [&](const TextView *view) {
                return Copied{listing(isAll ? view->wholeText() : view->chosenText(), format, languageOf(view->language()))};
            },
            [&](const QPlainTextEdit *edit) {
                return Copied{
                    listing(isAll ? edit->toPlainText() : plainSelection(edit->textCursor().selectedText()), format, {})};
            },
            [&](const QTextEdit *edit) {
                return Copied{
                    copiedRichText(isAll ? QTextDocumentFragment(edit->document()) : edit->textCursor().selection(), format)};
            },
            [&](const QLabel *label) {
                const auto whole = Qt::mightBeRichText(label->text()) ? QTextDocumentFragment::fromHtml(label->text())
                                                                      : QTextDocumentFragment::fromPlainText(label->text());
                return Copied{isAll ? copiedRichText(whole, format) : listing(plainSelection(label->selectedText()), format, {})};
            }},
        source);
}

QString titleOf(sw::TextFormat format)
{
    switch (format) {
    case sw::TextFormat::Text:
        return tr("Text");
    case sw::TextFormat::Markdown:
        return QStringLiteral("Markdown");
    case sw::TextFormat::Csv:
        return QStringLiteral("CSV");
    case sw::TextFormat::Json:
        return QStringLiteral("JSON");
    case sw::TextFormat::Latex:
        return QStringLiteral("LaTeX");
    }
    Q_UNREACHABLE();
}

} // namespace stepwell::ui
