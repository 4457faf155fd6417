#include "ui/panels/why_html.h"

#include <QCoreApplication>

namespace stepwell::ui {

namespace {

QString escaped(const std::string &text)
{
    return QString::fromStdString(text).toHtmlEscaped();
}

QString translated(const char *text)
{
    return QCoreApplication::translate("Why", text);
}

QString colored(const QString &html, const Appearance &appearance, Role role)
{
    return QStringLiteral("<span style='color:%1'>%2</span>").arg(appearance.color(role).name(), html);
}

QString paragraph(const QString &html, int above)
{
    return QStringLiteral("<p style='margin:%1px 0 0 0'>%2</p>").arg(above).arg(html);
}

QString heading(const QString &text, const Appearance &appearance)
{
    return paragraph(QStringLiteral("<b>%1</b>").arg(colored(text, appearance, Role::Muted)), 9);
}

// It is not wrapped.
QString oneLine(const std::string &text)
{
    return escaped(text).replace(u' ', QStringLiteral("&nbsp;"));
}

QString tableOf(const QString &rows)
{
    return QStringLiteral("<table cellspacing='0' cellpadding='1' style='margin-top:4px'>%1</table>").arg(rows);
}

QString numbersHtml(const sw::WhyCard &card, const Appearance &appearance)
{
    const QString muted = appearance.color(Role::Muted).name();
    QString rows;
    for (const sw::WhyNumber &number : card.numbers) {
        QString origin = escaped(number.origin);
        if (!number.limit.empty())
            origin += QStringLiteral("<br>%1").arg(colored(escaped(number.limit), appearance, Role::Text));
        rows += QStringLiteral("<tr><td style='padding-right:8px'>%1</td><td align='right' style='padding-right:8px; "
                               "white-space:nowrap'><b>%2</b></td><td style='color:%3'>%4</td></tr>")
                    .arg(escaped(number.name), oneLine(number.value), muted, origin);
    }
    return rows.isEmpty() ? QString() : tableOf(rows);
}

QString factsHtml(const sw::WhyCard &card, const Appearance &appearance)
{
    QString rows;
    for (const sw::DocumentField &fact : card.facts)
        rows += QStringLiteral("<tr><td style='color:%1; padding-right:8px; white-space:nowrap'>%2</td><td>%3</td></tr>")
                    .arg(appearance.color(Role::Muted).name(), escaped(fact.name), escaped(fact.value));
    return rows.isEmpty() ? QString() : tableOf(rows);
}

// More is worse for every figure; within the noise, it is neither better nor worse.
Role roleOf(const sw::FigureChange &change)
{
    if (change.amountAfter == change.amountBefore || change.isWithinNoise)
        return Role::Muted;
    return change.amountAfter > change.amountBefore ? Role::Removed : Role::Added;
}

QString changesHtml(const std::vector<sw::FigureChange> &changes, const Appearance &appearance)
{
    QString rows;
    QString notes;
    for (const sw::FigureChange &change : changes) {
        rows += QStringLiteral("<tr><td>%1</td><td align='right'>%2</td><td>%3</td><td>%4</td><td align='right'>%5</td></tr>")
                    .arg(oneLine(change.name) + QStringLiteral("&nbsp;"), oneLine(change.before),
                         colored(QStringLiteral("\u2192"), appearance, Role::Muted), oneLine(change.after),
                         QStringLiteral("&nbsp;") + colored(oneLine(change.change), appearance, roleOf(change)));
        if (!change.note.empty())
            notes += paragraph(colored(escaped(change.name + ": " + change.note), appearance, Role::Muted), 2);
    }
    return rows.isEmpty() ? QString() : tableOf(rows) + notes;
}

QString partHtml(const sw::WhyCard &part, const Appearance &appearance)
{
    QString html;
    if (!part.heading.empty())
        html += heading(escaped(part.heading), appearance);
    QString title = escaped(part.title);
    if (part.item != sw::kNoIndex)
        title = QStringLiteral("<a href='item:%1' style='color:%2; text-decoration:none'>%3</a>")
                    .arg(part.item)
                    .arg(appearance.color(Role::Accent).name(), title);
    QString line = title;
    if (!part.decision.empty())
        line += QStringLiteral(" <b>%1</b>").arg(escaped(part.decision));
    if (!part.ruleTitle.empty())
        line += u' ' + colored(escaped(part.ruleTitle), appearance, Role::Muted);
    html += paragraph(line, 5);
    if (!part.reason.empty())
        html += paragraph(colored(escaped(part.reason), appearance, Role::Muted), 0);
    return html;
}

Role roleOf(sw::ValuesAgree values)
{
    switch (values) {
    case sw::ValuesAgree::Unknown:
        return Role::Muted;
    case sw::ValuesAgree::Same:
    case sw::ValuesAgree::Close:
        return Role::Added;
    case sw::ValuesAgree::Different:
        return Role::Error;
    }
    Q_UNREACHABLE();
}

} // namespace

QString cardHead(const sw::WhyCard &card, const Appearance &appearance)
{
    QString html = paragraph(QStringLiteral("<b>%1</b>").arg(escaped(card.title)), 0);
    QString line = escaped(card.decision);
    if (!card.rule.empty() && card.ruleTitle != card.rule)
        line +=
            colored(QStringLiteral(" \u2013 %1 (%2)").arg(escaped(card.ruleTitle), escaped(card.rule)), appearance, Role::Muted);
    return html + paragraph(line, 1);
}

QString cardBody(const sw::WhyCard &card, const Appearance &appearance)
{
    QString html;
    if (!card.reason.empty())
        html += paragraph(escaped(card.reason), 6);
    html += factsHtml(card, appearance) + numbersHtml(card, appearance);
    if (!card.alternative.empty())
        html += heading(escaped(card.alternative), appearance) + changesHtml(card.changes, appearance);
    for (const std::string &obstacle : card.obstacles)
        html += paragraph(colored(translated(QT_TRANSLATE_NOOP("Why", "In the way:")), appearance, Role::Warning) + u' ' +
                              escaped(obstacle),
                          4);
    if (!card.ruleDoc.empty())
        html += paragraph(colored(escaped(card.ruleDoc), appearance, Role::Muted), 7);
    for (const sw::WhyCard &part : card.parts)
        html += partHtml(part, appearance);
    return html;
}

QString effectHtml(const QString &name, const sw::Effect &effect, const Appearance &appearance)
{
    QString html = heading(name.toHtmlEscaped(), appearance);
    if (!effect.error.empty())
        return html + paragraph(colored(escaped(effect.error), appearance, Role::Error), 3);
    // A wrong result comes before a faster one.
    QString values = colored(escaped(effect.valuesText), appearance, roleOf(effect.values));
    if (effect.values == sw::ValuesAgree::Different)
        values = QStringLiteral("<b>%1</b> ").arg(translated(QT_TRANSLATE_NOOP("Why", "Wrong:"))) + values;
    html += paragraph(values, 3) + changesHtml(effect.changes, appearance);
    for (const std::string &note : effect.notes)
        html += paragraph(colored(escaped(note), appearance, Role::Warning), 2);
    return html;
}

} // namespace stepwell::ui
