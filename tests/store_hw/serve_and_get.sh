#!/bin/bash
# serve_and_get.sh TENTER PROVIDER: three ranks publish arrays, other processes read them and compare every byte; then the
# publishers are killed, and a reader must end with an error within its deadline. Unequal and empty shards, names with "/", spaces
# and other than ASCII; a range past the end is refused and a good read follows.
tenter=$1 provider=$2
# shellcheck source=tests/store_hw/serving.sh
. "$(dirname "$0")/serving.sh"
npy "$folder/x.npy" 1000 1  # 334, 333, 333 rows
npy "$folder/two.npy" 2 1   # the last rank has none
npy "$folder/none.npy" 0 1
npy "$folder/large.npy" 500000 1
publish 3 --close-patience 5 "x=$folder/x.npy" "a/b c=$folder/two.npy" "größe=$folder/x.npy" "none=$folder/none.npy" \
  "large=$folder/large.npy"

get 30 large --verify "$folder/large.npy" || fail "every byte of large"
get 30 x --rows 0:1000 --cores 3 --verify "$folder/x.npy" --out "$folder/out.npy" || fail "all rows of x"
cmp "$folder/x.npy" "$folder/out.npy" || fail "the .npy that was written"
get 30 x --rows 330:340 --verify "$folder/x.npy" || fail "rows over a shard's end"
get 30 "a/b c" --verify "$folder/two.npy" || fail "an empty shard, a name with / and a space"
get 30 "größe" --verify "$folder/x.npy" || fail "a name that is not ASCII"
get 30 none --verify "$folder/none.npy" || fail "no rows at all"
get 30 x --rows 990:1001 2>"$folder/error"
[ $? -eq 64 ] || fail "a range past the end was not refused with 64"
grep -q 1000 "$folder/error" || fail "the refusal does not say how many rows there are"
get 30 x --verify "$folder/x.npy" || fail "a good read after a refused one"
get 30 x --verify "$folder/two.npy" 2>/dev/null
[ $? -eq 1 ] || fail "verify found no difference in a shorter file"
get 30 x --cores 2 2>"$folder/error"
[ $? -eq 1 ] || fail "another number of ranks was not refused with 1"
printf '999\n3:7  # four rows\n\n0\n999\n' >"$folder/rows"
get 30 x --batch "$folder/rows" --verify "$folder/x.npy" | grep -q "7 rows of 1000" || fail "rows here and there, one of them twice"
printf '5\n1000\n' >"$folder/rows"
get 30 x --batch "$folder/rows" 2>"$folder/error"
if [ $? -ne 64 ] || ! grep -q "rows:2" "$folder/error"; then fail "a row past the end of a batch's file is not named by its line"; fi
"$tenter" store read x --dir "$folder/d" --deadline 30 --epochs 2 --batch-size 64 --shuffle --verify "$folder/x.npy" |
  grep -q "2000 rows.*every byte equal" || fail "a loader's epochs"
{ head -c 139 "$folder/x.npy"; printf 'X'; tail -c +141 "$folder/x.npy"; } >"$folder/other.npy"
"$tenter" store read x --dir "$folder/d" --deadline 30 --verify "$folder/other.npy" >"$folder/out" 2>&1
if [ $? -ne 1 ] || ! grep -q "DIFFERENT from row 0 on" "$folder/out"; then fail "one other byte is not found by a loader that verifies"; fi
mkfifo -m 600 "$folder/d/pipe.record"
"$tenter" store info --dir "$folder/d" >"$folder/out" 2>"$folder/error"
if [ $? -ne 64 ] || ! grep -q "pipe.record" "$folder/error"; then fail "a FIFO that is called a record is not refused"; fi
grep -q "a/b c  int32  2 x 3  3 ranks.*: alive" "$folder/out" || fail "info"
rm "$folder/d/pipe.record"
[ -z "$(find "$folder/d" -type f ! -perm 600 -o -type d ! -perm 700)" ] || fail "a file others may read"

kill_job
"$tenter" store info --dir "$folder/d" | grep -q "x  int32.*: dead (its heartbeat stands still" || fail "a killed job is not called dead"
get 3 x 2>"$folder/error"
[ $? -eq 4 ] || fail "a dead job's rows were read, or it is not told by 4"
cat "$folder/error"
grep -q '"x"' "$folder/error" || fail "the error does not name the variable"
echo PASS
