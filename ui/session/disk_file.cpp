#include "ui/session/disk_file.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QFile>
#include <QFileInfo>

namespace stepwell::ui {

namespace {

constexpr qint64 kMostHashed = qint64{16} << 20; // bytes
constexpr int kPauseMilliseconds = 100;
constexpr const char *kGone = "gone";

} // namespace

QString writeFile(const QString &path, const QByteArray &bytes, sw::Durability durability)
{
    const std::string_view text(bytes.constData(), static_cast<std::size_t>(bytes.size()));
    return QString::fromStdString(sw::saveFile(QFile::encodeName(path).toStdString(), text, durability));
}

DiskFile::DiskFile(QObject *parent) : QObject(parent)
{
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMilliseconds);
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, &m_pause, qOverload<>(&QTimer::start));
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, &m_pause, qOverload<>(&QTimer::start));
    connect(&m_pause, &QTimer::timeout, this, &DiskFile::look);
}

void DiskFile::follow(const QString &path, const QByteArray &fingerprint)
{
    if (path != m_path) {
        forget();
        m_path = path;
    }
    m_known = fingerprint;
    m_told = fingerprint;
    watch();
}

void DiskFile::forget()
{
    m_pause.stop();
    m_path.clear();
    m_known.clear();
    m_told.clear();
    const QStringList watched = m_watcher.files() + m_watcher.directories();
    if (!watched.isEmpty())
        m_watcher.removePaths(watched);
}

// To the watcher a replaced file is a different file, but its folder reports the new one.
void DiskFile::watch()
{
    if (m_path.isEmpty())
        return;
    const QString folder = QFileInfo(m_path).absolutePath();
    if (!m_watcher.files().contains(m_path) && QFileInfo::exists(m_path))
        m_watcher.addPath(m_path);
    if (!m_watcher.directories().contains(folder) && QFileInfo::exists(folder))
        m_watcher.addPath(folder);
}

bool DiskFile::isGone() const
{
    return !m_path.isEmpty() && !QFileInfo::exists(m_path);
}

bool DiskFile::hasChanged() const
{
    if (m_path.isEmpty() || isGone())
        return false;
    const QByteArray now = fingerprintOfFile(m_path);
    return !now.isEmpty() && now != m_known;
}

void DiskFile::look()
{
    if (m_path.isEmpty())
        return;
    watch();
    const QByteArray now = isGone() ? QByteArray(kGone) : fingerprintOfFile(m_path);
    if (now.isEmpty() || now == m_told)
        return;
    m_told = now;
    if (now != m_known)
        emit changed();
}

QByteArray DiskFile::fingerprintOf(const QByteArray &bytes)
{
    return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex();
}

QByteArray DiskFile::fingerprintOfFile(const QString &path)
{
    const QFileInfo info(path);
    if (info.size() > kMostHashed)
        return QByteArray::number(info.size()) + ':' + QByteArray::number(info.lastModified().toMSecsSinceEpoch());
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? fingerprintOf(file.readAll()) : QByteArray();
}

} // namespace stepwell::ui
