#!/bin/bash
# record_and_replay.sh TENTER PROVIDER: what a real job and its readers recorded is replayed at the desk, and every machine acts as it
# did, digest by digest; a byte that is flipped anywhere in a log is found, and the file and the place are named.
set -u
tenter=$1 provider=$2
folder=$(mktemp -d)
mkdir -m 700 "$folder/d"
logs=$folder/logs
trap '[ -n "${job:-}" ] && kill -KILL -- "-$job" 2>/dev/null; rm -rf "$folder"' EXIT
fail() { echo "FAILED: $*"; cat "$folder/serve.log" "$folder/replay" 2>/dev/null; exit 1; }

# .npy of int32, format 1.0: FILE ROWS, three numbers a row, of counted bytes.
npy() {
  local head="{'descr': '<i4', 'fortran_order': False, 'shape': ($2, 3), }"
  printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$head" >"$1"
  seq 1 $(($2 * 12)) | head -c $(($2 * 12)) >>"$1"
}
npy "$folder/x.npy" 1000
npy "$folder/y.npy" 2

set -m
mpiexec -n 3 "$tenter" store serve --dir "$folder/d" --ranks 3 --provider "$provider" --close-patience 5 --record "$logs" \
  "x=$folder/x.npy" "a/b c=$folder/y.npy" >"$folder/serve.log" 2>&1 &
job=$!
set +m
read_store() { "$tenter" store "$@" --dir "$folder/d" --provider "$provider" --deadline 60 --record "$logs"; }
read_store get x --verify "$folder/x.npy" || fail "get"
read_store get "a/b c" --verify "$folder/y.npy" || fail "get of a variable with an empty shard"
"$tenter" store get nowhere --dir "$folder/d" --provider "$provider" --deadline 1 --record "$logs" 2>/dev/null &&
  fail "a variable that is not there was read"
read_store read x --epochs 1 --batch-size 64 --shuffle --verify "$folder/x.npy" || fail "read"
kill -INT -- "-$job"
wait "$job" || fail "the job did not close in order"
job=

replay() { "$tenter" sim replay "$logs" >"$folder/replay" 2>&1; }
replay || fail "the replay differs, exit code $?"
[ "$(grep -c 'every digest equal$' "$folder/replay")" -eq 7 ] || fail "not seven whole logs: three ranks, three gets, one loader"
for rank in 0 1 2; do grep -q "^rank-$rank .*every digest equal" "$folder/replay" || fail "rank $rank"; done
[ "$(grep -c '^reader-' "$folder/replay")" -eq 4 ] || fail "four readers"
cat "$folder/replay"

# One byte of each log, at a different place in each: in the header, behind it, in the middle, near the end.
flip() {
  local value
  value=$(od -An -tu1 -j "$2" -N 1 "$1")
  printf '%b' "\\x$(printf %x $((value ^ 0x10)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
for log in "$logs"/*.log; do
  size=$(stat -c %s "$log")
  for place in 40 $((size / 3)) $((size / 2)) $((size - 2)); do
    flip "$log" "$place"
    replay && fail "byte $place of $(basename "$log") is another one and was not found"
    code=$?
    name=$(basename "$log" .log)
    grep -q "$name" "$folder/replay" || fail "byte $place: $name is not named"
    case $code in
      8) grep -q "^$name .*\(offset [0-9]\|DIFFERS at step\)" "$folder/replay" || fail "byte $place of $name: no place is named" ;;
      64) grep -q "$name.*header is damaged" "$folder/replay" || fail "byte $place of $name: what is damaged is not named" ;;
      *) fail "byte $place of $name: exit code $code" ;;
    esac
    flip "$log" "$place"
  done
done
replay || fail "the logs as they were"
echo PASS
