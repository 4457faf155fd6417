#pragma once
// One line of time: the passes and rewrites of the compilation, then the kernels of the run and their steps. The moment is where
// the window is in the first part, the debugger where it is in the second; this class leads from one to the other.

#include "ui/session/debugger.h"
#include "ui/session/moment.h"
#include "ui/session/requests.h"

#include <QObject>

#include <cstdint>
#include <optional>

namespace stepwell::ui {

class Walk : public QObject {
    Q_OBJECT

public:
    Walk(Moment &moment, Debugger &debugger, Requests &requests, QObject *parent = nullptr);

    // The kernel in whose run the window is; nothing: it is in the compilation, or at its end.
    [[nodiscard]] std::optional<std::uint32_t> kernel() const;
    // In order of the run; empty: there are none yet.
    [[nodiscard]] const std::vector<sw::KernelEntry> &kernels() const { return m_moment.kernels(); }
    // How much of the kernel's run is done, from 0 to 1; nothing: its length is not known.
    [[nodiscard]] std::optional<double> done() const;
    // "Kernel 2 of 5: k1_reduce_add, step 12 of 1,803"
    [[nodiscard]] QString text() const; // empty: not in the run

    // The last step of the last kernel is done.
    [[nodiscard]] bool isAtEnd() const;

    void goTo(std::uint32_t kernel);
    // One rewrite, or one step of the run. Behind the end of the compilation comes the first kernel, and behind the last step of
    // a kernel the next one.
    void stepRewrite(int direction);
    // One pass, or one kernel.
    void stepPass(int direction);
    void stepChanged(int direction);
    // One stage; the run is the last.
    void stepStage(int direction);
    void goToStart();
    void goToEnd(); // of the compilation

signals:
    void changed();

private:
    void enter(std::uint32_t kernel);
    void leave();
    // To the next kernel or the one before; from the first one back to the end of the compilation.
    void stepKernel(int direction);
    void stepRun(int direction);

    Moment &m_moment;
    Debugger &m_debugger;
    Requests &m_requests;
    bool m_isInRun = false;
};

} // namespace stepwell::ui
