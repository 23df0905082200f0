#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the packages it needs, builds, and runs every test. Ends with a line
# "N passed, N failed, N skipped" and exit 0 if none failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
root=$PWD

usage() {
  cat <<'TXT'
usage: tests/run.sh [--full] [--fuzz SECONDS] [STAGE...]
  --full   also: the benchmarks are compiled; the service, the command line, random
           cases and the longest replays under ASan; clang-tidy of all files; an hour
           of each fuzzer; long integration with tests of Slurm's own testsuite; 1,000
           kills of a daemon, not 50; flows compared with SimGrid's; suites: build,
           unit tests and integration in roots of other Debian suites, with their
           compilers and releases of Slurm; packages installed, upgraded and purged in
           roots of Debian
  --fuzz   seconds of each fuzzer (default: 15; 3600 with --full)
  STAGE    only these: build unit packages asan tsan format tidy fuzz integration
           quickstart suites
Results and logs are in build/test-results.
TXT
}

all_stages=(build unit packages asan tsan format tidy fuzz integration quickstart suites)
full=0
fuzz_seconds=
stages=()
while [ $# -gt 0 ]; do
  argument=$1
  shift
  case $argument in
    --full) full=1 ;;
    --fuzz)
      fuzz_seconds=${1-}
      [ $# -eq 0 ] || shift
      if ! [[ $fuzz_seconds =~ ^[1-9][0-9]{0,5}$ ]]; then
        echo "run.sh: --fuzz: '$fuzz_seconds' is not a number of seconds (expected 1 to 999999)" >&2
        exit 2
      fi
      ;;
    -h | --help) usage && exit 0 ;;
    *)
      if [[ " ${all_stages[*]} " != *" $argument "* ]]; then
        echo "run.sh: unknown argument '$argument' (expected --full, --fuzz or a stage: ${all_stages[*]})" >&2
        exit 2
      fi
      stages+=("$argument")
      ;;
  esac
