Helpers for generated LLVM IR; see engine/backend/source/prelude.h for the format. Placeholders: {T} the type of the values,
with its lanes; {t} its name in intrinsics; {S 1} a constant of the values' element type; {width} its bits; {i1} {i16} {i32}
{i64} {float} {double} other types with as many lanes; {i32 255} a constant of such a type.

### sw_sdiv
; Signed quotient: x / 0 is 0, and the most negative value divided by -1 wraps to itself.
define internal {T} @sw_sdiv_{t}({T} %a, {T} %b) alwaysinline {{
  %isZero = icmp eq {T} %b, zeroinitializer
  %isMinusOne = icmp eq {T} %b, {S -1}
  %isSpecial = or {i1} %isZero, %isMinusOne
  %divisor = select {i1} %isSpecial, {T} {S 1}, {T} %b
  %quotient = sdiv {T} %a, %divisor
  %negated = sub {T} zeroinitializer, %a
  %wrapped = select {i1} %isMinusOne, {T} %negated, {T} %quotient
  %result = select {i1} %isZero, {T} zeroinitializer, {T} %wrapped
  ret {T} %result
}}

### sw_udiv
; Unsigned quotient: x / 0 is 0.
define internal {T} @sw_udiv_{t}({T} %a, {T} %b) alwaysinline {{
  %isZero = icmp eq {T} %b, zeroinitializer
  %divisor = select {i1} %isZero, {T} {S 1}, {T} %b
  %quotient = udiv {T} %a, %divisor
  %result = select {i1} %isZero, {T} zeroinitializer, {T} %quotient
  ret {T} %result
}}

### sw_srem
; Signed remainder with the dividend's sign: 0 for divisors 0 and -1.
define internal {T} @sw_srem_{t}({T} %a, {T} %b) alwaysinline {{
  %isZero = icmp eq {T} %b, zeroinitializer
  %isMinusOne = icmp eq {T} %b, {S -1}
  %isSpecial = or {i1} %isZero, %isMinusOne
  %divisor = select {i1} %isSpecial, {T} {S 1}, {T} %b
  %result = srem {T} %a, %divisor
  ret {T} %result
}}

### sw_urem
; Unsigned remainder: x mod 0 is 0.
define internal {T} @sw_urem_{t}({T} %a, {T} %b) alwaysinline {{
  %isZero = icmp eq {T} %b, zeroinitializer
  %divisor = select {i1} %isZero, {T} {S 1}, {T} %b
  %result = urem {T} %a, %divisor
  ret {T} %result
}}

### sw_shl
; Shift left: 0 when the amount is negative or at least the width.
define internal {T} @sw_shl_{t}({T} %a, {T} %amount) alwaysinline {{
  %isValid = icmp ult {T} %amount, {S width}
  %safe = select {i1} %isValid, {T} %amount, {T} zeroinitializer
  %shifted = shl {T} %a, %safe
  %result = select {i1} %isValid, {T} %shifted, {T} zeroinitializer
  ret {T} %result
}}

### sw_lshr
; Logical shift right: 0 when the amount is at least the width.
define internal {T} @sw_lshr_{t}({T} %a, {T} %amount) alwaysinline {{
  %isValid = icmp ult {T} %amount, {S width}
  %safe = select {i1} %isValid, {T} %amount, {T} zeroinitializer
  %shifted = lshr {T} %a, %safe
  %result = select {i1} %isValid, {T} %shifted, {T} zeroinitializer
  ret {T} %result
}}

### sw_ashr
; Arithmetic shift right: the sign in every bit when the amount is negative or at least the width.
define internal {T} @sw_ashr_{t}({T} %a, {T} %amount) alwaysinline {{
  %isValid = icmp ult {T} %amount, {S width}
  %safe = select {i1} %isValid, {T} %amount, {T} {S width-1}
  %result = ashr {T} %a, %safe
  ret {T} %result
}}

### sw_bf16_to_f32
; The bits of a bf16 are the upper half of an f32.
define internal {float} @sw_bf16_to_f32_{lanes}({i16} %bits) alwaysinline {{
  %wide = zext {i16} %bits to {i32}
  %upper = shl {i32} %wide, {i32 16}
  %result = bitcast {i32} %upper to {float}
  ret {float} %result
}}

### sw_f32_to_bf16
; Rounds to nearest even; NaN keeps its sign and upper payload and becomes quiet.
define internal {i16} @sw_f32_to_bf16_{lanes}({float} %value) alwaysinline {{
  %bits = bitcast {float} %value to {i32}
  %upper = lshr {i32} %bits, {i32 16}
  %odd = and {i32} %upper, {i32 1}
  %half = add {i32} %odd, {i32 32767}
  %sum = add {i32} %bits, %half
  %rounded = lshr {i32} %sum, {i32 16}
  %quiet = or {i32} %upper, {i32 64}
  %isNan = fcmp uno {float} %value, zeroinitializer
  %chosen = select {i1} %isNan, {i32} %quiet, {i32} %rounded
  %result = trunc {i32} %chosen to {i16}
  ret {i16} %result
}}

### sw_f64_to_f32_odd
; Rounds to odd, so that rounding once more to 16 bits gives what rounding the f64 at once would give.
define internal {float} @sw_f64_to_f32_odd_{lanes}({double} %value) alwaysinline {{
  %near = fptrunc {double} %value to {float}
  %back = fpext {float} %near to {double}
  %isInexact = fcmp one {double} %back, %value
  %nearMagnitude = call {double} @llvm.fabs.{double.name}({double} %back)
  %magnitude = call {double} @llvm.fabs.{double.name}({double} %value)
  %isAbove = fcmp ogt {double} %nearMagnitude, %magnitude
  %bits = bitcast {float} %near to {i32}
  %step = zext {i1} %isAbove to {i32}
  %below = sub {i32} %bits, %step
  %odd = or {i32} %below, {i32 1}
  %chosen = select {i1} %isInexact, {i32} %odd, {i32} %bits
  %result = bitcast {i32} %chosen to {float}
  ret {float} %result
}}

### sw_index_fault
; Counts an index that is out of range, and keeps the first one. %faults: a pair of count and index per check.
define internal void @sw_index_fault(ptr %faults, i64 %check, i64 %index) noinline cold {{
  %pair = getelementptr [2 x i64], ptr %faults, i64 %check
  %before = atomicrmw add ptr %pair, i64 1 monotonic
  %isFirst = icmp eq i64 %before, 0
  br i1 %isFirst, label %keep, label %done
keep:
  %place = getelementptr i64, ptr %pair, i64 1
  store i64 %index, ptr %place, align 8
  br label %done
done:
  ret void
}}
