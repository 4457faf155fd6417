// Every operator with inputs, attributes and known values that nobody would write: the import answers with a graph that verifies,
// or with a diagnostic; and so it does when the model is damaged.

#include "engine/graph/verify.h"
#include "engine/onnx/operators.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace sw::test {
namespace {

constexpr int kInt32 = 6;
constexpr int kUnsigned8 = 2;

class RandomModels {
public:
    explicit RandomModels(const onnx::OperatorRow &row, std::uint32_t seed) : m_row(row), m_random(seed) {}

    ModelText make()
    {
        const std::size_t dot = m_row.name.rfind('.');
        const bool isOwn = dot == std::string_view::npos;
        ModelText model{.inputs = {}, .nodes = {}, .outputs = {}};
        model.domain = isOwn ? "" : std::string(m_row.name.substr(0, dot));
        model.opset = std::min<std::int64_t>(m_row.lastOpset, std::max<std::int64_t>(m_row.firstOpset, isOwn ? 22 : 1));
        NodeText node{.op = std::string(isOwn ? m_row.name : m_row.name.substr(dot + 1)), .domain = model.domain};
        const std::size_t most = std::min<std::size_t>(m_row.maxOperands, m_row.minOperands + 3);
        const std::size_t operands = m_row.minOperands + pick(most - m_row.minOperands + 1);
        for (std::size_t i = 0; i < operands; ++i)
            node.inputs.push_back(operand(model, i));
        for (std::size_t i = 0; i < pick(6); ++i)
            node.attributes.push_back(attribute());
        for (std::size_t i = 0; i < 1 + pick(3); ++i) {
            node.outputs.push_back(format("y{}", i));
            model.outputs.push_back(valueInfo(node.outputs.back(), {-1}));
        }
        model.nodes.push_back(std::move(node));
        return model;
    }

private:
    std::size_t pick(std::size_t count) { return m_random() % count; }
    template <std::size_t N>
    const char *oneOf(const char *const (&names)[N])
    {
        return names[pick(N)];
    }

    // Mostly small; also what no size, axis or count can be.
    std::int64_t number()
    {
        constexpr std::int64_t kOdd[] = {-1,
                                         -2,
                                         1000,
                                         std::int64_t{1} << 31,
                                         std::int64_t{1} << 40,
                                         std::int64_t{1} << 62,
                                         std::numeric_limits<std::int64_t>::min(),
                                         std::numeric_limits<std::int64_t>::max()};
        return pick(5) == 0 ? kOdd[pick(std::size(kOdd))] : static_cast<std::int64_t>(pick(4));
    }
    std::vector<std::int64_t> numbers()
    {
        std::vector<std::int64_t> list(pick(5));
        for (std::int64_t &each : list)
            each = number();
        return list;
    }

    std::string operand(ModelText &model, std::size_t index)
    {
        if (pick(12) == 0)
            return {};
        const std::string name = format("x{}", index);
        if (pick(3) == 0) { // known, as shapes, axes and counts are
            const std::vector<std::int64_t> values = numbers();
            const bool isScalar = values.size() == 1 && pick(2) == 0;
            model.initializers.push_back(integerTensor(
                name, isScalar ? std::vector<std::int64_t>{} : std::vector{static_cast<std::int64_t>(values.size())}, values));
            return name;
        }
        constexpr int kTypes[] = {kFloat, kFloat, kFloat, kInt64, kInt32, kBool, kUnsigned8, 10, 11};
        std::vector<std::int64_t> dims(pick(5));
        for (std::int64_t &each : dims)
            each = static_cast<std::int64_t>(pick(4) + (pick(8) == 0 ? 0 : 1));
        model.inputs.push_back(valueInfo(name, dims, kTypes[pick(std::size(kTypes))]));
        return name;
    }

