#include "ui/session/settings.h"

#include "engine/api/moment.h"

#include <QDir>
#include <QFileDevice>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr int kRecentFiles = 10;
constexpr int kLayoutVersion = 3;              // of how layouts are written: those of other versions are not read
const QString kNameEnd = QStringLiteral(": "); // between a perspective's name and its layout, which has no colon

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

// The folder of Stepwell among those for what a program remembers of its last run.
QString userState()
{
    const QString state = qEnvironmentVariable("XDG_STATE_HOME");
    const bool isUsable = QDir::isAbsolutePath(state);
    return (isUsable ? state : QDir::homePath() + QStringLiteral("/.local/state")) + QStringLiteral("/stepwell");
}

} // namespace

Settings::Settings(const QString &file, Access access)
    : m_store(file.isEmpty() ? userFile() : file, checkedFormat()), m_access(access)
{
    m_store.setAtomicSyncRequired(true);
    if (m_access == Access::ReadAndWrite) {
        m_draftFolder = file.isEmpty() ? userState() + QStringLiteral("/drafts") : file + QStringLiteral(".drafts");
        m_sessionFolder = file.isEmpty() ? userState() + QStringLiteral("/sessions") : file + QStringLiteral(".sessions");
    }
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

QStringList Settings::targets() const
{
    return m_store.value("targets").toStringList();
}
void Settings::setTargets(const QStringList &targets)
{
    set("targets", targets);
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

int Settings::momentMebibytes() const
{
    constexpr int kUsual = static_cast<int>(sw::kMomentBytes >> 20);
    const int mebibytes = m_store.value("momentMebibytes").toInt();
    return mebibytes > 0 ? mebibytes : kUsual;
}
void Settings::setMomentMebibytes(int mebibytes)
{
    set("momentMebibytes", mebibytes);
}

int Settings::runLimitSeconds() const
{
    return std::max(m_store.value("runLimitSeconds").toInt(), 0);
}
void Settings::setRunLimitSeconds(int seconds)
{
    set("runLimitSeconds", seconds);
}

QByteArray Settings::geometry() const
{
    return m_store.value(layoutKey("geometry")).toByteArray();
}
void Settings::setGeometry(const QByteArray &geometry)
{
    set(layoutKey("geometry"), geometry);
}

SavedLayout Settings::layout() const
{
    return {m_store.value(layoutKey("perspective")).toString(), m_store.value(layoutKey("text")).toString()};
}

void Settings::setLayout(const SavedLayout &layout)
{
    set(layoutKey("perspective"), layout.perspective);
    set(layoutKey("text"), layout.text);
}

QMap<QString, QString> Settings::perspectives() const
{
    QMap<QString, QString> perspectives;
    for (const QString &line : m_store.value("perspectives").toStringList())
        if (const qsizetype end = line.lastIndexOf(kNameEnd); end > 0)
            perspectives.insert(line.first(end), line.sliced(end + kNameEnd.size()));
    return perspectives;
}

void Settings::setPerspectives(const QMap<QString, QString> &perspectives)
{
    QStringList lines;
    for (auto at = perspectives.begin(); at != perspectives.end(); ++at)
        lines << at.key() + kNameEnd + at.value();
    set("perspectives", lines);
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
