# What the load scripts have in common. Figures go to $FIGURES, one a line: round, case, figure, value, apart by tabs.

JAVA=${JAVA:-java}
PORT=${PORT:-18120}
ROUND=0
TEMPORARY=$(mktemp -d)
FIGURES=$TEMPORARY/figures.tsv
RATIOS=$TEMPORARY/ratios.tsv
declare -A PID_OF PORT_OF

trap 'kill "${PID_OF[@]}" 2>/dev/null || true; wait; rm -rf "$TEMPORARY"' EXIT

# start_service NAME PORT JAR [OPTION...]: starts the service as the container image does, with room for a million files.
start_service() {
	local name=$1 port=$2 jar=$3
	"$JAVA" @src/main/docker/jvm.options -Xms2g -Xmx2g -jar "$jar" --server.port="$port" --fdtable.nr-open=4194304 \
		--fdtable.file-max=4000000 "${@:4}" >"$TEMPORARY/$name.log" 2>&1 &
	PID_OF[$name]=$!
	PORT_OF[$name]=$port
	until curl -sf -o "$TEMPORARY/ready" "http://127.0.0.1:$port/readyz"; do
		kill -0 "${PID_OF[$name]}" 2>/dev/null || { cat "$TEMPORARY/$name.log" >&2; return 1; }
		sleep 0.2
	done
}

# start_redis PORT: starts a Redis that keeps nothing, and loads the script.
start_redis() {
	redis-server --port "$1" --bind 127.0.0.1 --save '' --appendonly no --dir "$TEMPORARY" >"$TEMPORARY/redis.log" 2>&1 &
	PID_OF[redis]=$!
	PORT_OF[redis]=$1
	until redis-cli -p "$1" ping >"$TEMPORARY/ready" 2>&1; do
		kill -0 "${PID_OF[redis]}"
		sleep 0.1
	done
	OPEN_SHA=$(redis-cli -p "$1" script load "$(cat src/load/open.redis.lua)")
}

# new_session PORT LIMIT: prints the path of a session that may have that many descriptors.
new_session() {
	curl -sf -o "$TEMPORARY/session" -w '%header{location}' -H 'Content-Type: application/json' \
		-d "{\"limits\":{\"nofile\":{\"soft\":$2,\"hard\":$2}}}" "http://127.0.0.1:$1/v1/sessions"
}

# opens NUMBER: prints that many calls of a batch.
opens() {
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "{\"call\":\"open\"}" }'
}

# fill PORT SESSION NUMBER: opens that many descriptors.
fill() {
	opens "$3" | curl -sf -o "$TEMPORARY/filled" -H 'Content-Type: application/x-ndjson' \
		-T - -X POST "http://127.0.0.1:$1$2/batch"
}

# The time on the processors that a process has had, in µs; of one hundredth of a second each.
cpu() {
	awk -v tick="$(getconf CLK_TCK)" '{ print ($14 + $15) * 1e6 / tick }' "/proc/$1/stat"
}

figure() {
	printf '%s\t%s\t%s\t%s\n' "$ROUND" "$1" "$2" "$3" >>"$FIGURES"
}

# measure_cpu CASE BEFORE AFTER CALLS
cpu_per_call() {
	figure "$1" cpuMicros "$(awk -v a="$2" -v b="$3" -v calls="$4" 'BEGIN { printf "%.2f", (b - a) / calls }')"
}

# wrk_case SERVICE CASE METHOD PATH [BODY]: 16 connections for SECONDS_EACH. A single answer that is not 2xx ends it all.
wrk_case() {
	local service=$1 case=$2 before after line rate p50 p99 failed
	before=$(cpu "${PID_OF[$service]}")
	line=$(wrk -t1 -c16 -d"${SECONDS_EACH}s" --timeout 10s --latency -s src/load/call.lua "http://127.0.0.1:${PORT_OF[$service]}" \
		-- "${@:3}" | tail -n 1)
	after=$(cpu "${PID_OF[$service]}")
	IFS=$'\t' read -r rate p50 p99 failed <<<"$line"
	if [ "$failed" != 0 ]; then
		echo "$case: $failed requests failed" >&2
		return 1
	fi
	figure "$case" perSecond "$rate"
	figure "$case" p50Micros "$p50"
	figure "$case" p99Micros "$p99"
	cpu_per_call "$case" "$before" "$after" "$(awk -v r="$rate" -v s="$SECONDS_EACH" 'BEGIN { print r * s }')"
}

