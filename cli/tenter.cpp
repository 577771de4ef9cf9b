// The command. A user's own binary looks like this one, with more protocols in the registry.
#include "cli/main.hpp"

int main(int argc, char** argv) {
  const tenter::Registry registry = tenter::builtin();
  return tenter::main(argc, argv, registry);
}
