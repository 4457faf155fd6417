#include "ui/session/drafts.h"

#include "ui/session/disk_file.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QUuid>

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

constexpr const char *kTextEnding = ".draft";
constexpr const char *kLockEnding = ".lock";
constexpr qint64 kLongestHeader = 64 * 1024; // bytes

// One line that identifies the draft, then the plain text: a person can read it without this program.
QByteArray headerOf(const Draft &draft)
{
    const QJsonObject object{{"version", 1},
                             {"path", draft.path},
                             {"name", draft.name},
                             {"basis", QString::fromLatin1(draft.basis)},
                             {"carriageReturns", draft.hasCarriageReturns},
                             {"written", QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs)}};
    return QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n';
}

std::optional<Draft> readHeader(QFile &file)
{
    const QJsonObject object = QJsonDocument::fromJson(file.readLine(kLongestHeader)).object();
    if (object.value("version").toInt() != 1)
        return std::nullopt;
    Draft draft{object.value("path").toString(), object.value("name").toString(), object.value("basis").toString().toLatin1()};
    draft.hasCarriageReturns = object.value("carriageReturns").toBool();
    draft.written = QDateTime::fromString(object.value("written").toString(), Qt::ISODateWithMs);
    return draft;
}

} // namespace

Drafts::Drafts(QString folder) : m_folder(std::move(folder)) {}

Drafts::~Drafts() = default;

QString Drafts::textPath(const QString &id) const
{
    return m_folder + u'/' + id + QLatin1String(kTextEnding);
}

QString Drafts::lockPath(const QString &id) const
{
    return m_folder + u'/' + id + QLatin1String(kLockEnding);
}

QString Drafts::keep(const Draft &draft)
{
    if (m_folder.isEmpty())
        return {};
    if (m_id.isEmpty()) {
        if (!QDir().mkpath(m_folder))
            return QStringLiteral("%1 cannot be made").arg(m_folder);
        const QString id = QUuid::createUuid().toString(QUuid::WithoutBraces);
        m_lock = FileLock(lockPath(id));
        if (!m_lock.isHeld())
            return QStringLiteral("%1 cannot be locked").arg(lockPath(id));
        m_id = id;
    }
    return writeFile(textPath(m_id), headerOf(draft) + draft.text.toUtf8(), sw::Durability::Cached);
}

void Drafts::discard()
{
    if (m_id.isEmpty())
        return;
    QFile::remove(textPath(m_id));
    QFile::remove(lockPath(m_id));
    m_lock = FileLock();
    m_id.clear();
}

std::vector<Draft> Drafts::abandoned() const
{
    std::vector<Draft> found;
    if (m_folder.isEmpty())
        return found;
    const QStringList names = QDir(m_folder).entryList({QLatin1Char('*') + QLatin1String(kTextEnding)}, QDir::Files);
    for (const QString &name : names) {
        const QString id = name.chopped(static_cast<qsizetype>(qstrlen(kTextEnding)));
        if (id == m_id || !FileLock(lockPath(id)).isHeld())
            continue;
        QFile file(textPath(id));
        if (!file.open(QIODevice::ReadOnly))
            continue;
        if (std::optional<Draft> draft = readHeader(file)) {
            draft->id = id;
            found.push_back(std::move(*draft));
        }
    }
    std::ranges::sort(found, std::greater(), &Draft::written);
    return found;
}

std::optional<Draft> Drafts::take(const QString &id)
{
    FileLock lock(lockPath(id));
    QFile file(textPath(id));
    if (!lock.isHeld() || !file.open(QIODevice::ReadOnly))
        return std::nullopt;
    std::optional<Draft> draft = readHeader(file);
    if (!draft)
        return std::nullopt;
    draft->id = id;
    draft->text = QString::fromUtf8(file.readAll());
    discard();
    m_id = id;
    m_lock = std::move(lock);
    return draft;
}

} // namespace stepwell::ui
