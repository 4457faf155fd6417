#pragma once
// Values that the user keeps an eye on: shown together after each run, with what changed since the run before. They are known by
// name, so that they stay through edits of the program.

#include "engine/api/tensor_change.h"
#include "ui/session/input_choices.h"

#include <QObject>
#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace stepwell::ui {

enum class WatchKind : unsigned char { Output, Input, Node };

struct Watched {
    WatchKind kind = WatchKind::Output;
    std::string name; // of an output or input; of a node its path: "softmax/exp"
    sw::TensorViewPtr value = {};
    std::optional<sw::TensorChange> change = {}; // nothing: there is no earlier value of the same type
    std::string error = {};
    [[nodiscard]] bool isSame(const Watched &other) const { return kind == other.kind && name == other.name; }
};

class WatchList : public QObject {
    Q_OBJECT

public:
    WatchList(Session &session, InputChoices &inputs, QObject *parent = nullptr);

    void add(WatchKind kind, const std::string &name);
    void addNode(std::uint32_t node); // of the last compilation's graph
    void remove(std::size_t index);
    [[nodiscard]] const std::vector<Watched> &values() const { return m_values; }
    [[nodiscard]] bool isSettled() const { return !m_session.isAsking(RequestTag::Watch); }

signals:
    void changed();

private:
    void refresh();
    void take(const std::vector<Watched> &values);

    Session &m_session;
    std::vector<Watched> m_values;
    sw::ReportPtr m_measured;
    std::vector<std::uint32_t> m_unnamed; // nodes whose names are asked for
    std::uint64_t m_compilation = 0;
    bool m_isStale = false; // other inputs or another program since the values were computed
};

} // namespace stepwell::ui
