#!/usr/bin/env bash
# src/load/servers.sh NAME=JAR[,OPTION...] NAME=JAR[,OPTION...] ...
#
# Loads several services in turns with GET /livez and with dup2 over 16 connections, and writes
# docs/performance/servers.json. Needs what http.sh needs but Redis.
set -euo pipefail
cd "$(dirname "$0")/../.."
source src/load/common.sh

ROUNDS=${ROUNDS:-3}
SECONDS_EACH=${SECONDS_EACH:-3}
declare -A SESSION_OF

port=$PORT
for service in "$@"; do
	name=${service%%=*}
	IFS=, read -ra start <<<"${service#*=}"
	start_service "$name" "$port" "${start[@]}"
	SESSION_OF[$name]=$(new_session "$port" 1024)
	fill "$port" "${SESSION_OF[$name]}" 1000
	port=$((port + 1))
done

round() {
	local service name
	for service in "$@"; do
		name=${service%%=*}
		wrk_case "$name" "$name-livez" GET /livez
		wrk_case "$name" "$name-dup2" POST "${SESSION_OF[$name]}/fds/0/dup2" '{"newFd":700}'
	done
}

# The first rounds only warm up.
for warm in 1 2 3; do
	round "$@"
done
>"$FIGURES"
for ROUND in $(seq "$ROUNDS"); do
	round "$@"
done
>"$RATIOS"
write_json docs/performance/servers.json
print_figures
