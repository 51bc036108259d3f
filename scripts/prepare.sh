# Sourced by the scripts beside it: the Debian packages, a private temporary folder, and an end that leaves nothing behind.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(
    postgresql rabbitmq-server pgbouncer libfaketime docker-compose pkg-config binutils curl nghttp2-client nghttp2-server
    nginx-light haproxy python3-venv openssl
    libpq-dev librabbitmq-dev libcurl4-openssl-dev libnghttp2-dev libssl-dev libsodium-dev libmicrohttpd-dev libsqlite3-dev
    libplist-dev libzip-dev
)

# Installs only what is missing, so that a machine that has everything needs no rights and no network.
install_packages() {
    local missing=() package
    for package in "${packages[@]}"; do
        [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    local root=()
    if ((EUID != 0)); then
        if ! command -v sudo >/dev/null; then
            echo "missing Debian packages: ${missing[*]}; install them as root" >&2
            exit 72
        fi
        root=(sudo)
    fi
    echo "installing ${missing[*]}"
    # The servers of these packages are not to start on this machine: we run private ones.
    local policy=/usr/sbin/policy-rc.d
    if [[ ! -e $policy ]]; then
        printf '#!/bin/sh\nexit 101\n' | "${root[@]}" tee $policy >/dev/null
        "${root[@]}" chmod +x $policy
        # shellcheck disable=SC2064
        trap "$(printf '%q ' "${root[@]}" rm -f $policy)" EXIT
    fi
    {
        "${root[@]}" apt-get update -q
        "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${missing[@]}"
    } >&2
    [[ -z $(trap -p EXIT) ]] || { "${root[@]}" rm -f $policy; trap - EXIT; }
}

# Every call of the toolchain leaves files in the temporary folder; servers' own accounts must be able to pass through it.
use_private_temporary_folder() {
    TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/mobile-delivery.XXXXXX")
    chmod 711 "$TMPDIR"
    export TMPDIR
    trap clean_up EXIT
    trap 'interrupted 130' INT
    trap 'interrupted 143' TERM
    trap 'interrupted 129' HUP
}

running=
clean_up() {
    local status=$?
    trap '' INT TERM HUP
    end_strays
    # Whatever our servers and their helpers still run.
    [[ ! -x .build/debug/mobile-delivery-lab ]] || .build/debug/mobile-delivery-lab sweep --under "$TMPDIR" || true
    rm -rf "$TMPDIR"
    exit "$status"
}

# `swift test` gives the test program a process group of its own, which no signal to ours reaches. What was started here
# has the private folder in its environment.
end_strays() {
    local process
    for process in /proc/[0-9]*; do
        if grep -qzxF "TMPDIR=$TMPDIR" "$process/environ" 2>/dev/null; then
            kill -KILL "${process#/proc/}" 2>/dev/null || true
        fi
    done
}

# The first signal asks what runs to stop in good order; a further one is passed on, which makes it give up order.
interrupted() {
    local status=$1
    trap 'forward' INT TERM HUP
    forward
    while [[ -n $running ]] && kill -0 "$running" 2>/dev/null; do
        wait "$running" 2>/dev/null || true
    done
    exit "$status"
}

forward() {
    [[ -z $running ]] || kill -TERM -- "-$running" 2>/dev/null || true
}

# Runs a command in a process group of its own and waits for it, so that a signal to this script alone also ends it.
run() {
    set -m
    "$@" &
    running=$!
    set +m
    local status=0
    wait "$running" || status=$?
    running=
    return "$status"
}
