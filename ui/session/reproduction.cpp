#include "ui/session/reproduction.h"

#include "engine/api/describe.h"

#include <algorithm>

namespace stepwell::ui {

QString quotedForShell(const QString &word)
{
    const auto isPlain = [](QChar c) {
        return (c.unicode() < 128 && c.isLetterOrNumber()) || QStringLiteral("_-+=./:,@%").contains(c);
    };
    if (!word.isEmpty() && std::ranges::all_of(word, isPlain))
        return word;
    return u'\'' + QString(word).replace(u'\'', QStringLiteral("'\\''")) + u'\'';
}

QStringList wordsOf(const sw::CompileSwitches &switches)
{
    QStringList words;
    for (const sw::CompileSwitch &each : sw::kCompileSwitches)
        if (!(switches.*each.isOn))
            words << QString::fromLatin1(each.option.data(), static_cast<qsizetype>(each.option.size()));
    return words;
}

QString commandFor(const Seen &seen)
{
    const std::string_view stage = sw::nameOf(seen.stage);
    QStringList words{QStringLiteral("stepwellc"), QStringLiteral("show"), seen.file, QStringLiteral("--stage"),
                      QString::fromLatin1(stage.data(), static_cast<qsizetype>(stage.size()))};
    const auto add = [&words](const char *option, const QString &value) {
        if (!value.isEmpty())
            words << QLatin1String(option) << value;
    };
    add("--after", seen.pass);
    add("--kernel", seen.kernel);
    // Said also for a session: the window may have compiled it for another device.
    add("--device", QString::fromStdString(seen.request.device));
    add("--overrides", seen.overrides);
    words << wordsOf(seen.request);
    for (const auto &[name, value] : seen.request.dimensions)
        add("--dim", QStringLiteral("%1=%2").arg(QString::fromStdString(name)).arg(value));
    for (const auto &[name, range] : seen.request.openDimensions)
        add("--dim", QString::fromStdString(name + "=" + toText(range)));
    for (QString &word : words)
        word = quotedForShell(word);
    return words.join(u' ');
}

} // namespace stepwell::ui
