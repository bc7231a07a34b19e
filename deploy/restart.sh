#!/usr/bin/env bash
# Repeats a command until its run has ended, on machines without a scheduler:
#   deploy/restart.sh mpirun -np 4 --hostfile hosts ./gossamer train --data data/products --run-folder runs/products --resume auto
# Ends with the command's status if that is 0, 2 (wrong usage or input) or 3 (the training diverged), which no repetition helps, or 130
# (interrupted), if this script itself is told to end, and after RESTARTS repetitions (20). Waits PAUSE seconds (10) before each.
set -u
case " $* " in
  *' --resume auto '* | *' --resume=auto '*) ;;
  *) echo "$0: expected a command with --resume auto, found: $*" >&2; exit 2 ;;
esac

told=
child=
pass_on() {
  told=1
  [ -z "$child" ] || kill -TERM "$child" 2>/dev/null
}
trap pass_on HUP INT TERM

for ((restart = 1; ; restart++)); do
  "$@" <&0 &
  child=$!
  # A signal to this script ends `wait` early.
  while wait "$child" 2>/dev/null; status=$?; kill -0 "$child" 2>/dev/null; do :; done
  case $status in 0 | 2 | 3 | 130) exit "$status" ;; esac
  [ -z "$told" ] && [ "$restart" -le "${RESTARTS:-20}" ] || exit "$status"
  echo "$0: status $status; restart $restart of ${RESTARTS:-20}" >&2
  # Ends with a signal to this script, too.
  sleep "${PAUSE:-10}" &
  child=$!
  wait "$child" 2>/dev/null
  [ -z "$told" ] || exit "$status"
done
