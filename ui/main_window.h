#pragma once
// The window: places the panels, owns the actions, opens and saves files. It shows what the session has and decides nothing else.

#include "ui/session/autosave.h"
#include "ui/session/baseline.h"
#include "ui/session/debugger.h"
#include "ui/session/disk_file.h"
#include "ui/session/drafts.h"
#include "ui/session/health.h"
#include "ui/session/moment.h"
#include "ui/session/requests.h"
#include "ui/session/selection.h"
#include "ui/session/session.h"
#include "ui/session/session_state.h"
#include "ui/session/settings.h"
#include "ui/session/target_choice.h"
#include "ui/session/walk.h"
#include "ui/session/watch_list.h"
#include "ui/session/what_if.h"
#include "ui/sharing/taking.h"
#include "ui/theme/appearance.h"

#include <QHash>
#include <QMainWindow>
#include <QTimer>

#include <optional>

class QActionGroup;
class QComboBox;
class QLabel;
class QMenu;
class QToolButton;

namespace stepwell::ui {

class DimensionBar;
class DockArea;
class EditorPanel;
class LibraryWindow;
class MessagesPanel;
class NoticeBar;
class Panel;
class ReferenceWindow;
class TimelineBar;

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    MainWindow(EngineService &service, Appearance &appearance, Settings &settings);
    ~MainWindow() override;

    // True if the file was read; otherwise the messages give the reason.
    bool openFile(const QString &path);
    void openText(const QString &fileName, const QString &text);
    void openExampleNamed(const QString &name); // waits until the examples are known
    // Restores unsaved text of a window that ended without being closed. False: there is none.
    bool restoreNewestDraft();
    void mentionDrafts(); // says where drafts are, if there are any and the window shows another program
    void setDevice(const QString &device);
    // A built-in one or one of the user's own; false: unknown name, or its layout cannot be read.
    bool setPerspective(const QString &name);
    [[nodiscard]] static QStringList perspectives(); // the built-in ones
    void resetLayout();
    [[nodiscard]] DockArea &area() { return *m_area; }
    // No work is in progress: the panes show the final result.
    [[nodiscard]] bool isSettled() const;

    // A program or a model that is compiled like this one, or a session as it was kept.
    void compareWithFile(const QString &path);
    // Writes everything that the window shows as a session file. The status bar says how it ended.
    void saveSessionTo(const QString &path);
    // Offers the newest session of a window that ended without being closed, if there is one.
    void offerRestore();
    [[nodiscard]] const QString &sessionPath() const { return m_sessionPath; } // empty: none was opened or saved

    // Writes the newest results as a page. Reads the machine code that is not read yet; the status bar says how it ended.
    void saveReport(const QString &path);
    // Writes a folder that builds and runs the kernel alone. Compiles and runs what comes before it; the status bar says how it
    // ended.
    void saveReproducer(std::uint32_t kernel, const QString &folder);

    // Writes a picture of what the pane with the focus paints, as the ending of the path says. Tells why it cannot.
    void saveView(const QString &path);

