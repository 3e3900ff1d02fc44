#!/usr/bin/env bash
# Runs the service once as a training run, sends it requests, and stops it; on its way out the JVM writes app.aot:
# the classes it loaded, linked, and the profiles of the methods it ran.
set -euo pipefail

# Prints the response to a request. bash itself opens the connection: the image holds no HTTP client.
request() {
	local method=$1 path=$2 body=${3:-} type=${4:-application/json} accept=${5:-*/*}
	exec 3<>/dev/tcp/127.0.0.1/8080
	printf '%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: %s\r\nAccept: %s\r\nContent-Length: %d\r\n\r\n%s' \
		"$method" "$path" "$type" "$accept" "${#body}" "$body" >&3
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
# Prints the member of the last response on stdin whose value is a string.
member() { sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'; }

lines=$(printf '%s\n' '{"call":"open","path":"/data/log","flags":["O_RDWR","O_CREAT"]}' '{"call":"dup2","oldFd":3,"newFd":9}' \
	'{"call":"fcntl","fd":9,"cmd":"F_GETFD"}' '{"call":"close","fd":9}' '{"call":"close","fd":3}' '{"call":"close","fd":77}' '{')
strace=$(printf '%s\n' '1 execve("/bin/a", ["a"], 0x7ffd /* 0 vars */) = 0' '1 openat(AT_FDCWD, "/a", O_RDONLY|O_CLOEXEC) = 3' \
	'1 dup2(3, 5) = 5' '1 close(3) = 0' '1 +++ exited with 0 +++')
# Every kind of request, often enough that the profiles of the common calls are worth keeping.
for round in $(seq 20); do
	session=$(request POST /v1/sessions '{"label":"training"}' | tr -d '\r' | sed -n 's/^Location: //p')
	# Without this the rest would train nothing but the answer to an unknown path.
	test -n "$session"
	request GET "$session/events?since=0" '' '' text/event-stream &
	sse=$!
	request GET "$session/events" '' '' application/x-ndjson &
	ndjson=$!
	request POST "$session/fds" '{"path":"/data/log","kind":"REGULAR","flags":["O_RDWR","O_CREAT","O_CLOEXEC"]}'
	request POST "$session/fds"
	request GET "$session/fds"
	request GET "$session/fds/3"
	request GET "$session/fds/3/info"
	request POST "$session/fds/3/write" '{"data":"YWJj"}'
	request POST "$session/fds/3/lseek" '{"offset":"0","whence":"SEEK_SET"}'
	request POST "$session/fds/3/read" '{"count":3}'
	request POST "$session/fds/4/dup" '{"closeOnExec":true}'
	request POST "$session/fds/4/dup2" '{"newFd":10}'
	request POST "$session/fds/10/fcntl" '{"cmd":"F_GETFD"}'
	request POST "$session/pipe"
	request POST "$session/close-range" '{"first":20,"last":30}'
	token=$(request POST "$session/reservations" '{"minFd":40,"lease":"PT30S"}' | member token)
	request PUT "$session/reservations/40" '{"token":"'"$token"'","path":"/data/other"}'
	request POST "$session/batch" "$lines" application/x-ndjson
	request POST "$session/batch" '[{"call":"open"},{"call":"close","fd":77}]'
	request GET "$session/bitmap"
	request GET "$session/bitmap" '' '' text/plain
	request GET "$session/statistics"
	request POST "$session/fork"
	request POST "$session/exec"
	request DELETE "$session/fds/4"
	request DELETE "$session/fds/99"
	request POST "$session/fds/4/dup2" '{"newFd":'
	request DELETE "$session"
	# The session's end is theirs.
	wait "$sse" "$ndjson"
	request POST /v1/traces "$strace" text/plain
done >/dev/null
request GET /problems/ebadf >/dev/null
request GET /swagger-ui/index.html >/dev/null
request GET /actuator/prometheus >/dev/null
request GET /v3/api-docs >/dev/null
kill -TERM "$service"
# 143: the JVM ended by SIGTERM.
wait "$service" || [ $? -eq 143 ]
test -s app.aot
rm -rf /tmp/*
