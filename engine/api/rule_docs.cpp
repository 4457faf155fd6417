#include "engine/api/rule_docs.h"

#include "engine/graph/graph.h"
#include "engine/ops/op.h"
#include "engine/passes/graph/decompose_nodes.h"
#include "engine/passes/graph/gradient_rules.h"
#include "engine/passes/graph/gradients_scan.h"
#include "engine/passes/graph/pad_dimensions.h"
#include "engine/passes/graph/pair_rules.h"
#include "engine/passes/graph/simplify.h"
#include "engine/passes/graph/split_weighted_sums.h"
#include "engine/passes/graph/split_words.h"
#include "engine/passes/loops/choose_transforms.h"
#include "engine/passes/loops/lowering_steps.h"
#include "engine/passes/loops/nest_steps.h"
#include "engine/passes/lowered/decompose_rules.h"
#include "engine/passes/lowered/simplify_rules.h"
#include "engine/passes/schedule/policy.h"

#include <initializer_list>
#include <span>

namespace sw {

namespace {

constexpr std::string_view kGradientOf = "gradient-of-";

template <class Row, class Tables = std::initializer_list<std::span<const Row>>>
std::string_view docIn(const Tables &tables, std::string_view rule)
{
    for (const std::span<const Row> rows : tables)
        for (const Row &row : rows)
            if (row.id == rule)
                return row.doc;
    return {};
}

// "gradient-of-exp": the gradient of an operation or of a kind of node.
std::string_view gradientDoc(std::string_view rule)
{
    if (!rule.starts_with(kGradientOf))
        return {};
    rule.remove_prefix(kGradientOf.size());
    for (const OperationGradient &row : operationGradients())
        if (nameOf(row.op) == rule)
            return row.doc;
    for (const std::span<const GradientRule> rows :
         {movementGradients(), structuralGradients(), indexingGradients(), scanGradients()})
        for (const GradientRule &row : rows)
            if (nameOf(row.kind) == rule)
                return row.doc;
    return {};
}

} // namespace

std::string_view ruleDoc(std::string_view pass, std::string_view rule)
{
    if (pass == "decompose-nodes") {
        const std::string_view doc = docIn<GraphRule>({vectorNodeRules(), productNodeRules(), assignRules(), customRules(),
                                                       placedCustomRules(), catRules(), scatterRules(), randomNodeRules()},
                                                      rule);
        return doc.empty() ? docIn<StepRule>({outputRules()}, rule) : doc;
    }
    if (pass == "simplify")
        return docIn<GraphRule>(simplifyRules(), rule);
    if (pass == "split-pairs") {
        const std::string_view doc = docIn<PairRule>({pairRules()}, rule);
        return doc.empty() ? docIn<StepRule>({weightedSumRules()}, rule) : doc;
    }
    if (pass == "differentiate")
        return gradientDoc(rule);
    if (pass == "group-kernels")
        return docIn<FusionRule>({fusionRules()}, rule);
    if (pass == "pad-dimensions")
        return docIn<StepRule>({paddingRules()}, rule);
    if (pass == "split-words")
        return docIn<StepRule>({wordRules()}, rule);
    if (pass == "build-loops")
        return docIn<StepRule>({nestStepRules()}, rule);
    if (pass == "choose-transforms")
        return docIn<StepRule>({transformRules()}, rule);
    if (pass == "lower-loops")
        return docIn<StepRule>({loweringStepRules()}, rule);
    if (pass == "simplify-instructions")
        return docIn<SimplificationRule>({constantRules(), integerRules()}, rule);
    if (pass == "decompose") {
        const std::string_view doc = docIn<DecompositionRule>({decompositionRules()}, rule);
        return doc.empty() ? docIn<CastRule>({castRules()}, rule) : doc;
    }
    return {};
}

} // namespace sw
