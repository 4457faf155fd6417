#pragma once
// The file that a program was read from or saved to. Says when somebody else has changed it since.

#include "engine/api/saved_file.h"

#include <QByteArray>
#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QTimer>

namespace stepwell::ui {

// Whole or not at all. Empty: written. Otherwise the reason why not.
[[nodiscard]] QString writeFile(const QString &path, const QByteArray &bytes, sw::Durability durability);

class DiskFile : public QObject {
    Q_OBJECT

public:
    explicit DiskFile(QObject *parent = nullptr);

    // fingerprint: of what the program knows of the file.
    void follow(const QString &path, const QByteArray &fingerprint);
    void forget();
    // The file is not what is known of it; a file that is gone has not changed.
    [[nodiscard]] bool hasChanged() const;
    [[nodiscard]] bool isGone() const;
    [[nodiscard]] const QByteArray &fingerprint() const { return m_known; }
    // Tells once of every change; the watch calls it, and whoever has a reason to look now.
    void look();

    [[nodiscard]] static QByteArray fingerprintOf(const QByteArray &bytes);
    // Of the file as it is now; empty: it cannot be read. Large files (models) by size and time, not by their bytes.
    [[nodiscard]] static QByteArray fingerprintOfFile(const QString &path);

signals:
    void changed();

private:
    void watch();

    QString m_path; // empty: none
    QByteArray m_known;
    QByteArray m_told; // what was last told of
    QFileSystemWatcher m_watcher;
    QTimer m_pause; // programs that save write, rename and write again
};

} // namespace stepwell::ui
