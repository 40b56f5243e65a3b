#!/usr/bin/env bash
# Installs the servers of the test bed, each once, into a cache outside the clone.
#
#   tests/bed/install.sh                  every server
#   tests/bed/install.sh postgres         the named ones
#
# KOLLECT_BED_DIR moves the cache. What is there already is kept, so a stopped run goes on where
# it was, and two runs at once do the work once. Each file in install/ brings one server.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bed=${KOLLECT_BED_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/kollect/bed}

step() { printf 'bed: %s\n' "$*"; }

fail() {
	printf 'bed: %s\n' "$*" >&2
	exit 1
}

# need COMMAND ADVICE: stops with the advice when the command is missing.
need() { command -v "$1" >/dev/null || fail "'$1' is missing: $2"; }

# quietly COMMAND...: runs it, and shows the end of what it printed only if it fails.
quietly() {
	local log status=0
	log=$(mktemp)
	"$@" >"$log" 2>&1 || status=$?
	if ((status != 0)); then
		tail -n 40 "$log" >&2
		rm -f "$log"
		fail "'$*' failed with status $status; its last lines are above"
	fi
	rm -f "$log"
}

# pinned GO_MOD MODULE: the version that a go.mod requires of a module, without its leading v.
pinned() {
	awk -v module="$2" '
		{ sub(/^require /, "") }
		$1 == module && $2 ~ /^v/ { print substr($2, 2); exit }
	' "$1"
}

# once TARGET RECIPE...: makes TARGET by calling `RECIPE... PART` and renaming PART when it is whole.
once() {
	local target=$1 name
	shift
	name=${target#"$bed"/}
	if [[ -e $target ]]; then
		step "$name is there"
		return
	fi
	mkdir -p "$(dirname "$target")"
	(
		flock -n 9 || {
			step "$name: another run installs it, waiting"
			flock -w 3600 9 || fail "waited an hour for another run to install $name; end it and run again"
		}
		if [[ ! -e $target ]]; then
			step "$name: installing"
			rm -rf "$target.part"
			"$@" "$target.part"
			mv -T "$target.part" "$target"
		fi
	) 9>"$target.lock"
	step "$name is ready"
}

# install_server NAME: runs install/NAME.sh with the functions above, apart from the other servers.
install_server() {
	local recipe=$here/install/$1.sh
	[[ -f $recipe ]] || fail "no server '$1'; there are: $(server_names | paste -sd' ')"
	(
		# shellcheck source=/dev/null
		source "$recipe"
	)
}

server_names() {
	local recipe
	for recipe in "$here"/install/*.sh; do
		basename "$recipe" .sh
	done
}

need flock "install util-linux (on macOS: brew install flock)"
need ps "install procps; the servers are watched with it"
if (($# == 0)); then
	mapfile -t names < <(server_names)
	set -- "${names[@]}"
fi
for name in "$@"; do
	install_server "$name"
done
