import { ScriptError } from "@capstan/script-thread/serve-runs";
import type { LuaExports } from "./lua-exports.ts";
import type { TextBuffer } from "./text-buffer.ts";

const mostLevels = 200;
const slotsPerLevel = 4;
const int64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n };

/**
 * Lays a JSON value onto Lua's stack; nulls are absent, as util/lua decodeValue has it. Throws ScriptError for what is
 * nested deeper than scripts are read.
 */
export function pushValue(lua: LuaExports, state: number, { value, texts }: Pushed): void {
  push({ lua, state, texts }, value, 0);
}

interface Pushed {
  value: unknown;
  texts: TextBuffer;
}

interface Into {
  lua: LuaExports;
  state: number;
  texts: TextBuffer;
}

function push(into: Into, value: unknown, level: number): void {
  const { lua, state } = into;
  if (typeof value === "string") pushText(into, value);
  else if (typeof value === "boolean") lua._lua_pushboolean(state, value ? 1 : 0);
  else if (typeof value === "number" || typeof value === "bigint") pushNumber(into, value);
  else if (Array.isArray(value)) pushList(into, value, level + 1);
  else if (typeof value === "object" && value !== null) pushFields(into, value, level + 1);
  else lua._lua_pushnil(state);
}

function pushText({ lua, state, texts }: Into, text: string): void {
  const { address, bytes } = texts.put(text);
  lua._lua_pushlstring(state, address, bytes);
}

/** Integers stay such, so that they print without a point. */
function pushNumber({ lua, state }: Into, value: number | bigint): void {
  const isWhole = typeof value === "bigint" || Number.isSafeInteger(value);
  const whole = isWhole ? BigInt(value) : 0n;
  if (isWhole && whole >= int64.least && whole <= int64.most) lua._lua_pushinteger(state, whole);
  else lua._lua_pushnumber(state, Number(value));
}

function enter({ lua, state }: Into, level: number): void {
  if (level > mostLevels || lua._lua_checkstack(state, slotsPerLevel) === 0)
    throw new ScriptError("value", `the object is nested more than ${mostLevels} levels deep`);
}

function pushList(into: Into, list: readonly unknown[], level: number): void {
  const { lua, state } = into;
  enter(into, level);
  lua._lua_createtable(state, list.length, 0);
  let at = 0;
  for (const item of list) {
    if (item === null || item === undefined) continue;
    push(into, item, level);
    at += 1;
    lua._lua_rawseti(state, -2, BigInt(at));
  }
}

function pushFields(into: Into, fields: object, level: number): void {
  const { lua, state } = into;
  const entries: [string, unknown][] = Object.entries(fields);
  enter(into, level);
  lua._lua_createtable(state, 0, entries.length);
  for (const [name, field] of entries) {
    if (field === null || field === undefined) continue;
    pushText(into, name);
    push(into, field, level);
    lua._lua_rawset(state, -3);
  }
}
