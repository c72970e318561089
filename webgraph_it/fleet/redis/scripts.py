"""What runs in the server, as one step each. Redis 6.2 commands; no consumer groups.

CLOCK is at the beginning of GRANT and LEASE. A server has only a wall clock, which may be set. So the broker has a
clock of its own, which advances with the wall clock, but at most MAX_STEP_SECONDS from one call to the next, and never
back. It starts at 0 when the server has lost its memory. If it is slow, shares last longer in the books than in use.

GRANT is `Ledger.grant`, LEASE is `AddressBook.lease`; tests compare them with these, step by step. Times and epochs are
written with all their digits.
"""

CLOCK = """
local MAX_STEP_SECONDS = 2
local function clock(key)
  local time = redis.call('TIME')
  local wall = time[1] + time[2] / 1000000
  local known = redis.call('HMGET', key, 'wall', 'steady')
  local steady = 0
  if known[1] and known[2] then
    steady = tonumber(known[2]) + math.max(0, math.min(wall - tonumber(known[1]), MAX_STEP_SECONDS))
  end
  redis.call('HSET', key, 'wall', string.format('%.6f', wall), 'steady', string.format('%.6f', steady))
  return steady
end
local function words(text)
  local found = {}
  for word in string.gmatch(text, '%S+') do found[#found + 1] = tonumber(word) or 0 end
  return found
end
local function whole(number) return string.format('%.0f', number) end
"""

GRANT = (
    CLOCK
    + """
-- KEYS: broker, epochs
-- ARGV: member epoch question used(2) wanted(2) caps(2) share_seconds silent_seconds
-- Answer: bandwidth and connections, or FENCED
local now = clock(KEYS[1])
local member, epoch, question = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local used = {tonumber(ARGV[4]), tonumber(ARGV[5])}
local wanted = {tonumber(ARGV[6]), tonumber(ARGV[7])}
local caps = {tonumber(ARGV[8]), tonumber(ARGV[9])}
local share_seconds, silent_seconds = tonumber(ARGV[10]), tonumber(ARGV[11])

local highest = tonumber(redis.call('HGET', KEYS[2], member) or '0')
if highest > epoch then return 'FENCED' end
if highest < epoch then redis.call('HSET', KEYS[2], member, whole(epoch)) end

-- a record: epoch question bandwidth connections wanted_bandwidth wanted_connections until
local all = redis.call('HGETALL', KEYS[1])
local others, former, own = {}, {}, nil
for at = 1, #all, 2 do
  local name, text = all[at], all[at + 1]
  if string.sub(name, 1, 2) == 'm:' then
    local record = words(text)
    record.member = string.sub(name, 3)
    if record.member ~= member then
      others[#others + 1] = record
    elseif record[1] < epoch then
      redis.call('HDEL', KEYS[1], name)
      redis.call('HSET', KEYS[1], 'f:' .. member .. ':' .. whole(record[1]), text)
      if record[7] > now then former[#former + 1] = record end
    else
      own = record
    end
  elseif string.sub(name, 1, 2) == 'f:' then
    local record = words(text)
    if record[7] > now then former[#former + 1] = record else redis.call('HDEL', KEYS[1], name) end
  end
end
if own and own[2] >= question then return {'0', '0'} end

local granted = {0, 0}
if now >= share_seconds then
  for kind = 1, 2 do
    local free = caps[kind]
    local wishes = {{wanted[kind], tonumber(member)}}
    for _, record in ipairs(others) do
      local ends = record[7]
      if kind == 2 then ends = ends - share_seconds + silent_seconds end
      if now < ends then free = free - record[2 + kind] end
      if record[7] > now then wishes[#wishes + 1] = {record[4 + kind], tonumber(record.member)} end
    end
    for _, record in ipairs(former) do free = free - record[2 + kind] end
    table.sort(wishes, function(a, b)
      if a[1] ~= b[1] then return a[1] < b[1] end
      return a[2] < b[2]
    end)
    local left, fair = caps[kind], 0
    for at, wish in ipairs(wishes) do
      local part = math.min(wish[1], math.floor(left / (#wishes - at + 1)))
      left = left - part
      if wish[2] == tonumber(member) then fair = part end
    end
    granted[kind] = math.max(math.min(fair, free), 0)
  end
end
redis.call('HSET', KEYS[1], 'm:' .. member, table.concat({
  whole(epoch), whole(question),
  whole(math.max(used[1], granted[1])), whole(math.max(used[2], granted[2])),
  whole(wanted[1]), whole(wanted[2]), string.format('%.6f', now + share_seconds)
}, ' '))
return {whole(granted[1]), whole(granted[2])}
"""
)

