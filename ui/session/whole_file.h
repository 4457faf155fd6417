#pragma once
// Files are written whole or not at all: what stood there before stays when the disk is full or the program ends in the middle.

#include <QByteArray>
#include <QString>

class QFileDevice;

namespace stepwell::ui {

enum class Durability : unsigned char {
    ProgramCrash, // the bytes are the system's when the call returns
    PowerLoss     // they are on the disk
};

// Empty: written. Otherwise the reason why not.
[[nodiscard]] QString writeWhole(const QString &path, const QByteArray &bytes, Durability durability);

// Writes and checks that everything arrived. QFileDevice buffers, and QSaveFile of Qt 6.4 commits although the last write was cut
// short, so whoever writes to one asks here first.
[[nodiscard]] bool writeChecked(QFileDevice &file, const QByteArray &bytes);

} // namespace stepwell::ui
