#!/usr/bin/env bash
# Usage: bites_test.sh
#
# Every rule of check.sh finds an offender that is planted in a tree of its own, says where it is, and passes without it.

set -euo pipefail
checks=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

# rule, file, text, [expected in the output]: the rule is quiet on an empty tree and red once the file is there.
bites() {
  local rule=$1 file=$2 text=$3 expected=${4:-$2:} output code
  find "$tree" -mindepth 1 -delete
  mkdir -p "$tree/$(dirname "$file")"
  cp "$checks/../../.clang-format" "$tree/.clang-format"
  printf '%b\n' "$text" >"$tree/$file"
  code=0
  output=$("$checks/check.sh" "$rule" "$tree") || code=$?
  if [ "$code" -eq 77 ]; then return; fi
  if [ "$code" -ne 1 ] || ! grep -qF "$expected" <<<"$output"; then
    echo "$rule does not bite on $file (exit code $code): $output"
    failed=1
  fi
}

# rule, file, text: what is right is not reported.
passes() {
  local rule=$1 file=$2 text=$3 output code=0
  find "$tree" -mindepth 1 -delete
  mkdir -p "$tree/$(dirname "$file")"
  printf '%b\n' "$text" >"$tree/$file"
  output=$("$checks/check.sh" "$rule" "$tree") || code=$?
  if [ "$code" -ne 0 ] && [ "$code" -ne 77 ]; then
    echo "$rule reports $file, which is right (exit code $code): $output"
    failed=1
  fi
}

bites formatting core/a.cpp 'int  f( ){return 1;}'
passes formatting core/a.cpp 'int f() { return 1; }'
bites layering core/a.hpp '#include "sim/world.hpp"'
bites layering core/a.hpp '#include <chrono>'
bites layering core/a.hpp '#include <unordered_map>'
bites layering core/a.hpp '#include <unistd.h>'
bites layering core/mailbox/a.hpp '# include <sys/mman.h>'
bites layering core/a.cpp '#include <cstdio>'
bites layering sim/a.hpp '#include "hw/part.hpp"'
bites layering hw/shm/a.hpp '#include "sim/world.hpp"'
bites layering sim/a.hpp '#include "core/mailbox/layout.hpp"'
bites layering hw/shm/a.hpp '#include "core/mailbox/layout.hpp"'
bites layering hw/os/a.hpp '#include "hw/part.hpp"'
passes layering hw/posix/a.hpp '#include "hw/os/file.hpp"'
bites layering cli/report/a.hpp '#include "cli/main.hpp"'
bites layering cli/report/a.hpp '#include "hw/part.hpp"'
bites layering sim/a.cpp '#include <mpi.h>'
bites layering sim/a.cpp '#include <chrono>'
bites layering sim/a.hpp '#include <random>'
bites layering cli/protocols/mailbox/a.cpp '#include <thread>'
bites layering cli/protocols/a.cpp '#include <fstream>'
bites layering sim/a.cpp '#include <unordered_map>'
bites layering sim/a.cpp '  if (std::getenv("X")) f();'
bites layering cli/protocols/a.cpp '  const auto seed = std::time(nullptr);'
passes layering cli/a.cpp '#include <chrono>'
passes layering sim/world.cpp '#include <csignal>'
passes layering hw/group/a.hpp '#include "core/mailbox/layout.hpp"'
passes layering core/check.cpp '#include <cstdio>'
passes layering core/a.cpp '#include <xxhash.h>\n#include <tl/expected.hpp>\n#include <vector>\n#include "core/names.hpp"'
bites file_length core/a.cpp "$(printf '\\n%.0s' {1..400})"
passes file_length core/a.cpp "$(printf '\\n%.0s' {1..399})"
bites test_names tests/core/a_test.cpp 'TEST(Lane, works) {}'
bites test_names tests/core/a_test.cpp 'TEST_F(Lane,\n       works_well) {}'
passes test_names tests/core/a_test.cpp 'TEST(Lane, a_late_answer_is_refused) {}'
bites machine_paths docs/a.md "see /home/""someone/notes"
passes machine_paths docs/a.md 'see docs/homework/ and ./build/root/x'
bites left_for_later core/a.cpp '// TO''DO: later'
bites sleeps tests/core/a_test.cpp 'std::this_thread::sleep_for(1s);'
bites sleeps bench/a.cpp '  std::this_thread::sleep_for(gap);'
passes sleeps bench/idle_bench.cpp '  std::this_thread::sleep_for(gap);'
bites sleeps hw/a.cpp '  sleep(1);'
bites sleeps hw/a.cpp '  poll(nullptr, 0, 50);'
bites sleeps tests/group/watching.hpp '  poll(nullptr, 0, 5000);'
bites sleeps cli/a.cpp '  ::ppoll(nullptr, 0, &time, nullptr);'
bites sleeps core/a.cpp '  select(0, nullptr, nullptr, nullptr, &time);'
passes sleeps hw/a.cpp '  poll(&one, 1, 50);'
# shellcheck disable=SC2016  # the planted script is meant to hold an unquoted variable
bites shell_scripts scripts/a '#!/usr/bin/env bash\ncd $1'
# shellcheck disable=SC2016  # text of a script
bites ended_pipes scripts/a 'if apt-cache policy x | grep -qE y; then z; fi'
# shellcheck disable=SC2016  # text of a script
passes ended_pipes scripts/a 'if grep -qE y <<<"$(apt-cache policy x)" || grep -q a b; then z; fi'
bites document_links docs/a.md 'see [this](missing.md)'
passes document_links docs/a.md 'see [this](a.md), [that](https://example.org/x) and [here](#part)'
# shellcheck disable=SC2016  # text of a file
bites ci_budget .ci/run '# within 20 minutes\n"${TENTER_CI_BUDGET_S:-1800}"'
# shellcheck disable=SC2016  # text of a file
passes ci_budget .ci/run '# within 20 minutes\n"${TENTER_CI_BUDGET_S:-1200}"'
bites layering cli/a.cpp '#include "tests/planted/variant.hpp"'
bites layering hw/a.cpp '  if (getenv("TENTER_TEST_SPOIL")) f();'
bites property_ids docs/properties.md '| MB-01 | about |' 'no row for MB-02'

