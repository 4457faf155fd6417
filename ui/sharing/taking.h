#pragma once
// Takes away what panes show: knows which table, text or painted view is meant, by the focus or by the place of a context menu.

#include "ui/sharing/copy_source.h"
#include "ui/sharing/painted_view.h"

#include <QObject>
#include <QPointer>
#include <QWidget>

#include <optional>
#include <vector>

class QMenu;

namespace stepwell::ui {

class Taking : public QObject {
    Q_OBJECT

public:
    explicit Taking(QObject *parent);

    // A pane, or another part of the window that shows something. The first one is meant while none had the focus.
    void watch(QWidget &root);
    // A widget that shows something, and the pane that it is in.
    struct Place {
        QPointer<QWidget> widget;
        QPointer<QWidget> root;
    };
    [[nodiscard]] Place focus() const; // that has the focus, or had it last
    // The painted view at the place, or else the largest one of its pane. Null: the pane paints nothing now.
    [[nodiscard]] static PaintedView *viewAt(const Place &place);
    // The table or text at the place, or else the first one of its pane.
    [[nodiscard]] static std::optional<CopySource> sourceAt(const Place &place);
    // To the clipboard. told() says how it went.
    void copy(const Place &place, CopyExtent extent, sw::TextFormat format);

signals:
    void saveWanted(const stepwell::ui::Taking::Place &place);
    void told(const QString &text);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    [[nodiscard]] QWidget *rootOf(QWidget *widget) const; // null: it is in none
    void watchEdit(QWidget *widget);
    void onFocus(QWidget *now);
    bool showMenu(QWidget &root, const QPoint &at, bool isByKey);
    bool showEditMenu(QWidget &viewport, const QPoint &at);
    void addActions(QMenu &menu, const Place &place, bool isPictureHere);

    std::vector<QWidget *> m_roots;
    Place m_focus;
};

} // namespace stepwell::ui
