#pragma once

#include "ui/models/value_model.h"
#include "ui/panels/panel.h"
#include "ui/panels/values_tools.h"

class QStackedWidget;
class QTableView;

namespace stepwell::ui {

class ValuesHeatMap;

// Shows a tensor: a slice of it as a grid, as a heat map or both, or its elements in order. Large tensors are read by the worker.
class ValuesDisplay : public QWidget {
    Q_OBJECT

public:
    explicit ValuesDisplay(const PanelContext &context, QWidget *parent = nullptr);

    // A null view shows the hint instead.
    void setView(const sw::TensorViewPtr &view);
    void setHint(const QString &hint);
    void setChange(ValueModel::Change change) { m_model->setChange(std::move(change)); }
    void setOutOfDate(bool isOutOfDate);
    [[nodiscard]] const sw::TensorViewPtr &view() const { return m_model->view(); }
    [[nodiscard]] bool isSettled() const;
    // Asks the worker for what is still missing: a new compilation drops earlier requests.
    void askAgain();

    void goTo(std::int64_t element); // makes it current and visible
    [[nodiscard]] std::optional<std::int64_t> currentElement() const;
    void tell(const QString &text) { m_tools->tell(text); }
    // The selected values, with tabs and lines between them.
    [[nodiscard]] QString selectedText() const;
    [[nodiscard]] const sw::TensorSlice &slice() const { return m_model->slice(); }

signals:
    void statisticsReady();

private:
    void onChoice();
    void onMode();
    void onFormat();
    void onCurrent();
    void find(sw::FindWhat what, sw::FindDirection direction);
    void find(sw::FindWhat what, sw::FindDirection direction, bool hasTurned);
    void onPlace(const QString &text);
    void findValue(const QString &value);
    void showFound(const sw::TensorViewPtr &view, std::int64_t element);
    void fitColumns();
    void showTiles(const sw::TileMap &map);
    [[nodiscard]] bool showsMap() const;
    [[nodiscard]] bool showsOrder() const { return m_tools->mode() == ValuesMode::Order; }

    PanelContext m_context;
    ValueModel *m_model;
    ValueOrderModel *m_order;
    ValuesTools *m_tools;
    QTableView *m_table;
    QTableView *m_orderTable;
    ValuesHeatMap *m_map;
    QStackedWidget *m_stack;
};

} // namespace stepwell::ui