# A table with a row for every id; the first row has these cells.
properties() {
  printf '| S1 | bytes | %s |\\n' "$1"
  printf '| %s | about | n/a: why | n/a: why | open: what |\\n' S{2..10} L{1..6} MP{1..20} MD{1..8} G{1..21} D{1..34} MB-{01..30} \
    B01 B03 B04 B08 B09 B16 B24 B30 B39 B44 B47 B48 B49 X07 X08 X09 \
    P-A4 P-A5 P-A6 P-A10 P-B3 P-X{1..14} P-X18 P-X19
}
# shellcheck disable=SC2016  # text of a table
{
  passes property_ids docs/properties.md "$(properties 'n/a: why | n/a: why | open: what is missing')"
  passes property_ids docs/properties.md "$(properties '`docs/properties.md` | n/a: why | open: what is missing')"
  bites property_ids docs/properties.md "$(properties '`docs/properties.md` | | open: what')" 'S1: the planted bug names'
  bites property_ids docs/properties.md "$(properties 'checked somewhere | n/a: why | open: what')" 'S1: the test or monitor names'
  bites property_ids docs/properties.md "$(properties 'n/a: why | n/a: why | open:')" 'S1: the hardware test names'
  bites property_ids docs/properties.md "$(properties '`Lane.is_never_torn` | n/a: why | n/a: why')" 'not in the tree: Lane.is_never_torn'
  bites property_ids docs/properties.md "$(properties 'n/a: why | `a_bug_that_is_gone` | n/a: why')" 'not in the tree: a_bug_that_is_gone'
  bites property_ids docs/properties.md "$(properties '`tests/gone.cpp` | n/a: why | n/a: why')" 'not in the tree: tests/gone.cpp'
}
# shellcheck disable=SC2016  # text of a table
{
  passes defaults_homes docs/defaults.md '| what | default | home in code | why |\n| --- | --- | --- | --- |\n| a | 1 s | `docs/defaults.md` `home in` | b |'
  bites defaults_homes docs/defaults.md '| a | 1 s | `core/gone.hpp` | b |' 'its home is not in the tree'
  bites defaults_homes docs/defaults.md '| a | 1 s | | b |' 'its home is not in the tree'
  bites defaults_homes docs/defaults.md '| a | 1 s | `.clang-format` `gone_max` | b |' '.clang-format does not name gone_max'
}
exit "$failed"
