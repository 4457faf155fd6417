#pragma once
// A network of equal layers with all its gradients, as program text: the cost of compiling must depend on what differs in it,
// not on how often it is repeated.

#include "engine/base/text.h"

#include <cstddef>
#include <map>
#include <string>

namespace sw::test {

struct LayeredProgram {
    std::size_t layers = 2;
    std::string first = {};                        // lines before everything else
    std::map<std::size_t, std::string> other = {}; // what these layers use instead of gelu

    [[nodiscard]] std::string text() const
    {
        std::string out = first;
        out += "input x: f32[48, 64]\ninput y: f32[48, 64]\n";
        for (std::size_t i = 0; i < layers; ++i)
            out +=
                format("param w{}: f32[64, 64] = random({})\nparam b{}: f32[64] = random({})\nparam g{}: f32[64] = random({})\n",
                       i, 3 * i, i, 3 * i + 1, i, 3 * i + 2);
        std::string value = "x";
        for (std::size_t i = 0; i < layers; ++i) {
            const std::string activation = other.contains(i) ? other.at(i) : "gelu";
            out += format("t{} = {}({} @ w{} + b{})\n", i, activation, value, i, i);
            out += format("h{} = layer_norm({} + t{}) * g{}\n", i, value, i, i);
            value = format("h{}", i);
        }
        out += format("loss = mean(({} - y) ** 2)\noutput loss\n", value);
        for (std::size_t i = 0; i < layers; ++i)
            out += format("output dw{} = grad(loss, w{})\noutput db{} = grad(loss, b{})\noutput dg{} = grad(loss, g{})\n", i, i,
                          i, i, i, i);
        return out;
    }
};

} // namespace sw::test
