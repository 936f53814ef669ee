import { execFile } from "node:child_process";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Lays out an image's file system: programs in /bin, each with the libraries that it is linked to, and nobody. */
export async function writeImageRoot(
  root: string,
  programs: Readonly<Record<string, string>>,
): Promise<void> {
  for (const folder of ["bin", "etc", "lib64", "lib"]) await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, "etc/passwd"), "nobody:x:65534:65534:nobody:/:/bin/false\n");
  for (const [name, path] of Object.entries(programs)) {
    await copyFile(path, join(root, "bin", name));
    const { stdout } = await run("ldd", [path]).catch(() => ({ stdout: "" }));
    for (const [library] of stdout.matchAll(/\/\S+/g)) {
      const folder = basename(library).startsWith("ld-linux-x86") ? "lib64" : "lib";
      await copyFile(library, join(root, folder, basename(library)));
    }
  }
}