    [[nodiscard]] Session &session() { return m_session; }
    [[nodiscard]] Selection &selection() { return m_selection; }
    [[nodiscard]] Moment &moment() { return m_moment; }
    [[nodiscard]] WhatIf &whatIf() { return m_whatIf; }
    [[nodiscard]] InputChoices &inputs() { return m_inputs; }
    [[nodiscard]] Health &health() { return m_health; }
    [[nodiscard]] WatchList &watched() { return m_watched; }
    [[nodiscard]] Debugger &debugger() { return m_debugger; }
    [[nodiscard]] Walk &walk() { return m_walk; }
    [[nodiscard]] Baseline &baseline() { return m_baseline; }
    [[nodiscard]] Notes &notes() { return m_notes; }
    [[nodiscard]] TargetChoice &targets() { return m_targets; }
    [[nodiscard]] Autosave &autosave() { return m_autosave; }
    [[nodiscard]] QAction *action(const QString &id) const { return m_actions.value(id); } // null: unknown id

signals:
    void fileFailed(const QString &reason); // the file cannot be opened or saved; the messages say it too
    void reportSaved(const QString &path);
    void reproducerSaved(const QString &folder);
    void sessionSaved(const QString &path);
    void sessionOpened(); // it is shown, and compiled if it can be

protected:
    void changeEvent(QEvent *event) override;
    void closeEvent(QCloseEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    struct ActionInfo;

    void showSnapshot(const SnapshotPtr &snapshot);
    void followMoment();
    void showModelText(const Snapshot &snapshot);

    // main_window_layout.cpp
    void makePanels();
    void placePanels();
    void restoreLayout();
    void saveLayout();
    void updatePaneActions();
    void showPanelOf(Panel *panel);
    [[nodiscard]] Panel *panelNamed(const QString &id) const; // null: there is none
    void goToPane(int direction);
    void goToTab(int direction);

    // main_window_perspectives.cpp
    [[nodiscard]] Panel *panelInFocus() const;
    void makePaneActions();
    void makePaneMenus(QMenu *view);
    void fillOwnPerspectives();
    void savePerspectiveAs();
    void managePerspectives();
    void resetPerspective();

    // main_window_actions.cpp
    void makeActions();
    void makeSwitches();
    QAction *addAction(const ActionInfo &info);
    [[nodiscard]] Panel *focusedPanel() const;
    void goTo(Panel *panel);

    // main_window_bars.cpp
    void makeMenus();
    void makeMemoryMenu(QMenu *view);
    void makeLimitMenu(QMenu *compile);
    void makeToolBar();
    void makeStatusBar();
    void setIcons();
    void fillDevices(const std::vector<sw::DeviceEntry> &devices);
    void tellDevice();
    void fillExamples(const std::vector<sw::ExampleEntry> &examples);
    void fillRecentFiles();
    void updateStatus();
    void updateActivity(); // shows the current activity, its elapsed time and its progress
    [[nodiscard]] QString activityText() const;
    void showDimensions(const SnapshotPtr &snapshot);
    void showReference();
    void showLibrary(const QString &file, std::uint32_t line);
    void showAbout();

    // main_window_compare.cpp
    void makeCompareActions();
    void makeCompareMenu();
    void makeCompareBar();
    void fillBaselines(QMenu *menu, std::optional<BaselineKind> kind);
    void fillCompareDevices(const std::vector<sw::DeviceEntry> &devices);
    void updateCompareActions();
    void compareWithout(bool sw::CompileSwitches::*which);
    void chooseBaselineFile();
    void compareWithSession(const QString &path);
    void stepDifference(int direction);
    void goToFirst();
    void selectFirst(const SnapshotPtr &snapshot);

    // main_window_files.cpp
    void newProgram();
    void chooseFile();
    void leaveProgram();
    void showProgram(const QString &fileName, const QString &text);
    void showModel(const QString &path);
    void reloadFile();
    void rememberFile();
    void reportFileError(const QString &path, const QString &reason);
    bool save();
    bool saveAs();
    bool saveTo(const QString &path);
    [[nodiscard]] bool mayOverwrite(); // asks if the file differs from what was opened
    [[nodiscard]] bool mayDiscard();   // asks if there are unsaved changes
    void updateTitle();
    [[nodiscard]] bool isProgramModified() const; // its text or its overrides

    // main_window_sessions.cpp
    [[nodiscard]] SessionState state();
    void makeSessionActions();
    void chooseSession();
    void openSession(const QString &path);
    void showSession(sw::SessionContents contents, const QString &folder);
    void showKeptLayout(const sw::SessionContents &contents);
    void onSessionCompiled();
    void tellSession(std::uint64_t kept);
    void saveSessionAs();
    [[nodiscard]] bool saveAll(); // the program and the notes; waits until they are written
    [[nodiscard]] bool isSessionOnly() const { return m_path.isEmpty() && !m_sessionPath.isEmpty(); }

    void onSessionSaved(const QString &path, const QString &text, const QString &failure);

    // main_window_autosave.cpp
    void startAutosaving();
    void keepSession();
    void restoreSession(const AbandonedSession &abandoned);
    void showRestored(sw::SessionContents contents);
    [[nodiscard]] bool isOnDisk() const; // the text in the editor is that of its file

    // main_window_share.cpp
    void chooseReport();
    [[nodiscard]] std::uint32_t selectedKernel() const;
    void chooseReproducer(); // of the selected kernel, or the first
    void chooseReproducerOf(std::uint32_t kernel);
    void copyCommand();
    // The file that holds what is shown, of the program or of the session. Empty: there is none, or it is older.
    [[nodiscard]] QString fileShown() const;

    // main_window_taking.cpp
    void makeTaking();
    void makeCopyMenus(QMenu *edit);
    [[nodiscard]] QString titleOfView(const Taking::Place &place) const;
    void chooseView(const Taking::Place &place);
    void saveViewAt(const Taking::Place &place, const QString &path);

    // main_window_overrides.cpp
    void openOverrides();
    [[nodiscard]] bool hasUnsavedOverrides() const;
    bool saveOverrides();

    // main_window_keep.cpp
    void startKeeping();
    void keepDraft();
    bool restoreDraft(const QString &id);
    bool restoreDraftOf(const QString &path);
    void discardDraft();
    void fillUnsaved();
    void onDiskChanged();

    EngineService &m_service;
    Appearance &m_appearance;
    Settings &m_settings;
    Session m_session;
    Selection m_selection;
    Moment m_moment;
    Requests m_requests;
    WhatIf m_whatIf;
    InputChoices m_inputs;
    Health m_health;
    WatchList m_watched;
    Debugger m_debugger;
    Walk m_walk;
    Baseline m_baseline;
    std::optional<sw::PartingPoint> m_wantedFirst; // where the window is going
    Notes m_notes;
    TargetChoice m_targets;
    Drafts m_drafts;
    Autosave m_autosave;
    OpenedSessionPtr m_opened;        // null: no session was opened
    bool m_isSelectionWanted = false; // that of the session, once there are its documents
    bool m_isViewWanted = false;      // the rest of it, once the program is compiled
    bool m_isSavingSession = false;
    QTimer m_autosaveTimer;
    DiskFile m_disk;
    QTimer m_draftTimer;
    QTimer m_activityTimer; // runs while work is in progress
    TimelineBar *m_timeline = nullptr;
    NoticeBar *m_diskNotice = nullptr;
    NoticeBar *m_draftNotice = nullptr;
    NoticeBar *m_overridesNotice = nullptr;
    NoticeBar *m_sessionNotice = nullptr;
    NoticeBar *m_restoreNotice = nullptr;
    QHash<QString, QAction *> m_actions;
    std::vector<std::pair<QAction *, QString>> m_actionIcons;

    std::vector<Panel *> m_panels;       // by row of panelRows()
    EditorPanel *m_editor = nullptr;     // one of them: the window opens and saves its text
    MessagesPanel *m_messages = nullptr; // another one: the window tells what went wrong with a file
    Taking *m_taking = nullptr;
    DockArea *m_area = nullptr;
    QString m_perspective; // the one that the layout began with; empty: the default

    QComboBox *m_devices = nullptr;
    DimensionBar *m_dimensions = nullptr;
    QAction *m_dimensionsItem = nullptr; // in the tool bar
    QToolButton *m_examplesButton = nullptr;
    QMenu *m_examplesMenu = nullptr;
    QMenu *m_recentMenu = nullptr;
    QMenu *m_unsavedMenu = nullptr;
    QMenu *m_perspectiveMenu = nullptr;
    QMenu *m_earlierMenu = nullptr;
    QMenu *m_compareDevices = nullptr;
    QMenu *m_baselineMenu = nullptr;
    std::vector<QAction *> m_ownPerspectives;
    QActionGroup *m_themes = nullptr;
    QLabel *m_partnersLabel = nullptr;
    QLabel *m_stateLabel = nullptr;
    QLabel *m_timesLabel = nullptr;
    QLabel *m_deviceLabel = nullptr;
    ReferenceWindow *m_reference = nullptr;
    LibraryWindow *m_library = nullptr;
    QString m_path;                    // empty: never saved
    QString m_sessionPath;             // empty: no session file
    bool m_hasCarriageReturns = false; // of the file
    QString m_wantedExample;
    std::optional<std::vector<sw::ExampleEntry>> m_examples; // once they are known
    std::unique_ptr<RequestQueue> m_sessionReader;           // null before the first session; last: it posts to this object
};

} // namespace stepwell::ui
