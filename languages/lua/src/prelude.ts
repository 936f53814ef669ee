/**
 * Makes the globals of one run, anew for each, so that nothing of one reaches the next. Lua 5.1's names that 5.4 has no
 * more are given again. What Argo CD gives: util/lua/lua.go runLuaWithResourceActionParameters, oslib_safe.go. Files,
 * programs, the environment and compiled chunks are given to nobody.
 */
export const prelude = `
local isOpen = ...
local load, type, pairs, select, error, tostring = load, type, pairs, select, error, tostring
local rawget, rawset, setmetatable = rawget, rawset, setmetatable
local mathType, floor = math.type, math.floor
local lib = { table = table, math = math, coroutine = coroutine, string = string, utf8 = utf8 }
local clock = { time = os.time, date = os.date }
local openClock = { time = os.time, date = os.date, difftime = os.difftime, clock = os.clock, getenv = function() return nil end }

local function copy(of)
  local made = {}
  for key, value in pairs(of) do made[key] = value end
  return made
end

local function plainText(value)
  if mathType(value) == "float" and value == floor(value) and value > -1e15 and value < 1e15 then
    return tostring(floor(value))
  end
  return tostring(value)
end

local names = { "assert", "error", "getmetatable", "ipairs", "next", "pairs", "pcall", "rawequal", "rawget", "rawlen",
  "rawset", "select", "setmetatable", "tonumber", "type", "xpcall" }
local base = {}
for _, name in pairs(names) do base[name] = _G[name] end
base._VERSION = "Lua 5.1"
-- Finalizers, which Lua 5.1 does not have for tables, would be played in the time of another run.
base.setmetatable = function(of, meta)
  local last = type(meta) == "table" and rawget(meta, "__gc")
  if not last then return setmetatable(of, meta) end
  rawset(meta, "__gc", nil)
  local done = setmetatable(of, meta)
  rawset(meta, "__gc", last)
  return done
end
base.tostring = plainText
base.unpack = table.unpack
base.print = function() end
base.collectgarbage = function() return 0 end

local oldTable = copy(lib.table)
oldTable.getn = function(list) return #list end
oldTable.maxn = function(list)
  local most = 0
  for key in pairs(list) do if type(key) == "number" and key > most then most = key end end
  return most
end

local oldMath = copy(lib.math)
oldMath.pow = function(x, y) return x ^ y end
oldMath.mod = lib.math.fmod
oldMath.log10 = function(x) return lib.math.log(x, 10) end

if isOpen then
  local texts = getmetatable("")
  texts.__index = copy(lib.string)
  texts.__metatable = "string"
end

return function(object, parameters)
  local env = copy(base)
  env._G = env
  env.obj = object
  env.actionParams = parameters
  env.table = copy(oldTable)
  local loaded = { os = isOpen and copy(openClock) or copy(clock), table = env.table }
  if isOpen then
    loaded.string, loaded.math, loaded.coroutine = copy(lib.string), copy(oldMath), copy(lib.coroutine)
    loaded.utf8 = copy(lib.utf8)
    env.string, env.math, env.coroutine, env.os = loaded.string, loaded.math, loaded.coroutine, loaded.os
  end
  env.load = function(chunk, name, _, given)
    return load(chunk, name or "=<string>", "t", given or env)
  end
  env.loadstring = env.load
  env.require = function(name)
    return loaded[name] or error("module " .. plainText(name) .. " not found", 2)
  end
  env.package = { loaded = loaded }
  return env
end
`;
