#include "ui/panels/access_side.h"

#include "ui/panels/cut_text.h"
#include "ui/session/counted.h"

#include <QCoreApplication>
#include <QLocale>
#include <QVBoxLayout>

namespace stepwell::ui {

AccessSide::AccessSide(const Appearance &appearance, const QString &name, QWidget *parent)
    : QWidget(parent), m_title(new CutLabel(this)), m_canvas(new AccessCanvas(appearance, this)), m_figures(new CutLabel(this))
{
    m_title->setObjectName(name + QStringLiteral("Title"));
    m_figures->setObjectName(name + QStringLiteral("Figures"));
    m_title->setContentsMargins(6, 2, 6, 2);
    m_figures->setContentsMargins(6, 2, 6, 2);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_title);
    column->addWidget(m_canvas, 1);
    column->addWidget(m_figures);
    setTitle({});
    setFigures({});
}

void AccessSide::setTitle(const QString &title)
{
    m_title->setText(title);
    m_title->setVisible(!title.isEmpty());
}

void AccessSide::setFigures(const QString &figures)
{
    m_figures->setText(figures);
    m_figures->setVisible(!figures.isEmpty());
}

QString figuresText(const std::optional<sw::LineCounts> &lines)
{
    const auto tr = [](const char *english) { return QCoreApplication::translate("AccessSide", english); };
    if (!lines)
        return tr("Counting cache lines\u2026");
    const QLocale locale;
    const auto grouped = [&](std::uint64_t number) { return locale.toString(static_cast<qulonglong>(number)); };
    const double each = lines->lines == 0 ? 0 : static_cast<double>(lines->touches) / static_cast<double>(lines->lines);
    QString text = tr("%1 reads and %2 writes touch %3, each %4 times; a cache of %5 lines fetches %6")
                       .arg(grouped(lines->reads), grouped(lines->writes),
                            counted(static_cast<qint64>(lines->lines), tr("%1 cache line"), tr("%1 cache lines")),
                            locale.toString(each, 'g', 3), grouped(sw::LineLimits{}.cachedLines), grouped(lines->fetches));
    return lines->isWhole ? text : tr("First %1 steps: %2").arg(grouped(lines->steps), text);
}

} // namespace stepwell::ui
