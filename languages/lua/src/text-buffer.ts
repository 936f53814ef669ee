import type { LuaExports } from "./lua-exports.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const firstBytes = 64 * 1024;

/** A piece of Lua's memory through which texts go in, one at a time. */
export class TextBuffer {
  readonly #lua: LuaExports;
  #address: number;
  #size = firstBytes;

  constructor(lua: LuaExports) {
    this.#lua = lua;
    this.#address = lua._malloc(firstBytes);
  }

  /** Where the text lies until the next one comes, and how many bytes it has. */
  put(text: string): { address: number; bytes: number } {
    const most = text.length * 3;
    if (most > this.#size) {
      const address = this.#lua._realloc(this.#address, most);
      if (address === 0) throw new RangeError("there is no memory for a text");
      [this.#address, this.#size] = [address, most];
    }
    const room = this.#lua.HEAPU8.subarray(this.#address, this.#address + this.#size);
    return { address: this.#address, bytes: encoder.encodeInto(text, room).written };
  }

  textAt(address: number, bytes: number): string {
    return decoder.decode(this.#lua.HEAPU8.subarray(address, address + bytes));
  }
}
