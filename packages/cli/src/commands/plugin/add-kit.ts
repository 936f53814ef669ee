import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const kit = dirname(dirname(fileURLToPath(import.meta.resolve("@capstan/plugin-kit"))));
/** Of the package that others install. */
const home = join(kit, "npm");

/** As npm calls the packed kit. */
export async function kitFileName(): Promise<string> {
  const { version }: { version: string } = JSON.parse(await readFile(join(home, "package.json"), "utf8"));
  return `capstan-plugin-kit-${version}.tgz`;
}

/** Puts the packed kit into a plugin's folder, for `npm install`; until then editors find that of this installation. */
export async function addKit(folder: string, file: string): Promise<string> {
  await copyFile(await packedKit(file), join(folder, file));
  const link = join(folder, "node_modules", "@capstan", "plugin-kit");
  if (existsSync(link)) return file;
  await mkdir(dirname(link), { recursive: true });
  await symlink(kit, link);
  return file;
}

/** Packed when Capstan was installed (tools/prepare.ts), else now. */
async function packedKit(file: string): Promise<string> {
  const packed = join(home, file);
  if (existsSync(packed)) return packed;
  // A folder of its own: others may pack at the same time.
  const own = await mkdtemp(join(tmpdir(), "capstan-kit-"));
  try {
    await promisify(execFile)("npm", ["pack", home, "--pack-destination", own], { cwd: home });
    await copyFile(join(own, file), packed);
    return packed;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
