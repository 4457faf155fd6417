#include "ui/session/settings.h"

#include <QFileInfo>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr int kRecentFiles = 10;
// Raised when panes are added or removed, so that an old arrangement is not forced on new panes.
constexpr int kLayoutVersion = 1;

QString layoutKey(const QString &name)
{
    return QStringLiteral("layout%1/%2").arg(kLayoutVersion).arg(name);
}

} // namespace

Settings::Settings(const QString &file)
    : m_store(file.isEmpty() ? QSettings(QSettings::IniFormat, QSettings::UserScope, "Stepwell", "stepwell").fileName() : file,
              QSettings::IniFormat)
{
}

QString Settings::theme() const
{
    return m_store.value("theme", QStringLiteral("dark")).toString();
}
void Settings::setTheme(const QString &theme)
{
    m_store.setValue("theme", theme);
}
QString Settings::device() const
{
    return m_store.value("device", QStringLiteral("llvm")).toString();
}
void Settings::setDevice(const QString &device)
{
    m_store.setValue("device", device);
}

QStringList Settings::recentFiles() const
{
    QStringList files = m_store.value("recentFiles").toStringList();
    files.removeIf([](const QString &file) { return !QFileInfo::exists(file); });
    return files;
}

void Settings::addRecentFile(const QString &path)
{
    QStringList files = m_store.value("recentFiles").toStringList();
    files.removeAll(path);
    files.prepend(path);
    m_store.setValue("recentFiles", files.mid(0, kRecentFiles));
}

QByteArray Settings::geometry() const
{
    return m_store.value(layoutKey("geometry")).toByteArray();
}
void Settings::setGeometry(const QByteArray &geometry)
{
    m_store.setValue(layoutKey("geometry"), geometry);
}
QByteArray Settings::splitter(const QString &name) const
{
    return m_store.value(layoutKey(name)).toByteArray();
}
void Settings::setSplitter(const QString &name, const QByteArray &state)
{
    m_store.setValue(layoutKey(name), state);
}
void Settings::clearLayout()
{
    m_store.remove(QStringLiteral("layout%1").arg(kLayoutVersion));
}

} // namespace stepwell::ui
