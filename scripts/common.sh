# Shared by the scripts: source it, do not run it. Every script works from any folder and prints what it does.
# shellcheck shell=bash
set -euo pipefail
export LC_ALL=C

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cores=$(nproc)

say() { printf '%s\n' "$*"; }
fail() { # message: the script ends
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}
usage_error() {
  printf '%s: %s (see --help)\n' "$(basename "$0")" "$*" >&2
  exit 64
}

# Prints the comment block at the head of the script that is running: its help text.
print_help() { awk 'NR == 1 { next } /^#/ { sub(/^# ?/, ""); print; next } { exit }' "$0"; }

# preset, then extra cmake arguments: configures, showing only the parts that were found; everything when it fails.
configure() {
  local preset=$1 log
  shift
  log=$(mktemp)
  if ! (cd "$top" && cmake --preset "$preset" "$@") >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    fail "cmake --preset $preset failed (above); scripts/install-deps installs what it needs"
  fi
  grep -E '^-- tenter:' "$log" || true
  rm -f "$log"
}

# preset, targets…: builds on every core. What is built is said first, how far it is every ten seconds, the end of the output when it
# fails; the whole output stays in build/PRESET/build.log.
build() {
  local preset=$1 log start=$SECONDS next=$((SECONDS + 10)) builder
  shift
  log=$top/build/$preset/build.log
  say "building build/$preset: ${*:-everything}"
  (cd "$top" && exec cmake --build "build/$preset" --parallel "$cores" ${1:+--target "$@"}) >"$log" 2>&1 &
  builder=$!
  while kill -0 "$builder" 2>/dev/null; do
    sleep 0.2
    [ "$SECONDS" -ge "$next" ] || continue
    next=$((SECONDS + 10))
    say "  $((SECONDS - start)) s  $(grep -E '^\[' "$log" | tail -n 1 | cut -c 1-100)"
  done
  if ! wait "$builder"; then
    tail -n 60 "$log" >&2
    fail "the build of preset $preset failed (above; all of it: build/$preset/build.log)"
  fi
  say "built build/$preset in $((SECONDS - start)) s"
}

# The commit of the tree, marked when files differ from it; "no git" in an unpacked archive.
commit_of_tree() {
  local commit
  commit=$(git -C "$top" rev-parse --short=12 HEAD 2>/dev/null) || { say "no git"; return; }
  git -C "$top" diff --quiet HEAD 2>/dev/null || commit="$commit+changes"
  say "$commit"
}

# What the figures were measured on, without a name: processor, cores, kernel.
machine() {
  local model
  model=$(awk -F ': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)
  say "${model:-unknown processor}, $cores cores, Linux $(uname -r)"
}

# file, title: begins an entry of a results file in docs/results/ (newest last); the entry's lines come from standard input.
append_result() {
  local file=$top/docs/results/$1 title=$2
  mkdir -p "$top/docs/results"
  {
    printf '\n## %s %s\n\ncommit %s; %s\n\n' "$(date -u +%Y-%m-%d)" "$title" "$(commit_of_tree)" "$(machine)"
    cat
  } >>"$file"
  say "appended to docs/results/$1"
}
