#!/usr/bin/env bash
# Shows Kollect at work: a real Kubernetes API server, a real PostgreSQL and the operator between them, all on this
# machine and gone afterwards.
#
#   tests/demo.sh           ends by itself
#   tests/demo.sh --keep    goes on until Ctrl-C and says how to look around
#
# KOLLECT_DEMO_PROGRAMS names a folder with `kollect` and `kollect-bed`, which are built otherwise.
set -euo pipefail
shopt -s inherit_errexit
# The demo has servers of its own, also where the tests are pointed to others.
unset KOLLECT_TEST_KUBECONFIG KOLLECT_TEST_POSTGRES_URL

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bed=${KOLLECT_BED_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/kollect/bed}
keep=
case ${1:-} in
'') ;;
--keep) keep=yes ;;
*)
	echo "usage: tests/demo.sh [--keep]" >&2
	exit 2
	;;
esac

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }

fail() {
	printf 'demo: %s\n' "$*" >&2
	exit 1
}

files=$(mktemp -d)
children=()
finish() {
	local status=$? child
	trap '' INT TERM
	for child in "${children[@]}"; do
		kill "$child" 2>/dev/null || true
	done
	for child in "${children[@]}"; do
		wait "$child" 2>/dev/null || true
	done
	if ((status != 0 && status != 130)) && [[ -s $files/operator.log ]]; then
		printf 'demo: the end of the operator'\''s log:\n' >&2
		tail -n 20 "$files/operator.log" >&2
	fi
	rm -rf "$files"
	exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

# until_true SECONDS WHAT COMMAND...: waits until the command succeeds.
until_true() {
	local deadline=$((SECONDS + $1)) what=$2
	shift 2
	until "$@" >/dev/null 2>&1; do
		((SECONDS < deadline)) || fail "$what: not within the time that was allowed"
		sleep 0.05
	done
}

# from_bed NAME PROGRAM: the folder of a program of the bed; KUBEBUILDER_ASSETS comes first, as in the tests.
from_bed() {
	local candidate
	for candidate in "${KUBEBUILDER_ASSETS:-/nonexistent}/$2" "$bed"/"$1"*/"$2"; do
		if [[ -x $candidate ]]; then
			printf '%s\n' "$candidate"
			return
		fi
	done
	fail "$2 is not in $bed; run tests/bed/install.sh"
}

programs() {
	if [[ -n ${KOLLECT_DEMO_PROGRAMS:-} ]]; then
		printf '%s\n' "$KOLLECT_DEMO_PROGRAMS"
		return
	fi
	cargo build --locked --quiet --manifest-path "$here/../Cargo.toml" -p kollect -p kollect-testbed
	local target=${CARGO_TARGET_DIR:-$here/../target}
	printf '%s\n' "$target/debug"
}

rows() {
	"$psql" "$DATABASE_URL" --no-psqlrc --quiet --pset footer=off -c "
		SELECT resource_namespace AS namespace, payload->>'name' AS name,
		       payload->'attributes'->>'replicas' AS replicas, payload->'attributes'->>'team' AS team,
		       payload->'attributes'->>'images' AS images
		FROM inventory ORDER BY 1, 2"
}

value() { "$psql" "$DATABASE_URL" --no-psqlrc --quiet --tuples-only --no-align -c "$1"; }
holds() { [[ $(value "$1") == "$2" ]]; }

say 'Servers and programs (the first time takes minutes, later seconds)'
"$here/bed/install.sh"
programs=$(programs)
kubectl=$(from_bed kubernetes- kubectl)
psql=$(from_bed postgres psql)

say 'Starting a Kubernetes API server and PostgreSQL'
"$programs/kollect-bed" control-plane postgres >"$files/bed.env" 2>"$files/bed.log" &
children+=("$!")
started() { grep -q '^READY=' "$files/bed.env" || { kill -0 "${children[0]}" && return 1; }; }
until_true 120 'the servers start' started
grep -q '^READY=' "$files/bed.env" || fail "the servers did not start: $(tail -n 5 "$files/bed.log")"
KUBECONFIG=$(sed -n 's/^KUBECONFIG=//p' "$files/bed.env")
DATABASE_URL=$(sed -n 's/^DATABASE_URL=//p' "$files/bed.env")
export KUBECONFIG KUBECACHEDIR=$files/kubectl

say 'Custom resources, three Deployments, and what to collect of them'
"$programs/kollect" crd | "$kubectl" apply --server-side -f - >/dev/null
"$kubectl" wait --for condition=Established --timeout 30s crd --all >/dev/null
"$kubectl" apply --server-side -f "$here/demo/cluster.yaml"
"$kubectl" create secret generic warehouse --namespace shop --from-literal "dsn=$DATABASE_URL"

say 'The operator, with the rights of docs/rbac.yaml (sinks on the loopback address must be allowed)'
"$kubectl" apply --server-side -f "$here/../docs/rbac.yaml" >/dev/null
"$kubectl" config view --raw --minify >"$files/operator.kubeconfig"
token=$("$kubectl" create token kollect --namespace kollect-system)
"$kubectl" --kubeconfig "$files/operator.kubeconfig" config set-credentials operator --token "$token" >/dev/null
"$kubectl" --kubeconfig "$files/operator.kubeconfig" config set-context --current --user operator >/dev/null
"$programs/kollect" operator --kubeconfig "$files/operator.kubeconfig" --endpoint-allow localhost,127.0.0.0/8 \
	--health-probe-bind-address 0 >"$files/operator.log" 2>&1 &
children+=("$!")
"$kubectl" wait --for condition=Synced --timeout 60s --namespace shop kollectinventory/shop
"$kubectl" get kollecttargets,kollectinventories --namespace shop
rows

say 'Deployment mailer gets 4 replicas'
"$kubectl" scale deployment mailer --namespace shop --replicas 4
begin=$EPOCHREALTIME
until_true 30 'the change arrives' holds \
	"SELECT payload->'attributes'->>'replicas' FROM inventory WHERE payload->>'name' = 'mailer'" 4
printf 'in PostgreSQL after %d ms\n' $(((${EPOCHREALTIME/[.,]/} - ${begin/[.,]/}) / 1000))

say 'Deployment catalogue is deleted'
"$kubectl" delete deployment catalogue --namespace shop
until_true 30 'the row goes' holds "SELECT count(*) FROM inventory WHERE payload->>'name' = 'catalogue'" 0
rows

if [[ -n $keep ]]; then
	say 'Look around; Ctrl-C ends everything'
	printf 'export KUBECONFIG=%s\n%s get deployments -A\n%s %s\ntail -f %s\n' "$KUBECONFIG" "$kubectl" "$psql" "$DATABASE_URL" "$files/operator.log"
	wait -n "${children[@]}" || fail 'the operator or a server ended by itself'
fi
say 'Done; servers and data are removed'
