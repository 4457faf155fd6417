#pragma once
// The user's own perspectives: a dialog that names one, and a dialog that renames and deletes them.

#include <QDialog>
#include <QStringList>

#include <functional>

class QLabel;
class QLineEdit;
class QListWidget;
class QListWidgetItem;
class QPushButton;

namespace stepwell::ui {

// Why a perspective cannot have this name; empty: it can. Names of built-in perspectives are taken, in upper and lower case.
[[nodiscard]] QString problemOfName(const QString &name);

class PerspectiveNameDialog : public QDialog {
    Q_OBJECT

public:
    PerspectiveNameDialog(const QStringList &existing, const QString &suggested, QWidget *parent);

    [[nodiscard]] QString name() const;

private:
    void check();

    QStringList m_existing;
    QLineEdit *m_name;
    QLabel *m_problem;
    QPushButton *m_save;
};

class PerspectivesDialog : public QDialog {
    Q_OBJECT

public:
    PerspectivesDialog(const QStringList &names, QWidget *parent);

signals:
    void renamed(const QString &from, const QString &to);
    void deleted(const QString &name);

private:
    void rename(QListWidgetItem *item);
    void deleteCurrent();
    void updateButtons();

    QListWidget *m_list;
    QLabel *m_problem;
    QPushButton *m_rename;
    QPushButton *m_delete;
};

} // namespace stepwell::ui
