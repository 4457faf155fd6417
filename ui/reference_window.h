#pragma once
// The reference of types, operations, nodes, instructions and passes: a searchable list, and one entry in full.

#include "engine/api/catalog.h"

#include <QDialog>

#include <vector>

class QLineEdit;
class QTextBrowser;
class QTreeWidget;
class QTreeWidgetItem;

namespace stepwell::ui {

class ReferenceWindow final : public QDialog {
    Q_OBJECT

public:
    explicit ReferenceWindow(QWidget *parent);

    void setEntries(std::vector<sw::CatalogEntry> entries);

    // Selects the first entry with this name.
    void showEntry(const QString &name);

private:
    void fill();
    void filter(const QString &text);
    void showCurrent();

    std::vector<sw::CatalogEntry> m_entries;
    QLineEdit *m_search = nullptr;
    QTreeWidget *m_list = nullptr;
    QTextBrowser *m_text = nullptr;
};

} // namespace stepwell::ui
