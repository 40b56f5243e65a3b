# shellcheck shell=bash
# Chromium, a browser without a screen: the one on this machine, else Debian's. KOLLECT_TEST_CHROMIUM
# names another. The bed keeps a link to it.

: "${bed:?install.sh runs this file}"

# Prints the first browser that is found.
chromium_program() {
	local name
	for name in chromium chromium-browser google-chrome google-chrome-stable; do
		# Not `command -v`, which also finds functions.
		if type -P "$name"; then
			return
		fi
	done
	return 1
}

chromium() {
	if [[ -n ${KOLLECT_TEST_CHROMIUM:-} ]]; then
		[[ -x $KOLLECT_TEST_CHROMIUM ]] || fail "KOLLECT_TEST_CHROMIUM names $KOLLECT_TEST_CHROMIUM, which is no program"
		step "chromium is taken from KOLLECT_TEST_CHROMIUM"
		return
	fi
	local program
	if ! program=$(chromium_program); then
		if ((EUID != 0)) || ! command -v apt-get >/dev/null; then
			fail "no browser is installed: install Chromium, or set KOLLECT_TEST_CHROMIUM to a browser that understands Chromium's flags"
		fi
		step "chromium: installing Debian's package"
		quietly apt-get update
		DEBIAN_FRONTEND=noninteractive quietly apt-get install --yes --no-install-recommends chromium
		program=$(chromium_program) || fail "Debian's chromium package brought no browser"
	fi
	once "$bed/chromium" ln -s "$program"
}

chromium
