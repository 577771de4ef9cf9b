// The whole command as one call, so that a user's own binary with a user's own protocols has every subcommand:
//
//   int main(int argc, char** argv) {
//     tenter::Registry registry = tenter::builtin();
//     registry.protocol("lease").scenario("two_parties", …).always("one owner", …);
//     return tenter::main(argc, argv, registry);
//   }
#pragma once
#include "cli/registry.hpp"

namespace tenter {

// The protocols that come with tenter.
Registry builtin();

// Returns the process's exit code (docs/exit-codes.md): 0 pass, 1 a property was violated, 2 unknown, 4 liveness, 8 replay or
// determinism mismatch, 64 usage, 70 internal error, 77 skipped, 130 interrupted.
int main(int argc, char** argv, const Registry& registry);

}  // namespace tenter
