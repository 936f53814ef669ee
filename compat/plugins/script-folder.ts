import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder for PATH with one program in it, gone after the test. */
export async function scriptFolder(
  name: string,
  script: string,
): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "capstan-scripts-"));
  // A plugin's commands run as another user.
  await chmod(path, 0o755);
  await writeFile(join(path, name), script, { mode: 0o755 });
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
