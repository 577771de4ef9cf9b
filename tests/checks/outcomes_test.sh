#!/usr/bin/env bash
# Usage: outcomes_test.sh
#
# scripts/outcomes.awk tells passed, failed and skipped tests apart in a file as ctest 3.25 writes it, with the reason of a skip.

set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

actual=$(awk -f "$root/scripts/outcomes.awk" <<'XML'
<testsuite name="x" tests="6">
	<testcase name="a.Lane.passes" classname="a.Lane.passes" time="0.01" status="run">
		<system-out>[       OK ] Lane.passes (0 ms)
</system-out>
	</testcase>
	<testcase name="a.Lane.is_skipped" classname="a.Lane.is_skipped" time="0.01" status="notrun">
		<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
		<system-out>[ RUN      ] Lane.is_skipped
tests/a.cpp:3: Skipped
no MPI here
[  SKIPPED ] Lane.is_skipped (0 ms)
</system-out>
	</testcase>
	<testcase name="script" classname="script" time="0.01" status="notrun">
		<skipped message="SKIP_RETURN_CODE=77"/>
		<system-out>skip: no formatter
</system-out>
	</testcase>
	<testcase name="a.Lane.&quot;x&quot;" classname="q" time="0.01" status="fail">
		<failure message=""/>
		<system-out></system-out>
	</testcase>
	<testcase name="not_built" classname="not_built" time="0" status="notrun">
		<skipped message="Unable to find executable"/>
		<system-out>Unable to find executable: not_built</system-out>
	</testcase>
	<testcase name="off" classname="off" time="0" status="disabled">
		<system-out>Disabled</system-out>
	</testcase>
</testsuite>
XML
)
expected=$(printf '%s\t%s\t%s\n' a.Lane.passes passed '' a.Lane.is_skipped skipped 'no MPI here' script skipped 'no formatter' \
  'a.Lane."x"' failed '' not_built failed '' off skipped disabled)
diff <(printf '%s\n' "$expected") <(printf '%s\n' "$actual")
