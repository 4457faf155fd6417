#include "ui/session/whole_file.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QSaveFile>

#include <fcntl.h>
#include <unistd.h>

namespace stepwell::ui {

namespace {

// The rename is durable once the folder is.
void synchronizeFolderOf(const QString &path)
{
    const int folder = ::open(QFile::encodeName(QFileInfo(path).absolutePath()).constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    ::fsync(folder);
    ::close(folder);
}

QString reasonOf(const QFileDevice &file)
{
    return file.error() == QFileDevice::NoError ? QCoreApplication::translate("stepwell", "the disk took only a part of it")
                                                : file.errorString();
}

} // namespace

bool writeChecked(QFileDevice &file, const QByteArray &bytes)
{
    qint64 written = 0;
    while (written < bytes.size()) {
        const qint64 part = file.write(bytes.constData() + written, bytes.size() - written);
        if (part <= 0)
            return false;
        written += part;
    }
    return file.flush() && file.size() == bytes.size();
}

QString writeWhole(const QString &path, const QByteArray &bytes, Durability durability)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return reasonOf(file);
    const bool isDurable = durability == Durability::PowerLoss;
    if (!writeChecked(file, bytes) || (isDurable && ::fsync(file.handle()) != 0)) {
        const QString reason = reasonOf(file);
        file.cancelWriting();
        return reason;
    }
    if (!file.commit())
        return reasonOf(file);
    if (isDurable)
        synchronizeFolderOf(path);
    return {};
}

} // namespace stepwell::ui
