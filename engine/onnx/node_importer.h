#pragma once
// Imports the nodes of the model's graph, and of the bodies of control flow and functions, each time that they are called: like a
// loop of the language, a body becomes as many copies as it has calls.

#include "engine/onnx/check_model.h"
#include "engine/onnx/fold_node.h"
#include "engine/onnx/known_values.h"

#include <deque>
#include <stop_token>
#include <unordered_map>

namespace sw {
class WorkProgress;
}

namespace sw::onnx {

// A graph while it is imported: the model's own, or a body with the values that it was called with.
struct Frame {
    const ModelGraph &graph;
    const GraphListing &lines;
    const Opsets &opsets;
    const Frame *outer = nullptr;                                       // whose values its nodes see as well
    std::vector<Attribute> attributes = {};                             // that references mean
    SourceId call = {};                                                 // of a body: the node that called it
    ScopeId scope = {};                                                 // of a body
    std::size_t depth = 0;                                              // bodies around it
    std::unordered_map<std::string, Value *> values = {};               // null: an input of a function that is left out
    std::unordered_map<std::string, const Diagnostics *> unusable = {}; // initializers
};

struct NodeImport {
    const Model &model;
    const Listing &listing;
    const Orders &orders;
    std::shared_ptr<SourceMap> sources;
    GraphBuilder &builder;
    KnownValues &known;
    language::LibraryCaller &library;
    std::stop_token stop;
    WorkProgress *progress = nullptr; // is told the nodes of the model's own graph
};

class NodeImporter {
public:
    explicit NodeImporter(const NodeImport &made) : m_made(made), m_folder(made.stop) {}

    Value *define(Frame &frame, const std::string &name, Value value);
    void addConstant(Frame &frame, const std::string &name, const HostTensor &tensor, SourceId source, bool isParameter,
                     Narrow narrow);
    void addInitializers(Frame &frame);
    // Problems are collected. False: the import was stopped.
    bool importNodes(Frame &frame);

    void fail(Diagnostic problem, const SourceRange &where);
    [[nodiscard]] bool hasFailed() const { return m_hasFailed; }
    [[nodiscard]] const Diagnostics &diagnostics() const { return m_diagnostics; }
    void warn(Diagnostic warning) { m_diagnostics.push_back(std::move(warning)); }

private:
    friend class FrameBodies;
    // Nothing without a diagnostic: it was reported before.
    using Called = Result<std::optional<std::vector<Value *>>>;

    void importNode(Frame &frame, std::size_t index);
    Result<Outputs> makeOutputs(const Frame &frame, const ModelNode &node, SourceId source);
    Result<Outputs> callFunction(const Frame &frame, const ModelFunction &function, const NodePlace &place,
                                 const std::vector<Value *> &operands);
    Called callBody(Frame &&body, const std::vector<Value *> &inputs);
    [[nodiscard]] Result<std::optional<std::vector<Value *>>> findOperands(const Frame &frame, const ModelNode &node) const;
    [[nodiscard]] SourceId sourceOf(const Frame &frame, std::size_t node);

    NodeImport m_made;
    NodeFolder m_folder;
    std::deque<Value> m_values;
    std::deque<Frame> m_frames;
    std::size_t m_bodyNodes = 0; // imported so far
    Diagnostics m_diagnostics;
    bool m_hasFailed = false;
};

} // namespace sw::onnx
