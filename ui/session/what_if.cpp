#include "ui/session/what_if.h"

#include "ui/session/disk_file.h"

#include <QFile>
#include <QFileInfo>
#include <QUndoCommand>

#include <algorithm>
#include <utility>

namespace stepwell::ui {

using Lines = std::vector<sw::OverrideLine>;

namespace {

QString titleOf(const sw::OverrideLine &line)
{
    return QString::fromStdString(sw::overrideTitle(line.text));
}

bool hasEditedKernel(const sw::Report &report)
{
    return std::ranges::any_of(report.overrides,
                               [](const sw::OverrideEntry &entry) { return entry.kind == "code" && entry.state == "applied"; });
}

// Values of edited kernels are compared with those of the program's own kernels, whatever the change before was.
sw::Effect effectWith(const sw::Report &before, const sw::Report &after, const sw::Report *unedited, const std::stop_token &stop)
{
    sw::Effect effect = sw::effectOf(before, after, stop);
    if (unedited == nullptr || !hasEditedKernel(after))
        return effect;
    sw::Effect values = sw::effectOf(*unedited, after, stop);
    effect.values = values.values;
    effect.maxUlp = values.maxUlp;
    effect.valuesText = std::move(values.valuesText);
    return effect;
}

} // namespace

class WhatIf::Change : public QUndoCommand {
public:
    Change(WhatIf &model, const QString &name, Lines after, std::optional<std::size_t> index)
        : QUndoCommand(name), m_model(model), m_before(model.m_lines), m_after(std::move(after)), m_index(index)
    {
    }

    void undo() override { m_model.show(WhatIf::tr("Undo: %1").arg(text()), m_before, m_index); }
    void redo() override { m_model.show(text(), m_after, m_index); }

private:
    WhatIf &m_model;
    Lines m_before;
    Lines m_after;
    std::optional<std::size_t> m_index;
};

WhatIf::WhatIf(Session &session, QObject *parent) : QObject(parent), m_session(session)
{
    connect(&session, &Session::snapshotChanged, this, &WhatIf::onSnapshot);
    // A compilation that was stopped brings no snapshot.
    connect(&session, &Session::compileFinished, this, &WhatIf::changed);
    connect(&session, &Session::activityChanged, this, &WhatIf::changed);
    connect(&m_history, &QUndoStack::cleanChanged, this, &WhatIf::changed);
}

// The history tells that it is emptied.
WhatIf::~WhatIf()
{
    m_history.disconnect(this);
}

const sw::OverrideEntry *WhatIf::entry(std::size_t index) const
{
    if (!m_snapshot || index >= m_lines.size())
        return nullptr;
    const std::vector<sw::OverrideEntry> &entries = m_snapshot->report->overrides;
    const auto isOf = [&](const sw::OverrideEntry &entry) {
        return entry.text == m_lines[index].text && entry.isOn == m_lines[index].isOn;
    };
    return index < entries.size() && isOf(entries[index]) ? &entries[index] : nullptr;
}

const WhatIfEffect *WhatIf::effectOf(std::size_t index) const
{
    const auto found = index < m_lines.size() ? m_effects.find(m_lines[index].text) : m_effects.end();
    return found == m_effects.end() ? nullptr : &found->second;
}

std::optional<std::size_t> WhatIf::find(const QString &override) const
{
    const auto found = std::ranges::find(m_lines, override.toStdString(), &sw::OverrideLine::text);
    return found == m_lines.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - m_lines.begin()));
}

bool WhatIf::isMeasuring() const
{
    return m_isPending && (m_session.activity() == Activity::Compiling || m_session.isAsking(RequestTag::Effect));
}

void WhatIf::add(const QString &override)
{
    sw::OverridesWith with = sw::withOverride(m_lines, override.toStdString());
    change(override, std::move(with.lines), with.index);
}

void WhatIf::apply(const sw::WhyTry &wanted)
{
    const QString override = QString::fromStdString(wanted.override);
    if (!wanted.isRemoval)
        add(override);
    else if (const std::optional<std::size_t> index = find(override))
        remove(*index);
}

void WhatIf::remove(std::size_t index)
{
    Lines lines = m_lines;
    const QString name = tr("Remove %1").arg(titleOf(lines.at(index)));
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(index));
    change(name, std::move(lines), std::nullopt);
}

