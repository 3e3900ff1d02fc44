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

java @jvm.options -XX:AOTCacheOutput=app.aot -jar app.jar &
service=$!
until is_ready; do
	kill -0 "$service"
	sleep 0.1
done
request GET /actuator/prometheus >/dev/null
request GET /v3/api-docs >/dev/null
kill -TERM "$service"
# 143: the JVM ended by SIGTERM.
wait "$service" || [ $? -eq 143 ]
test -s app.aot
rm -rf /tmp/*
