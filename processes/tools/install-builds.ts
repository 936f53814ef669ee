import { hash, randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { Clock } from "@capstan/flow";
import { outbound, type ProxyVariables } from "@capstan/outbound";
import { extract } from "tar-stream";
import type { OfficialBuild } from "./official-builds.ts";

const maxFileBytes = 200 * 2 ** 20;
const fileMs = 600_000;

export interface BuildsToInstall {
  readonly builds: readonly OfficialBuild[];
  /** They are put there all together, or nothing is. */
  readonly folder: string;
  /** What stands before each file's place. */
  readonly mirror: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Said before each download. */
  say(line: string): void;
}

/** Downloads, compares with the pinned sums, unpacks. Throws where one is another file than the pinned one. */
export async function installBuilds(asked: BuildsToInstall): Promise<void> {
  const { builds, folder, mirror, say } = asked;
  const fresh = `${folder}.${randomUUID()}.new`;
  await mkdir(fresh, { recursive: true });
  try {
    for (const build of builds) {
      const url = `${mirror}${build.place}`;
      say(`${build.tool}: ${url}`);
      const file = await download(url, asked);
      const found = hash("sha256", file);
      if (found !== build.sha256)
        throw new Error(
          `${url} is not the file that is pinned: its SHA-256 is ${found}, not ${build.sha256}; nothing is installed`,
        );
      const program = build.member === undefined ? file : await memberOf(file, build.member);
      await writeFile(join(fresh, build.tool), program, { mode: 0o755 });
    }
    await rm(folder, { recursive: true, force: true });
    await rename(fresh, folder);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function download(url: string, { env, clock, signal }: BuildsToInstall): Promise<Buffer> {
  const { status, body } = await outbound(url, {
    ...{ clock, signal, timeoutMs: fileMs, maxBytes: maxFileBytes, redirects: "anywhere" },
    proxy: proxyOf(env),
  });
  if (status !== 200) throw new Error(`${url}: HTTP ${status}; nothing is installed`);
  return body;
}

function proxyOf(env: BuildsToInstall["env"]): ProxyVariables {
  const names = ["http_proxy", "https_proxy", "no_proxy"] as const;
  return Object.fromEntries(names.map((name) => [name, env[name] || env[name.toUpperCase()] || ""]));
}

async function memberOf(archive: Buffer, wanted: string): Promise<Buffer> {
  let found: Buffer | undefined;
  const reader = extract();
  reader.on("entry", ({ name, type, size = 0 }, stream, next) => {
    const parts: Buffer[] = [];
    const isWanted = name === wanted && type === "file" && size <= maxFileBytes;
    stream.on("data", (part: Buffer) => isWanted && parts.push(part));
    stream.on("end", () => {
      if (isWanted) found = Buffer.concat(parts);
      next();
    });
  });
  await pipeline([archive], createGunzip(), reader);
  if (found === undefined) throw new Error(`the archive has no ${wanted}; nothing is installed`);
  return found;
}
