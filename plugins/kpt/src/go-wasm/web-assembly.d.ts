/** What this folder uses of WebAssembly, which Node has and the types of Node leave to those of a browser. */
declare namespace WebAssembly {
  class Memory {
    constructor(size: { initial: number });
    readonly buffer: ArrayBuffer;
  }
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, (sp: number) => void>>);
    readonly exports: Record<string, unknown>;
  }
}
