#include "ui/against_words.h"

#include <QCoreApplication>
#include <QProcess>

namespace stepwell::ui {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Against", text);
}

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
        const bool hasValue = word == QLatin1String("--device") || word == QLatin1String("--show");
        const QString value = hasValue ? parts.value(++i) : QString();
        const std::optional<Shown> shown = shownNamed(value);
        if (word == QLatin1String("--device") && !value.isEmpty())
            made.variant.device = value;
        else if (word == QLatin1String("--show") && shown)
            made.shown = *shown;
        else if (word == QLatin1String("--no-fuse"))
            made.variant.fuse = false;
        else if (word == QLatin1String("--no-optimize"))
            made.variant.optimize = false;
        else if (word == QLatin1String("--first"))
            made.isFirst = true;
        else if (word == QLatin1String("--both"))
            made.isRun = true;
        else if (!word.startsWith(u'-') && made.variant.file.isEmpty())
            made.variant.file = word;
        else
            reason = tr("--against takes --device D, --no-fuse, --no-optimize, a file, --first, --both and --show now, before or "
                        "difference, not %1")
                         .arg(hasValue ? word + u' ' + value : word);
    }
    if (reason.isEmpty() && made.variant == CompileVariant())
        reason = tr("--against says nothing to compare with");
    return reason.isEmpty() ? std::optional(made) : std::nullopt;
}

} // namespace stepwell::ui