    Message attribute()
    {
        static constexpr const char *kNames[] = {"axis",
                                                 "axes",
                                                 "kernel_shape",
                                                 "strides",
                                                 "pads",
                                                 "dilations",
                                                 "group",
                                                 "auto_pad",
                                                 "mode",
                                                 "to",
                                                 "perm",
                                                 "keepdims",
                                                 "epsilon",
                                                 "alpha",
                                                 "beta",
                                                 "size",
                                                 "ceil_mode",
                                                 "num_heads",
                                                 "hidden_size",
                                                 "direction",
                                                 "equation",
                                                 "k",
                                                 "p",
                                                 "shape",
                                                 "value",
                                                 "blocksize",
                                                 "split",
                                                 "starts",
                                                 "ends",
                                                 "repeats",
                                                 "scales",
                                                 "output_shape",
                                                 "output_padding",
                                                 "dtype",
                                                 "exclusive",
                                                 "reverse",
                                                 "upper",
                                                 "largest",
                                                 "sorted",
                                                 "batch_axis",
                                                 "time_axis",
                                                 "layout",
                                                 "activations",
                                                 "broadcast",
                                                 "block_size",
                                                 "count_include_pad",
                                                 "storage_order",
                                                 "num_outputs",
                                                 "select_last_index",
                                                 "noop_with_empty_axes",
                                                 "coordinate_transformation_mode",
                                                 "nearest_mode",
                                                 "align_corners",
                                                 "padding_mode",
                                                 "onesided",
                                                 "inverse",
                                                 "sample_size",
                                                 "q_num_heads",
                                                 "kv_num_heads",
                                                 "reduction",
                                                 "ignore_index",
                                                 "transA",
                                                 "transB",
                                                 "bias",
                                                 "lambd",
                                                 "gamma",
                                                 "min",
                                                 "max",
                                                 "fmod",
                                                 "approximate",
                                                 "stash_type",
                                                 "interleaved",
                                                 "rotary_embedding_dim",
                                                 "max_gram_length",
                                                 "pool_int64s",
                                                 "cubic_coeff_a",
                                                 "output_height",
                                                 "sampling_ratio",
                                                 "detect_negative",
                                                 "clip",
                                                 "num_groups",
                                                 "y",
                                                 "zs",
                                                 "xs",
                                                 "pooled_shape",
                                                 "spatial_scale",
                                                 "height_scale",
                                                 "width_scale",
                                                 "paddings",
                                                 "nodes_featureids",
                                                 "nodes_modes",
                                                 "nodes_splits",
                                                 "nodes_truenodeids",
                                                 "nodes_falsenodeids",
                                                 "nodes_trueleafs",
                                                 "nodes_falseleafs",
                                                 "leaf_targetids",
                                                 "leaf_weights",
                                                 "tree_roots",
                                                 "n_targets"};
        static constexpr const char *kTexts[] = {"",      "same_upper", "SAME_UPPER",    "VALID",     "linear",        "nearest",
                                                 "cubic", "reflect",    "bidirectional", "ij,jk->ik", "i...->i",       "->",
                                                 "Tanh",  "tanh",       "add",           "mean",      "align_corners", "DCR",
                                                 "LEFT",  "\xff",       "edge",          "wrap"};
        const std::string name = oneOf(kNames);
        switch (pick(6)) {
        case 0:
        case 1:
            return integerAttribute(name, number());
        case 2:
            return integersAttribute(name, numbers());
        case 3:
            return textAttribute(name, oneOf(kTexts));
        case 4:
            return numberAttribute(name, static_cast<float>(number()) * 0.5F);
        default:
            return tensorAttribute(name, pick(2) == 0 ? floatTensor("t", {2}, {1, 2}) : integerTensor("t", {1}, {number()}));
        }
    }

    const onnx::OperatorRow &m_row;
    std::mt19937 m_random;
};

// Returns whether there is a graph.
bool expectAnswer(std::span<const std::byte> bytes, const std::string &what)
{
    const ModelResult result = importOnnx(bytes, "test.onnx", libraryOptions(), {});
    if (result.graph) {
        const auto valid = verifyGraph(*result.graph);
        if (!valid)
            ADD_FAILURE() << what << ": " << toText(valid.error());
        return true;
    }
    EXPECT_FALSE(result.diagnostics.empty()) << what;
    for (const Diagnostic &diagnostic : result.diagnostics)
        EXPECT_NE(diagnostic.code, Code::Internal) << what << ": " << toText(diagnostic);
    return false;
}

// How many models of each operator are made from random numbers.
int rounds()
{
    const char *const wanted = std::getenv("STEPWELL_RANDOM_OPERATORS");
    return wanted == nullptr ? 40 : std::max(1, std::atoi(wanted));
}

TEST(RandomOperators, areAnsweredWhateverTheyAreGiven)
{
    int graphs = 0;
    int models = 0;
    for (const onnx::OperatorRow &row : onnx::operatorTable()) {
        for (std::uint32_t seed = 0; seed < static_cast<std::uint32_t>(rounds()); ++seed) {
            const std::string what = format("{} from opset {}, seed {}", row.name, row.firstOpset, seed);
            graphs += expectAnswer(modelBytes(RandomModels(row, seed).make()), what) ? 1 : 0;
            ++models;
        }
    }
    EXPECT_GT(graphs, models / 20) << "too few are right to reach what lies behind the checks";
}

TEST(RandomOperators, areAnsweredWhenTheyAreDamaged)
{
    std::mt19937 random(5);
    for (const onnx::OperatorRow &row : onnx::operatorTable()) {
        for (std::uint32_t seed = 0; seed < static_cast<std::uint32_t>(rounds()) / 4; ++seed) {
            std::vector<std::byte> bytes = modelBytes(RandomModels(row, seed).make());
            for (auto changes = 1 + random() % 6; changes > 0; --changes)
                bytes[random() % bytes.size()] = static_cast<std::byte>(random());
            if (random() % 4 == 0)
                bytes.resize(random() % bytes.size());
            expectAnswer(bytes, format("{} from opset {}, damaged, seed {}", row.name, row.firstOpset, seed));
        }
    }
}

} // namespace
} // namespace sw::test
