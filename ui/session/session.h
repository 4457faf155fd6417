#pragma once
// The window's conversation with the engine: one worker thread, newest request wins, results as signals on the GUI thread.

#include "ui/session/engine_service.h"
#include "ui/session/request_queue.h"
#include "ui/session/snapshot.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include <cstdint>
#include <map>
#include <string>

namespace stepwell::ui {

enum class Activity : unsigned char { Idle, Compiling, Running };

// What is compiled. Text for programs that are edited here; files (models) are read by the engine.
struct ProgramSource {
    QString fileName;
    QString text;
    bool isFile = false;
};

class Session : public QObject {
    Q_OBJECT

public:
    explicit Session(EngineService &service, QObject *parent = nullptr);
    ~Session() override;

    void requestFacts(); // devices, examples and the reference

    // A new program: nothing of the old one stays on screen.
    void openProgram(ProgramSource source);
    // The same program after an edit: compiled after a pause when live, and the last good result stays meanwhile.
    void editProgram(const QString &text);
    void compileNow();
    void setLive(bool isLive);
    void setDevice(const QString &device);
    void setOptions(bool fuse, bool optimize);
    // What the next runs of this program take for a dimension, if it has one of the name.
    void setDimension(const std::string &name, std::int64_t value);
    void run();
    void cancelRun();
    void requestPass(std::uint32_t index, std::uint32_t afterRewrites);
    void requestValue(std::uint32_t node);
    // Of these kernels of the last compilation; it comes as a new snapshot.
    void requestMachineCode(const std::vector<std::uint32_t> &kernels);

    [[nodiscard]] const SnapshotPtr &snapshot() const { return m_snapshot; } // null before the first result
    [[nodiscard]] const std::map<std::string, std::int64_t> &wantedDimensions() const { return m_dimensions; }
    [[nodiscard]] const QString &device() const { return m_device; }
    [[nodiscard]] const ProgramSource &source() const { return m_source; }
    [[nodiscard]] Activity activity() const { return m_activity; }
    [[nodiscard]] bool isReadingMachineCode() const { return m_isReadingMachineCode; }
    // The shown program document was made from exactly this text.
    [[nodiscard]] bool isCompiledText(const QString &text) const { return text == m_compiledText; }

signals:
    void snapshotChanged(const stepwell::ui::SnapshotPtr &snapshot); // null: a new program, nothing made of it yet
    void compileFinished(bool succeeded);
    void runFinished(bool succeeded);
    void activityChanged(stepwell::ui::Activity activity);
    void devicesChanged(const std::vector<sw::DeviceEntry> &devices);
    void deviceChanged(const QString &device);
    void referenceChanged(const std::vector<sw::CatalogEntry> &reference);
    void examplesChanged(const std::vector<sw::ExampleEntry> &examples);
    void passReady(std::uint32_t index, std::uint32_t afterRewrites, const sw::PassDocuments &documents);
    void valueReady(std::uint32_t node, const sw::TensorSummary &summary);

private:
    void onReport(std::uint64_t compilation, const SnapshotPtr &snapshot);
    void onMachineReport(std::uint64_t compilation, const SnapshotPtr &snapshot);
    void onRunReport(std::uint64_t compilation, const SnapshotPtr &snapshot);
    void setActivity(Activity activity);

    EngineService &m_service;
    ProgramSource m_source;
    QString m_compiledText;
    QString m_device;
    std::map<std::string, std::int64_t> m_dimensions; // as chosen, also those that the program does not have at the moment
    bool m_fuse = true;
    bool m_optimize = true;
    bool m_isLive = true;
    SnapshotPtr m_snapshot;
    std::uint64_t m_compilation = 0;
    Activity m_activity = Activity::Idle;
    bool m_isReadingMachineCode = false;
    QTimer m_debounce;
    QElapsedTimer m_sinceRequest;
    RequestQueue m_queue; // last: its worker uses the service and posts to this object
};

} // namespace stepwell::ui
