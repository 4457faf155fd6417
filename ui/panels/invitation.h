#pragma once
// What a panel shows before it was told to measure: what it would show, and a button.

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace stepwell::ui {

struct Invitation {
    QWidget *page = nullptr;
    QLabel *told = nullptr;
    QPushButton *button = nullptr;
};

// name: of the button.
[[nodiscard]] inline Invitation makeInvitation(const QString &button, const QString &name, QWidget *parent)
{
    Invitation made;
    made.page = new QWidget(parent);
    auto *column = new QVBoxLayout(made.page);
    made.told = new QLabel(made.page);
    made.told->setObjectName(QStringLiteral("emptyHint"));
    made.told->setAlignment(Qt::AlignCenter);
    made.told->setWordWrap(true);
    made.button = new QPushButton(button, made.page);
    made.button->setObjectName(name);
    column->addStretch(1);
    column->addWidget(made.told);
    column->addWidget(made.button, 0, Qt::AlignHCenter);
    column->addStretch(1);
    return made;
}

} // namespace stepwell::ui
