#!/usr/bin/env bash
# Runs the service once as a training run, sends it requests, and stops it; on its way out the JVM writes app.aot:
# the classes it loaded, linked, and the profiles of the methods it ran.
set -euo pipefail

# Prints the response to a request. bash itself opens the connection: the image holds no HTTP client.
request() {
	local method=$1 path=$2 body=${3:-}
	exec 3<>/dev/tcp/127.0.0.1/8080
	printf '%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' \
		"$method" "$path" "${#body}" "$body" >&3
	cat <&3
	exec 3>&-
}

is_ready() {
	request GET /readyz 2>/dev/null | grep -q '^HTTP/1.1 200'
}

java @jvm.options -Xlog:aot=error -XX:AOTCacheOutput=app.aot -jar app.jar &
service=$!
until is_ready; do
	kill -0 "$service"
	sleep 0.1
done
# A session's life, often enough that the profiles of the common calls are worth keeping.
for round in $(seq 20); do
	session=$(request POST /v1/sessions '{"label":"training"}' | tr -d '\r' | sed -n 's/^Location: //p')
	# Without this the rest would train nothing but the answer to an unknown path.
	test -n "$session"
	request POST "$session/fds" '{"path":"/data/log","kind":"REGULAR","flags":["O_RDWR","O_CREAT","O_CLOEXEC"]}'
	request POST "$session/fds"
	request GET "$session/fds/3"
	request POST "$session/fds/4/dup" '{"closeOnExec":true}'
	request POST "$session/fds/4/dup2" '{"newFd":10}'
	request POST "$session/fds/10/fcntl" '{"cmd":"F_GETFD"}'
	request GET "$session/bitmap"
	request GET "$session/statistics"
	request POST "$session/fork"
	request POST "$session/exec"
	request DELETE "$session/fds/99"
	request POST "$session/fds/4/dup2" '{"newFd":'
	request DELETE "$session"
done >/dev/null
request GET /actuator/prometheus >/dev/null
request GET /v3/api-docs >/dev/null
kill -TERM "$service"
# 143: the JVM ended by SIGTERM.
wait "$service" || [ $? -eq 143 ]
test -s app.aot
rm -rf /tmp/*
