// The command with planted bugs: tenter_planted sim run mailbox --planted NAME. The shipped binary holds none.
#include "cli/main.hpp"
#include "tests/planted/mailbox_bugs.hpp"
#include "tests/planted/store_bugs.hpp"
#include "tests/planted_control/control_bugs.hpp"

int main(int argc, char** argv) {
  tenter::Registry registry = tenter::builtin();
  tenter::planted::add_mailbox_bugs(registry);
  tenter::planted::add_store_bugs(registry);
  tenter::planted::add_control_bugs(registry);
  return tenter::main(argc, argv, registry);
}
