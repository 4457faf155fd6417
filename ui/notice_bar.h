#pragma once
// A line across the window that says what happened to the program and offers actions. It stays until the user answers it.

#include <QFrame>

#include <functional>
#include <vector>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace stepwell::ui {

class Appearance;

struct NoticeAnswer {
    QString text;
    std::function<void()> run; // empty: only closes the notice
};

class NoticeBar : public QFrame {
    Q_OBJECT

public:
    NoticeBar(const Appearance &appearance, const QString &name, QWidget *parent = nullptr);

    void showNotice(const QString &text, const std::vector<NoticeAnswer> &answers);
    [[nodiscard]] QString text() const;
    [[nodiscard]] const std::vector<QPushButton *> &answers() const { return m_answers; }

private:
    void setIcon();

    const Appearance &m_appearance;
    QLabel *m_icon;
    QLabel *m_text;
    QHBoxLayout *m_row;
    std::vector<QPushButton *> m_answers;
};

} // namespace stepwell::ui
