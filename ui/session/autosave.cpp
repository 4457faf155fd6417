#include "ui/session/autosave.h"

#include "engine/api/saved_file.h"
#include "engine/api/session_file/session_file.h"
#include "ui/session/disk_file.h"
#include "ui/session/session_state.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QUuid>

#include <algorithm>
#include <functional>
#include <utility>

namespace stepwell::ui {

namespace {

constexpr const char *kLockEnding = ".lock";
constexpr const char *kTitleEnding = ".title";

QString sessionEnding()
{
    return QLatin1String(sw::kSessionEnding.data(), static_cast<qsizetype>(sw::kSessionEnding.size()));
}

QString written(sw::SessionContents contents, const QString &path)
{
    const QFileInfo file(QString::fromStdString(contents.originalPath));
    // A large model stays where it is. One that cannot be read is missing when the session is restored, not before.
    if (contents.program || file.size() <= static_cast<qint64>(kAutosavedProgramBytes))
        static_cast<void>(completeProgram(contents, kAutosavedProgramBytes));
    const sw::Result<std::string> bytes = sw::packSession(boundedContents(std::move(contents)));
    if (!bytes)
        return QString::fromStdString(sw::toText(bytes.error()));
    return QString::fromStdString(sw::saveFile(QFile::encodeName(path).toStdString(), *bytes, sw::Durability::Cached));
}

} // namespace

sw::SessionContents boundedContents(sw::SessionContents contents, std::uint64_t mostTensorBytes)
{
    std::uint64_t bytes = 0;
    for (sw::InputChoice &choice : contents.inputs.inputs) {
        if (!choice.tensor)
            continue;
        const auto size = static_cast<std::uint64_t>(choice.tensor->bytes());
        if (bytes + size > mostTensorBytes) {
            choice.tensor = nullptr;
            choice.fill = sw::InputFill::Program;
        } else {
            bytes += size;
        }
    }
    for (const sw::TensorViewPtr &output : contents.report.outputs)
        bytes += static_cast<std::uint64_t>(output->bytes());
    if (bytes > mostTensorBytes)
        contents.report.outputs.clear();
    return contents;
}

Autosave::Autosave(QString folder, QObject *parent) : QObject(parent), m_folder(std::move(folder)) {}

Autosave::~Autosave() = default;

QString Autosave::sessionPath(const QString &id) const
{
    return m_folder + u'/' + id + sessionEnding();
}

QString Autosave::lockPath(const QString &id) const
{
    return m_folder + u'/' + id + QLatin1String(kLockEnding);
}

QString Autosave::beginFile()
{
    if (!QDir().mkpath(m_folder))
        return tr("%1 cannot be made").arg(m_folder);
    const QString id = QUuid::createUuid().toString(QUuid::WithoutBraces);
    m_lock = FileLock(lockPath(id));
    if (!m_lock.isHeld())
        return tr("%1 cannot be locked").arg(lockPath(id));
    m_id = id;
    return {};
}

void Autosave::keep(sw::SessionContents contents, const QString &title)
{
    if (m_folder.isEmpty())
        return;
    if (const QString reason = m_id.isEmpty() ? beginFile() : QString(); !reason.isEmpty()) {
        emit kept(reason);
        return;
    }
    if (!m_queue)
        m_queue = std::make_unique<RequestQueue>();
    m_isWriting = true;
    const auto shared = std::make_shared<sw::SessionContents>(std::move(contents));
    m_queue->post(RequestTag::File, [this, shared, title, id = m_id](const std::stop_token &stop) {
        const std::lock_guard guard(m_file);
        if (stop.stop_requested())
            return; // a newer one is waiting, or it was discarded
        QString failure = written(std::move(*shared), sessionPath(id));
        if (failure.isEmpty())
            failure = writeFile(m_folder + u'/' + id + QLatin1String(kTitleEnding), title.toUtf8(), sw::Durability::Cached);
        QMetaObject::invokeMethod(this, [this, failure, stop] {
            if (stop.stop_requested())
                return;
            m_isWriting = false;
            emit kept(failure);
        });
    });
}

void Autosave::discard()
{
    if (m_id.isEmpty())
        return;
    if (m_queue)
        m_queue->cancel(RequestTag::File);
    const std::lock_guard guard(m_file); // what is being written is written
    m_isWriting = false;
    remove(std::exchange(m_id, QString()));
    m_lock = FileLock();
}

std::vector<AbandonedSession> Autosave::abandoned() const
{
    std::vector<AbandonedSession> found;
    if (m_folder.isEmpty())
        return found;
    for (const QFileInfo &file : QDir(m_folder).entryInfoList({u'*' + sessionEnding()}, QDir::Files)) {
        const QString id = file.completeBaseName();
        if (id == m_id || !FileLock(lockPath(id)).isHeld())
            continue;
        QFile title(m_folder + u'/' + id + QLatin1String(kTitleEnding));
        const bool isTold = title.open(QIODevice::ReadOnly);
        found.push_back({id, isTold ? QString::fromUtf8(title.readAll()) : tr("a program"), file.lastModified()});
    }
    std::ranges::sort(found, std::greater(), &AbandonedSession::written);
    while (found.size() > kAbandonedSessions) {
        remove(found.back().id);
        found.pop_back();
    }
    return found;
}

QString Autosave::take(const QString &id)
{
    FileLock lock(lockPath(id));
    if (!lock.isHeld() || !QFileInfo::exists(sessionPath(id)))
        return {};
    discard();
    m_id = id;
    m_lock = std::move(lock);
    return sessionPath(id);
}

void Autosave::remove(const QString &id) const
{
    for (const QString &path : {sessionPath(id), m_folder + u'/' + id + QLatin1String(kTitleEnding), lockPath(id)})
        QFile::remove(path);
}

} // namespace stepwell::ui
