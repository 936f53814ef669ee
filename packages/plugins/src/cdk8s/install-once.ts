import { randomUUID } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { isThere } from "../binaries/bundled-tools.ts";

const installing = new Map<string, Promise<string>>();

/** The folder, which `fill` has filled whole under another name when it was not there. */
export async function installOnce(folder: string, fill: (fresh: string) => Promise<void>): Promise<string> {
  const started = installing.get(folder) ?? install(folder, fill);
  installing.set(folder, started);
  try {
    return await started;
  } finally {
    installing.delete(folder);
  }
}

async function install(folder: string, fill: (fresh: string) => Promise<void>): Promise<string> {
  if (await isThere(folder)) return folder;
  const fresh = `${folder}.${randomUUID()}.new`;
  await mkdir(fresh, { recursive: true });
  try {
    await fill(fresh);
    await rename(fresh, folder);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    // Another process was faster.
    if (!(await isThere(folder))) throw error;
  }
  return folder;
}
