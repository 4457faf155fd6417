#pragma once
// Unsaved text, kept aside so that it survives the end of the program, however it ends. Every window keeps one
// draft in its own file, which it holds locked. A draft that nobody holds locked was left behind, and another window may take
// it over.

#include "ui/session/file_lock.h"

#include <QByteArray>
#include <QDateTime>
#include <QString>

#include <optional>
#include <vector>

namespace stepwell::ui {

struct Draft {
    QString path;     // of the program's file; empty: never saved
    QString name;     // of the program
    QByteArray basis; // fingerprint of the file that the text was made from
    QString text = {};
    bool hasCarriageReturns = false; // of the file
    QString id = {};                 // the draft's id, set by keep()
    QDateTime written = {};          // also set by keep()
};

class Drafts {
public:
    // Empty: nothing is kept.
    explicit Drafts(QString folder);
    ~Drafts(); // a draft that was not discarded stays for another window
    Drafts(const Drafts &) = delete;
    Drafts &operator=(const Drafts &) = delete;

    // Replaces what this window kept before. Returns the reason for a failure; empty: it was kept.
    [[nodiscard]] QString keep(const Draft &draft);
    void discard(); // removes this window's draft

    // Drafts left behind by windows that are gone, newest first, without their texts.
    [[nodiscard]] std::vector<Draft> abandoned() const;
    // The draft now belongs to this window. Nothing: another window took it first, or it cannot be read.
    [[nodiscard]] std::optional<Draft> take(const QString &id);

private:
    [[nodiscard]] QString textPath(const QString &id) const;
    [[nodiscard]] QString lockPath(const QString &id) const;

    QString m_folder;
    QString m_id; // of this window's draft; empty: none
    FileLock m_lock;
};

} // namespace stepwell::ui
