# Reads ctest's JUnit file and prints a line a test: name<TAB>passed|failed|skipped<TAB>reason.
# Skipped are a matched SKIP_REGULAR_EXPRESSION, a SKIP_RETURN_CODE and DISABLED; a test whose program is missing has failed. The
# reason is what GTEST_SKIP() was given, or what follows "skip:" in the output of a script.
function flush() { if (name != "") printf "%s\t%s\t%s\n", name, outcome, reason }
/<testcase / {
  flush()
  name = $0
  sub(/.*<testcase name="/, "", name)
  sub(/" classname=.*/, "", name)
  gsub(/&quot;/, "\"", name)
  gsub(/&lt;/, "<", name)
  gsub(/&gt;/, ">", name)
  gsub(/&amp;/, "\\&", name)
  outcome = /status="run"/ ? "passed" : /status="disabled"/ ? "skipped" : "failed"
  reason = /status="disabled"/ ? "disabled" : ""
  next_is_reason = 0
}
/<skipped message="SKIP_/ { outcome = "skipped" }
/<failure / { outcome = "failed" }
next_is_reason { reason = $0; next_is_reason = 0 }
/: Skipped$/ { next_is_reason = 1 }
reason == "" && /(^|<system-out>)skip: / { reason = $0; sub(/.*skip: /, "", reason) }
END { flush() }
