#!/usr/bin/env bash
# Usage: check.sh RULE [ROOT]
#
# One rule of the house over the tracked files of ROOT (this tree): prints the offenders as file:line, a line each.
# Exit code: 0 none; 1 some; 77 the rule needs a tool that is not here (the line says which); 64 no such rule.
# bites_test.sh plants an offender for every rule and sees it found.

set -uo pipefail
export LC_ALL=C
shopt -s lastpipe

rule=${1:-}
root=${2:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$root" || exit 64

# extended regular expression: the tracked files whose path matches (all files where there is no git, as in a test of this script).
files() {
  { if [ -e .git ]; then git ls-files; else find . -type f -printf '%P\n'; fi; } | sort | grep -E "$1" |
    while read -r file; do [ ! -f "$file" ] || printf '%s\n' "$file"; done
}
cpp='\.(hpp|cpp)$'
# pattern, files from standard input: file:line:text of every match
matches() { tr '\n' '\0' | xargs -0 -r grep -nHE -- "$1"; }

formatting() {
  command -v clang-format-14 >/dev/null || { echo "skip: clang-format-14 is not installed"; exit 77; }
  files "$cpp" | tr '\n' '\0' | xargs -0 -r -n 40 clang-format-14 --dry-run --Werror 2>&1 | sed -n "s|^\(\./\)\?\([^:]*:[0-9]*\):.*error:.*|\2: not as clang-format-14 writes it|p" | sort -u -t: -k1,1
}

# The rooms (docs/architecture.md): which folder may include which.
layering() {
  local include='#[[:space:]]*include[[:space:]]*'
  files "^core/.*$cpp" | matches "$include\"" | grep -vE "$include\"core/"
  # What a run is made of is the same every time: core, the simulator and the simulated protocols have no clock, thread, randomness,
  # I/O or unordered container. Excepted: check.cpp prints the failed check before it aborts; world.cpp raises SIGTRAP for --break.
  files "^(core|sim|cli/protocols)/.*$cpp" | matches "$include<(chrono|ctime|thread|mutex|shared_mutex|condition_variable|future|semaphore|latch|barrier|stop_token|random|csignal|iostream|fstream|filesystem|cstdio|unordered_map|unordered_set|[a-z_]+\.h|(sys|linux|rdma|arpa|netinet)/.*)>" |
    grep -vE '^core/check\.cpp:[0-9]+:.*<cstdio>|^sim/world\.cpp:[0-9]+:.*<csignal>|<xxhash\.h>'
  files "^(core|sim|cli/protocols)/.*$cpp" |
    matches 'std::(getenv|rand|srand|time|clock)\(|(^|[^A-Za-z0-9_.>])(getenv|srand|clock_gettime|gettimeofday|getpid|getrandom)\('
  files "^sim/.*$cpp" | matches "$include\"" | grep -vE "$include\"(core|sim)/"
  files "^hw/.*$cpp" | matches "$include\"" | grep -vE "$include\"(core|hw)/"
  files "^hw/os/.*$cpp" | matches "$include\"" | grep -vE "$include\"(core|hw/os)/"
  files "^cli/report/.*$cpp" | matches "$include\"" | grep -vE "$include\"(core|hw/os|cli/report)/"
  files "^(core|sim|hw/os|cli/report)/.*$cpp" | matches "$include<(mpi\.h|rdma/)"
  # Nothing that only tests use is reachable in the product (MB-06).
  files "^(core|sim|hw|cli)/.*$cpp" | matches "$include\"tests/|TENTER_TEST_[A-Z]"
  # No protocol in a backend: hw/group, hw/store and hw/control are the places that put a protocol's machines on hardware.
  files "^(sim|hw)/.*$cpp" | grep -vE '^hw/(group|store|control)/' | matches "$include\"core/(mailbox|domain|store|control)/"
}

file_length() {
  files "$cpp" | while read -r file; do
    lines=$(wc -l <"$file")
    [ "$lines" -le 400 ] || printf '%s:400: %s lines, 400 at most: two rooms in one?\n' "$file" "$lines"
  done
}

# A test's name is a claim of three words or more: TEST(Lane, a_late_answer_is_refused).
test_names() {
  files "^tests/.*$cpp" | while read -r file; do
    tr '\n' ' ' <"$file" | grep -oE '\b(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\( *[A-Za-z0-9_]+, *[A-Za-z0-9_]+' |
      grep -vE ', *[A-Za-z0-9]+_[A-Za-z0-9]+_[A-Za-z0-9_]+$' | sed "s|^|$file:1: not a sentence: |"
  done
}

machine_paths() {
  files '.' | matches "(^|[^A-Za-z0-9_.])/(wo""rk|ro""ot|fa""rm|home/[a-z]+|Users/[A-Za-z]+)/"
}

left_for_later() {
  files '(\.(hpp|cpp|cmake|sh|awk)|CMakeLists\.txt)$|^scripts/|^\.ci/' | matches '\b(TO''DO|FIX''ME|XX''X|HA''CK)\b'
}

# Nothing waits by the clock: a sleep on a path of the product is a defect, and a test that sleeps is slow or wrong. A poll or a
# select of nothing is a sleep by another name. Excepted is the one place where a test looks again and again at what no descriptor
# tells: comes_true() of watching.hpp, which has a deadline; and idle_bench, which measures silence.
sleeps() {
  files "^(core|sim|hw|cli|tests|fuzz|bench|examples)/.*$cpp" |
    matches '(usleep|nanosleep|sleep_for|sleep_until) *\(|(^|[;{}])[[:space:]]*(::)?sleep *\(|\bp?poll *\( *(nullptr|NULL|0|\{\}) *,|\bp?select *\( *0 *,' |
    grep -vE '^tests/group/watching\.hpp:[0-9]+: *poll\(nullptr, 0, 5\);$|^bench/idle_bench\.cpp:'
}

shell_scripts() {
  command -v shellcheck >/dev/null || { echo "skip: shellcheck is not installed"; exit 77; }
  files '^(scripts|\.ci|tests)/' | while read -r file; do head -n 1 "$file" | grep -q '^#!.*bash' && printf '%s\n' "$file"; done |
    tr '\n' '\0' | xargs -0 -r shellcheck -x -f gcc
}

# Scripts run with pipefail: a reader that stops early (grep -q) ends the writer by SIGPIPE, and what was found counts as a failure.
ended_pipes() {
  files '^(scripts|\.ci)/' | matches '(^|[^|])\|[^|]*\bgrep +-[a-zA-Z]*q'
}

# Relative links of the documents lead somewhere.
document_links() {
  files '\.md$' | while read -r file; do
    grep -noE '\]\([^)# ]+' "$file" | while IFS=: read -r line link; do
      case $link in *:*) continue ;; esac
      target=$(dirname "$file")/${link#](}
      [ -e "$target" ] || printf '%s:%s: leads nowhere: %s\n' "$file" "$line" "${link#](}"
    done
  done
}

# Every id of the specification's index that this tree must answer has its row in docs/properties.md, and every row its evidence:
# a cell names, in backquotes, what is in the tree, or says "n/a: why" or "open: what is missing".
property_ids() {
  local table=docs/properties.md id
  [ -f "$table" ] || { echo "$table:1: missing"; return; }
  {
    printf 'MB-%02d\n' {1..30}
    printf 'MP%d\n' {1..20}
    printf 'MD%d\n' {1..8}
    printf 'S%d\n' {1..10}
    printf 'L%d\n' {1..6}
    printf 'G%d\n' {1..21}
    printf 'D%d\n' {1..34}
    printf '%s\n' B01 B03 B04 B08 B09 B16 B24 B30 B39 B44 B47 B48 B49 X07 X08 X09
    printf '%s\n' P-A4 P-A5 P-A6 P-A10 P-B3 P-X{1..14} P-X18 P-X19
  } | while read -r id; do
    grep -qE "^\| $id \| [^|]*[a-z]" "$table" || printf '%s:1: no row for %s\n' "$table" "$id"
  done
  evidence=$(mktemp -d)
  trap 'rm -rf "$evidence"' EXIT
  { files '^(cli|core|fuzz|hw|sim|tests)/' | grep -v '\.md$'; files '^(cli|core|hw|sim|tests)/.*\.(hpp|cpp|txt)$' | grep -v '/golden/' | tr '\n' '\0' | xargs -0 -r cat; } >"$evidence/tree"
  tests_of_the_tree >"$evidence/tests"
  property_cells "$table" | while IFS=$'\t' read -r line id column name; do
    in_the_tree "$name" || printf '%s:%s: %s: the %s names what is not in the tree: %s\n' "$table" "$line" "$id" "$column" "$name"
  done
}

# table: "line id column name", tab-separated, of everything in backquotes; an offender's name is empty.
property_cells() {
  awk -F '|' -v OFS='\t' '
    BEGIN { column[4] = "test or monitor"; column[5] = "planted bug"; column[6] = "hardware test" }
    $2 !~ /^ [A-Z]+-?[A-Z]?[0-9]+ $/ { next }
    { id = $2; gsub(/ /, "", id)
      for (at = 4; at <= 6; ++at) {
        parts = split($at, part, "`")
        if (parts < 3 && $at !~ /^ (n\/a|open): [^ ]/) print NR, id, column[at], ""
        for (i = 2; i < parts; i += 2) print NR, id, column[at], part[i]
      } }' "$1"
}

# name: a path; Suite.case, a test; else a text of the sources or a part of a file's name.
in_the_tree() {
  case $1 in
    '') return 1 ;;
    [A-Z]*.*_*) grep -qxF -- "$1" "$evidence/tests" ;;
    */*) [ -e "$1" ] || grep -qF -- "$1" "$evidence/tree" ;;
    *) grep -qF -- "$1" "$evidence/tree" ;;
  esac
}
tests_of_the_tree() {
  files "^tests/.*$cpp" | while read -r file; do tr '\n' ' ' <"$file"; done |
    grep -oE '\b(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\( *[A-Za-z0-9_]+, *[A-Za-z0-9_]+' |
    sed -E 's/^[A-Z_]+\( *//; s/, */./'
}

