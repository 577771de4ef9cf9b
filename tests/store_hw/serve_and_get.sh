#!/bin/bash
# serve_and_get.sh TENTER PROVIDER: three ranks publish arrays, other processes read them and compare every byte; then the
# publishers are killed, and a reader must end with an error within its deadline. Unequal and empty shards, names with "/", spaces
# and other than ASCII; a range past the end is refused and a good read follows.
set -u
tenter=$1 provider=$2
folder=$(mktemp -d)
mkdir -m 700 "$folder/d"
trap '[ -n "${job:-}" ] && kill -KILL -- "-$job" 2>/dev/null; rm -rf "$folder"' EXIT
fail() { echo "FAILED: $*"; cat "$folder/serve.log"; exit 1; }

# .npy of int32, format 1.0: rows x 3 of counted bytes.
npy() {
  local head="{'descr': '<i4', 'fortran_order': False, 'shape': ($2, 3), }"
  printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$head" >"$1"
  [ "$2" -eq 0 ] || seq 1 $(($2 * 12)) | head -c $(($2 * 12)) >>"$1"
}
npy "$folder/x.npy" 1000  # 334, 333, 333 rows
npy "$folder/two.npy" 2   # the last rank has none
npy "$folder/none.npy" 0
npy "$folder/large.npy" 500000

set -m
mpiexec -n 3 "$tenter" store serve --dir "$folder/d" --ranks 3 --provider "$provider" --close-patience 5 \
  "x=$folder/x.npy" "a/b c=$folder/two.npy" "größe=$folder/x.npy" "none=$folder/none.npy" "large=$folder/large.npy" \
  >"$folder/serve.log" 2>&1 &
job=$!
set +m
deadline=30
get() { "$tenter" store get --dir "$folder/d" --provider "$provider" --deadline "$deadline" "$@"; }

get large --verify "$folder/large.npy" || fail "every byte of large"
get x --rows 0:1000 --cores 3 --verify "$folder/x.npy" --out "$folder/out.npy" || fail "all rows of x"
cmp "$folder/x.npy" "$folder/out.npy" || fail "the .npy that was written"
get x --rows 330:340 --verify "$folder/x.npy" || fail "rows over a shard's end"
get "a/b c" --verify "$folder/two.npy" || fail "an empty shard, a name with / and a space"
get "größe" --verify "$folder/x.npy" || fail "a name that is not ASCII"
get none --verify "$folder/none.npy" || fail "no rows at all"
get x --rows 990:1001 2>"$folder/error" && fail "a range past the end was not refused"
grep -q 1000 "$folder/error" || fail "the refusal does not say how many rows there are"
get x --verify "$folder/x.npy" || fail "a good read after a refused one"
get x --verify "$folder/two.npy" 2>/dev/null && fail "verify found no difference in a shorter file"
get x --cores 2 2>"$folder/error" && fail "another number of ranks was not refused"
"$tenter" store info --dir "$folder/d" | grep -q "a/b c  int32  2 x 3  3 ranks" || fail "info"

kill -KILL -- "-$job" 2>/dev/null
for pid in $("$tenter" store info --dir "$folder/d" --json - | grep owner_pid | grep -o '[0-9]*' | sort -u); do
  kill -KILL "$pid" 2>/dev/null
done
wait "$job" 2>/dev/null
deadline=3
get x 2>"$folder/error" && fail "a dead job's rows were read"
cat "$folder/error"
grep -q '"x"' "$folder/error" || fail "the error does not name the variable"
echo PASS
