#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what it needs, builds, and runs every test. Ends with a line
# "N passed, N failed, N skipped" and exit 0 when none failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
root=$PWD

usage() {
  cat <<'TXT'
usage: tests/run.sh [--full] [STAGE...]
  --full   the long rest too: the service and the longest replays under ASan,
           clang-tidy of all files, long fuzzing, long chaos
  STAGE    only these: build unit asan tsan format tidy fuzz integration quickstart
Results and logs go to build/test-results.
TXT
}

full=0
stages=()
for argument in "$@"; do
  case $argument in
    --full) full=1 ;;
    -h | --help) usage && exit 0 ;;
    build | unit | asan | tsan | format | tidy | fuzz | integration | quickstart) stages+=("$argument") ;;
    *)
      echo "run.sh: unknown argument '$argument'" >&2
      usage >&2
      exit 2
      ;;
  esac
done
if [ ${#stages[@]} -eq 0 ]; then
  stages=(build unit asan tsan format tidy fuzz integration quickstart)
fi

results=$root/build/test-results
mkdir -p "$results"
# What another clone has compiled need not be compiled again.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root} CCACHE_NOHASHDIR=1
passed=0 failed=0 skipped=0
failures=()

say() { printf '\n== [%(%H:%M:%S)T] %s\n' -1 "$*"; }
wanted() { [[ " ${stages[*]} " == *" $1 "* ]]; }
fail() {
  failed=$((failed + 1))
  failures+=("$1")
  echo "FAIL $1"
}
pass() {
  passed=$((passed + 1))
  echo "PASS $1"
}
log_of() { echo "$results/${1//[^a-zA-Z0-9_.-]/_}.log"; }
# judge NAME CODE: one test that ended with that exit code, and wrote its log.
judge() {
  local log
  log=$(log_of "$1")
  if [ "$2" = 0 ]; then
    pass "$1"
  else
    tail -40 "$log"
    fail "$1 (log: ${log#"$root"/})"
  fi
}
# check NAME COMMAND...: one test that is a command; its output goes to a log.
check() {
  local name=$1
  shift
  "$@" >"$(log_of "$name")" 2>&1
  judge "$name" $?
}

# build_preset PRESET [CMAKE ARGUMENTS...]
build_preset() {
  local preset=$1
  shift
  cmake --preset "$preset" "$@" >"$results/configure-$preset.log" 2>&1 || {
    tail -40 "$results/configure-$preset.log"
    return 1
  }
  cmake --build --preset "$preset" >"$results/build-$preset.log" 2>&1 || {
    grep -E 'error|FAILED' -A4 "$results/build-$preset.log" | head -60
    return 1
  }
}

# count_ctest NAME BUILD_DIR CTEST ARGUMENTS...: adds what ctest counted.
count_ctest() {
  local name=$1 dir=$2 junit=$results/ctest-$1.xml
  shift 2
  rm -f "$junit"
  ctest --test-dir "$dir" -j2 --output-on-failure --output-junit "$junit" "$@" \
    >"$results/ctest-$name.log" 2>&1
  local code=$? total bad skips
  total=$(grep -o -m1 'tests="[0-9]*"' "$junit" 2>/dev/null | tr -dc 0-9)
  bad=$(grep -o -m1 'failures="[0-9]*"' "$junit" 2>/dev/null | tr -dc 0-9)
  skips=$(grep -o -m1 'skipped="[0-9]*"' "$junit" 2>/dev/null | tr -dc 0-9)
  if [ -z "$total" ] || [ "$total" -eq 0 ]; then
    fail "$name: ctest ran no test (log: build/test-results/ctest-$name.log)"
    return
  fi
  passed=$((passed + total - bad - skips))
  skipped=$((skipped + skips))
  if [ "$bad" -gt 0 ]; then
    failed=$((failed + bad))
    while read -r line; do failures+=("$name: $line"); done < <(
      sed -n 's/^[ \t]*[0-9]* - \(.*\) (\(Failed\|Timeout\|SEGFAULT\|Subprocess.*\|.*Exception.*\))$/\1/p' "$results/ctest-$name.log")
    grep -E '\*\*\*|Failure$' -A12 "$results/ctest-$name.log" | head -120
  elif [ $code -ne 0 ]; then
    fail "$name: ctest exit $code"
  fi
  [ "$skips" -eq 0 ] || grep -hE 'not on this host' "$results/ctest-$name.log" | sort -u | head -5
  echo "$name: $((total - bad - skips)) passed, $bad failed, $skips skipped"
}

say "installing what is missing"
./deploy/install-deps all || { fail "install-deps"; echo "0 passed, 1 failed"; exit 1; }

slurm_source=$(./deploy/fetch-slurm-source) || slurm_source=

if wanted build || wanted unit || wanted integration || wanted tidy || wanted quickstart; then
  say "release build"
  if build_preset release ${slurm_source:+-DSLURM_SOURCE_DIR="$slurm_source"}; then
    pass "release build"
  else
    fail "release build"
    echo "$passed passed, $failed failed, $skipped skipped"
    exit 1
  fi
fi

if wanted unit; then
  say "unit, property and golden tests"
  count_ctest unit build/release
fi

if wanted asan; then
  service_tests=OFF
  [ $full -eq 0 ] || service_tests=ON
  say "AddressSanitizer and UBSan (tests of the service: $service_tests)"
  # Two replays of 18,000 jobs under 16 policies take half of the time.
  left_out=(-E '^ReferenceMeansTest')
  [ $full -eq 0 ] || left_out=()
  if build_preset asan -DCOOLSPAN_SERVICE_TESTS=$service_tests; then
    count_ctest asan build/asan "${left_out[@]}"
  else
    fail "asan build"
  fi
fi

if wanted tsan; then
  say "ThreadSanitizer: core, policies, state and the client's queue"
  if build_preset tsan; then
    count_ctest tsan build/tsan -L threads
  else
    fail "tsan build"
  fi
fi

if wanted format; then
  say "clang-format"
  check "clang-format" bash -c 'git ls-files "*.cc" "*.h" "*.c" | xargs -r clang-format --dry-run -Werror'
fi

if wanted tidy; then
  say "clang-tidy"
  # Changed since the commit of the last full run, as docs/verified.md says.
  base=$(sed -n 's/^commit: \([0-9a-f]\{7,40\}\).*/\1/p' docs/verified.md 2>/dev/null | head -1)
  if [ $full -eq 1 ] || [ -z "$base" ] || ! git cat-file -e "$base^{commit}" 2>/dev/null; then
    mapfile -t changed < <(git ls-files '*.cc')
  else
    mapfile -t changed < <(git diff --name-only --diff-filter=d "$base" -- '*.cc')
  fi
  # Tests and fuzzers are left to the compiler's warnings.
  mapfile -t changed < <(printf '%s\n' "${changed[@]}" | grep -E '^(daemon|plugin)/')
  if [ ${#changed[@]} -gt 0 ]; then
    tidy_one() { clang-tidy -p build/release --quiet --extra-arg=-Wno-unknown-warning-option "$1" 2>/dev/null; }
    export -f tidy_one
    check "clang-tidy of ${#changed[@]} files" \
      bash -c 'printf "%s\n" "$@" | xargs -P2 -I{} bash -c "tidy_one {}"' _ "${changed[@]}"
  fi
fi

if wanted fuzz; then
  seconds=15
  [ $full -eq 0 ] || seconds=120
  say "fuzzers, $seconds s each"
  if build_preset fuzz; then
    # As many at a time as there are cores; a line with each one's exit code.
    fuzz_one() {
      local name corpus
      name=$(basename "$1")
      corpus=$results/corpus/$name
      local folders=("$corpus")
      [ ! -d "tests/fuzz/corpus/$name" ] || folders+=("tests/fuzz/corpus/$name")
      mkdir -p "$corpus"
      timeout -s KILL $((seconds + 120)) \
        "$1" -max_total_time="$seconds" -timeout=30 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix="$results/$name-" "${folders[@]}" \
        >"$results/$name.log" 2>&1
      echo "$name $?"
    }
    export -f fuzz_one
    export results seconds
    fuzzers=(build/fuzz/bin/*_fuzz)
    ended=0
    while read -r name code; do
      judge "$name" "$code"
      ended=$((ended + 1))
    done < <(printf '%s\n' "${fuzzers[@]}" | xargs -P"$(nproc)" -I{} bash -c 'fuzz_one {}')
    [ "$ended" -eq ${#fuzzers[@]} ] || fail "fuzzers: $ended of ${#fuzzers[@]} said how they ended"
  else
    fail "fuzz build"
  fi
fi

if wanted integration; then
  length=--short
  [ $full -eq 0 ] || length=--long
  say "integration with a real Slurm"
  log=$results/integration.log
  tests/integration/run $length build/release 2>&1 | tee "$log"
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -1)
  if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)? ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
    skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
    while read -r test; do failures+=("integration: $test"); done < <(grep -E '^FAIL' "$log")
  else
    fail "integration: ended without a count"
  fi
fi

if wanted quickstart; then
  say "quickstart"
  check "deploy/quickstart.sh" ./deploy/quickstart.sh
fi

say "result"
printf '%s\n' "${failures[@]/#/FAILED }" | grep -v '^$'
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
