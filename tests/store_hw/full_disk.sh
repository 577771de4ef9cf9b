#!/bin/bash
# full_disk.sh TENTER PROVIDER: the store's directory is on a disk without room (a small tmpfs in a user namespace, where the machine
# lets one be mounted). Publishing fails on all ranks with the file and the phase named, leaves nothing, and works when there is room.
# Without such a namespace a file-size limit takes the disk's place.
tenter=$1 provider=$2
if [ "${3:-}" != inside ] && unshare -rm true 2>/dev/null; then exec unshare -rm "$0" "$tenter" "$provider" inside; fi
# shellcheck source=tests/store_hw/serving.sh
. "$(dirname "$0")/serving.sh"
npy "$folder/x.npy" 300 1
on_disk=''
if mount -t tmpfs -o size=64k,mode=700 tmpfs "$folder/d" 2>/dev/null; then
  on_disk=yes
  trap 'kill_job; wait 2>/dev/null; umount "$folder/d"; rm -rf "$folder"' EXIT
  head -c 1000000 /dev/zero >"$folder/d/filler" 2>/dev/null  # as much as there is room for
fi
limit() { [ -n "$on_disk" ] || ulimit -f 0; }

(
  limit
  timeout 60 mpiexec -n 2 "$tenter" store serve --dir "$folder/d" --ranks 2 --provider "$provider" "x=$folder/x.npy" 2>&1
) | cat >"$folder/error"
code=${PIPESTATUS[0]}
if grep -q "$provider: fi_getinfo" "$folder/error"; then
  echo "skip: no provider $provider"
  exit 77
fi
[ "$code" -ne 124 ] || fail "the job hangs on a full disk"
[ "$code" -ne 0 ] || fail "a job on a full disk says that it published"
says "$folder/error" 'rank [01]' 'write\|fsync\|create\|make' 'No space left\|File too large'
! leftover | grep -qv 'filler$' || fail "left on the full disk: $(leftover)"

rm -f "$folder/d/filler"
publish 2 "x=$folder/x.npy"
get 20 x --verify "$folder/x.npy" || fail "a read after there was room"
end_job || fail "the job's end"
[ -z "$(leftover)" ] || fail "left in the directory: $(leftover)"
echo PASS