void WhatIf::setOn(std::size_t index, bool isOn)
{
    Lines lines = m_lines;
    lines.at(index).isOn = isOn;
    const QString text = titleOf(lines[index]);
    change(isOn ? tr("Switch on %1").arg(text) : tr("Switch off %1").arg(text), std::move(lines), index);
}

void WhatIf::move(std::size_t from, std::size_t to)
{
    Lines lines = m_lines;
    const sw::OverrideLine line = lines.at(from);
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(from));
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(std::min(to, lines.size())), line);
    change(tr("Move %1").arg(titleOf(line)), std::move(lines), to);
}

void WhatIf::useCode(const sw::KernelCode &kernel, const QString &name, const QString &text)
{
    sw::OverridesWith with = sw::withOverride(m_lines, sw::codeOverride(kernel, name.toStdString(), text.toStdString()));
    const QString title = titleOf(with.lines.at(with.index));
    change(title, sw::withVariantOn(std::move(with.lines), kernel, with.index), with.index);
}

void WhatIf::useVariant(const sw::KernelCode &kernel, std::optional<std::size_t> index)
{
    const QString name = index ? tr("Switch on %1").arg(titleOf(m_lines.at(*index)))
                               : tr("The own code of %1").arg(QString::fromStdString(kernel.kernel));
    change(name, sw::withVariantOn(m_lines, kernel, index), index);
}

sw::ReportPtr WhatIf::unedited() const
{
    const bool isOfThis = m_unedited && m_uneditedProgram == m_session.source().text && m_snapshot &&
                          m_unedited->device == m_snapshot->report->device;
    return isOfThis ? m_unedited : nullptr;
}

QString WhatIf::edit(std::size_t index, const QString &override)
{
    if (const auto problem = sw::problemOf(override.toStdString()))
        return QString::fromStdString(problem->text);
    Lines lines = m_lines;
    lines.at(index).text = sw::canonicalOverride(override.toStdString());
    change(tr("Change %1").arg(titleOf(m_lines[index])), std::move(lines), index);
    return {};
}

void WhatIf::setNote(std::size_t index, const QString &note)
{
    Lines lines = m_lines;
    lines.at(index).note = note.simplified().toStdString();
    change(tr("Note on %1").arg(titleOf(m_lines[index])), std::move(lines), index);
}

void WhatIf::change(const QString &name, Lines lines, std::optional<std::size_t> index)
{
    if (lines != m_lines)
        m_history.push(new Change(*this, name, std::move(lines), index)); // the stack owns it
}

// Several changes before the next result count as one.
void WhatIf::show(const QString &name, const Lines &lines, std::optional<std::size_t> index)
{
    if (!m_isPending) {
        m_before = m_snapshot ? m_snapshot->report : nullptr;
        m_program = m_session.source().text;
        m_linesBefore = m_lines;
    }
    m_isChanged = true;
    m_measured.reset();
    m_lines = lines;
    m_isPending = m_before != nullptr;
    m_wanted = {name, index && *index < m_lines.size() ? index : std::nullopt, {}};
    m_session.setOverrides(m_lines.empty() ? std::string() : sw::overridesText(m_lines), m_file.toStdString());
    m_session.compileNow();
    if (m_before && m_hasRun)
        m_session.run(); // the time before is known, so the time after is wanted
    emit changed();
}

void WhatIf::onSnapshot(const SnapshotPtr &snapshot)
{
    m_snapshot = snapshot;
    if (snapshot && snapshot->isFinal && snapshot->report->runOutputs) {
        m_hasRun = true;
        if (!hasEditedKernel(*snapshot->report)) {
            m_unedited = snapshot->report;
            m_uneditedProgram = m_session.source().text;
        }
    }
    // Another program or device is no effect of an override.
    if (m_before && snapshot && (snapshot->report->device != m_before->device || m_session.source().text != m_program)) {
        forgetEffects();
    }
    if (snapshot && snapshot->isFinal && m_before)
        askEffect();
    emit changed();
}

void WhatIf::forgetEffects()
{
    m_before.reset();
    m_effect.reset();
    m_effects.clear();
    m_measured.reset();
    m_isPending = false;
}

bool WhatIf::canMeasure() const
{
    return m_snapshot && m_snapshot->isFinal && m_snapshot->report->succeeded && m_session.activity() == Activity::Idle &&
           !m_session.isEdited() && m_lines != (m_isChanged ? m_linesBefore : Lines());
}

