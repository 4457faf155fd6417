#pragma once
// Measures text widths without a widget, so that scenes can be made on any thread.

#include <QFont>
#include <QString>

#include <array>

namespace stepwell::ui {

class TextMeasure {
public:
    explicit TextMeasure(const QFont &font); // call on the GUI thread

    [[nodiscard]] float width(const QString &text) const;
    [[nodiscard]] float height() const { return m_height; }
    // At most `limit` wide; ends in an ellipsis if it was cut.
    [[nodiscard]] QString elided(const QString &text, float limit) const;

private:
    static constexpr std::size_t kKnown = 256;
    [[nodiscard]] float advance(QChar c) const { return c.unicode() < kKnown ? m_advances[c.unicode()] : m_other; }

    std::array<float, kKnown> m_advances{};
    float m_other = 0;
    float m_height = 0;
};

} // namespace stepwell::ui
