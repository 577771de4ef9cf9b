// What a store costs while nobody reads, how soon the first get after that is answered, and whether it grows with gets.
#pragma once

namespace tenter::bench {

// Arguments: [--idle-s S] [--gaps N] [--gets N] [--provider P]; 0 leaves a part out. Exit code: 0, 1 when a target is missed,
// 64, 70.
int measure_quiet(int argc, char** argv);

}  // namespace tenter::bench
