import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isRecord, parseJson } from "@capstan/formats";
import { isWithin } from "@capstan/plugin-kit";
import { ExitError, UsageError } from "../../command.ts";

/** Under this key package.json of a built folder says that it is one. */
export const builtKey = "capstanPlugin";

/** Where the folder really will be; refuses what is the plugin's own, a link, or holds something else. */
export async function checkBuiltFolder(output: string, folder: string): Promise<string> {
  const whole = resolve(output);
  const found = await lstat(whole).catch(() => undefined);
  if (found && !found.isDirectory()) throw new UsageError(`-o ${output} is no folder`);
  await mkdir(dirname(whole), { recursive: true });
  const real = join(await realpath(dirname(whole)), basename(whole));
  if (isWithin(real, folder))
    throw new UsageError(`-o ${output} holds the plugin itself; name another folder`);
  if (found && (await readdir(real)).length > 0 && !(await isBuilt(real)))
    throw new ExitError(`${output} is there and holds something else; name another folder, or delete it`, 20);
  return real;
}

async function isBuilt(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => "");
  try {
    const value = parseJson(text);
    return isRecord(value) && typeof value[builtKey] === "string";
  } catch {
    return false; // it was written by somebody else
  }
}

/** Makes a folder as a whole: until `make` has ended well, what was there stays. */
export async function replaceFolder(folder: string, make: (folder: string) => Promise<void>): Promise<void> {
  const scratch = await mkdtemp(`${folder}.`);
  try {
    const [next, former] = [join(scratch, "next"), join(scratch, "former")];
    await mkdir(next);
    await make(next);
    await rename(folder, former).catch((error: unknown) => {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    });
    await rename(next, folder);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
