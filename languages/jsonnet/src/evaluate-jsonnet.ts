import { posix } from "node:path";
import { Worker } from "node:worker_threads";
import { sharedCompileCache } from "@capstan/script-thread/compile-cache";
import { JsonnetError } from "./jsonnet-error.ts";
import type { JsonnetAnswer } from "./jsonnet-worker.ts";
import { readTokens } from "./read-tokens.ts";
import { type ExternalValue, importKey, type JsonnetProgram } from "./run-jsonnet.ts";

export interface JsonnetRequest {
  /** Path of the program in the tree. */
  file: string;
  /** Text of a file of the tree, or undefined when there is none. */
  read: (path: string) => Promise<string | undefined>;
  /** Folders of the tree in which imports are looked for after the importing file's own. */
  libs: readonly string[];
  extVars: readonly ExternalValue[];
  tlas: readonly ExternalValue[];
}

const limits = { maxOldGenerationSizeMb: 512, stackSizeMb: 64 };
const maxFiles = 2_000;

/** Evaluates in a thread with limits on memory and depth; aborting ends it wherever it is. */
export async function evaluateSources(program: JsonnetProgram, signal: AbortSignal): Promise<unknown> {
  const answer = await runInWorker(program, signal);
  if ("data" in answer) return answer.data;
  throw new JsonnetError(answer.problem, answer.location);
}

/**
 * All that a program may import: imports are literal, so every file can be read before anything runs.
 * Rejects with a JsonnetError that names file, line and column.
 */
export async function collectSources({
  file,
  read,
  libs,
  extVars,
  tlas,
}: JsonnetRequest): Promise<JsonnetProgram> {
  const files = new Map<string, string>();
  const imports = new Map<string, string>();
  const seen = new Set([file]);
  const waiting = [file];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (files.size > maxFiles) throw new JsonnetError(`more than ${maxFiles} files are imported`);
    const text = files.get(next) ?? (await read(next)) ?? "";
    files.set(next, text);
    for (const { path, isCode } of importsOf(next, text)) {
      const found = await find(path, [posix.dirname(next), ...libs]);
      if (found === undefined) continue;
      imports.set(importKey(next, path), found);
      if (isCode && !seen.has(found)) waiting.push(found);
      if (isCode) seen.add(found);
    }
  }
  return { file, files, imports, extVars, tlas };

  async function find(path: string, folders: readonly string[]): Promise<string | undefined> {
    for (const folder of folders) {
      const candidate = posix.normalize(posix.join(folder, path));
      if (posix.isAbsolute(path) || candidate.startsWith("..")) continue;
      const text = files.get(candidate) ?? (await read(candidate));
      if (text === undefined) continue;
      files.set(candidate, text);
      return candidate;
    }
    return undefined;
  }
}

function importsOf(file: string, text: string): { path: string; isCode: boolean }[] {
  const tokens = readTokens(file, text);
  return tokens.flatMap((token, at) => {
    const path = tokens[at + 1];
    const isImport = token.kind === "keyword" && token.text.startsWith("import");
    return isImport && path?.kind === "string" ? [{ path: path.text, isCode: token.text === "import" }] : [];
  });
}

function runInWorker(program: JsonnetProgram, signal: AbortSignal): Promise<JsonnetAnswer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const worker = new Worker(new URL("./jsonnet-worker.ts", import.meta.url), {
      workerData: program,
      resourceLimits: limits,
      env: sharedCompileCache(),
    });
    const stop = (): void => {
      reject(signal.reason);
      void worker.terminate();
    };
    signal.addEventListener("abort", stop, { once: true });
    worker.once("message", (answer: JsonnetAnswer) => {
      resolve(answer);
      void worker.terminate();
    });
    worker.once("error", (error: Error) =>
      reject(new JsonnetError(`the evaluation ended early: ${error.message}`)),
    );
    worker.once("exit", () => {
      signal.removeEventListener("abort", stop);
      reject(new JsonnetError("the evaluation ended without an answer"));
    });
  });
}
