#!/bin/bash
# reader_killed.sh TENTER PROVIDER: a reader is killed in the middle of its reads. Another reader notices nothing, and the job waits
# at its close until the dead one's lease has expired, not for its whole patience.
tenter=$1 provider=$2
# shellcheck source=tests/store_hw/serving.sh
. "$(dirname "$0")/serving.sh"
npy "$folder/x.npy" 20000 1
publish 2 --close-patience 60 "x=$folder/x.npy"

"$tenter" store read x --dir "$folder/d" --epochs 1000000 --batch-size 16 --shuffle --quiet >"$folder/out" 2>&1 &
reader=$!
has_lease() { compgen -G "$folder/d/*.readers/*.lease" >/dev/null; }
comes_true 30 has_lease || fail "the reader has no lease"
kill -KILL "$reader"
wait "$reader" 2>/dev/null
has_lease || fail "a killed reader took its lease with it"
get 20 x --verify "$folder/x.npy" || fail "another reader"
begin=$SECONDS
end_job || fail "the job's end"
[ $((SECONDS - begin)) -lt 30 ] || fail "the close waited for a dead reader as long as for a living one"
[ -z "$(leftover)" ] || fail "left in the directory: $(leftover)"
echo PASS
