#!/bin/bash
# inside_the_job.sh TENTER METHOD: three ranks publish arrays by a method that needs no directory, and each reads all rows back and
# compares every byte. Equal, unequal and empty shards; rows of 1 byte to 16 MiB; an array that is cut refuses the whole job.
set -u
tenter=$1 method=$2
command -v mpiexec >/dev/null || { echo "skip: no mpiexec"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "FAILED: $*"; cat "$folder/log"; exit 1; }

# .npy of uint8, format 1.0: FILE ROWS ROW_BYTES, bytes that count.
npy() {
  local head="{'descr': '|u1', 'fortran_order': False, 'shape': ($2, $3), }"
  printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$head" >"$1"
  [ "$2" -eq 0 ] || seq 1 $(($2 * $3)) | head -c $(($2 * $3)) >>"$1"
}
npy "$folder/bytes.npy" 1000 1
npy "$folder/two.npy" 2 48
npy "$folder/none.npy" 0 8
npy "$folder/wide.npy" 5 $((16 * 1024 * 1024))
run() { timeout 60 mpiexec -n 3 "$tenter" store serve --method "$method" --verify --ranks 3 "$@" >"$folder/log" 2>&1; }

for shares in 1,1,1 1,0,5 0,0,1; do
  run --shares $shares "bytes=$folder/bytes.npy" "a/b c=$folder/two.npy" "größe=$folder/none.npy" "wide=$folder/wide.npy" ||
    fail "shares $shares: exit code"
  grep -q "every byte equal on 3 ranks" "$folder/log" || fail "shares $shares"
done
head -c 200 "$folder/bytes.npy" >"$folder/cut.npy"
run "bytes=$folder/cut.npy" && fail "a cut array was published"
grep -q "cut.npy" "$folder/log" || fail "the file is not named"
echo PASS
