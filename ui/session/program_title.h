#pragma once
// How a program is named where there is no room for its path.

#include <QString>
#include <QStringList>

namespace stepwell::ui {

// "mlp.sw", "mnist12/model.onnx": models are told apart by their folders, not by their names.
[[nodiscard]] QString titleOf(const QString &path);

// One for each path, with as many folders as tell it from the others.
[[nodiscard]] QStringList titlesOf(const QStringList &paths);

// An ampersand in a menu marks a key; in a file's name it is one.
[[nodiscard]] QString escapedForMenu(QString name);

} // namespace stepwell::ui
