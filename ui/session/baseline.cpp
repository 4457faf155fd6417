#include "ui/session/baseline.h"

#include "engine/api/document_sharing.h"
#include "ui/session/program_title.h"

#include <QLocale>

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

struct Compiled {
    sw::ReportPtr report;
    SnapshotPtr snapshot;
};

struct Kept {
    sw::ReportPtr report;
    CompilationChange change;
};

SnapshotPtr snapshotOf(const sw::ReportPtr &report)
{
    return makeSnapshot(nullptr, report, 1, true);
}

QString timeOf(const QDateTime &time)
{
    return QLocale().toString(time.time(), QStringLiteral("HH:mm:ss"));
}

std::vector<std::uint32_t> unreadParts(const SnapshotPtr &snapshot)
{
    std::vector<std::uint32_t> unread;
    const sw::StageDocumentPtr machine = snapshot ? snapshot->stage(sw::StageKind::Machine).document : nullptr;
    for (std::uint32_t part = 0; machine && part < machine->parts.size(); ++part)
        if (!machine->parts[part].isRead)
            unread.push_back(part);
    return unread;
}

} // namespace

Baseline::Baseline(Session &session, Selection &selection, QObject *parent)
    : QObject(parent), m_session(session), m_differences(session), m_pair(selection, m_selection, m_differences)
{
    connect(&session, &Session::compileFinished, this, &Baseline::askAgain);
    connect(&session, &Session::snapshotChanged, this, [this](const SnapshotPtr &snapshot) {
        if (snapshot)
            return;
        forgetFirst(); // another program
    });
    connect(&session, &Session::bothRan, this, &Baseline::onBothRan);
}

bool Baseline::isCompiling() const
{
    return m_asked.has_value();
}

bool Baseline::isPending() const
{
    return m_session.isAsking(RequestTag::Earlier) ||
           (current() != nullptr &&
            (m_asked || m_first.isAsked || m_session.isAsking(RequestTag::BaselineCode) || m_differences.isPending()));
}

const BaselineEntry *Baseline::previous() const
{
    const std::uint64_t shown = m_end ? m_end->goodCompilation : 0;
    const BaselineEntry *newest = nullptr;
    for (const BaselineEntry &entry : entries())
        if (entry.kind == BaselineKind::Earlier && entry.compilation < shown)
            newest = &entry;
    return newest;
}

QString Baseline::problem() const
{
    const BaselineEntry *entry = current();
    if (!entry || !entry->report || entry->report->succeeded)
        return {};
    for (const sw::Message &message : entry->report->messages)
        if (message.severity == sw::MessageSeverity::Error)
            return QString::fromStdString(message.text);
    return tr("it did not compile");
}

void Baseline::setShown(Shown shown)
{
    if (std::exchange(m_shown, shown) != shown)
        emit shownChanged();
}

// ---- the list

std::uint64_t Baseline::pin()
{
    if (!m_now || !m_now->good)
        return 0;
    BaselineEntry entry;
    entry.kind = BaselineKind::Pinned;
    entry.made = QDateTime::currentDateTime();
    entry.compilation = m_now->goodCompilation;
    const BaselineEntry *made = m_list.earlier(entry.compilation); // the newest request may be of a program with errors
    entry.request = made ? made->request : m_session.request();
    entry.report = m_now->good;
    entry.name = tr("pinned %1").arg(timeOf(entry.made));
    if (m_now->moment) {
        entry.moment = m_now;
        const std::uint32_t pass = m_now->moment->place.pass;
        if (pass < entry.report->passes.size())
            entry.name += tr(", at \u201c%1\u201d").arg(QString::fromStdString(entry.report->passes[pass].title));
    }
    const std::uint64_t id = m_list.add(std::move(entry));
    choose(id);
    return id;
}

void Baseline::compareWith(const CompileVariant &variant)
{
    for (const BaselineEntry &known : entries()) {
        if (!known.isFollowing() || known.variant != variant)
            continue;
        if (known.kind == BaselineKind::File)
            m_list.find(known.id)->report = nullptr; // it may have been changed
        choose(known.id);
        return;
    }
    BaselineEntry entry;
    entry.kind = variant.file.isEmpty() ? BaselineKind::Variant : BaselineKind::File;
    entry.name = variant.name();
    entry.made = QDateTime::currentDateTime();
    entry.variant = variant;
    choose(m_list.add(std::move(entry)));
}

