#pragma once
// "1 node", "3 nodes": a count followed by the singular or plural of a translated word.

#include <QLocale>
#include <QString>

namespace stepwell::ui {

// Both texts contain %1.
[[nodiscard]] inline QString counted(qint64 count, const QString &one, const QString &many)
{
    return (count == 1 ? one : many).arg(QLocale().toString(count));
}

} // namespace stepwell::ui
