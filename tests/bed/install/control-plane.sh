# shellcheck shell=bash
# A real Kubernetes control plane, built from its published Go modules: API server, controller
# manager, kubectl and etcd. KUBEBUILDER_ASSETS names a folder whose binaries are used instead;
# what it lacks is built (the usual envtest folder has no controller manager).

: "${here:?install.sh runs this file}" "${bed:?install.sh runs this file}"
kubernetes=$here/control-plane
etcd=$kubernetes/etcd

# go_binary MODULE_FOLDER PACKAGE LDFLAGS OUTPUT
go_binary() {
	need go "install Go $(awk '$1 == "go" { print $2 }' "$1/go.mod") or newer, or set KUBEBUILDER_ASSETS to a folder with the control plane's binaries"
	CGO_ENABLED=0 quietly go build -C "$1" -mod=readonly -trimpath -ldflags "$3" -o "$4" "$2"
}

# binary TARGET MODULE_FOLDER PACKAGE LDFLAGS: builds one command unless KUBEBUILDER_ASSETS has it.
binary() {
	local name=${1##*/}
	if [[ -n ${KUBEBUILDER_ASSETS:-} && -x $KUBEBUILDER_ASSETS/$name ]]; then
		step "$name is taken from KUBEBUILDER_ASSETS"
		return
	fi
	once "$1" go_binary "$2" "$3" "$4"
}

control_plane() {
	local version etcd_version flags
	version=$(pinned "$kubernetes/go.mod" k8s.io/kubernetes)
	etcd_version=$(pinned "$etcd/go.mod" go.etcd.io/etcd/server/v3)
	# Without the version a server reports one that clients cannot parse.
	flags="-s -w -X k8s.io/component-base/version.gitVersion=v$version"
	binary "$bed/etcd-$etcd_version/etcd" "$etcd" . "-s -w"
	local command
	for command in kube-apiserver kube-controller-manager kubectl; do
		binary "$bed/kubernetes-$version/$command" "$kubernetes" "k8s.io/kubernetes/cmd/$command" "$flags"
	done
}

control_plane
