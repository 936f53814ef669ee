import { CapstanError, isCapstanError } from "@capstan/model";
import { joinWithin } from "@capstan/plugin-kit";

interface FailurePlace {
  /** From the repository's root. */
  readonly file: string;
  readonly line: number;
  readonly problem: string;
}

type PlaceOf = (stderr: string) => FailurePlace | undefined;

/** Tells the place in the application's own files, where what a program printed names one. */
export async function tellingPlace<Result>(placeOf: PlaceOf, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isCapstanError(error) || error.failure.code !== "TOOL_FAILED") throw error;
    const place = placeOf(error.failure.stderr);
    if (!place) throw error;
    throw new CapstanError({ code: "PLUGIN_FAILED", plugin: "cdk8s", ...place }, error);
  }
}

/** What the compiler says, else the first place in the module that a panic's stack names (compiled with -trimpath). */
export function placeInGo(of: { module: string; name: string; path: string }): PlaceOf {
  return (stderr) => {
    const [, written = "", row = "", said = ""] = /^(\S+\.go):(\d+)(?::\d+)?: (.+)$/m.exec(stderr) ?? [];
    const compiled = written === "" ? undefined : joinWithin(of.path, written);
    if (compiled !== undefined) return { file: compiled, line: Number(row), problem: said };
    const [, problem] = /^(?:panic|fatal error): (.*(?:\n.+)*)/m.exec(stderr) ?? [];
    for (const [, path = "", line = ""] of stderr.matchAll(/^\t(\S+\.go):(\d+)/gm)) {
      const file = path.startsWith(`${of.name}/`) ? path.slice(of.name.length + 1) : undefined;
      const inside = file === undefined ? undefined : joinWithin(of.module, file);
      if (problem !== undefined && inside !== undefined)
        return { file: inside, line: Number(line), problem: problem || "panic" };
    }
    return undefined;
  };
}

/** The innermost place of a traceback that lies in the copy of the repository, which commands show as ".". */
export function placeInPython(stderr: string): FailurePlace | undefined {
  // What follows that is said while Python ends, of objects that are half made.
  const [told = ""] = stderr.split(/^Exception ignored in: /m);
  const found = [...told.matchAll(/^ +File "\.\/(.+?)", line (\d+)/gm)].at(-1);
  if (!found) return undefined;
  const [, file = "", line = ""] = found;
  const problem = told
    .slice(found.index)
    .split("\n")
    .slice(1)
    .filter((one) => /^\S/.test(one));
  return { file, line: Number(line), problem: problem.slice(0, 5).join("\n") };
}
