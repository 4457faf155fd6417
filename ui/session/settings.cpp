#include "ui/session/settings.h"

#include <QDir>
#include <QFileDevice>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>

namespace stepwell::ui {

namespace {

constexpr int kRecentFiles = 10;
// Raise this when panes are added or removed, so that an old arrangement is not forced on the new panes.
constexpr int kLayoutVersion = 2;

QString layoutKey(const QString &name)
{
    return QStringLiteral("layout%1/%2").arg(kLayoutVersion).arg(name);
}

// QFileDevice buffers, and QSaveFile in Qt 6.4 commits even if the last write was cut short.
bool writeChecked(QFileDevice &file, const QByteArray &bytes)
{
    return file.write(bytes) == bytes.size() && file.flush() && file.size() == bytes.size();
}

// Reads texts, lists of texts and bytes. QSettings handles several windows: it locks, reads again, and writes the merged values.
bool readValues(QIODevice &device, QSettings::SettingsMap &values)
{
    const QJsonDocument document = QJsonDocument::fromJson(device.readAll());
    if (!document.isObject())
        return false;
    const QJsonObject object = document.object();
    for (auto at = object.begin(); at != object.end(); ++at) {
        if (at->isArray())
            values[at.key()] = at->toVariant().toStringList();
        else if (at->isObject())
            values[at.key()] = QByteArray::fromBase64(at->toObject().value("base64").toString().toLatin1());
        else
            values[at.key()] = at->toString();
    }
    return true;
}

bool writeValues(QIODevice &device, const QSettings::SettingsMap &values)
{
    QJsonObject object;
    for (auto at = values.begin(); at != values.end(); ++at) {
        if (at->typeId() == QMetaType::QByteArray)
            object[at.key()] = QJsonObject{{"base64", QString::fromLatin1(at->toByteArray().toBase64())}};
        else if (at->typeId() == QMetaType::QStringList)
            object[at.key()] = QJsonArray::fromStringList(at->toStringList());
        else
            object[at.key()] = at->toString();
    }
    auto *file = qobject_cast<QFileDevice *>(&device);
    return file && writeChecked(*file, QJsonDocument(object).toJson());
}

// The formats of QSettings do not notice a write cut short by a full disk, and then replace good settings with half of them.
QSettings::Format checkedFormat()
{
    static const QSettings::Format kFormat = QSettings::registerFormat(QStringLiteral("json"), readValues, writeValues);
    return kFormat;
}

QString userFile()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + QStringLiteral("/Stepwell/stepwell.json");
}

QString userDrafts()
{
    const QString state = qEnvironmentVariable("XDG_STATE_HOME");
    const bool isUsable = QDir::isAbsolutePath(state);
    return (isUsable ? state : QDir::homePath() + QStringLiteral("/.local/state")) + QStringLiteral("/stepwell/drafts");
}

} // namespace

Settings::Settings(const QString &file, Access access)
    : m_store(file.isEmpty() ? userFile() : file, checkedFormat()), m_access(access)
{
    m_store.setAtomicSyncRequired(true);
    if (m_access == Access::ReadAndWrite)
        m_draftFolder = file.isEmpty() ? userDrafts() : file + QStringLiteral(".drafts");
}

void Settings::set(const QString &key, const QVariant &value)
{
    if (m_access == Access::ReadAndWrite)
        m_store.setValue(key, value);
}

QString Settings::theme() const
{
    return m_store.value("theme", QStringLiteral("dark")).toString();
}
void Settings::setTheme(const QString &theme)
{
    set("theme", theme);
}
QString Settings::device() const
{
    return m_store.value("device", QStringLiteral("llvm")).toString();
}
void Settings::setDevice(const QString &device)
{
    set("device", device);
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
    set("recentFiles", files.mid(0, kRecentFiles));
}

QByteArray Settings::geometry() const
{
    return m_store.value(layoutKey("geometry")).toByteArray();
}
void Settings::setGeometry(const QByteArray &geometry)
{
    set(layoutKey("geometry"), geometry);
}

WindowLayout Settings::layout() const
{
    WindowLayout layout;
    layout.perspective = m_store.value(layoutKey("perspective")).toString();
    layout.panes = m_store.value(layoutKey("panes")).toStringList();
    layout.front = m_store.value(layoutKey("front")).toStringList();
    for (const QString &name : m_store.value(layoutKey("splitters")).toStringList())
        layout.splitters.insert(name, m_store.value(layoutKey("splitter/") + name).toByteArray());
    return layout;
}

void Settings::setLayout(const WindowLayout &layout)
{
    set(layoutKey("perspective"), layout.perspective);
    set(layoutKey("panes"), layout.panes);
    set(layoutKey("front"), layout.front);
    set(layoutKey("splitters"), QStringList(layout.splitters.keys()));
    for (auto at = layout.splitters.begin(); at != layout.splitters.end(); ++at)
        set(layoutKey("splitter/") + at.key(), at.value());
}

// The size and position of the window itself stay.
void Settings::clearLayout()
{
    if (m_access == Access::ReadOnly)
        return;
    const QByteArray kept = geometry();
    m_store.remove(QStringLiteral("layout%1").arg(kLayoutVersion));
    if (!kept.isEmpty())
        setGeometry(kept);
}

} // namespace stepwell::ui
