import { ScriptError } from "@capstan/script-thread/serve-runs";
import type { LuaExports } from "./lua-exports.ts";
import { prelude } from "./prelude.ts";
import { pushValue } from "./push-value.ts";
import { readText, readValue, typeAt } from "./read-value.ts";
import { TextBuffer } from "./text-buffer.ts";

export interface LuaRun {
  script: string;
  /** Texts, mathematics and coroutines beside what there always is. */
  openLibs: boolean;
  /** Global `obj`. */
  object: unknown;
  /** Global `actionParams`. */
  parameters: Readonly<Record<string, string>>;
}

export interface LuaBounds {
  /** Of what scripts and their values take in Lua. */
  memoryBytes: number;
  /** Of what a script may give. */
  answerBytes: number;
}

const ok = 0;
const outOfMemory = 4;
/** lua.h: the function's only upvalue is its globals. */
const globals = 1;
/** Of compiled scripts: a script takes several times its length, and what is kept stands in its successors' memory. */
const keptPerByte = 1 / 64;

/** One Lua with one set of libraries; each run has globals of its own. */
export class LuaState {
  readonly #lua: LuaExports;
  readonly #bounds: LuaBounds;
  readonly #texts: TextBuffer;
  readonly #state: number;
  /** Compiled scripts by their text: places in the stack's bottom table. */
  readonly #compiled = new Map<string, number>();
  #compiledWeight = 0;
  #usedBytes = 0;

  constructor(lua: LuaExports, { isOpen, bounds }: { isOpen: boolean; bounds: LuaBounds }) {
    this.#lua = lua;
    this.#bounds = bounds;
    this.#texts = new TextBuffer(lua);
    this.#state = lua._lua_newstate(this.#allocator(), 0);
    this.#openLibraries(isOpen);
  }

  /** Synchronous and without limit in time: run it where it can be ended. Throws ScriptError. */
  run(run: LuaRun): unknown {
    const [lua, state] = [this.#lua, this.#state];
    try {
      this.#pushCompiled(run.script);
      this.#pushGlobals(run);
      lua._lua_setupvalue(state, -2, globals);
      this.#call(0);
      if (typeAt({ lua, state }, -1) === "nil") return undefined;
      return readValue({ lua, state, texts: this.#texts, room: this.#bounds.answerBytes });
    } finally {
      lua._lua_settop(state, 2);
    }
  }

  /** Lua asks here for every piece of memory, which makes the limit (lua.h lua_Alloc). */
  #allocator(): number {
    return this.#lua.addFunction((...[, address = 0, before = 0, bytes = 0]) => {
      const held = address === 0 ? 0 : before;
      if (bytes === 0) {
        this.#usedBytes -= held;
        if (address !== 0) this.#lua._free(address);
        return 0;
      }
      if (bytes > held && this.#usedBytes + bytes - held > this.#bounds.memoryBytes) return 0;
      const given = this.#lua._realloc(address, bytes);
      if (given !== 0) this.#usedBytes += bytes - held;
      return given;
    }, "iiiii");
  }

  /** Leaves on the stack, for good: the table of compiled scripts, and what makes globals. */
  #openLibraries(isOpen: boolean): void {
    const [lua, state] = [this.#lua, this.#state];
    const libraries = {
      table: lua._luaopen_table,
      math: lua._luaopen_math,
      os: lua._luaopen_os,
      coroutine: lua._luaopen_coroutine,
      ...(isOpen ? { string: lua._luaopen_string, utf8: lua._luaopen_utf8 } : {}),
    };
    lua._luaopen_base(state);
    lua._lua_settop(state, 0);
    for (const [name, open] of Object.entries(libraries)) {
      open(state);
      this.#setGlobal(name);
    }
    lua._lua_settop(state, 0);
    lua._lua_createtable(state, 0, 0);
    this.#load(prelude);
    lua._lua_pushboolean(state, isOpen ? 1 : 0);
    this.#call(1);
  }

  #setGlobal(name: string): void {
    const { address, bytes } = this.#texts.put(`${name}\0`);
    if (bytes > 0) this.#lua._lua_setglobal(this.#state, address);
  }

  #pushCompiled(script: string): void {
    const [lua, state] = [this.#lua, this.#state];
    const known = this.#compiled.get(script);
    if (known !== undefined) {
      lua._lua_rawgeti(state, 1, BigInt(known));
      return;
    }
    this.#load(script);
    const most = this.#bounds.memoryBytes * keptPerByte;
    const weight = script.length + 100;
    if (weight > most) return;
    if (this.#compiledWeight + weight > most) this.#forgetCompiled();
    this.#compiledWeight += weight;
    const place = this.#compiled.size + 1;
    lua._lua_pushvalue(state, -1);
    lua._lua_rawseti(state, 1, BigInt(place));
    this.#compiled.set(script, place);
  }

  #forgetCompiled(): void {
    const [lua, state] = [this.#lua, this.#state];
    lua._lua_createtable(state, 0, 0);
    lua._lua_copy(state, -1, 1);
    lua._lua_settop(state, -2);
    this.#compiled.clear();
    this.#compiledWeight = 0;
  }

  #pushGlobals({ object, parameters }: LuaRun): void {
    const [lua, state, texts] = [this.#lua, this.#state, this.#texts];
    lua._lua_pushvalue(state, 2);
    pushValue(lua, state, { value: object, texts });
    pushValue(lua, state, { value: parameters, texts });
    this.#call(2);
  }

  /** The name of the chunk, and that it is text and no compiled code, stand before it in the same buffer. */
  #load(script: string): void {
    const head = "=<string>\0t\0";
    const { address, bytes } = this.#texts.put(head + script);
    const length = bytes - head.length;
    const code = this.#lua._luaL_loadbufferx(
      this.#state,
      address + head.length,
      length,
      address,
      address + "=<string>\0".length,
    );
    if (code !== ok) throw this.#failure(code);
  }

  #call(given: number): void {
    const code = this.#lua._lua_pcallk(this.#state, given, 1, 0, 0, 0);
    if (code !== ok) throw this.#failure(code);
  }

  #failure(code: number): ScriptError {
    const [lua, state] = [this.#lua, this.#state];
    if (code === outOfMemory) return new ScriptError("memory", "not enough memory");
    const isText = typeAt({ lua, state }, -1) === "string";
    const from = { lua, state, texts: this.#texts, room: this.#bounds.answerBytes };
    return new ScriptError(
      "failed",
      isText ? readText(from) : "the script failed with a value that is no text",
    );
  }
}
