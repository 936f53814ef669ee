import { hash } from "node:crypto";
import { Script } from "node:vm";
import type { Clock } from "@capstan/flow";
import { listBelow, readBelow } from "@capstan/plugin-kit";

/** What operators put beside the page: of a folder, however much of it is theirs to fill. */
const most = { files: 64, fileBytes: 8 * 2 ** 20, bytes: 24 * 2 ** 20, depth: 8, entries: 4096 };
/** Between looks at the folder, whoever asks how often. */
const lookMs = 5_000;
const namePattern = /^extension(.*)\.js$/;

interface Needs {
  readonly clock: Clock;
  readonly log: { warn(facts: object, message: string): void };
}

/**
 * The operator's scripts for the page, as one: every `extension*.js` below a folder, in the order of their paths
 * (server/server.go serveExtensions). Each runs by itself: what one throws, or what of it is no JavaScript, is told to
 * the page and stops no other. Links are not followed: a ConfigMap's files are found in its own folder of them.
 */
export class PageScripts {
  readonly #folder: string | undefined;
  readonly #needs: Needs;
  #looked: number | undefined;
  #text: string | undefined;
  #problem = "";
  /** By path, with the digest of the script that it was made of. */
  #guarded = new Map<string, { readonly digest: string; readonly guarded: string }>();

  constructor(folder: string | undefined, needs: Needs) {
    this.#folder = folder;
    this.#needs = needs;
  }

  /** Undefined where there are none. */
  get text(): string | undefined {
    const now = this.#needs.clock.now();
    if (this.#folder === undefined || (this.#looked !== undefined && now - this.#looked < lookMs))
      return this.#text;
    this.#looked = now;
    this.#text = this.#read(this.#folder);
    return this.#text;
  }

  #read(folder: string): string | undefined {
    const known = this.#guarded;
    this.#guarded = new Map();
    let left = most.bytes;
    try {
      for (const path of scriptsBelow(folder)) {
        const data = readBelow(folder, path, { maxBytes: Math.min(left, most.fileBytes) });
        if (data === undefined) continue;
        left -= data.length;
        const digest = hash("sha256", data);
        const same = known.get(path);
        const isSame = same?.digest === digest;
        this.#guarded.set(path, isSame ? same : { digest, guarded: guarded(path, data.toString()) });
      }
      this.#problem = "";
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== this.#problem)
        this.#needs.log.warn({ folder, problem }, "scripts for the page cannot all be read: none is given");
      this.#problem = problem;
      return undefined;
    }
    if (this.#guarded.size === 0) return undefined;
    return [...this.#guarded.values()].map(({ guarded }) => guarded).join("");
  }
}

function scriptsBelow(folder: string): string[] {
  const found: string[] = [];
  let entries = 0;
  const visit = (directory: string, depth: number): void => {
    for (const entry of listBelow(folder, directory) ?? []) {
      entries += 1;
      if (entries > most.entries) throw new Error(`there are more than ${most.entries} files`);
      const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
      if (entry.isDirectory() && depth < most.depth) visit(path, depth + 1);
      else if (entry.isFile() && namePattern.test(entry.name)) found.push(path);
    }
  };
  visit("", 0);
  if (found.length > most.files) throw new Error(`there are more than ${most.files} scripts`);
  return found.sort();
}

/** The page's own name for a failure; a page of another version writes it where its developers look. */
const tell = "(window.extensionsAPI?.failed ?? console.error)";

function guarded(path: string, script: string): string {
  const name = JSON.stringify(path).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  const wrapped = `try {\n${script}\n} catch (error) { ${tell}(${name}, error); }\n`;
  const problem = whyNoScript(wrapped) ?? whyNoScript(script);
  return problem === undefined ? wrapped : `${tell}(${name}, new SyntaxError(${JSON.stringify(problem)}));\n`;
}

/** Read and not run, which for large scripts is long work: done once for each. */
function whyNoScript(script: string): string | undefined {
  try {
    new Script(script);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
