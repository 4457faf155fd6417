// The rule for custom operations: if the device's language has no expression for one, its reference replaces it.

#include "engine/passes/graph/decompose_nodes.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

Replacement custom(RewriteContext &context)
{
    const auto &attributes = attributesOf<CustomAttributes>(context.node());
    const std::string_view language = nameOf(context.pass().language());
    const auto named = [&](const auto &source) { return source.first == language; };
    if (std::ranges::any_of(attributes.sources, named))
        return noMatch();
    if (attributes.hasReference)
        return std::optional(context.inputId(context.node().inputs.size() - 1));
    const Diagnostic missing = Diagnostic::error(Code::Unsupported, {}, "custom {} has no expression for {} and no reference",
                                                 quoted(attributes.name), language);
    if (context.pass().language() == TargetLanguage::Lowered)
        return Diagnostic(missing).withHint("the interpreter needs custom(..., reference = an expression of the same value)");
    return Diagnostic(missing).withHint(
        format("give it one: custom(..., {} = \"...\"), or reference = an expression of the same value", language));
}

// For a program on several devices, whose languages may differ.
Replacement placedCustom(RewriteContext &context)
{
    const auto &attributes = attributesOf<CustomAttributes>(context.node());
    if (attributes.hasReference)
        return std::optional(context.inputId(context.node().inputs.size() - 1));
    return Diagnostic::error(Code::Unsupported, {}, "custom {} without a reference, in a program on several devices",
                             quoted(attributes.name))
        .withHint("give it one: custom(..., reference = an expression of the same value)");
}

constexpr std::array kRules = {
    GraphRule{"custom-reference", "Custom by its reference",
              "An operation without an expression in the device's language is what its reference is.", custom,
              isOfKind<NodeKind::Custom>},
};

constexpr std::array kPlacedRules = {
    GraphRule{"custom-reference", "Custom by its reference",
              "In a program on several devices, an operation of one's own is what its reference is.", placedCustom,
              isOfKind<NodeKind::Custom>},
};

} // namespace

std::span<const GraphRule> customRules()
{
    return kRules;
}

std::span<const GraphRule> placedCustomRules()
{
    return kPlacedRules;
}

} // namespace sw
