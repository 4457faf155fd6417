// How a text view shows a run that stands somewhere in its text.

#include "ui/text_view/text_view.h"

#include <utility>

namespace stepwell::ui {

namespace {
constexpr int kMarginGap = 4; // between the margin and the text
}

void TextView::showRun()
{
    m_showsRun = true;
    measure();
    viewport()->update();
}

void TextView::setMargin(const LineMargin *margin)
{
    m_margin = margin;
    updateMargin();
}

void TextView::updateMargin()
{
    measure();
    viewport()->update();
}

QRect TextView::marginRect(int row) const
{
    const QRect whole = rowRect(row);
    return {m_gutterWidth - m_marginWidth - kMarginGap, whole.top(), m_marginWidth, whole.height()};
}

void TextView::setLinked(bool isLinked)
{
    m_isLinked = isLinked;
    updateRuler();
    viewport()->update();
}

void TextView::setRun(RunSigns signs)
{
    const bool isElsewhere = signs.next != m_run.next;
    m_run = std::move(signs);
    updateRuler();
    viewport()->update();
    if (isElsewhere && m_run.next >= 0)
        scrollToRow(m_run.next);
}

} // namespace stepwell::ui
