# shellcheck shell=bash
# Sourced by the tests of this folder: a job that publishes, and what is asked of those who read. Needs `tenter` and `provider`;
# gives $folder, which is removed at the end, and $folder/d, the store's directory.
set -u
: "${tenter:?}" "${provider:?}"
command -v mpiexec >/dev/null || { echo "skip: no mpiexec"; exit 77; }
folder=$(mktemp -d)
mkdir -m 700 "$folder/d"
mkfifo "$folder/never"  # nobody writes to it: reading it with a time is how these scripts wait between two looks
set -m
trap 'kill_job; wait 2>/dev/null; rm -rf "$folder"' EXIT
job='' log=$folder/serve.log

fail() {
  echo "FAILED: $*"
  for shown in "$log" "$folder/error" "$folder/out"; do [ -s "$shown" ] && { echo "--- ${shown##*/}"; tail -n 20 "$shown"; }; done
  exit 1
}

# FILE ROWS FIRST: .npy of int32, format 1.0, rows x 3; its bytes are the decimal numbers from FIRST on.
npy() {
  local head="{'descr': '<i4', 'fortran_order': False, 'shape': ($2, 3), }"
  printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$head" >"$1"
  [ "$2" -eq 0 ] || seq "$3" $(($3 + $2 * 12)) | head -c $(($2 * 12)) >>"$1"
}

# SECONDS COMMAND…: until the command is true; false when it never was.
comes_true() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || return 1
    read -rt 0.05 <>"$folder/never"
  done
  true
}

runs() { kill -0 "$1" 2>/dev/null; }
serves_or_ended() { grep -q '^serving' "$log" || ! runs "$job"; }

# RANKS ARGUMENT…: a job of `store serve`; its log is $log. Ends the test with 77 where the provider is missing.
publish() {
  local ranks=$1
  shift
  : >"$log"
  mpiexec -n "$ranks" "$tenter" store serve --dir "$folder/d" --ranks "$ranks" --provider "$provider" "$@" >"$log" 2>&1 &
  job=$!
  comes_true 60 serves_or_ended
  grep -q '^serving' "$log" && return
  if grep -q "$provider: fi_getinfo" "$log"; then
    echo "skip: no provider $provider"
    exit 77
  fi
  fail "the job does not serve"
}

# The pids of the job's ranks, in the order of the ranks. They sit in sessions of their own under Hydra.
rank_pids() {
  local pid rank
  for pid in $(pgrep -f -- "store serve --dir $folder/d "); do
    [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$(basename "$tenter")" ] || continue
    rank=$(tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | sed -n 's/^PMI_RANK=//p')
    echo "${rank:-0} $pid"
  done | sort -n | cut -d ' ' -f 2
}
rank_pid() { rank_pids | sed -n "$(($1 + 1))p"; }

# As a node that fails: every rank at once, without a word.
kill_job() {
  local pids
  [ -n "$job" ] || return 0
  mapfile -t pids < <(rank_pids)
  [ ${#pids[@]} -eq 0 ] || kill -KILL "${pids[@]}" 2>/dev/null
  kill -KILL -- "-$job" 2>/dev/null
  wait "$job" 2>/dev/null
  job=''
}

# ^C: the ranks close in order; the job's exit code.
end_job() {
  local pids code
  mapfile -t pids < <(rank_pids)
  kill -INT "${pids[@]}"
  wait "$job"
  code=$?
  job=''
  return $code
}

# SECONDS OPTION…: `store get` that gives up after these seconds; 124 when it does not end in that time and one second more.
get() {
  local deadline=$1
  shift
  timeout -k 1 "$(ceiling "$deadline" 1)" "$tenter" store get --dir "$folder/d" --deadline "$deadline" "$@"
}
ceiling() { awk -v a="$1" -v b="$2" 'BEGIN { print a + b }'; }

# FILE: the error of a call that ended without an answer says all of the words.
says() {
  local file=$1 word
  shift
  for word; do grep -q -- "$word" "$file" || fail "the error does not say \"$word\": $(cat "$file")"; done
}

# What is in the directory.
leftover() { (cd "$folder/d" && find . -mindepth 1 | sort); }
