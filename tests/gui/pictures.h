#pragma once
// Pictures of a window for people to look at, where the environment names a folder for them (STEPWELL_PICTURES).

#include "tests/gui/engine_app.h"

#include <QCoreApplication>

namespace stepwell::ui {

// NAME-THEME-WIDTH.png, in both themes and at the sizes of common screens.
inline void takePictures(EngineApp &app, const QString &name)
{
    const QByteArray folder = qgetenv("STEPWELL_PICTURES");
    if (folder.isEmpty())
        return;
    const QSize before = app.window.size();
    for (const char *theme : {"light", "dark"}) {
        app.appearance.setTheme(QLatin1String(theme));
        for (const QSize size : {QSize(1366, 768), QSize(1920, 1080)}) {
            app.window.resize(size);
            QCoreApplication::processEvents();
            app.window.grab().save(
                QStringLiteral("%1/%2-%3-%4.png").arg(QString::fromUtf8(folder), name, QLatin1String(theme)).arg(size.width()));
        }
    }
    app.window.resize(before);
}

} // namespace stepwell::ui
