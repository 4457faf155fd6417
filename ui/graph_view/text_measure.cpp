#include "ui/graph_view/text_measure.h"

#include <QFontMetricsF>

namespace stepwell::ui {

TextMeasure::TextMeasure(const QFont &font)
{
    const QFontMetricsF metrics(font);
    for (std::size_t i = 0; i < kKnown; ++i)
        m_advances[i] = static_cast<float>(metrics.horizontalAdvance(QChar(static_cast<char16_t>(i))));
    m_other = static_cast<float>(metrics.horizontalAdvance(QChar(u'W')));
    m_height = static_cast<float>(metrics.height());
}

float TextMeasure::width(const QString &text) const
{
    float sum = 0;
    for (const QChar c : text)
        sum += advance(c);
    return sum;
}

QString TextMeasure::elided(const QString &text, float limit) const
{
    if (width(text) <= limit)
        return text;
    const QChar ellipsis(u'\u2026');
    float sum = advance(ellipsis);
    qsizetype kept = 0;
    while (kept < text.size() && sum + advance(text[kept]) <= limit)
        sum += advance(text[kept++]);
    return text.left(kept) + ellipsis;
}

} // namespace stepwell::ui