void WhatIf::measureBeforeAndAfter()
{
    if (!canMeasure())
        return;
    const auto textOf = [](const Lines &lines) { return lines.empty() ? std::string() : sw::overridesText(lines); };
    sw::ChangeRequest request;
    request.before = m_session.exploreRequest(textOf(m_isChanged ? m_linesBefore : Lines()));
    request.after = m_session.exploreRequest(textOf(m_lines));
    request.inputs = m_session.runInputs();
    request.precision = m_measureChoice.percent / 100;
    request.budgetMilliseconds = m_measureChoice.budgetMilliseconds;
    m_measureProgress = std::make_shared<RunProgress>();
    request.onProgress = [progress = m_measureProgress](std::uint64_t done, std::uint64_t all) {
        progress->done = done;
        progress->all = all;
    };
    WhatIfEffect wanted = m_wanted;
    if (!m_isChanged)
        wanted = {tr("all overrides"), {}, {}};
    m_measured.reset();
    m_session.ask(
        RequestTag::Measure, this,
        [request](EngineService &service, const std::stop_token &stop) { return service.measureChange(request, stop); },
        [this, wanted](sw::Effect effect) mutable {
            wanted.effect = std::move(effect);
            m_measured = std::move(wanted);
            emit changed();
        });
    emit changed();
}

void WhatIf::stopMeasuring()
{
    m_session.cancel(RequestTag::Measure);
    emit changed();
}

int WhatIf::percentMeasured() const
{
    const std::uint64_t all = m_measureProgress->all;
    return all == 0 ? 0 : static_cast<int>(100 * m_measureProgress->done / all);
}

void WhatIf::setMeasureChoice(MeasureChoice choice)
{
    m_measureChoice = choice;
    emit changed();
}

// Once for the compiled program, and again when it has run.
void WhatIf::askEffect()
{
    m_session.ask(
        RequestTag::Effect, this,
        [before = m_before, after = m_snapshot->report, own = unedited()](EngineService &, const std::stop_token &stop) {
            return effectWith(*before, *after, own.get(), stop);
        },
        [this](sw::Effect effect) {
            m_isPending = false;
            m_effect = m_wanted;
            m_effect->effect = std::move(effect);
            if (m_effect->index && *m_effect->index < m_lines.size())
                m_effects[m_lines[*m_effect->index].text] = *m_effect;
            emit changed();
        });
}

QString WhatIf::fileOf(const QString &programPath)
{
    const QFileInfo info(programPath);
    return info.path() + u'/' + info.completeBaseName() + QStringLiteral(".overrides");
}

void WhatIf::forgetList()
{
    m_linesBefore.clear();
    m_isChanged = false;
    m_unedited.reset();
    m_hasRun = false;
    forgetEffects();
    m_history.clear();
}

void WhatIf::open(const QString &programPath)
{
    forgetList();
    m_file = programPath.isEmpty() ? QString() : fileOf(programPath);
    QFile file(m_file);
    const bool isThere = !m_file.isEmpty() && file.open(QIODevice::ReadOnly);
    useList(isThere ? sw::readOverrides(file.readAll().toStdString(), m_file.toStdString()) : sw::OverrideFile());
}

void WhatIf::openText(const std::string &text)
{
    forgetList();
    m_file.clear();
    useList(text.empty() ? sw::OverrideFile() : sw::readOverrides(text, "overrides"));
}

void WhatIf::useList(sw::OverrideFile read)
{
    m_lines = std::move(read.lines);
    m_problems = std::move(read.messages);
    m_session.setOverrides(m_lines.empty() ? std::string() : sw::overridesText(m_lines), m_file.toStdString());
    emit changed();
}

QString WhatIf::save(const QString &programPath)
{
    const QString path = fileOf(programPath);
    if (path == m_file && !m_problems.empty())
        return m_lines.empty() ? QString() : tr("%1 cannot be read, so it is not replaced").arg(path);
    if (path == m_file && m_history.isClean())
        return {}; // the file has what is here
    const bool isOwn = path == m_file;
    m_file = path;
    if (m_lines.empty()) {
        if (QFile file(path); isOwn && file.exists() && !file.remove())
            return file.errorString();
    } else if (const QString reason =
                   writeFile(path, QByteArray::fromStdString(sw::overridesText(m_lines)), sw::Durability::Synced);
               !reason.isEmpty()) {
        return reason;
    }
    m_history.setClean();
    return {};
}

} // namespace stepwell::ui
