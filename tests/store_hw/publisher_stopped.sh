#!/bin/bash
# publisher_stopped.sh TENTER PROVIDER: rank 1 of the publishing job is stopped. A join and a read end at their deadline with an error
# that names rank and phase, use next to no CPU while they wait, and when the rank runs again so do the readers.
tenter=$1 provider=$2
# shellcheck source=tests/store_hw/serving.sh
. "$(dirname "$0")/serving.sh"
npy "$folder/x.npy" 3000 1
TIMEFORMAT='%R %U %S'

# STARTS: what $folder/time says was used beside so many starts of an endpoint (libfabric clears its buffers for each, which
# $folder/start has measured) is at most 5 % of a CPU for as long as it ran.
# sockets: a thread of the provider's own polls without a rest while a read is open, so nothing is asked of it but the deadline.
idles() {
  [ "$provider" = sockets ] || awk -v starts="$1" 'NR == FNR { start = $2 + $3; next } { exit !($2 + $3 <= starts * start + 0.05 * $1) }' "$folder/start" "$folder/time" ||
    fail "more than 5 % of a CPU while waiting: $(cat "$folder/time"), a start: $(cat "$folder/start")"
}

publish 2 "x=$folder/x.npy"
{ time get 20 x --verify "$folder/x.npy" >"$folder/out" 2>&1; } 2>"$folder/start"
grep -q 'equal$' "$folder/out" || fail "a good read before"

# A join that waits for a record.
{ time get 8 nothing 2>"$folder/error"; } 2>"$folder/time"
says "$folder/error" 'join "nothing"' 'deadline'
idles 1

stopped=$(rank_pid 1)
kill -STOP "$stopped"

# A join whose probes are not answered.
{ time get 8 x >"$folder/out" 2>"$folder/error"; } 2>"$folder/time"
says "$folder/error" 'join "x"' 'deadline' 'rank'
idles 2  # its probes are given up once, and the record is looked at again
kill -CONT "$stopped"
get 20 x --verify "$folder/x.npy" || fail "a good read after a join in vain"

# A read that is under way.
"$tenter" store read x --dir "$folder/d" --deadline 8 --epochs 1000000 --batch-size 8 --shuffle --quiet --verify "$folder/x.npy" \
  >"$folder/out" 2>"$folder/error" &
reader=$!
reads() { compgen -G "$folder/d/*.readers/*.lease" >/dev/null; }
comes_true 30 reads || fail "the reader does not read"
ticks() { awk '{ print $14 + $15 }' "/proc/$reader/stat"; }
kill -STOP "$stopped"
read -rt 1 <>"$folder/never"  # what was under way has stalled by now
before=$(ticks)
read -rt 4 <>"$folder/never"
used=$(($(ticks) - before)) second=$(getconf CLK_TCK)
[ "$provider" = sockets ] || [ $((used * 100)) -le $((5 * 4 * second)) ] || fail "a stalled read uses $used ticks of $((4 * second)): more than 5 % of a CPU"
ended() { ! runs "$reader"; }
comes_true 9 ended || fail "a read on a stopped rank does not end at its deadline"
wait "$reader"
[ $? -eq 4 ] || fail "a read on a stopped rank does not end with 4"
says "$folder/error" 'variable "x", rank 1' 'deadline'
kill -CONT "$stopped"
get 20 x --verify "$folder/x.npy" || fail "a good read after the rank runs again"
end_job || fail "the job's end"
echo PASS
