#!/bin/bash
# stale_directory.sh TENTER PROVIDER: a job of two ranks dies; jobs with fewer, as many and more ranks take its directory over. Who
# joins gets the living job's rows, whatever the dead one left; a job that closes leaves the dead one's files as they were.
tenter=$1 provider=$2
# shellcheck source=tests/store_hw/serving.sh
. "$(dirname "$0")/serving.sh"
npy "$folder/dead.npy" 600 1
npy "$folder/live.npy" 900 700000

for ranks in 1 2 3; do
  rm -rf "${folder:?}/d"
  mkdir -m 700 "$folder/d"
  publish 2 "x=$folder/dead.npy" "other=$folder/dead.npy"
  kill_job
  stale=$(leftover)
  [ -n "$stale" ] || fail "a killed job left no record"
  publish "$ranks" "x=$folder/live.npy"
  get 20 x --cores "$ranks" --verify "$folder/live.npy" || fail "$ranks ranks after 2"
  get 3 other 2>"$folder/error"
  [ $? -eq 4 ] || fail "the variable that only the dead job published was read"
  "$tenter" store info --dir "$folder/d" >"$folder/out" || fail "info"
  grep -q "^x .*: alive" "$folder/out" || fail "the living job is not called alive"
  grep -q "^other .*: dead" "$folder/out" || fail "the dead job is not called dead"
  end_job || fail "the job's end"
  [ -e "$folder/d/other.record" ] || fail "a job removed what was not its own"
  [ ! -e "$folder/d/x.record" ] || fail "the job that closed left its record"
done
echo PASS