std::uint64_t Baseline::restore(const QString &name, const sw::ExploreRequest &request, const sw::ReportPtr &report)
{
    BaselineEntry entry;
    entry.kind = BaselineKind::Pinned;
    entry.name = name;
    entry.made = QDateTime::currentDateTime();
    entry.request = request;
    entry.report = report;
    const std::uint64_t id = m_list.add(std::move(entry));
    emit changed();
    return id;
}

void Baseline::rename(std::uint64_t id, const QString &name)
{
    BaselineEntry *entry = m_list.find(id);
    if (!entry || name.trimmed().isEmpty())
        return;
    entry->name = name.trimmed();
    emit changed();
}

void Baseline::remove(std::uint64_t id)
{
    if (id == m_current)
        choose(0);
    m_list.remove(id);
    emit changed();
}

void Baseline::choose(std::uint64_t id)
{
    const bool isNew = id != m_current;
    m_current = m_list.find(id) ? id : 0;
    if (isNew) {
        forgetFirst();
        m_times = {};
    }
    m_asked.reset();
    m_isCodeWanted = false;
    m_session.cancel(RequestTag::Baseline);
    m_session.cancel(RequestTag::BaselineCode);
    m_list.trim(m_current);
    if (isNew)
        setBefore(nullptr);
    follow();
    emit changed();
}

// Each compilation that succeeded is kept, and its newest report: a run adds times, and reading adds machine code.
void Baseline::keepEarlier(const SnapshotPtr &end)
{
    if (!end || !end->isFinal || !end->report->succeeded)
        return;
    if (BaselineEntry *known = m_list.earlier(end->compilation)) {
        if (known->report == end->report)
            return;
        known->report = end->report;
        known->isTold = false;
        askChanges();
        emit changed();
        return;
    }
    BaselineEntry entry;
    entry.made = QDateTime::currentDateTime();
    entry.request = m_session.request();
    entry.compilation = end->compilation;
    entry.report = end->report;
    entry.name = tr("%1 on %2, %3")
                     .arg(titleOf(QString::fromStdString(entry.request.fileName)), QString::fromStdString(entry.report->device),
                          timeOf(entry.made));
    m_list.add(std::move(entry));
    m_list.trim(m_current);
    askChanges();
    emit changed();
}

// What each compilation changed, the newest first; documents that are as before are shared with the one before it.
void Baseline::askChanges()
{
    if (m_session.isAsking(RequestTag::Earlier))
        return;
    const BaselineEntry *entry = nullptr;
    const BaselineEntry *earlier = nullptr;
    for (const BaselineEntry &other : entries()) {
        if (other.kind != BaselineKind::Earlier)
            continue;
        if (const BaselineEntry *before = std::exchange(earlier, &other); before && !other.isTold)
            entry = &other;
    }
    if (!entry)
        return;
    for (const BaselineEntry &other : entries())
        if (other.kind == BaselineKind::Earlier && other.compilation < entry->compilation)
            earlier = &other;
    m_session.ask(
        RequestTag::Earlier, this,
        [report = entry->report, before = earlier->report](EngineService &, const std::stop_token &) {
            return Kept{sw::sharedWith(report, *before), changeBetween(*before, *report)};
        },
        [this, id = entry->id, report = entry->report](Kept kept) {
            if (BaselineEntry *made = m_list.find(id); made && made->report == report) {
                made->isTold = true;
                made->report = std::move(kept.report);
                made->changes = kept.change.text;
                made->changed = kept.change.changed;
                m_list.trim(m_current);
                emit changed();
            }
            askChanges();
        });
}

// ---- the documents

void Baseline::setNow(const SnapshotPtr &now, const SnapshotPtr &end)
{
    const bool isNewEnd = end != m_end;
    const bool wasInTurn = isMeasuredInTurn();
    m_now = now;
    m_end = end;
    if (isNewEnd)
        keepEarlier(end);
    if (!end || end->isFinal) { // else more is on its way
        if (isNewEnd)
            follow();
        compare();
    }
    if (isMeasuredInTurn() != wasInTurn)
        emit changed();
}

