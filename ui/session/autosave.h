#pragma once
// Keeps the session of a window aside while it is open, so that it survives a crash. Every window has a file of its own, which it
// holds locked; one that nobody holds was left behind, and another window may take it over. Files are packed and written on a
// thread of their own, whole or not at all.

#include "engine/api/session_file/session_contents.h"
#include "ui/session/file_lock.h"
#include "ui/session/request_queue.h"

#include <QDateTime>
#include <QObject>
#include <QString>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace stepwell::ui {

// What a file of an autosaved session may take: tensors beyond that are left out, and larger programs only named.
inline constexpr std::uint64_t kAutosavedTensorBytes = std::uint64_t{32} << 20;
inline constexpr std::uint64_t kAutosavedProgramBytes = std::uint64_t{16} << 20;
// How many of windows that are gone are kept: the newest.
inline constexpr std::size_t kAbandonedSessions = 10;

// The contents without what is too large for autosaving: outputs first, then tensors of inputs, which get the program's values.
[[nodiscard]] sw::SessionContents boundedContents(sw::SessionContents contents,
                                                  std::uint64_t mostTensorBytes = kAutosavedTensorBytes);

struct AbandonedSession {
    QString id;
    QString title; // of the program
    QDateTime written;
};

class Autosave : public QObject {
    Q_OBJECT

public:
    // An empty folder: nothing is kept.
    explicit Autosave(QString folder, QObject *parent = nullptr);
    ~Autosave() override; // what was not discarded stays for another window

    // Replaces what this window kept before. Returns at once; the newest contents win.
    void keep(sw::SessionContents contents, const QString &title);
    void discard(); // removes this window's file
    [[nodiscard]] bool isWriting() const { return m_isWriting; }
    [[nodiscard]] bool isOn() const { return !m_folder.isEmpty(); }

    // Those of windows that are gone, newest first. Removes what is beyond kAbandonedSessions.
    [[nodiscard]] std::vector<AbandonedSession> abandoned() const;
    // The file of an abandoned session, which now belongs to this window; empty: another window took it first.
    [[nodiscard]] QString take(const QString &id);
    void remove(const QString &id) const; // one that is abandoned

signals:
    void kept(const QString &failure); // empty: it was written

private:
    [[nodiscard]] QString sessionPath(const QString &id) const;
    [[nodiscard]] QString lockPath(const QString &id) const;
    [[nodiscard]] QString beginFile(); // returns why there is none

    QString m_folder;
    QString m_id; // of this window's file; empty: none
    FileLock m_lock;
    bool m_isWriting = false;
    std::mutex m_file;                     // held while the file is written
    std::unique_ptr<RequestQueue> m_queue; // last: its worker uses the above; null before the first file
};

} // namespace stepwell::ui
