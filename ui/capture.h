#pragma once
// Saves a picture of the window once the program has been compiled (and run, if asked for), and reports how that went.

#include <QObject>
#include <QString>
#include <QTimer>

namespace stepwell::ui {

class MainWindow;

struct CaptureRequest {
    QString path;   // path of the picture file
    QString select; // selects a node whose label contains this; empty: none
    bool run = true;
    int limitMilliseconds = 300'000;
    QString moment = {}; // "simplify" or "simplify:3": after that pass, or after that many of its rewrites; empty: the end
    QString against =
        {};            // "--device c", "--no-fuse --no-optimize", "before.sw": what the panes are compared with; empty: nothing
    QString step = {}; // "k0_softmax:400": that kernel after so many steps of its run; empty: none is opened
};

class Capture : public QObject {
    Q_OBJECT

public:
    Capture(MainWindow &window, CaptureRequest request);

signals:
    // Empty: the picture was saved and the program has no errors.
    void finished(const QString &reason);

private:
    void onCompiled(bool succeeded);
    void onRun(bool succeeded);
    void wait();
    void check();
    void take();
    void selectNode();
    void goToMoment();
    void goToStep();
    void compare();
    void finish(const QString &reason);

    MainWindow &m_window;
    CaptureRequest m_request;
    QTimer m_check;
    QTimer m_limit;
    QString m_reason;
    int m_quiet = 0; // checks in a row that found no work in progress
    bool m_isDone = false;
};

} // namespace stepwell::ui
