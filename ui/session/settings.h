#pragma once
// What the window remembers between runs.

#include <QByteArray>
#include <QSettings>
#include <QString>
#include <QStringList>

namespace stepwell::ui {

class Settings {
public:
    // `file` is for tests; empty: the user's own.
    explicit Settings(const QString &file = {});

    [[nodiscard]] QString theme() const;
    void setTheme(const QString &theme);
    [[nodiscard]] QString device() const;
    void setDevice(const QString &device);
    [[nodiscard]] QStringList recentFiles() const; // newest first, only such as exist
    void addRecentFile(const QString &path);
    [[nodiscard]] QByteArray geometry() const;
    void setGeometry(const QByteArray &geometry);
    [[nodiscard]] QByteArray splitter(const QString &name) const;
    void setSplitter(const QString &name, const QByteArray &state);
    void clearLayout();

private:
    QSettings m_store;
};

} // namespace stepwell::ui
