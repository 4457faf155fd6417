#pragma once
// Answers to dialogs that a test's own call opens, from within their event loops.

#include <QApplication>
#include <QTimer>

namespace stepwell::ui {

// Calls `answer` with the next modal dialog of type `Dialog`, as soon as one is open.
template <class Dialog, class Answer>
void whenAsked(QObject *receiver, Answer answer)
{
    QTimer::singleShot(1, receiver, [receiver, answer] {
        if (auto *dialog = qobject_cast<Dialog *>(QApplication::activeModalWidget()))
            answer(*dialog);
        else
            whenAsked<Dialog>(receiver, answer);
    });
}

} // namespace stepwell::ui
