// The command. A user's own binary looks like this one, with more protocols in the registry.
#include "cli/command.hpp"
#include "cli/main.hpp"

int main(int argc, char** argv) {
  tenter::cli::forget_handlers_of_libraries();  // of libfabric's providers
  const tenter::Registry registry = tenter::builtin();
  return tenter::main(argc, argv, registry);
}
