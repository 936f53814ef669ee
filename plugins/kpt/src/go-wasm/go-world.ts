/**
 * All of JavaScript that a Go program finds here: what its own runtime asks for at the start, and no file, network or
 * clock of the machine beyond the time. What it prints goes to `write`.
 */
export function goWorld(write: (bytes: Uint8Array) => void): Record<string, unknown> {
  const absent = () => Object.assign(new Error("not implemented"), { code: "ENOSYS" });
  const refuse = (...given: unknown[]): void => {
    const answer = given.at(-1);
    if (typeof answer === "function") Reflect.apply(answer, undefined, [absent()]);
  };
  const fail = () => {
    throw absent();
  };
  const modes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND", "O_EXCL", "O_DIRECTORY"];
  const calls = (
    "chmod chown close fchmod fchown fstat fsync ftruncate lchown link lstat mkdir open read readdir readlink " +
    "rename rmdir stat symlink truncate unlink utimes"
  ).split(" ");
  const fs: Record<string, unknown> = {
    constants: Object.fromEntries(modes.map((name) => [name, -1])),
    ...Object.fromEntries(calls.map((name) => [name, refuse])),
    write: (...[, bytes, , , , done]: unknown[]) => {
      if (!(bytes instanceof Uint8Array) || typeof done !== "function") return;
      write(bytes);
      Reflect.apply(done, undefined, [null, bytes.length]);
    },
  };
  const ids = Object.fromEntries(["getuid", "getgid", "geteuid", "getegid"].map((name) => [name, () => -1]));
  const process = { pid: -1, ppid: -1, umask: fail, cwd: () => "/", chdir: fail, getgroups: fail, ...ids };
  class GoObject {}
  class GoArray extends Array<unknown> {}
  class GoDate {
    getTimezoneOffset(): number {
      return 0;
    }
  }
  return {
    Object: GoObject,
    Array: GoArray,
    Uint8Array,
    Date: GoDate,
    fs,
    process,
    path: { resolve: fail },
  };
}
