#!/usr/bin/env bash
# src/load/http.sh
#
# Loads the service and a Redis script that does the same, in turns, and writes docs/performance/http.json. Needs the jar
# of `mvn -DskipTests package`, and Debian's wrk, redis-server, redis-tools, curl and jq; about four minutes. Set JAVA if
# `java` is older than 25, PORT (and the one after it is Redis's) if 18120 is taken, ROUNDS and SECONDS_EACH for other
# lengths.
#
# The service answers 16 connections with: GET /livez, which does nothing; dup2; open; close; and one connection with a
# batch of a million opens, a line each. Redis answers 16 connections with EVALSHA of open.redis.lua, one call at a time,
# over a table as small as that of dup2; and a million of them 64 at a time, over a table as large as that of the batch.
set -euo pipefail
cd "$(dirname "$0")/../.."
source src/load/common.sh

ROUNDS=${ROUNDS:-5}
SECONDS_EACH=${SECONDS_EACH:-4}
BATCH=1000000
CALLS=$TEMPORARY/calls.ndjson

start_service service "$PORT" target/fdtable-*-SNAPSHOT.jar
start_redis $((PORT + 1))
opens "$BATCH" >"$CALLS"

small=$(new_session "$PORT" 1024)
fill "$PORT" "$small" 1000

round() {
	local large
	wrk_case service livez GET /livez
	wrk_case service dup2 POST "$small/fds/0/dup2" '{"newFd":700}'
	redis_case redis 16 1 "$((SECONDS_EACH * redis_rate))" 1024
	large=$(new_session "$PORT" 2000000)
	batch_case batch "$large" "$CALLS" "$BATCH"
	wrk_case service close DELETE "$large/fds/%d"
	wrk_case service open POST "$large/fds"
	curl -sf -X DELETE "http://127.0.0.1:$PORT$large"
	redis_case redisPipelined 16 64 "$BATCH" 2000000
}

# What is measured here is thrown away: it warms up both, and tells how many calls Redis needs for SECONDS_EACH.
redis_rate=10000
# The way through Spring MVC is long, and takes the compiler longest.
SECONDS_EACH=20 wrk_case service livez GET /livez
for warm in 1 2 3; do
	round
	redis_rate=$(awk -F'\t' '$2 == "redis" && $3 == "perSecond" { rate = $4 } END { printf "%d", rate }' "$FIGURES")
done
>"$FIGURES"
for ROUND in $(seq "$ROUNDS"); do
	round
done

{
	ratio 'dup2 / livez' 0.8 dup2 livez
	ratio 'dup2 / redis' 1 dup2 redis
	ratio 'open / redis' '' open redis
	ratio 'batch / redisPipelined' 5 batch redisPipelined
} >"$RATIOS"
write_json docs/performance/http.json
print_figures
