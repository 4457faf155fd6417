#pragma once
// The file that a program was read from or saved to. Reports when another program has changed it.

#include "engine/api/saved_file.h"

#include <QByteArray>
#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QTimer>

namespace stepwell::ui {

// Writes the whole file or nothing. Returns the reason for a failure; empty: it was written.
[[nodiscard]] QString writeFile(const QString &path, const QByteArray &bytes, sw::Durability durability);

class DiskFile : public QObject {
    Q_OBJECT

public:
    explicit DiskFile(QObject *parent = nullptr);

    // fingerprint: of the file's content as the program knows it.
    void follow(const QString &path, const QByteArray &fingerprint);
    void forget();
    // True if the file differs from what is known of it; a deleted file does not count as changed.
    [[nodiscard]] bool hasChanged() const;
    [[nodiscard]] bool isGone() const;
    [[nodiscard]] const QByteArray &fingerprint() const { return m_known; }
    // Reports every change once; called by the watcher, and by anyone with a reason to check now.
    void look();

    [[nodiscard]] static QByteArray fingerprintOf(const QByteArray &bytes);
    // The fingerprint of the file now; empty: it cannot be read. Large files (models) go by size and time, not by their bytes.
    [[nodiscard]] static QByteArray fingerprintOfFile(const QString &path);

signals:
    void changed();

private:
    void watch();

    QString m_path; // empty: none
    QByteArray m_known;
    QByteArray m_told; // the last fingerprint reported
    QFileSystemWatcher m_watcher;
    QTimer m_pause; // waits, because programs may save by writing, renaming and writing again
};

} // namespace stepwell::ui
