// Where the baseline and the program part first.

#include "ui/session/baseline.h"

#include <QStringList>

#include <algorithm>

namespace stepwell::ui {

namespace {

QString nameOf(sw::StageKind stage)
{
    switch (stage) {
    case sw::StageKind::Program:
        return Baseline::tr("the program");
    case sw::StageKind::Graph:
        return Baseline::tr("the graph");
    case sw::StageKind::Schedule:
        return Baseline::tr("the kernels");
    case sw::StageKind::Loops:
        return Baseline::tr("the loops");
    case sw::StageKind::Lowered:
        return Baseline::tr("the instructions");
    case sw::StageKind::Code:
        return Baseline::tr("the source");
    case sw::StageKind::Machine:
        return Baseline::tr("the machine code");
    }
    Q_UNREACHABLE();
}

QString sideText(const sw::PartingSide &side)
{
    QStringList parts;
    if (!side.rule.empty())
        parts << QString::fromStdString(side.rule + ": " + side.detail);
    if (!side.line.empty())
        parts << QString::fromStdString((side.kernel.empty() ? "" : side.kernel + ": ") + side.line).simplified();
    return parts.join(QStringLiteral("  \u00b7  "));
}

// A sentence, and what each of the two has there.
QString firstText(const sw::PartingPoint &point, const std::vector<sw::PassEntry> &passes)
{
    const auto pass = std::ranges::find(passes, point.passId, &sw::PassEntry::id);
    QString text;
    if (pass == passes.end())
        text = point.stage == sw::StageKind::Code ? Baseline::tr("No pass parts them: they first differ in the source.")
                                                  : Baseline::tr("They differ before any pass, in %1.").arg(nameOf(point.stage));
    else if (point.after.rewrite)
        text = Baseline::tr("They part in %1, in the pass \u201c%2\u201d, at its rewrite %3.")
                   .arg(nameOf(point.stage), QString::fromStdString(pass->title))
                   .arg(*point.after.rewrite);
    else
        text = Baseline::tr("They part in %1, in the pass \u201c%2\u201d.")
                   .arg(nameOf(point.stage), QString::fromStdString(pass->title));
    if (const QString before = sideText(point.before); !before.isEmpty())
        text += QStringLiteral("\n\u2212 ") + before;
    if (const QString after = sideText(point.after); !after.isEmpty())
        text += QStringLiteral("\n+ ") + after;
    return text;
}

} // namespace

void Baseline::askFirst()
{
    const BaselineEntry *entry = current();
    if (!entry || !m_end || m_session.isAsking(RequestTag::Parting))
        return;
    m_isFirstWanted = true;
    m_first = {};
    if (entry->moment && entry->compilation == m_end->goodCompilation) {
        tellNextRewrite(entry->moment->moment->place);
        return;
    }
    m_first.isAsked = true;
    m_first.text = tr("Looking for the first difference\u2026");
    m_session.ask(
        RequestTag::Parting, this,
        [request = request()](EngineService &service, const std::stop_token &stop) {
            return service.partingPoint(request, stop);
        },
        [this](const sw::PartingAnswer &answer) { tellFirst(answer); });
    emit firstChanged();
}

void Baseline::forgetFirst()
{
    m_isFirstWanted = false;
    m_session.cancel(RequestTag::Parting);
    if (m_first.text.isEmpty())
        return;
    m_first = {};
    emit firstChanged();
}

void Baseline::tellFirst(const sw::PartingAnswer &answer)
{
    m_first = {};
    m_first.point = answer.point;
    if (!answer.error.empty())
        m_first.text = QString::fromStdString(answer.error);
    else if (!answer.point)
        m_first.text = tr("There is no difference down to the code.");
    else
        m_first.text = firstText(*answer.point, m_end->good ? m_end->good->passes : std::vector<sw::PassEntry>());
    emit firstChanged();
}

// Two moments of one compilation part at the next rewrite.
void Baseline::tellNextRewrite(sw::MomentPlace place)
{
    const std::vector<sw::PassEntry> &passes = m_end->good->passes;
    const bool isInside = place.pass < passes.size() && place.rewrites < passes[place.pass].rewrites;
    std::uint32_t pass = isInside ? place.pass : place.pass + 1;
    while (pass < passes.size() && !passes[pass].changed)
        ++pass;
    if (pass >= passes.size()) {
        tellFirst({});
        return;
    }
    sw::PartingPoint point;
    point.stage = passes[pass].output;
    point.passId = passes[pass].id;
    point.before.pass = point.after.pass = pass;
    if (passes[pass].rewrites > 0)
        point.after.rewrite = isInside ? place.rewrites + 1 : 1;
    tellFirst({point, {}});
}

} // namespace stepwell::ui
