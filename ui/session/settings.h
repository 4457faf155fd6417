#pragma once
// What the window remembers between runs.

#include <QByteArray>
#include <QMap>
#include <QSettings>
#include <QString>
#include <QStringList>

namespace stepwell::ui {

// The arrangement of the panes.
struct WindowLayout {
    QString perspective;                 // the perspective it began with; empty: all panes
    QStringList panes;                   // the panes that are shown
    QStringList front;                   // the panels in front of their panes
    QMap<QString, QByteArray> splitters; // their states, by name

    [[nodiscard]] bool isEmpty() const { return panes.isEmpty(); } // never saved
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
    [[nodiscard]] QStringList recentFiles() const; // newest first, only files that exist
    void addRecentFile(const QString &path);
    [[nodiscard]] QByteArray geometry() const;
    void setGeometry(const QByteArray &geometry);
    [[nodiscard]] WindowLayout layout() const;
    void setLayout(const WindowLayout &layout);
    void clearLayout();
    void sync() { m_store.sync(); } // writes to the file, and reads what other windows have set
    // Where drafts of unsaved text are kept; empty: nowhere.
    [[nodiscard]] const QString &draftFolder() const { return m_draftFolder; }

private:
    void set(const QString &key, const QVariant &value);

    QSettings m_store;
    Access m_access;
    QString m_draftFolder;
};

} // namespace stepwell::ui
