#pragma once
// How the C backend's compiler is called.

#include <array>
#include <string_view>

namespace sw {

// Wrapping integers, no floating-point contraction, no C library calls except fmod; line numbers for the machine code.
inline constexpr std::array<std::string_view, 17> kCOptions = {"-x",
                                                               "c",
                                                               "-std=c11",
                                                               "-O2",
                                                               "-march=native",
                                                               "-mprefer-vector-width=512",
                                                               "-ffreestanding",
                                                               "-fwrapv",
                                                               "-fsigned-char",
                                                               "-ffp-contract=off",
                                                               "-fno-math-errno",
                                                               "-fno-strict-aliasing",
                                                               "-fPIC",
                                                               "-fno-asynchronous-unwind-tables",
                                                               "-fno-stack-protector",
                                                               "-Wno-psabi",
                                                               "-g1"};

} // namespace sw
