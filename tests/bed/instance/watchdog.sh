# shellcheck shell=sh
# Ends the servers of one instance and removes its folder ($1) once the owner is gone.
#
# The owner holds the other end of standard input and says `watch PID` and `forget PID`. However
# the owner ends, the system closes that end, and the loop below is over.

# Asking the owner's terminal or process group to stop must not stop the watchdog before its work.
trap '' HUP INT TERM

pids=
while read -r order pid; do
	case $order in
	watch) pids="$pids $pid" ;;
	forget)
		rest=
		for watched in $pids; do
			[ "$watched" = "$pid" ] || rest="$rest $watched"
		done
		pids=$rest
		;;
	esac
done

for pid in $pids; do
	# Stopped first, it starts no more children while they are listed. Children of a database
	# server are in process groups of their own.
	kill -s STOP "$pid"
	children=$(ps -A -o pid= -o ppid= | awk -v parent="$pid" '$2 == parent { print $1 }')
	# shellcheck disable=SC2086
	kill -s KILL -- "-$pid" $children
done

# What was just killed may still be writing its last file.
tries=0
until rm -rf -- "$1" || [ "$tries" -ge 20 ]; do
	tries=$((tries + 1))
	sleep 1
done
