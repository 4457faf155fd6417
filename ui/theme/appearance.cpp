#include "ui/theme/appearance.h"

#include <QApplication>
#include <QFile>
#include <QPainter>
#include <QPixmap>
#include <QStyleFactory>
#include <QSvgRenderer>

namespace stepwell::ui {

namespace {

constexpr int kTextPoints = 9;
constexpr int kIconSize = 16;
constexpr auto kStyled = "styled"; // of the application: an appearance was applied

QPixmap renderIcon(const QByteArray &drawing, const QColor &color, int scale)
{
    QByteArray colored = drawing;
    colored.replace("#000000", color.name().toLatin1());
    QSvgRenderer renderer(colored);
    QPixmap pixmap(kIconSize * scale, kIconSize * scale);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    renderer.render(&painter);
    painter.end();
    pixmap.setDevicePixelRatio(scale);
    return pixmap;
}

} // namespace

Appearance::Appearance(const QString &themeName, QObject *parent)
    : QObject(parent),
      m_theme(Theme::load(themeName)),
      m_textFont(QStringLiteral("DejaVu Sans"), kTextPoints),
      m_codeFont(QStringLiteral("DejaVu Sans Mono"), kTextPoints)
{
    m_codeFont.setStyleHint(QFont::Monospace);
    m_codeFont.setFixedPitch(true);
    apply();
}

void Appearance::setTheme(const QString &name)
{
    if (name == m_theme.name())
        return;
    m_theme = Theme::load(name);
    apply();
    emit changed();
}

// Each of these styles every widget anew, so what stands already is left alone. The first appearance of an application sets all:
// its font may be that of the desktop by chance.
void Appearance::apply()
{
    m_icons.clear(); // they have the theme's colours
    const bool isFirst = !qApp->property(kStyled).toBool();
    qApp->setProperty(kStyled, true);
    if (isFirst)
        QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    if (isFirst || QApplication::palette() != m_theme.palette())
        QApplication::setPalette(m_theme.palette());
    if (isFirst || QApplication::font() != m_textFont)
        QApplication::setFont(m_textFont);
    if (const QString sheet = styleSheetOf(m_theme); qApp->styleSheet() != sheet)
        qApp->setStyleSheet(sheet);
}

QIcon Appearance::icon(const QString &name) const
{
    QIcon &icon = m_icons[name];
    if (!icon.isNull())
        return icon;
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("the program was built without icon %s", qPrintable(name));
    const QByteArray drawing = file.readAll();
    for (const int scale : {1, 2}) {
        icon.addPixmap(renderIcon(drawing, m_theme.color(Role::Text), scale), QIcon::Normal);
        icon.addPixmap(renderIcon(drawing, m_theme.color(Role::Disabled), scale), QIcon::Disabled);
    }
    return icon;
}

} // namespace stepwell::ui
