-- EVALSHA sha 1 BITMAP FD
return redis.call('SETBIT', KEYS[1], ARGV[1], 0)
