#include "ui/docking/layout_text.h"

#include <QCoreApplication>
#include <QSet>

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

using Kind = LayoutPlace::Kind;

constexpr int kLargestNumber = 99'999;
constexpr int kDeepest = 32; // rows in columns in rows

QString tr(const char *text)
{
    return QCoreApplication::translate("LayoutText", text);
}

QString textOfPlace(const LayoutPlace &place)
{
    QStringList parts;
    if (place.kind == Kind::Stack) {
        for (const LayoutTab &tab : place.tabs)
            parts << QLatin1String(!tab.isOpen ? "-" : tab.panel == place.front ? "*" : "") + tab.panel;
        // One open tab is in front without saying so.
        if (parts.size() == 1 && parts[0].startsWith(u'*'))
            parts[0].remove(0, 1);
        return parts.join(u'|');
    }
    for (const LayoutPlace &part : place.parts)
        parts << QStringLiteral("%1%2 %3").arg(part.size).arg(QLatin1String(part.grows ? "+" : ""), textOfPlace(part));
    return QStringLiteral("%1(%2)").arg(QLatin1String(place.kind == Kind::Row ? "row" : "column"), parts.join(u", "));
}

QString textOfFloat(const FloatingStack &stack)
{
    QStringList tabs;
    for (const QString &panel : stack.panels)
        tabs << QLatin1String(panel == stack.front && stack.panels.size() > 1 ? "*" : "") + panel;
    const QRect &at = stack.geometry;
    return QStringLiteral("float(%1 %2 %3x%4 %5)").arg(at.x()).arg(at.y()).arg(at.width()).arg(at.height()).arg(tabs.join(u'|'));
}

// Reads from left to right; after the first error it reads no further.
class Parser {
public:
    explicit Parser(const QString &text) : m_text(text) {}

    ParsedLayout parse()
    {
        Layout layout;
        layout.root = place(0);
        if (m_error.isEmpty() && layout.root.kind == Kind::Stack && layout.root.tabs.empty())
            expected(tr("a panel"));
        while (m_error.isEmpty() && !isAtEnd()) {
            const QString word = name(tr("float, maximised or the end"));
            if (word == QLatin1String("float"))
                layout.floating.push_back(floating());
            else if (word == QLatin1String("maximised"))
                layout.maximised = maximised();
            else if (m_error.isEmpty())
                fail(m_at - word.size(), tr("expected float, maximised or the end, found '%1'").arg(word));
        }
        if (!m_error.isEmpty())
            return {std::nullopt, m_error};
        tidy(layout);
        return {layout, {}};
    }

private:
    void skipSpace()
    {
        while (m_at < m_text.size() && m_text[m_at].isSpace())
            ++m_at;
    }
    bool isAtEnd()
    {
        skipSpace();
        return m_at >= m_text.size();
    }
    [[nodiscard]] bool isAt(QChar c)
    {
        skipSpace();
        return m_at < m_text.size() && m_text[m_at] == c;
    }
    bool take(QChar c)
    {
        const bool isThere = m_error.isEmpty() && isAt(c);
        m_at += isThere ? 1 : 0;
        return isThere;
    }
    void fail(qsizetype at, const QString &reason)
    {
        if (m_error.isEmpty())
            m_error = tr("column %1: %2").arg(at + 1).arg(reason);
    }
    void expected(const QString &what)
    {
        const QString found = isAtEnd() ? tr("the end") : QStringLiteral("'%1'").arg(m_text[m_at]);
        fail(m_at, tr("expected %1, found %2").arg(what, found));
    }
    void want(QChar c)
    {
        if (!take(c))
            expected(QStringLiteral("'%1'").arg(c));
    }

    int number(const QString &what, int least)
    {
        skipSpace();
        const qsizetype start = m_at;
        if (isAt(u'-'))
            ++m_at;
        while (m_at < m_text.size() && m_text[m_at] >= u'0' && m_text[m_at] <= u'9')
            ++m_at;
        const QString digits = m_text.mid(start, m_at - start);
        bool isNumber = false;
        const int value = digits.toInt(&isNumber);
        if (!isNumber && digits.size() < 2) {
            m_at = start;
            expected(what);
        } else if (!isNumber || value < least || value > kLargestNumber) {
            fail(start, tr("expected %1 from %2 to %3, found %4").arg(what).arg(least).arg(kLargestNumber).arg(digits));
        }
        return value;
    }

