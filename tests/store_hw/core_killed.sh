#!/bin/bash
# core_killed.sh TENTER PROVIDER: the publishing job is killed before a join and during a read, and started again with other rows. Who
# joins gets the new rows or is told that the record is a dead job's; nobody ever gets the old ones after that, or another byte.
tenter=$1 provider=$2
# shellcheck source=tests/store_hw/serving.sh
. "$(dirname "$0")/serving.sh"
npy "$folder/old.npy" 3000 1
npy "$folder/new.npy" 3000 500000

publish 2 "x=$folder/old.npy"
kill_job
get 3 x --verify "$folder/old.npy" 2>"$folder/error"
[ $? -eq 4 ] || fail "rows of a dead job were read, or it is not told by 4 in time"
says "$folder/error" 'join "x"' 'rank [01]\|its ranks\|stands still'

# Before a join: it waits, and the job that comes is the one it joins.
get 60 x --verify "$folder/new.npy" >"$folder/out" 2>"$folder/error" &
reader=$!
publish 3 "x=$folder/new.npy"
wait "$reader" || fail "who waited beside a dead job's record did not read the new job's rows"
grep -q 'equal$' "$folder/out" || fail "the new job's rows"

# During a read.
"$tenter" store read x --dir "$folder/d" --deadline 4 --epochs 1000000 --batch-size 8 --shuffle --quiet --verify "$folder/new.npy" \
  >"$folder/out" 2>"$folder/error" &
reader=$!
reads() { compgen -G "$folder/d/*.readers/*.lease" >/dev/null; }
comes_true 30 reads || fail "the reader does not read"
kill_job
ended() { ! runs "$reader"; }
comes_true 60 ended || fail "a reader of a killed job never ends"
wait "$reader"
[ $? -eq 4 ] || fail "a reader of a killed job does not end with 4"
says "$folder/error" 'variable "x", rank [012]' 'read\|probe'

publish 1 "x=$folder/old.npy"
get 20 x --cores 1 --verify "$folder/old.npy" || fail "the job that was started again"
end_job || fail "its end"
! leftover | grep -q 'record$' || fail "records left in the directory: $(leftover)"
echo PASS
