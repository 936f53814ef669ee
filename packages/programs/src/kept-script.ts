import { hash, randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isThere } from "./bundled-tools.ts";

/** A shell script as a program. It is kept in `folder`, because temporary file systems often permit no programs. */
export async function keptScript(folder: string, name: string, lines: readonly string[]): Promise<string> {
  const script = `${["#!/bin/sh", ...lines].join("\n")}\n`;
  const file = join(folder, `${name}-${hash("sha256", script).slice(0, 12)}`);
  if (await isThere(file)) return file;
  await mkdir(folder, { recursive: true });
  const fresh = `${file}.${randomUUID()}.new`;
  await writeFile(fresh, script, { mode: 0o755 });
  await rename(fresh, file);
  return file;
}