LEASE = (
    CLOCK
    + """
-- KEYS: broker, epochs, questions, leases, ended, recall:member
-- ARGV: member epoch question delay lease waiting turn most_recalled recall_prefix given_count given... wanted...
-- Answer: for each wanted, '' or seconds, with a * in front if it is fresh; then what others want. Or FENCED
local now = clock(KEYS[1])
local member, epoch, question = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local delay, lease = tonumber(ARGV[4]), tonumber(ARGV[5])
local waiting, turn, most_recalled = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local recall_prefix, given_count = ARGV[9], tonumber(ARGV[10])

local highest = tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or '0')
if highest > epoch then return 'FENCED' end
if highest < epoch then redis.call('HSET', KEYS[2], ARGV[1], whole(epoch)) end
local last = redis.call('HGET', KEYS[3], ARGV[1])
if last then
  last = words(last)
  if last[1] == epoch and last[2] >= question then return {} end
end
redis.call('HSET', KEYS[3], ARGV[1], whole(epoch) .. ' ' .. whole(question))

-- an entry: holder epoch until fresh_until turn_until (member until)...
local function read(name)
  local text = redis.call('HGET', KEYS[4], name)
  if not text then return nil end
  local entry = words(text)
  local line = {}
  for at = 6, #entry - 1, 2 do
    if entry[at + 1] > now then line[#line + 1] = {entry[at], entry[at + 1]} end
  end
  return {holder = entry[1], epoch = entry[2], ends = entry[3], fresh = entry[4], turn = entry[5], line = line}
end
local function write(name, entry)
  local parts = {
    whole(entry.holder), whole(entry.epoch), string.format('%.6f', entry.ends),
    string.format('%.6f', entry.fresh), string.format('%.6f', entry.turn)
  }
  for _, each in ipairs(entry.line) do
    parts[#parts + 1] = whole(each[1])
    parts[#parts + 1] = string.format('%.6f', each[2])
  end
  redis.call('HSET', KEYS[4], name, table.concat(parts, ' '))
  redis.call('ZADD', KEYS[5], string.format('%.6f', entry.ends), name)
end
local function wait(entry)
  for _, each in ipairs(entry.line) do
    if each[1] == member then
      each[2] = now + waiting
      return
    end
  end
  entry.line[#entry.line + 1] = {member, now + waiting}
end
local function begin_turn(entry)
  entry.turn = now + turn
  if entry.fresh > now then entry.turn = entry.turn + delay end
end
local function grant(name)
  local entry = read(name)
  if not entry then
    if now < lease then return nil end
    entry = {holder = member, epoch = epoch, ends = now + lease, fresh = lease + delay, turn = now, line = {}}
    begin_turn(entry)
    write(name, entry)
    return entry
  end
  local is_own = entry.holder == member and entry.epoch == epoch
  if entry.ends > now and not is_own then
    wait(entry)
    write(name, entry)
    if entry.holder ~= member then redis.call('SADD', recall_prefix .. whole(entry.holder), name) end
    return nil
  end
  local first = entry.line[1] and entry.line[1][1]
  if entry.ends > now then
    if not first or first == member or now < entry.turn then entry.ends = now + lease end
  elseif first and first ~= member then
    wait(entry)
    write(name, entry)
    return nil
  else
    if not is_own then entry.fresh = entry.ends + delay end
    entry.holder, entry.epoch, entry.ends = member, epoch, now + lease
    local line = {}
    for _, each in ipairs(entry.line) do
      if each[1] ~= member then line[#line + 1] = each end
    end
    entry.line = line
    begin_turn(entry)
  end
  write(name, entry)
  return entry
end

local over = redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', now - delay - waiting, 'LIMIT', 0, 200)
for _, name in ipairs(over) do
  redis.call('HDEL', KEYS[4], name)
  redis.call('ZREM', KEYS[5], name)
end
for at = 11, 10 + given_count do
  local entry = read(ARGV[at])
  if entry and entry.holder == member and entry.epoch == epoch and entry.ends > now then
    entry.ends = now
    write(ARGV[at], entry)
  end
end
local answer = {}
for at = 11 + given_count, #ARGV do
  local entry = grant(ARGV[at])
  if not entry then
    answer[#answer + 1] = ''
  else
    answer[#answer + 1] = (entry.fresh > now and '*' or '') .. string.format('%.6f', entry.ends - now)
  end
end
for _, name in ipairs(redis.call('SPOP', KEYS[6], most_recalled)) do
  if #name <= 64 then answer[#answer + 1] = name end
end
return answer
"""
)

PUBLISH = """
-- KEYS: mail:receiver, epochs
-- ARGV: most_waiting sender epoch begin end lines
-- A full mailbox takes nothing: the sender sends it again later.
if tonumber(redis.call('HGET', KEYS[2], ARGV[2]) or '0') > tonumber(ARGV[3]) then return 'FENCED' end
if redis.call('XLEN', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('XADD', KEYS[1], '*', 's', ARGV[2], 'e', ARGV[3], 'b', ARGV[4], 'n', ARGV[5], 'l', ARGV[6])
return 1
"""

COLLECT = """
-- KEYS: mail:receiver
-- ARGV: most_entries most_bytes
-- Takes entries out of the mailbox. What is too long, or not an entry of ours, is dropped here.
local found, bytes = {}, 0
for _, entry in ipairs(redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', ARGV[1])) do
  local fields, size = entry[2], 0
  for _, value in ipairs(fields) do size = size + #value end
  if bytes > 0 and bytes + size > tonumber(ARGV[2]) and size <= tonumber(ARGV[2]) then break end
  redis.call('XDEL', KEYS[1], entry[1])
  if #fields == 10 and size <= tonumber(ARGV[2]) then
    bytes = bytes + size
    found[#found + 1] = fields
  end
end
return found
"""

PUT = """
-- KEYS: board, epochs
-- ARGV: member epoch status
if tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or '0') > tonumber(ARGV[2]) then return 'FENCED' end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
"""

BOARD = """
-- KEYS: board, run
-- ARGV: new_run size most_bytes
-- Answer: the name of this memory, then members and statuses
redis.call('SET', KEYS[2], ARGV[1], 'NX')
local answer = {string.sub(redis.call('GET', KEYS[2]), 1, 100)}
for member = 1, tonumber(ARGV[2]) do
  local length = redis.call('HSTRLEN', KEYS[1], member)
  if length > 0 and length <= tonumber(ARGV[3]) then
    answer[#answer + 1] = tostring(member)
    answer[#answer + 1] = redis.call('HGET', KEYS[1], member)
  end
end
return answer
"""
