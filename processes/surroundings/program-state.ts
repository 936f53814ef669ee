import { hash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ownVersion } from "./own-process.ts";

const top = join(import.meta.dirname, "..", "..");
/** What decides how an application is found; an installed program is one piece, told by its package.json. */
const deciding = ["engine", "planning", "controllers", "kube", "model", "formats"];
let known: string | undefined;

/**
 * Equal for two processes of the same program: what one has found out by its rules holds for the other. The version
 * alone would not tell a checkout that has moved on, nor a program that was installed anew.
 */
export function programState(): string {
  known ??= hash("sha256", statesOfAll().join("\n"), "base64url");
  return known;
}

function statesOfAll(): string[] {
  const folders = deciding.map((name) => join(top, "packages", name, "src"));
  const files = [join(top, "package.json"), join(top, "package-lock.json"), ...folders.flatMap(sourcesIn)];
  return [ownVersion(), process.version, ...files.map(stateOf)];
}

/** When it was written or put there. */
function stateOf(path: string): string {
  return `${path} ${statSync(path, { throwIfNoEntry: false })?.ctimeMs}`;
}

function sourcesIn(folder: string): string[] {
  try {
    const all = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return all.filter((name) => /(?<!\.test)\.ts$/.test(name)).map((name) => join(folder, name));
  } catch {
    return []; // it is installed without sources
  }
}
