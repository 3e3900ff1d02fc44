-- wrk -s call.lua URL -- METHOD PATH [BODY]
-- Sends one request again and again; a %d in the path counts up from 3. Prints a line of figures, fields apart by tabs:
-- requests per second, median and 99th percentile of the latency in µs, answers that were not 2xx or never came.

local template
local fd = 2

function init(args)
  local headers = {}
  if args[3] then
    headers["Content-Type"] = "application/json"
  end
  template = wrk.format(args[1], args[2], headers, args[3])
  if not template:find("%%d") then
    request = function() return template end
  end
end

function request()
  fd = fd + 1
  return template:format(fd)
end

function done(summary, latency)
  local e = summary.errors
  io.write(("%.1f\t%.0f\t%.0f\t%d\n"):format(summary.requests / summary.duration * 1e6, latency:percentile(50),
    latency:percentile(99), e.connect + e.read + e.write + e.timeout + e.status))
end
