import { ScriptError } from "@capstan/script-thread/serve-runs";
import type { LuaExports } from "./lua-exports.ts";
import type { TextBuffer } from "./text-buffer.ts";

/** lua.h LUA_T… */
const types = ["nil", "boolean", "userdata", "number", "string", "table", "function", "userdata", "thread"];
const mostLevels = 200;
const slotsPerLevel = 6;

export interface ReadFrom {
  lua: LuaExports;
  state: number;
  texts: TextBuffer;
  /** Bytes of all texts and values that may still be read. */
  room: number;
}

export function typeAt({ lua, state }: Pick<ReadFrom, "lua" | "state">, index: number): string {
  return types[lua._lua_type(state, index)] ?? "nil";
}

/**
 * The value on top of the stack as JSON, by the rules of layeh.com/gopher-json, in its words where it refuses: an empty
 * table is an empty list, a table with numbers a list without gaps, the same table stands in one place alone.
 */
export function readValue(from: ReadFrom): unknown {
  return read({ ...from, seen: new Set(), level: 0 });
}

interface Reading extends ReadFrom {
  seen: Set<number>;
  level: number;
}

const valueBytes = 16;

function read(from: Reading): unknown {
  const { lua, state } = from;
  take(from, valueBytes);
  const type = typeAt(from, -1);
  if (type === "nil") return null;
  if (type === "boolean") return lua._lua_toboolean(state, -1) !== 0;
  if (type === "number") return readNumber(from);
  if (type === "string") return takeText(from);
  if (type === "table") return readTable(from);
  throw refusal(`cannot encode ${type} to JSON`);
}

function take(from: Reading, bytes: number): void {
  from.room -= bytes;
  if (from.room < 0) throw refusal("the script gave more than may be read");
}

function refusal(problem: string): ScriptError {
  return new ScriptError("value", problem);
}

function readNumber({ lua, state }: Reading): number | bigint {
  if (lua._lua_isinteger(state, -1) !== 0) {
    const whole = lua._lua_tointegerx(state, -1, 0);
    const near = Number(whole);
    return Number.isSafeInteger(near) ? near : whole;
  }
  const number = lua._lua_tonumberx(state, -1, 0);
  if (!Number.isFinite(number)) throw refusal(`cannot encode ${number} to JSON`);
  return number;
}

/** Lua keeps a text once however often it stands in a table; here each is one of its own. */
function takeText(from: Reading): string {
  const text = readText(from);
  take(from, Number(from.lua._lua_rawlen(from.state, -1)));
  return text;
}

/** The text on top of the stack. */
export function readText({ lua, state, texts, room }: ReadFrom): string {
  const bytes = Number(lua._lua_rawlen(state, -1));
  if (bytes > room) throw refusal("the script gave more than may be read");
  return texts.textAt(lua._lua_tolstring(state, -1, 0), bytes);
}

function readTable(from: Reading): unknown {
  const { lua, state, seen } = from;
  const address = lua._lua_topointer(state, -1);
  if (seen.has(address)) throw refusal("cannot encode recursively nested tables to JSON");
  if (from.level >= mostLevels || lua._lua_checkstack(state, slotsPerLevel) === 0)
    throw refusal(`the script gave a table that is nested more than ${mostLevels} levels deep`);
  seen.add(address);
  from.level += 1;
  lua._lua_pushnil(state);
  const isEmpty = lua._lua_next(state, -2) === 0;
  const key = isEmpty ? "nil" : typeAt(from, -2);
  if (!isEmpty) lua._lua_settop(state, -3);
  const made = key === "nil" ? [] : key === "string" ? readFields(from) : readList(from, key);
  from.level -= 1;
  return made;
}

function readFields(from: Reading): Record<string, unknown> {
  const { lua, state } = from;
  const entries: [string, unknown][] = [];
  lua._lua_pushnil(state);
  while (lua._lua_next(state, -2) !== 0) {
    const value = read(from);
    lua._lua_settop(state, -2);
    if (typeAt(from, -1) !== "string") throw refusal("cannot encode mixed or invalid key types");
    entries.push([takeText(from), value]);
  }
  return Object.fromEntries(entries);
}

function readList(from: Reading, key: string): unknown[] {
  const { lua, state } = from;
  if (key !== "number") throw refusal("cannot encode mixed or invalid key types");
  const count = countKeys(from);
  const list: unknown[] = [];
  for (let at = 1; at <= count; at += 1) {
    lua._lua_rawgeti(state, -1, BigInt(at));
    if (typeAt(from, -1) === "nil") throw refusal("cannot encode sparse array");
    list.push(read(from));
    lua._lua_settop(state, -2);
  }
  return list;
}

function countKeys(from: Reading): number {
  const { lua, state } = from;
  let count = 0;
  lua._lua_pushnil(state);
  while (lua._lua_next(state, -2) !== 0) {
    lua._lua_settop(state, -2);
    if (typeAt(from, -1) !== "number") throw refusal("cannot encode mixed or invalid key types");
    take(from, valueBytes);
    count += 1;
  }
  return count;
}
