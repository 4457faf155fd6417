#pragma once
// The canonical text of a schedule. resources/docs/schedule.md explains its lines to users.
//
//   stepwell schedule 2
//   device d0 llvm: arena 2176 bytes, at most 2176 live
//   b0 = input x : f32[32, 8] of %0, items 0..3, at 0..1024
//   b1 = intermediate t3 : f32[32, 1] of %3, items 1..2, at 1024..1152
//   b2 = output output : f32[32, 8] of %7, items 2..4, at 1152..2176
//   kernel k0 reduce_max_32: root %3, reads b0, writes b1 // 256 flops, 1024 bytes read, 128 bytes written, 2 registers, 1115 ns
//     axes i0 32, r1 8
//     %3 = reduce_axis max : f32[32, 1] -> b1, over r1 in any order
//   item 0 load: upload b0, 1024 bytes
//   item 1 run: k0 after 0
//   item 2 run: k1 after 0 1
//   item 3 run: barrier d0, control 2
//   item 4 fetch: download b2, 1024 bytes after 2, control 3
//   critical path: 1 2, 2330 ns
//   outputs: output = b2
//   fused %5 -> %7 by elementwise-chain: saves 2048 bytes of traffic: read one-to-one, computed in place
//   apart %3 -> %5 by row: costs 128 bytes of traffic: only 1 rows to share among threads, 32 wanted

#include "engine/schedule/schedule.h"

#include <string>
#include <vector>

namespace sw {

enum class ScheduleLineKind : std::uint8_t { Header, Buffer, Kernel, Member, Item, Decision };

// What a line shows: `index` counts within its kind (for a Member it is the node).
struct ScheduleLine {
    ScheduleLineKind kind = ScheduleLineKind::Header;
    std::uint32_t index = 0;
};

struct ScheduleText {
    std::string text;
    std::vector<ScheduleLine> lines; // one per line of text
};

[[nodiscard]] ScheduleText printSchedule(const Schedule &schedule);

// The text of an item in its line: "upload b0, 1024 bytes".
[[nodiscard]] std::string itemText(const Schedule &schedule, const ScheduleItem &item);

} // namespace sw