// Makes the documents of the current baseline, or has them made.
void Baseline::follow()
{
    const BaselineEntry *entry = current();
    if (!entry) {
        setBefore(nullptr);
    } else if (entry->moment) {
        setBefore(entry->moment);
    } else if (!entry->isFollowing()) {
        make(entry->request, entry->report);
    } else if (m_end && m_end->isFinal && m_session.activity() != Activity::Compiling) {
        const sw::ExploreRequest request = entry->variant.of(m_session.request());
        const bool isMade = entry->report && entry->request == request;
        // Of a program with errors, the last one that had none is compared.
        if (m_end->report->succeeded)
            make(request, isMade ? entry->report : nullptr);
    }
    compare();
}

// report: null: it has to be compiled.
void Baseline::make(const sw::ExploreRequest &request, const sw::ReportPtr &report)
{
    if (report && m_before && m_before->report == report)
        return;
    if (m_asked && m_asked->first == request && m_asked->second == report && m_session.isAsking(RequestTag::Baseline))
        return;
    m_asked = {request, report};
    m_session.ask(
        RequestTag::Baseline, this,
        [request, report](EngineService &service, const std::stop_token &stop) {
            const sw::ReportPtr made = report ? report : service.compileBaseline(request, stop);
            return made ? Compiled{made, snapshotOf(made)} : Compiled();
        },
        [this, request, id = m_current](const Compiled &made) {
            m_asked.reset();
            BaselineEntry *compiled = m_list.find(id);
            if (!compiled || !made.report)
                return;
            compiled->request = request;
            compiled->report = made.report;
            setBefore(made.snapshot);
            compare();
            if (m_isCodeWanted)
                wantCode();
            emit changed();
        });
    emit changed();
}

// What a newer compilation dropped is asked again once that has ended.
void Baseline::askAgain()
{
    if (m_session.isDropped(RequestTag::Baseline))
        m_asked.reset();
    follow();
    askChanges();
    if (m_isCodeWanted && m_session.isDropped(RequestTag::BaselineCode))
        wantCode();
    if (m_isFirstWanted)
        askFirst();
}

void Baseline::setBefore(const SnapshotPtr &before)
{
    if (before == m_before)
        return;
    m_before = before;
    m_selection.setSnapshot(before);
}

void Baseline::compare()
{
    if (current() && m_asked)
        return; // the differences of the one before stay until this one is there
    m_differences.compare(current() ? m_before : nullptr, m_now);
}

void Baseline::wantCode()
{
    const BaselineEntry *entry = current();
    m_isCodeWanted = entry != nullptr;
    if (!entry || !m_before || m_asked || m_session.activity() == Activity::Compiling)
        return;
    if (const std::vector<std::uint32_t> unread = unreadParts(m_end); !unread.empty() && !m_session.isReadingMachineCode())
        m_session.requestMachineCode(unread);
    if (unreadParts(m_before).empty() || m_session.isAsking(RequestTag::BaselineCode))
        return;
    m_session.ask(
        RequestTag::BaselineCode, this,
        [request = entry->request, report = entry->report, moment = entry->moment](EngineService &service,
                                                                                   const std::stop_token &stop) {
            const sw::ReportPtr read = service.baselineCode(request, stop);
            if (!read || !read->machine)
                return Compiled();
            auto made = std::make_shared<sw::Report>(*report);
            made->machine = read->machine;
            const SnapshotPtr end = snapshotOf(made);
            return Compiled{made, moment ? atMoment(end, moment->moment) : end};
        },
        [this, id = m_current](const Compiled &made) {
            BaselineEntry *read = m_list.find(id);
            m_isCodeWanted = false;
            if (!read || !made.report)
                return;
            read->report = made.report;
            if (read->moment)
                read->moment = made.snapshot;
            setBefore(made.snapshot);
            compare();
            emit changed();
        });
}

} // namespace stepwell::ui