done
if [ ${#stages[@]} -eq 0 ]; then
  stages=("${all_stages[@]}")
  [ $full -eq 1 ] || unset 'stages[-1]' # suites
fi

results=$root/build/test-results
mkdir -p "$results"
passed=0 failed=0 skipped=0
failures=()

heading() { printf '\n== [%(%H:%M:%S)T] %s\n' -1 "$*"; }
has_stage() { [[ " ${stages[*]} " == *" $1 "* ]]; }
has_any_stage() {
  local stage
  for stage; do has_stage "$stage" && return; done
  return 1
}
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
# record NAME EXIT_CODE: the result of one test that wrote log_of NAME.
record() {
  local log
  log=$(log_of "$1")
  if [ "$2" = 0 ]; then
    pass "$1"
  else
    tail -40 "$log"
    fail "$1 (log: ${log#"$root"/})"
  fi
}
# check NAME COMMAND...: one test that is a command.
check() {
  local name=$1
  shift
  "$@" >"$(log_of "$name")" 2>&1
  record "$name" $?
}
# add_counts PREFIX FILE: adds the last line "N passed, N failed, N skipped" of
# the file, and its lines "FAIL NAME" or "FAILED NAME".
add_counts() {
  local line name
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped' "$2" | tail -1)
  if ! [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped ]]; then
    fail "$1: ended without a count (log: ${2#"$root"/})"
    return
  fi
  passed=$((passed + BASH_REMATCH[1]))
  failed=$((failed + BASH_REMATCH[2]))
  skipped=$((skipped + BASH_REMATCH[3]))
  while read -r _ name; do failures+=("$1: $name"); done < <(grep -E '^FAIL(ED)? ' "$2")
}
finish() {
  heading "result"
  [ ${#failures[@]} -eq 0 ] || printf 'FAILED %s\n' "${failures[@]}"
  echo "$passed passed, $failed failed, $skipped skipped"
  [ $failed -eq 0 ]
}

# build PRESET [CMAKE ARGUMENTS...]
build() {
  local preset=$1 start=$SECONDS
  shift
  cmake --preset "$preset" "$@" >"$results/configure-$preset.log" 2>&1 || {
    tail -40 "$results/configure-$preset.log"
    fail "$preset configuration"
    return 1
  }
  "${background_priority[@]}" cmake --build --preset "$preset" >"$results/build-$preset.log" 2>&1 || {
    grep -E 'error|FAILED' -A4 "$results/build-$preset.log" | head -60
    fail "$preset build (log: build/test-results/build-$preset.log)"
    return 1
  }
  pass "$preset build ($((SECONDS - start)) s)"
}

# test_build NAME BUILD_DIR CTEST ARGUMENTS...: every gtest counts, not every
# process of them.
test_build() {
  local name=$1 dir=$2 start=$SECONDS count=$results/$1-tests.txt
  shift 2
  rm -rf "$dir/test-reports" "$results/ctest-$name.xml"
  "${background_priority[@]}" ctest --test-dir "$dir" -j "$(nproc)" --output-on-failure --no-tests=error \
    --output-junit "$results/ctest-$name.xml" \
    --test-output-size-passed 1000000 --test-output-size-failed 1000000 "$@" \
    >"$results/ctest-$name.log" 2>&1 || true
  tests/count_tests.py "$results/ctest-$name.xml" "$dir/test-reports" >"$count" 2>&1 ||
    grep -v '^SKIPPED' "$count" | head -n -1
  grep -h '^SKIPPED' "$count" | sed 's/^[^:]*: //' | sort | uniq -c | sort -rn | sed 's/^ */skipped: /' | head -10
  add_counts "$name" "$count"
  echo "$name: $(tail -1 "$count") ($((SECONDS - start)) s, log: build/test-results/ctest-$name.log)"
}

# Clusters of a real Slurm wait most of the time, so they run beside the builds
# and tests with sanitizers, which leave them the processor when they need it.
background_priority=()
# How often tests/integration/kill_under_fire_test.cc kills a daemon.
[ $full -eq 0 ] || export COOLSPAN_KILLS=1000 COOLSPAN_FAIL_OVERS=50
clusters_pid=
clusters_log=$results/integration.log
testsuite_log=$results/slurm-testsuite.log
run_clusters() {
  local length=--short code
  [ $full -eq 0 ] || length=--long
  if has_stage integration; then
    tests/integration/run $length build/release
    [ $full -eq 0 ] || tests/slurm_testsuite/run build/release >"$testsuite_log" 2>&1
  else
    echo "0 passed, 0 failed, 0 skipped"
  fi
  if has_stage quickstart; then
    ./deploy/quickstart.sh >"$(log_of quickstart)" 2>&1
    code=$?
    echo $code >"$results/quickstart.code"
  fi
}
start_clusters() {
  rm -f "$results/quickstart.code"
  # A process group of its own: an interrupted run ends all of it.
  set -m
  run_clusters >"$clusters_log" 2>&1 &
  clusters_pid=$!
  set +m
  background_priority=(nice -n 5)
}
end_clusters() {
  [ -z "$clusters_pid" ] || kill -TERM -- "-$clusters_pid" 2>/dev/null
}
trap end_clusters EXIT
trap 'exit 130' INT TERM
collect_clusters() {
  [ -n "$clusters_pid" ] || return 0
  heading "integration with a real Slurm (started before the builds with sanitizers)"
  tail -n +1 -f --pid="$clusters_pid" "$clusters_log" &
  wait $! # unlike tail itself, ended by a signal
  wait "$clusters_pid"
  clusters_pid=
  add_counts integration "$clusters_log"
  if [ $full -ne 0 ] && has_stage integration; then
    cat "$testsuite_log"
    add_counts "Slurm's testsuite" "$testsuite_log"
  fi
  if has_stage quickstart; then
    if grep -q 'skipped: no Slurm plugin' "$(log_of quickstart)"; then
      skipped=$((skipped + 1))
      echo "SKIP quickstart: no jobs were run, see build/test-results/quickstart.log"
    else
      record quickstart "$(cat "$results/quickstart.code" 2>/dev/null || echo 1)"
    fi
  fi
}

heading "packages"
sets=(all)
[ $full -eq 0 ] || sets+=(full)
./deploy/install-deps "${sets[@]}" || { fail "install-deps"; finish; exit 1; }
slurm_source=$(./deploy/fetch-slurm-source) || slurm_source=

if has_any_stage build unit packages integration quickstart; then
  heading "release build"
  preset=release
  [ $full -eq 0 ] || preset=bench
  build $preset ${slurm_source:+-DSLURM_SOURCE_DIR="$slurm_source"} || { finish; exit 1; }
fi

if has_stage unit; then
  heading "unit, property, golden and wire tests"
  test_build unit build/release
fi

if has_stage packages; then
  heading "Debian packages of the release build"
  package_options=(--short)
  [ $full -eq 0 ] || package_options=()
  if [ -n "$slurm_source" ]; then
    tests/integration/packages_test.py "${package_options[@]}" build/release >"$(log_of packages)" 2>&1
    code=$?
    if [ $code = 77 ]; then
      skipped=$((skipped + 1))
      echo "SKIP packages: $(tail -1 "$(log_of packages)")"
    else
      record packages $code
    fi
  else
    skipped=$((skipped + 1))
    echo "SKIP packages: no source of Slurm"
  fi
fi

if has_any_stage integration quickstart; then start_clusters; fi

if has_any_stage asan fuzz; then
  long_tests=OFF
  [ $full -eq 0 ] || long_tests=ON
  heading "AddressSanitizer and UBSan (service, command line and random cases: $long_tests)"
  asan_built=no
  ! build asan -DCOOLSPAN_LONG_TESTS=$long_tests || asan_built=yes
fi
if has_stage asan && [ $asan_built = yes ]; then
  # Two replays of 18,000 jobs under 16 policies, and the ordering of 3,456 nodes
  # of a dragonfly in each shard, take half of the time.
  left_out='-ReferenceMeansTest*:*/*Theta'
  [ $full -eq 0 ] || left_out='*'
  GTEST_FILTER=$left_out test_build asan build/asan
fi

if has_stage tsan; then
  heading "ThreadSanitizer: what several threads share, without gRPC"
  ! build tsan || test_build tsan build/tsan -L threads
fi

if has_stage format; then
  heading "clang-format"
  check_format() {
    local files
    files=$(git ls-files '*.cc' '*.h' '*.c') && [ -n "$files" ] || {
      echo "git ls-files shows no source files (expected a clone that this user owns)"
      return 1
    }
    xargs clang-format --dry-run -Werror <<<"$files"
  }
  check "clang-format" check_format
fi

if has_stage tidy; then
  heading "clang-tidy"
  # What there is no time for is left to --full, and counted as skipped.
  tidy_files=(--minutes 6)
  [ $full -eq 0 ] || tidy_files=(--all)
  # Its compile commands are of single files.
  lint() {
    cmake --preset debug ${slurm_source:+-DSLURM_SOURCE_DIR="$slurm_source"} >/dev/null &&
      cmake --build --preset debug --target coolspan_proto_sources >/dev/null &&
      tests/lint.py "${tidy_files[@]}" build/debug
  }
  check "clang-tidy" lint
  head -1 "$(log_of clang-tidy)"
  left=$(sed -nE 's/^.*, ([0-9]+) not read for lack of time$/\1/p' "$(log_of clang-tidy)")
  if [ "${left:-0}" -gt 0 ]; then
    echo "skipped: $left files that changed since tests/clang-tidy-base, for lack of time (--full reads all)"
    skipped=$((skipped + left))
  fi
fi

if has_stage fuzz && [ $asan_built = yes ]; then
  seconds=15
  [ $full -eq 0 ] || seconds=3600
  seconds=${fuzz_seconds:-$seconds}
  heading "fuzzers, $seconds s each"
  # One per processor at a time; prints "NAME EXIT_CODE". rpc_fuzz:NAME begins
  # each input with that RPC.
  fuzz_one() {
    local name=$1 program=${1%%:*} corpus
    corpus=$results/corpus/$program
    local folders=("$corpus")
    [ ! -d "tests/fuzz/corpus/$program" ] || folders+=("tests/fuzz/corpus/$program")
    mkdir -p "$corpus"
    [ "$name" = "$program" ] || export COOLSPAN_FUZZ_RPC=${name#*:}
    timeout -s KILL $((seconds + 120)) \
      "build/asan/bin/$program" -max_total_time="$seconds" -timeout=30 -rss_limit_mb=2048 \
      -print_final_stats=1 -artifact_prefix="$results/${name//:/-}-" "${folders[@]}" \
      >"$results/${name//:/_}.log" 2>&1
    echo "$name $?"
  }
  export -f fuzz_one
  export results seconds
  fuzzers=()
  for program in build/asan/bin/*_fuzz; do
    program=${program##*/}
    if [ "$program" = rpc_fuzz ]; then
      while read -r rpc; do fuzzers+=("rpc_fuzz:$rpc"); done < <(
        sed -nE 's/^ *\{"([A-Za-z]+)", &Target::.*/\1/p' tests/fuzz/rpc_fuzz.cc)
    else
      fuzzers+=("$program")
    fi
  done
  ended=0
  while read -r name code; do
    record "$name" "$code"
    ended=$((ended + 1))
  done < <(printf '%s\n' "${fuzzers[@]}" | "${background_priority[@]}" xargs -P"$(nproc)" -I{} bash -c 'fuzz_one {}')
  [ "$ended" -eq ${#fuzzers[@]} ] || fail "fuzzers: $ended of ${#fuzzers[@]} ended with an exit code"
fi

collect_clusters

packages_of_suite() {
  local revision folders=()
  for revision in 1 2; do
    folders+=("build/packages/$1-$revision")
    ./deploy/build-packages --suite "$1" --revision "$revision" --output "${folders[-1]}" || return
  done
  tests/integration/packages_test.py --suite "$1" --packages "${folders[0]}" --newer "${folders[1]}"
}

# sid moves: its result is shown, and counts for nothing.
if has_stage suites; then
  this_suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  for suite in bookworm trixie sid; do
    [ "$suite" != "$this_suite" ] || continue
    heading "Debian $suite: build, unit tests, integration and quickstart"
    log=$(log_of "suite-$suite")
    ./deploy/in-suite "$suite" ./tests/run.sh build unit integration quickstart 2>&1 |
      tee "$log" | grep -E '^(==|PASS|FAIL|[0-9]+ passed)' | sed "s/^/$suite: /"
    [ "$suite" = sid ] || add_counts "$suite" "$log"
    # From an installation to an enforced job, under systemd.
    [ "$suite" = sid ] || check "packages-$suite" packages_of_suite "$suite"
    # No containers run in a chroot: from here, with what was built there.
    log=$(log_of "containers-$suite")
    COOLSPAN_CONTAINERS="--suite $suite --build ${XDG_CACHE_HOME:-$HOME/.cache}/coolspan/root-$suite/coolspan-build/release" \
      tests/integration/run --long --only take_over_in_the_middle_of_200_jobs \
      --only chaos_of_hosts build/release 2>&1 | tee "$log"
    [ "$suite" = sid ] || add_counts "$suite in containers" "$log"
  done
fi
finish