    QString name(const QString &what)
    {
        skipSpace();
        const qsizetype start = m_at;
        const auto fits = [this] {
            const QChar c = m_text[m_at];
            return c.isLetterOrNumber() || c == u'_' || c == u'.' || c == u'-';
        };
        while (m_at < m_text.size() && fits() && (m_at > start || m_text[m_at].isLetter()))
            ++m_at;
        if (m_at == start)
            expected(what);
        return m_text.mid(start, m_at - start);
    }

    LayoutPlace place(int depth)
    {
        skipSpace();
        const qsizetype start = m_at;
        if (isAt(u'*') || isAt(u'-'))
            return stack({});
        const QString word = name(tr("row, column or a panel"));
        if (!m_error.isEmpty())
            return {};
        if (!isAt(u'('))
            return stack(word);
        if (word != QLatin1String("row") && word != QLatin1String("column")) {
            skipSpace();
            fail(m_at - word.size(), tr("expected row or column before '(', found '%1'").arg(word));
            return {};
        }
        if (depth == kDeepest) {
            fail(start, tr("expected at most %1 rows and columns in each other").arg(kDeepest));
            return {};
        }
        want(u'(');
        LayoutPlace place;
        place.kind = word == QLatin1String("row") ? Kind::Row : Kind::Column;
        do {
            const int size = number(tr("a size"), 1);
            const bool grows = take(u'+');
            if (!m_error.isEmpty())
                return {};
            place.parts.push_back(this->place(depth + 1));
            place.parts.back().size = size;
            place.parts.back().grows = grows;
        } while (take(u','));
        want(u')');
        return place;
    }

    // `first`: the name of the first tab, if it has been read already.
    LayoutPlace stack(QString first)
    {
        LayoutPlace stack;
        do {
            const bool isFront = first.isEmpty() && take(u'*');
            const bool isClosed = first.isEmpty() && !isFront && take(u'-');
            const QString panel = once(first.isEmpty() ? name(tr("a panel")) : std::exchange(first, {}), m_docked);
            if (isFront && !stack.front.isEmpty())
                fail(m_at - panel.size(), tr("expected one panel in front, found %1 besides %2").arg(panel, stack.front));
            if (isFront)
                stack.front = panel;
            stack.tabs.push_back({panel, !isClosed});
        } while (take(u'|'));
        return stack;
    }

    QString once(const QString &panel, QSet<QString> &seen)
    {
        if (!panel.isEmpty() && seen.contains(panel))
            fail(m_at - panel.size(), tr("expected every panel once, found %1 again").arg(panel));
        seen.insert(panel);
        return panel;
    }

    FloatingStack floating()
    {
        FloatingStack floating;
        want(u'(');
        const int x = number(tr("a position"), -kLargestNumber);
        const int y = number(tr("a position"), -kLargestNumber);
        const int width = number(tr("a width"), 1);
        if (m_error.isEmpty() && (m_at >= m_text.size() || m_text[m_at] != u'x'))
            expected(QStringLiteral("'x'"));
        else
            ++m_at;
        const int height = number(tr("a height"), 1);
        floating.geometry = QRect(x, y, width, height);
        do {
            const bool isFront = take(u'*');
            const QString panel = once(m_error.isEmpty() ? name(tr("a panel")) : QString(), m_floating);
            if (isFront)
                floating.front = panel;
            floating.panels << panel;
        } while (take(u'|'));
        want(u')');
        return floating;
    }

    QString maximised()
    {
        want(u'(');
        const QString panel = m_error.isEmpty() ? name(tr("a panel")) : QString();
        want(u')');
        return panel;
    }

    const QString &m_text;
    qsizetype m_at = 0;
    QString m_error;
    QSet<QString> m_docked;
    QSet<QString> m_floating;
};

} // namespace

QString textOf(const Layout &layout)
{
    QStringList words{textOfPlace(layout.root)};
    for (const FloatingStack &stack : layout.floating)
        words << textOfFloat(stack);
    if (!layout.maximised.isEmpty())
        words << QStringLiteral("maximised(%1)").arg(layout.maximised);
    return words.join(u' ');
}

ParsedLayout layoutOf(const QString &text)
{
    return Parser(text).parse();
}

} // namespace stepwell::ui