# Every row of docs/defaults.md has a home, a file of the tree, and the names beside it stand in that file.
defaults_homes() {
  local table=docs/defaults.md line home file name
  [ -f "$table" ] || { echo "$table:1: missing"; return; }
  awk -F '|' -v OFS='\t' '/^\|/ && NF > 5 && $2 !~ /^ (what|---) $/ { print NR, $4 }' "$table" | while IFS=$'\t' read -r line home; do
    file=$(cut -d '`' -f 2 <<<"$home")
    [ -f "$file" ] || { printf '%s:%s: its home is not in the tree: %s\n' "$table" "$line" "$home"; continue; }
    cut -d '`' -f 4- -s <<<"$home" | tr '`' '\n' | while read -r name; do
      [ ! -f "$name" ] || { file=$name; continue; }  # a second home
      [ -z "${name//[ ,]/}" ] || grep -qF -- "$name" "$file" || printf '%s:%s: %s does not name %s\n' "$table" "$line" "$file" "$name"
    done
  done
}

# What .ci/run promises in minutes is what it allows in seconds.
ci_budget() {
  [ -f .ci/run ] || return
  local promised allowed
  promised=$(sed -nE 's/^#.*within ([0-9]+) minutes.*/\1/p' .ci/run)
  allowed=$(sed -nE 's/.*BUDGET_S:-([0-9]+).*/\1/p' .ci/run)
  [ -n "$promised" ] && [ "$((promised * 60))" = "$allowed" ] ||
    printf '.ci/run:1: promises %s minutes and allows %s seconds\n' "${promised:-no}" "${allowed:-any}"
}

offenders_of() {
  case $1 in
    formatting) formatting ;;
    layering) layering ;;
    file_length) file_length ;;
    test_names) test_names ;;
    machine_paths) machine_paths ;;
    left_for_later) left_for_later ;;
    sleeps) sleeps ;;
    shell_scripts) shell_scripts ;;
    ended_pipes) ended_pipes ;;
    document_links) document_links ;;
    property_ids) property_ids ;;
    defaults_homes) defaults_homes ;;
    ci_budget) ci_budget ;;
    *)
      echo "no rule '$1'" >&2
      return 64
      ;;
  esac
}
offenders=$(offenders_of "$rule")
status=$?
if [ "$status" -eq 77 ] || [ "$status" -eq 64 ]; then
  [ -z "$offenders" ] || printf '%s\n' "$offenders"
  exit "$status"
fi
[ -n "$offenders" ] || exit 0
printf '%s\n' "$offenders"
printf '%s: %s offenders\n' "$rule" "$(wc -l <<<"$offenders")"
exit 1
