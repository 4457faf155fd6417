#include "engine/api/reduce/reduce.h"

#include "engine/accuracy/error_bounds.h"
#include "engine/api/compare/first_divergence.h"
#include "engine/api/compare/tensor_difference.h"
#include "engine/api/reduce/candidate.h"
#include "engine/api/reduce/program_text.h"
#include "engine/base/hash.h"
#include "engine/execute/dimensions.h"
#include "engine/execute/input_values.h"
#include "engine/execute/reference_graph.h"
#include "engine/graph/interpreter.h"
#include "engine/graph/verify.h"
#include "engine/types/npy.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

namespace sw {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kReferenceOperations = 1e8; // more, and parts that are cut off get ones as their values
constexpr std::int64_t kMostListed = 16;     // elements of an input that is written in the program

const PlaceholderAttributes &placeholderOf(const Graph &graph, NodeId id)
{
    return attributesOf<PlaceholderAttributes>(graph.node(id));
}

std::vector<NodeId> outputsOf(const Graph &graph)
{
    return {graph.outputs().begin(), graph.outputs().end()};
}

// As a graph's text, with the values of all its inputs beside it.
TriedProgram asTried(const ProgramCandidate &candidate)
{
    TriedProgram tried{"reduced.graph", printGraph(*candidate.graph).text, {}};
    const std::vector<NodeId> placeholders = candidate.graph->placeholders();
    for (std::size_t i = 0; i < placeholders.size(); ++i)
        tried.given.push_back({placeholderOf(*candidate.graph, placeholders[i]).name, candidate.values[i]});
    return tried;
}

std::uint64_t hashOf(const TriedProgram &tried)
{
    Hasher hash;
    hash.add(tried.text);
    for (const NamedTensor &given : tried.given)
        hash.add(contentHash(given.value));
    return hash.value();
}

// A folder of its own for the files of programs, gone with it.
class Folder {
public:
    Folder()
    {
        std::error_code error;
        std::string name = (std::filesystem::temp_directory_path(error) / "stepwell-reduce-XXXXXX").string();
        if (!error && ::mkdtemp(name.data()) != nullptr)
            m_path = name;
    }
    ~Folder()
    {
        std::error_code error;
        if (!m_path.empty())
            std::filesystem::remove_all(m_path, error);
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    [[nodiscard]] const std::filesystem::path &path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

class Reducer {
public:
    Reducer(ProgramCompiler &compiler, const CompileRequest &program, const std::vector<std::string> &devices,
            const ReduceOptions &options)
        : m_compiler(compiler),
          m_options(options),
          m_devices(devices),
          m_end(Clock::now() + options.budget),
          m_check(compiler, program, devices, options.patience)
    {
    }

    Result<ReducedProgram> reduce(ProgramCandidate start)
    {
        const std::optional<ProgramProperty> property = m_check.find(asTried(start), m_options.stop);
        if (!property)
            return Diagnostic::error(Code::Argument, {},
                                     "the program compiles and runs on {}, and the values agree: there is nothing to "
                                     "reduce",
                                     join(m_devices, ", ", [](const std::string &device) { return device; }));
        if (property->code == nameOf(Code::DeviceUnavailable)) // no program is to blame
            return Diagnostic::error(Code::DeviceUnavailable, {}, "{}", property->text);
        m_made.property = *property;
        m_made.nodesBefore = start.graph->size() - 1;
        m_best = std::move(start);
        chooseOutput();
        for (bool hasChanged = true; hasChanged && !isOver();) {
            hasChanged = endEarlier();
            hasChanged = cutInHalves() || hasChanged;
            hasChanged = cutSingly() || hasChanged;
            hasChanged = dropNodes() || hasChanged;
            hasChanged = shrinkExtents() || hasChanged;
            hasChanged = simplifyConstants() || hasChanged;
        }
        simplifyInputs();
        m_made.isComplete = !isOver();
        m_made.nodesAfter = m_best.graph->size() - 1;
        write();
        return std::move(m_made);
    }

private:
    [[nodiscard]] bool isOver() const { return m_options.stop.stop_requested() || Clock::now() > m_end; }

    // Takes the candidate if it is sound and has the property.
    bool attempt(ProgramCandidate candidate)
    {
        if (isOver() || !verifyGraph(*candidate.graph))
            return false;
        const TriedProgram tried = asTried(candidate);
        if (!m_seen.insert(hashOf(tried)).second) {
            ++m_made.skipped;
            return false;
        }
        ++m_made.tried;
        const bool holds = m_check.holds(m_made.property, tried, m_options.stop);
        if (holds)
            m_best = std::move(candidate);
        if (m_options.onProgress)
            m_options.onProgress(m_made.tried, m_best.graph->size() - 1);
        return holds;
    }
    // The same, of a candidate with fewer nodes.
    bool attemptSmaller(const CandidateEdit &edit)
    {
        ProgramCandidate candidate = edited(m_best, edit);
        return candidate.graph->size() < m_best.graph->size() && attempt(std::move(candidate));
    }
    [[nodiscard]] const Graph &graph() const { return *m_best.graph; }

    void chooseOutput()
    {
        const std::vector<NodeId> outputs = outputsOf(graph());
        for (std::size_t i = 0; i < outputs.size() && outputs.size() > 1; ++i)
            if (attempt(edited(m_best, {.outputs = {outputs[i]}})))
                return;
    }

    // An earlier node as the only output: by halves first, then each, the earliest first.
    bool endEarlier()
    {
        const std::size_t before = graph().size();
        for (std::size_t last = graph().size() / 2; last > 0 && !isOver(); last /= 2)
            while (last + 1 < graph().size() && attemptSmaller({.outputs = {NodeId(last)}}))
                last = std::min(last, graph().size() / 2);
        const std::size_t size = graph().size();
        for (std::size_t i = 0; i + 1 < size && !isOver(); ++i)
            if (!graph().node(NodeId(i)).inputs.empty() && attemptSmaller({.outputs = {NodeId(i)}}))
                break;
        return graph().size() < before;
    }

    // The values of nodes by the reference; ones for what it does not compute in time.
    [[nodiscard]] std::map<NodeId, HostTensor> valuesOf(const std::vector<NodeId> &nodes) const
    {
        std::map<NodeId, HostTensor> made;
        const BoundCost cost = costOfBounds(graph(), {});
        InterpretOptions options;
        options.stop = m_options.stop;
        std::vector<HostTensor> values;
        if (cost.operations <= kReferenceOperations)
            if (auto computed = interpretNodes(graph(), m_best.values, nodes, options))
                values = std::move(*computed);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const Node &node = graph().node(nodes[i]);
            made.emplace(nodes[i],
                         i < values.size() ? std::move(values[i]) : HostTensor::filled(Scalar::of(node.dtype, 1.0), node.shape));
        }
        return made;
    }
    [[nodiscard]] bool canBeGiven(NodeId id) const
    {
        const Node &node = graph().node(id);
        return !node.inputs.empty() && node.kind != NodeKind::Sink && node.dtype != DType::Unit;
    }

    // Everything before a place becomes inputs: the later half, if that is enough, else three quarters, and so on.
    bool cutInHalves()
    {
        const std::size_t before = graph().size();
        for (std::size_t step = graph().size() / 2; step > 2 && !isOver(); step /= 2) {
            const std::size_t place = graph().size() > step ? graph().size() - step : 0;
            std::vector<NodeId> frontier;
            for (std::size_t i = place; i + 1 < graph().size(); ++i)
                for (const NodeId input : graph().node(NodeId(i)).inputs)
                    if (input.value < place && canBeGiven(input) && std::ranges::find(frontier, input) == frontier.end())
                        frontier.push_back(input);
            if (!frontier.empty())
                attemptSmaller({.outputs = outputsOf(graph()), .given = valuesOf(frontier)});
        }
        return graph().size() < before;
    }

    // From the output backwards, so that much is cut off at first.
    bool cutSingly()
    {
        const std::size_t before = graph().size();
        for (std::size_t i = graph().size() - 1; i-- > 0 && !isOver();) {
            i = std::min(i, graph().size() - 2);
            const NodeId id(i);
            if (canBeGiven(id) && std::ranges::find(graph().outputs(), id) == graph().outputs().end())
                attemptSmaller({.outputs = outputsOf(graph()), .given = valuesOf({id})});
        }
        return graph().size() < before;
    }

    // An operand of the same type takes the place of its reader.
    bool dropNodes()
    {
        const std::size_t before = graph().size();
        for (std::size_t i = graph().size() - 1; i-- > 0 && !isOver();) {
            i = std::min(i, graph().size() - 2);
            const std::vector<NodeId> inputs = graph().node(NodeId(i)).inputs;
            for (const NodeId input : inputs) {
                const Node &node = graph().node(NodeId(i));
                const Node &operand = graph().node(input);
                if (operand.dtype == node.dtype && operand.shape == node.shape &&
                    attemptSmaller({.outputs = outputsOf(graph()), .replaced = {{NodeId(i), input}}}))
                    break;
            }
        }
        return graph().size() < before;
    }

    bool shrinkExtents()
    {
        std::set<std::int64_t, std::greater<>> extents;
        for (const Node &node : graph().nodes())
            for (const std::int64_t extent : node.shape.extents())
                if (extent > 1)
                    extents.insert(extent);
        bool hasChanged = false;
        for (const std::int64_t extent : extents)
            for (const std::int64_t other : {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, extent / 2, extent - 1}) {
                if (other < 1 || other >= extent)
                    continue;
                std::optional<ProgramCandidate> candidate = withExtent(m_best, extent, other);
                if (!candidate || elementsOf(*candidate->graph) >= elementsOf(graph()) || !attempt(std::move(*candidate)))
                    continue;
                hasChanged = true;
                break;
            }
        return hasChanged;
    }

    bool simplifyConstants()
    {
        bool hasChanged = false;
        for (std::size_t i = 0; i + 1 < graph().size() && !isOver(); ++i) {
            const Node &node = graph().node(NodeId(i));
            if (node.dtype == DType::U32x4 || (node.kind != NodeKind::ConstScalar && node.kind != NodeKind::Vconst))
                continue;
            const Scalar one = Scalar::of(node.dtype, 1.0);
            const auto *scalar = std::get_if<ScalarAttributes>(&node.attributes);
            const bool isSimple = scalar != nullptr ? scalar->value == one || scalar->value == Scalar::of(node.dtype, 0.0)
                                                    : contentHash(*attributesOf<TensorAttributes>(node).value) ==
                                                          contentHash(HostTensor::filled(one, node.shape));
            if (!isSimple)
                hasChanged =
                    attempt(edited(m_best, {.outputs = outputsOf(graph()), .constants = {{NodeId(i), one}}})) || hasChanged;
        }
        return hasChanged;
    }

    // ---- inputs

    [[nodiscard]] HostTensor randomValue(NodeId id) const { return ownValue(graph().node(id), 1, {}); }
    [[nodiscard]] bool isRandom(NodeId id, const HostTensor &value) const
    {
        return contentHash(value) == contentHash(randomValue(id));
    }

    // What the seed gives needs no words; ones, numbers that count, and numbers of few digits are short ones.
    void simplifyInputs()
    {
        std::vector<NodeId> placeholders = graph().placeholders();
        const auto with = [&](const std::map<NodeId, HostTensor> &values) {
            return edited(m_best, {.outputs = outputsOf(graph()), .given = values});
        };
        std::map<NodeId, HostTensor> all;
        for (const NodeId id : placeholders)
            if (graph().node(id).dtype != DType::U32x4)
                all.emplace(id, randomValue(id));
        if (attempt(with(all)))
            return;
        for (std::size_t i = 0; i < placeholders.size() && !isOver(); ++i) {
            const NodeId id = placeholders[i];
            const DType dtype = graph().node(id).dtype;
            if (dtype == DType::U32x4 || isRandom(id, m_best.values[i]) || attempt(with({{id, randomValue(id)}})))
                continue;
            const HostTensor value = m_best.values[i];
            HostTensor count(dtype, value.shape());
            HostTensor rounded(dtype, value.shape());
            HostTensor tenths(dtype, value.shape());
            for (std::int64_t k = 0; k < value.elements(); ++k) {
                const double number = value.at(k).asDouble();
                count.set(k, Scalar::of(dtype, static_cast<double>(k % 8)));
                rounded.set(k, Scalar::of(dtype, std::round(number)));
                tenths.set(k, Scalar::of(dtype, std::round(number * 10) / 10));
            }
            for (HostTensor &simple : std::vector<HostTensor>{HostTensor::filled(Scalar::of(dtype, 1.0), value.shape()),
                                                              std::move(count), std::move(rounded), std::move(tenths)})
                if (attempt(with({{id, std::move(simple)}})))
                    break;
        }
    }

    // ---- the result

    // As a program, if that has the property, with values listed in it or else loaded; else as a graph whose parameters hold
    // them.
    void write()
    {
        const Folder folder;
        for (const WrittenAs as : {WrittenAs::Listed, WrittenAs::Loaded}) {
            std::vector<WrittenInput> inputs;
            const std::vector<NodeId> placeholders = graph().placeholders();
            for (std::size_t i = 0; i < placeholders.size(); ++i) {
                const HostTensor &value = m_best.values[i];
                const bool isSeeded = value.dtype() != DType::U32x4 && isRandom(placeholders[i], value);
                const bool isLoaded = as == WrittenAs::Loaded || value.elements() > kMostListed || value.dtype() == DType::U32x4;
                inputs.push_back({isSeeded ? WrittenAs::Random : isLoaded ? WrittenAs::Loaded : WrittenAs::Listed, value});
            }
            const Result<ProgramText> text = programText(graph(), inputs, m_options.stem);
            if (!text || !areWritten(text->files, folder.path()))
                break;
            const TriedProgram tried{(folder.path() / (m_options.stem + ".sw")).string(), text->text, {}};
            if (!m_check.holds(m_made.property, tried, {}))
                continue;
            finish(tried, ".sw", text->files);
            return;
        }
        std::vector<Node> nodes(graph().nodes().begin(), graph().nodes().end());
        const std::vector<NodeId> placeholders = graph().placeholders();
        for (std::size_t i = 0; i < placeholders.size(); ++i) {
            auto &attributes = std::get<PlaceholderAttributes>(nodes[placeholders[i].value].attributes);
            attributes.role = PlaceholderRole::Param;
            attributes.initial = std::make_shared<const HostTensor>(m_best.values[i]);
        }
        TensorFiles files{m_options.stem + ".graph"};
        const Graph whole(std::move(nodes), graph().sourcesPtr());
        const std::string text = printGraph(whole, {.files = &files}).text;
        finish({m_options.stem + ".graph", printGraph(whole).text, {}}, ".graph", files);
        m_made.text = text;
    }

    static bool areWritten(const TensorFiles &files, const std::filesystem::path &folder)
    {
        return std::ranges::all_of(files.files, [&](const auto &file) {
            return !folder.empty() && writeNpyFile(folder / file.first, file.second).has_value();
        });
    }

    // The words of the property are those of the small program.
    void finish(const TriedProgram &tried, const std::string &ending, const TensorFiles &files)
    {
        m_made.ending = ending;
        m_made.files = files.files;
        if (const auto now = m_check.find(tried, {}); now && now->isSameAs(m_made.property))
            m_made.property = *now;
        m_made.text = tried.text;
        if (m_made.property.kind == PropertyKind::Different)
            m_made.divergence = divergenceOf(tried);
        if (ending != ".sw") // a graph's text has no comments
            return;
        m_made.text = commentOf(ending) + tried.text;
        if (m_made.divergence.empty())
            return;
        // It names a line: of the text below the comments.
        m_made.divergence = divergenceOf({tried.fileName, m_made.text, {}});
        m_made.text = commentOf(ending) + tried.text;
    }

    [[nodiscard]] std::string commentOf(const std::string &ending) const
    {
        const std::string file = m_options.stem + ending;
        std::string command;
        if (m_made.property.kind == PropertyKind::Fails)
            command = format("stepwellc run {} --device {}", file, m_made.property.device);
        else if (m_made.property.other.empty())
            command = format("stepwellc compare {} --first-divergence --devices {}", file, m_made.property.device);
        else
            command = format("stepwellc compare {} --devices {},{}", file, m_made.property.other, m_made.property.device);
        std::string comment;
        for (const std::string &part : {m_made.property.text, m_made.divergence, command})
            for (std::size_t at = 0; at < part.size();) {
                const std::size_t end = std::min(part.find('\n', at), part.size());
                comment += format("# {}\n", part.substr(at, end - at));
                at = end + 1;
            }
        return comment;
    }

    std::string divergenceOf(const TriedProgram &tried)
    {
        const Compilation compilation = m_compiler.compile(m_check.requestOf(tried, m_made.property.device), m_options.stop);
        if (!compilation.succeeded || compilation.program == nullptr)
            return {};
        const auto found = firstDivergence(m_compiler, compilation, {}, {.stop = m_options.stop});
        return found && found->isFound() ? found->text() : std::string();
    }

    ProgramCompiler &m_compiler;
    const ReduceOptions &m_options;
    const std::vector<std::string> &m_devices;
    Clock::time_point m_end;
    PropertyCheck m_check;
    ProgramCandidate m_best;
    std::set<std::uint64_t> m_seen; // programs that were tried
    ReducedProgram m_made;
};

// With numbers for its dimensions and its gradients written out.
Result<ProgramCandidate> startOf(const Compilation &program, const RunInputs &inputs)
{
    SW_TRY(std::vector<HostTensor> values, inputValues(*program.graph, inputs));
    GraphPtr graph = program.graph;
    if (graph->isSymbolic()) {
        SW_TRY(const SymbolicBindings dimensions, dimensionsOf(*graph, givenShapesOf(*graph, values), inputs.dimensions));
        SW_TRY(graph, referenceGraphOf(graph, dimensions));
    }
    return plainCandidate(*graph, std::move(values));
}

} // namespace

Result<ReducedProgram> reduceProgram(ProgramCompiler &compiler, const CompileRequest &program,
                                     const std::vector<std::string> &devices,
                                     const std::function<RunInputs(const Compilation &)> &inputs, const ReduceOptions &options)
{
    if (devices.empty())
        return Diagnostic::error(Code::Argument, {}, "a reduction needs a device");
    CompileRequest request = program;
    request.until = CompileUntil::Program;
    const Compilation opened = compiler.compile(request, options.stop);
    if (!opened.succeeded)
        return Failure(opened.diagnostics);
    if (opened.graph == nullptr)
        return Diagnostic::error(Code::Unsupported, {}, "lowered instructions do not say what program they are of");
    SW_TRY(ProgramCandidate start, startOf(opened, inputs(opened)));
    return Reducer(compiler, program, devices, options).reduce(std::move(start));
}

} // namespace sw
