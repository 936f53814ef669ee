/** What is called of Lua's own C interface, as the WebAssembly module names it; L is a state's address. */
const names = [
  "_malloc",
  "_free",
  "_realloc",
  "_lua_newstate",
  "_lua_checkstack",
  "_lua_copy",
  "_lua_createtable",
  "_lua_settop",
  "_lua_next",
  "_lua_pcallk",
  "_lua_pushboolean",
  "_lua_pushinteger",
  "_lua_pushlstring",
  "_lua_pushnil",
  "_lua_pushnumber",
  "_lua_pushvalue",
  "_lua_rawgeti",
  "_lua_rawset",
  "_lua_rawseti",
  "_lua_isinteger",
  "_lua_rawlen",
  "_lua_setglobal",
  "_lua_setupvalue",
  "_lua_toboolean",
  "_lua_tointegerx",
  "_lua_tolstring",
  "_lua_tonumberx",
  "_lua_topointer",
  "_lua_type",
  "_luaL_loadbufferx",
  "_luaopen_base",
  "_luaopen_coroutine",
  "_luaopen_math",
  "_luaopen_os",
  "_luaopen_string",
  "_luaopen_table",
  "_luaopen_utf8",
] as const;

type Name = (typeof names)[number];

export type LuaExports = Readonly<
  Record<Exclude<Name, "_lua_tointegerx">, (...args: (number | bigint)[]) => number>
> & {
  readonly _lua_tointegerx: (...args: number[]) => bigint;
  /** Anew where the memory has grown. */
  readonly HEAPU8: Uint8Array;
  addFunction(work: (...args: number[]) => number, signature: string): number;
};

export function hasLua(module: object): module is LuaExports {
  return names.every((name) => typeof Reflect.get(module, name) === "function");
}
