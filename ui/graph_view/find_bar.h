#pragma once
// A search line for any view: the pattern (a regular expression), the number of matches, next and previous.

#include "ui/theme/appearance.h"

#include <QRegularExpression>
#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace stepwell::ui {

class FindBar : public QWidget {
    Q_OBJECT

public:
    FindBar(const Appearance &appearance, QWidget *parent = nullptr);

    void open();
    void close();
    void setCount(int current, int total); // current counts from 1; 0: none
    // An empty pattern searches for nothing.
    [[nodiscard]] const QRegularExpression &pattern() const { return m_pattern; }

signals:
    void patternChanged(const QRegularExpression &pattern);
    void nextRequested();
    void previousRequested();
    void closed();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void readPattern();
    void setIcons();

    const Appearance &m_appearance;
    QLineEdit *m_edit;
    QLabel *m_count;
    QToolButton *m_previous;
    QToolButton *m_next;
    QToolButton *m_close;
    QRegularExpression m_pattern;
};

} // namespace stepwell::ui
