#pragma once
// What the window remembers between runs.

#include <QByteArray>
#include <QMap>
#include <QSettings>
#include <QString>
#include <QStringList>

namespace stepwell::ui {

// The arrangement of the panes, in the notation of ui/docking/layout_text.h.
struct SavedLayout {
    QString perspective; // the one it began with; empty: none
    QString text;        // empty: never saved
};

class Settings {
public:
    enum class Access : unsigned char {
        ReadAndWrite,
        ReadOnly // new settings are forgotten at once, and there are no drafts: for taking a picture
    };

    // `file` is for tests, which keep drafts beside it; empty: the user's own.
    explicit Settings(const QString &file = {}, Access access = Access::ReadAndWrite);

    [[nodiscard]] QString theme() const;
    void setTheme(const QString &theme);
    [[nodiscard]] QString device() const;
    void setDevice(const QString &device);
    // The processors that machine code is shown for beside this machine's.
    [[nodiscard]] QStringList targets() const;
    void setTargets(const QStringList &targets);
    [[nodiscard]] QStringList recentFiles() const; // newest first, only files that exist
    void addRecentFile(const QString &path);
    // How much of the documents of moments to keep.
    [[nodiscard]] int momentMebibytes() const;
    void setMomentMebibytes(int mebibytes);
    // How long a run may take; 0: as long as it does.
    [[nodiscard]] int runLimitSeconds() const;
    void setRunLimitSeconds(int seconds);
    [[nodiscard]] QByteArray geometry() const;
    void setGeometry(const QByteArray &geometry);
    [[nodiscard]] SavedLayout layout() const;
    void setLayout(const SavedLayout &layout);
    void clearLayout();
    // The user's own: layouts by name.
    [[nodiscard]] QMap<QString, QString> perspectives() const;
    void setPerspectives(const QMap<QString, QString> &perspectives);
    void sync() { m_store.sync(); } // writes to the file, and reads what other windows have set
    // Where drafts of unsaved text are kept; empty: nowhere.
    [[nodiscard]] const QString &draftFolder() const { return m_draftFolder; }
    // Where sessions are kept while they are open; empty: nowhere.
    [[nodiscard]] const QString &sessionFolder() const { return m_sessionFolder; }

private:
    void set(const QString &key, const QVariant &value);

    QSettings m_store;
    Access m_access;
    QString m_draftFolder;
    QString m_sessionFolder;
};

} // namespace stepwell::ui
