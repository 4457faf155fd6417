#include "ui/session/program_title.h"

#include <QHash>

#include <algorithm>

namespace stepwell::ui {

namespace {

// The last `parts` parts of the path; the whole path if it has no more.
QString endOf(const QString &path, qsizetype parts)
{
    if (parts > path.count(u'/'))
        return path;
    qsizetype start = path.size();
    for (qsizetype i = 0; i < parts; ++i)
        start = path.lastIndexOf(u'/', start - 1);
    return path.mid(start + 1);
}

qsizetype partsOfTitle(const QString &path)
{
    return path.endsWith(QLatin1String(".onnx"), Qt::CaseInsensitive) ? 2 : 1;
}

} // namespace

QString titleOf(const QString &path)
{
    return endOf(path, partsOfTitle(path));
}

QStringList titlesOf(const QStringList &paths)
{
    QStringList titles;
    QList<qsizetype> parts;
    for (const QString &path : paths) {
        parts << partsOfTitle(path);
        titles << titleOf(path);
    }
    for (bool isAmbiguous = true; isAmbiguous;) {
        isAmbiguous = false;
        QHash<QString, int> uses;
        for (const QString &title : titles)
            ++uses[title];
        for (qsizetype i = 0; i < paths.size(); ++i) {
            if (uses[titles[i]] == 1 || titles[i] == paths[i])
                continue;
            titles[i] = endOf(paths[i], ++parts[i]);
            isAmbiguous = true;
        }
    }
    return titles;
}

QString escapedForMenu(QString name)
{
    return name.replace(u'&', QStringLiteral("&&"));
}

} // namespace stepwell::ui
