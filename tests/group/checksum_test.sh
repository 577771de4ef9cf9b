#!/bin/sh
# tenter mailbox map checksum against sha256sum: the same bytes on standard output, the same exit code. $1: tenter
set -eu
tenter=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
: >empty
printf 'short\n' >'a name with spaces'
head -c 524288 /dev/urandom >one_chunk
head -c 1700001 /dev/urandom >several_chunks
cp one_chunk 'back\slash'
set -- several_chunks empty missing one_chunk 'a name with spaces' 'back\slash' empty
expected=0
sha256sum -- "$@" >expected 2>/dev/null || expected=$?
got=0
"$tenter" mailbox map checksum --ranks 4 "$@" >got 2>messages || got=$?
cmp expected got
[ "$expected" -eq "$got" ] || { echo "exit code $got, sha256sum's is $expected"; exit 1; }
grep -q 'missing: No such file or directory' messages
