#pragma once
// The name of a program where its path does not fit.

#include <QString>
#include <QStringList>

namespace stepwell::ui {

// "mlp.sw", "mnist12/model.onnx": a model is recognised by its folder, not by its file name.
[[nodiscard]] QString titleOf(const QString &path);

// A title for each path, with as many folders as it takes to tell it from the others.
[[nodiscard]] QStringList titlesOf(const QStringList &paths);

// Escapes ampersands: a menu would take one in a file name as the mark of a shortcut key.
[[nodiscard]] QString escapedForMenu(QString name);

} // namespace stepwell::ui