# batch_case CASE SESSION FILE CALLS: one request with all lines of a file, answered while it is sent.
batch_case() {
	local before after seconds
	before=$(cpu "${PID_OF[service]}")
	seconds=$(curl -sf -o "$TEMPORARY/answers" -w '%{time_total}' -H 'Content-Type: application/x-ndjson' -H 'Expect:' \
		-T "$3" -X POST "http://127.0.0.1:${PORT_OF[service]}$2/batch")
	after=$(cpu "${PID_OF[service]}")
	if [ "$(tail -n 1 "$TEMPORARY/answers")" != "{\"ret\":$(($4 + 2))}" ]; then
		echo "$1: the last call has answered $(tail -n 1 "$TEMPORARY/answers")" >&2
		return 1
	fi
	figure "$1" perSecond "$(awk -v s="$seconds" -v calls="$4" 'BEGIN { printf "%.1f", calls / s }')"
	cpu_per_call "$1" "$before" "$after" "$4"
}

# redis_case CASE CONNECTIONS PIPELINE CALLS LIMIT: that many calls of the script over a table that begins empty.
redis_case() {
	local before after rate
	redis-cli -p "${PORT_OF[redis]}" del fds >"$TEMPORARY/deleted"
	before=$(cpu "${PID_OF[redis]}")
	rate=$(redis-benchmark -p "${PORT_OF[redis]}" -c "$2" -P "$3" -n "$4" --csv EVALSHA "$OPEN_SHA" 1 fds "$5" |
		tail -n 1 | tr -d '"' | awk -F, '{ print $(NF - 6) }')
	after=$(cpu "${PID_OF[redis]}")
	figure "$1" perSecond "$rate"
	cpu_per_call "$1" "$before" "$after" "$4"
}

# median CASE FIGURE
median() {
	awk -F'\t' -v c="$1" -v f="$2" '$2 == c && $3 == f { print $4 }' "$FIGURES" | sort -g |
		awk '{ a[NR] = $1 } END { print (NR % 2) ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }'
}

# ratio NAME WANTED ABOVE BELOW: the median of what one case is to another in the same round.
ratio() {
	local value
	value=$(awk -F'\t' -v a="$3" -v b="$4" '$3 == "perSecond" { v[$2, $1] = $4; rounds[$1] }
		END { for (r in rounds) print v[a, r] / v[b, r] }' "$FIGURES" | sort -g |
		awk '{ a[NR] = $1 } END { print (NR % 2) ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }')
	printf '%s\t%s\t%.2f\n' "$1" "$2" "$value"
}

print_figures() {
	local case
	printf '%-20s %12s %12s\n' case 'per second' 'CPU µs/call'
	for case in $(awk -F'\t' '!seen[$2]++ { print $2 }' "$FIGURES"); do
		printf '%-20s %12.0f %12.2f\n' "$case" "$(median "$case" perSecond)" "$(median "$case" cpuMicros)"
	done
	awk -F'\t' '{ printf "%-32s %.2f×%s\n", $1, $3, ($2 == "") ? "" : ", wanted " $2 "×" }' "$RATIOS"
}

# write_json FILE: the machine, every figure of every round, medians and ratios.
write_json() {
	jq -n --rawfile figures "$FIGURES" --rawfile ratios "$RATIOS" --arg date "$(date -u +%F)" \
		--arg processor "$(sed -n 's/^model name\t: //p' /proc/cpuinfo | head -n 1)" --argjson processors "$(nproc)" \
		--arg kernel "$(uname -sr)" --arg jdk "$("$JAVA" --version | sed -n 2p)" --arg wrk "$(dpkg-query -W -f '${Version}' wrk)" \
		--arg redis "$(redis-server --version | grep -o 'v=[^ ]*' | cut -c3-)" --argjson load "$(cut -d' ' -f1 /proc/loadavg)" '
		def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
		def rows: split("\n") | map(select(. != "") | split("\t"));
		{ machine: { processor: $processor, processors: $processors, load: $load, kernel: $kernel, jdk: $jdk, wrk: $wrk,
		    redis: $redis, date: $date },
		  cases: ($figures | rows | group_by(.[1]) | map({ key: .[0][1], value: (group_by(.[2]) | map({ key: .[0][2],
		    value: (map(.[3] | tonumber) | { median: median, rounds: . }) }) | from_entries) }) | from_entries),
		  ratios: ($ratios | rows | map({ name: .[0], wanted: .[1], measured: (.[2] | tonumber) })) }' >"$1"
}
