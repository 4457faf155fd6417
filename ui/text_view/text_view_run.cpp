// How a text view shows a run that stands somewhere in its text.

#include "ui/text_view/text_view.h"

#include <utility>

namespace stepwell::ui {

void TextView::showRun()
{
    m_showsRun = true;
    measure();
    viewport()->update();
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
