# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# closed.sh STATUS COMMAND...: runs the command with each choice of standard streams closed and
# expects the exit status; what it writes to streams that are open must name no plug-in. A status
# of "prints" is 0, where nothing keeps the command from printing, and else 0 or 1.
wanted=$1
shift
for closed in "" "<&-" ">&-" "2>&-" "<&- >&-" "<&- 2>&-" ">&- 2>&-" "<&- >&- 2>&-"; do
  rm -f out.log err.log
  output="> out.log" errors="2> err.log" statuses=$wanted
  [ $wanted = prints ] && statuses=0
  case " $closed" in *" >&-"*)
    output=""
    [ $wanted = prints ] && statuses="0 1" ;;
  esac
  case " $closed" in *" 2>&-"*) errors="" ;; esac
  eval "\"\$@\" $output $errors $closed"
  status=$?
  case " $statuses " in *" $status "*) fits=1 ;; *) fits=0 ;; esac
  if [ $fits = 0 ] || grep -s registration out.log err.log; then
    echo "$* $closed: exit $status, expected $statuses"
    [ -f err.log ] && cat err.log
    exit 1
  fi
done
