#pragma once
// Saves a picture of the window once the program has been compiled (and run, if asked for), and reports how that went.

#include "engine/api/stage_document.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <cstddef>
#include <optional>

namespace stepwell::ui {

class MainWindow;

struct CaptureRequest {
    QString path = {};   // of the picture file
    QString select = {}; // selects a node or a decision whose label contains this; empty: none
    bool run = true;
    int limitMilliseconds = 300'000;
    QString moment = {};      // "simplify" or "simplify:3": after that pass, or after that many of its rewrites; empty: the end
    QString step = {};        // "k0_softmax:400": that kernel after so many steps of its run; empty: none is opened
    QStringList panels = {};  // these are in front of their panes
    QString tried = {};       // an override; empty: none
    QStringList watched = {}; // labels of nodes
    bool showsHealth = false;
    bool showsBeside = false; // in Access, the kernel before its newest transformation
    QString against =
        {}; // "--device c", "--no-fuse --no-optimize", "before.sw": what the panes are compared with; empty: nothing
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
    // What the request wants to be done before the picture is taken, one after the other.
    void tryOverride();
    void showPanels();
    void selectItem();
    void watchNodes();
    void showHealth();
    void goToMoment();
    void goToStep();
    void compare();
    void runBoth();
    void showBeside();
    [[nodiscard]] std::optional<sw::ItemIndex> itemOf(sw::StageKind stage, const QString &label) const;
    void finish(const QString &reason);

    MainWindow &m_window;
    CaptureRequest m_request;
    QTimer m_check;
    QTimer m_limit;
    QString m_reason;
    bool m_isBothWanted = false;
    std::size_t m_next = 0; // of what is to be done
    int m_quiet = 0;        // checks in a row that found no work in progress
    bool m_isDone = false;
};

} // namespace stepwell::ui
