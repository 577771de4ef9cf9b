#!/bin/bash
# directory_tricks.sh TENTER PROVIDER: what is no directory or record of this user's own is refused, by name and at once: symbolic
# links, FIFOs, directories in a file's place, a directory that others may write to, files of another user (as far as this user can make them).
tenter=$1 provider=$2
# shellcheck source=tests/store_hw/serving.sh
. "$(dirname "$0")/serving.sh"
npy "$folder/x.npy" 300 1

# WORD…: a `get x` from the given directory is refused with these words.
refused_in() {
  local where=$1 code
  shift
  timeout -k 1 8 "$tenter" store get x --dir "$where" --deadline 2 --verify "$folder/x.npy" >"$folder/out" 2>"$folder/error"
  code=$?
  case $code in 4 | 64) ;; *) fail "$where: exit code $code" ;; esac
  says "$folder/error" "$@"
}

publish 1 "x=$folder/x.npy"
get 20 x --verify "$folder/x.npy" || fail "a good read before"
record=$folder/d/x.record
kept=$folder/kept
mv "$record" "$kept"

ln -s "$kept" "$record"
refused_in "$folder/d" 'x.record' 'symbolic link'
rm "$record"
mkfifo -m 600 "$record"
refused_in "$folder/d" 'x.record' 'not a regular file'
rm "$record"
mkdir -m 700 "$record"
refused_in "$folder/d" 'x.record' 'not a regular file\|Is a directory'
rmdir "$record"
cp "$kept" "$record"
get 20 x --verify "$folder/x.npy" || fail "a good read after the tricks"

ln -s "$folder/d" "$folder/link"
refused_in "$folder/link" "$folder/link"
for mode in 770 707 777; do
  chmod $mode "$folder/d"
  refused_in "$folder/d" "$folder/d" 'others may write'
done
chmod 700 "$folder/d"
refused_in "$folder/x.npy" "$folder/x.npy" 'directory'

if [ "$(id -u)" -eq 0 ] && chown 12345 "$record" 2>/dev/null; then
  refused_in "$folder/d" 'x.record' '12345' "user $(id -u)"
  get 20 x --owner 12345 --verify "$folder/x.npy" || fail "a record of a user who is allowed by name"
  if timeout -k 1 8 "$tenter" store get x --dir "$folder/d" --deadline 2 --owner 54321 >"$folder/out" 2>"$folder/error"; then
    fail "a record of one user was read, another one was allowed"
  fi
  says "$folder/error" '12345'
  chown 0 "$record"
  chown 12345 "$folder/d"
  refused_in "$folder/d" "$folder/d" '12345' "user $(id -u)"
  chown 0 "$folder/d"
fi
end_job || fail "the job's end"

mkdir -m 777 "$folder/open"
chmod 777 "$folder/open"
if timeout -k 1 20 "$tenter" store serve --dir "$folder/open" --provider "$provider" "x=$folder/x.npy" >"$folder/out" 2>"$folder/error"; then
  fail "a job publishes where others may write"
fi
says "$folder/error" "$folder/open" 'others may write'
echo PASS
