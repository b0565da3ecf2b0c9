#!/bin/sh
# Starts a program of the service: `scripts/start.sh main`, `worker`, `scanner`, or `ops` with a command.
# The options of Node and the C library keep memory small without limiting it (docs/deploy.md, Memory).
set -eu
program=$1
shift
case $program in
  main) new_objects_mb=8 ;;
  worker) new_objects_mb=16 ;;
  *) new_objects_mb= ;;
esac
options=--disable-warning=ExperimentalWarning
if [ -n "$new_objects_mb" ]; then
  options="$options --max-semi-space-size=$new_objects_mb --heap-growing-percent=25 --no-parallel-scavenge"
  export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
fi
# shellcheck disable=SC2086 -- several options
exec node $options "${0%/*}/../dist/$program.js" "$@"
