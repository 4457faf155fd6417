#pragma once
// Text that is not saved yet, kept aside so that it survives the end of the program, however it ends. Every window keeps one
// draft, in a file of its own that it holds locked; a draft whose lock nobody holds was left behind, and another window may take
// it over. The system gives locks back when a process ends, so nothing has to be cleaned up after a crash.

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
    bool hasCarriageReturns = false; // in the file
    QString id = {};                 // of the draft; made by keep()
    QDateTime written = {};          // likewise
};

class Drafts {
public:
    // Empty: nothing is kept.
    explicit Drafts(QString folder);
    ~Drafts(); // a draft that was not discarded stays for another window
    Drafts(const Drafts &) = delete;
    Drafts &operator=(const Drafts &) = delete;

    // In place of what this window kept before. Empty: kept; otherwise the reason why not.
    [[nodiscard]] QString keep(const Draft &draft);
    void discard(); // what this window keeps

    // Left behind by windows that are gone, newest first; without their texts.
    [[nodiscard]] std::vector<Draft> abandoned() const;
    // From now on it is this window's own. Nothing: another window was faster, or it cannot be read.
    [[nodiscard]] std::optional<Draft> take(const QString &id);

private:
    // Held as long as the object lives.
    class Lock {
    public:
        Lock() = default;
        explicit Lock(const QString &path); // not held when somebody else holds it
        ~Lock();
        Lock(Lock &&other) noexcept;
        Lock &operator=(Lock &&other) noexcept;
        [[nodiscard]] bool isHeld() const { return m_descriptor >= 0; }

    private:
        int m_descriptor = -1;
    };

    [[nodiscard]] QString textPath(const QString &id) const;
    [[nodiscard]] QString lockPath(const QString &id) const;

    QString m_folder;
    QString m_id; // of this window's draft; empty: none
    Lock m_lock;
};

} // namespace stepwell::ui
