#include "ui/against_words.h"

#include "ui/session/reproduction.h"

#include <QCoreApplication>
#include <QProcess>

#include <algorithm>

namespace stepwell::ui {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Against", text);
}

constexpr sw::CompileSwitches kAllOff{
    .fuse = false, .optimize = false, .tensorInstructions = false, .winograd = false, .layouts = false, .tunings = false};

std::optional<Shown> shownNamed(const QString &name)
{
    if (name == QLatin1String("now"))
        return Shown::Now;
    if (name == QLatin1String("before"))
        return Shown::Before;
    return name == QLatin1String("difference") ? std::optional(Shown::Difference) : std::nullopt;
}

} // namespace

std::optional<AgainstWords> againstOf(const QString &words, QString &reason)
{
    AgainstWords made;
    const QStringList parts = QProcess::splitCommand(words);
    for (qsizetype i = 0; i < parts.size(); ++i) {
        const QString &word = parts[i];
        const auto off = std::ranges::find(sw::kCompileSwitches, word.toStdString(), &sw::CompileSwitch::option);
        const bool hasValue = word == QLatin1String("--device") || word == QLatin1String("--show");
        const QString value = hasValue ? parts.value(++i) : QString();
        const std::optional<Shown> shown = shownNamed(value);
        if (word == QLatin1String("--device") && !value.isEmpty())
            made.variant.device = value;
        else if (word == QLatin1String("--show") && shown)
            made.shown = *shown;
        else if (off != sw::kCompileSwitches.end())
            made.variant[off->isOn] = false;
        else if (word == QLatin1String("--first"))
            made.isFirst = true;
        else if (word == QLatin1String("--both"))
            made.isRun = true;
        else if (!word.startsWith(u'-') && made.variant.file.isEmpty())
            made.variant.file = word;
        else
            reason = tr("--against takes --device D, %1, a file, --first, --both and --show now, before or difference, not %2")
                         .arg(wordsOf(kAllOff).join(QStringLiteral(", ")), hasValue ? word + u' ' + value : word);
    }
    if (reason.isEmpty() && made.variant == CompileVariant())
        reason = tr("--against says nothing to compare with");
    return reason.isEmpty() ? std::optional(made) : std::nullopt;
}

} // namespace stepwell::ui
