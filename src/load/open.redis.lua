-- EVALSHA sha 1 BITMAP LIMIT
-- The lowest free number of a bitmap, taken: what a service on Redis would do for open(). A full one starts again empty.
local fd = redis.call('BITPOS', KEYS[1], 0)
if fd >= tonumber(ARGV[1]) then
  redis.call('DEL', KEYS[1])
  fd = 0
end
redis.call('SETBIT', KEYS[1], fd, 1)
return fd
