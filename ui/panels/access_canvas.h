#pragma once
// Shows an access scene; elements tell about themselves, and lead to where they are touched.

#include "ui/panels/access_scene.h"
#include "ui/theme/appearance.h"

#include <QWidget>

namespace stepwell::ui {

class AccessCanvas : public QWidget {
    Q_OBJECT

public:
    AccessCanvas(const Appearance &appearance, QWidget *parent = nullptr);

    [[nodiscard]] AccessScene &scene() { return m_scene; }
    void setHint(const QString &hint); // shown in place of the scene; empty: the scene
    [[nodiscard]] bool hasScene() const { return m_hint.isEmpty(); }
    void showCacheLines(bool isOn);

signals:
    void runWanted(sw::TraceDirection direction, std::uint32_t memory, std::int64_t element);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    bool event(QEvent *event) override;

private:
    const Appearance &m_appearance;
    AccessScene m_scene;
    QString m_hint;
};

// How a scene looks in a theme.
[[nodiscard]] AccessLook lookOf(const Appearance &appearance, bool showsCacheLines);

} // namespace stepwell::ui
