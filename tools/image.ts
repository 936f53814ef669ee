/**
 * `npm run image [-- --to DIR --platform linux/amd64,linux/arm64 --root DIR --push HOST/NAME --update]`: the image of all
 * parts as an OCI layout in dist/image, with neither a container runtime nor root: Debian's packages of pinned
 * versions, and the packed Capstan with its packages, Node, helm and kubectl in /opt/capstan. The same sources make the
 * same digest. --update pins the versions and digests that Debian has now; --snapshot fetches them from an archive of
 * what Debian has had (snapshot.debian.org), for when Debian has newer ones; --root lays the files of one platform out
 * instead.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { addImage, addLayer, type Descriptor, finishLayout } from "@capstan/registries";
import { programFlags } from "@capstan/testkit/program-flags";
import { type Architecture, openApt, type Pins, pinsFile, readPins } from "./image/debian-packages.ts";
import { imageConfig } from "./image/image-config.ts";
import { layOutOwn } from "./image/own-root.ts";
import { pushLayout } from "./image/push-layout.ts";
import { layOutSystem } from "./image/system-root.ts";

const { values } = programFlags({
  options: {
    to: { type: "string", default: "dist/image" },
    platform: { type: "string", default: `linux/${process.arch === "arm64" ? "arm64" : "amd64"}` },
    root: { type: "string" },
    push: { type: "string" },
    update: { type: "boolean", default: false },
    snapshot: { type: "boolean", default: false },
  },
});
const to = resolve(values.to);
const root = values.root && resolve(values.root);
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
if (values.update) await updatePins();
else {
  const architectures = values.platform.split(",").map(readPlatform);
  if (root) for (const architecture of architectures) await layOut(root, architecture);
  else await makeImage(architectures);
}

function readPlatform(platform: string): Architecture {
  if (platform === "linux/amd64" || platform === "linux/arm64")
    return platform === "linux/amd64" ? "amd64" : "arm64";
  throw new Error(`--platform: ${platform} is neither linux/amd64 nor linux/arm64`);
}

async function updatePins(): Promise<void> {
  const snapshot = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const packages: Record<string, Pins> = {};
  for (const architecture of ["amd64", "arm64"] as const) {
    await using apt = await openApt(architecture);
    packages[architecture] = await apt.resolve();
  }
  await writeFile(pinsFile, `${JSON.stringify({ snapshot, packages }, null, 2)}\n`);
  console.log(`${pinsFile}: ${Object.keys(packages.amd64 ?? {}).length} packages`);
}

async function layOutPinned(place: string, architecture: Architecture): Promise<void> {
  const { snapshot, packages } = await readPins();
  await using apt = await openApt(architecture, { at: values.snapshot ? snapshot : undefined });
  await layOutSystem(place, await apt.download(packages[architecture]));
}

async function layOut(place: string, architecture: Architecture): Promise<void> {
  await layOutPinned(place, architecture);
  await layOutOwn(place, architecture);
}

async function makeImage(architectures: readonly Architecture[]): Promise<void> {
  const { version } = JSON.parse(await readFile("package.json", "utf8"));
  await rm(to, { recursive: true, force: true });
  const images: Descriptor[] = [];
  for (const architecture of architectures) {
    const place = await mkdtemp(join(tmpdir(), "capstan-image-root-"));
    try {
      // What changes with each commit is a layer of its own.
      const [system, own] = [join(place, "system"), join(place, "own")];
      await mkdir(system);
      await mkdir(own);
      await layOutPinned(system, architecture);
      await layOutOwn(own, architecture);
      const layers = [await addLayer(to, system), await addLayer(to, own)];
      images.push(await addImage(to, { architecture, layers, config: imageConfig(version) }));
      const megabytes = layers.map(({ size }) => `${Math.round(size / 1e6)} MB`).join(" + ");
      console.log(`linux/${architecture}: ${images.at(-1)?.digest}, ${megabytes}`);
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  }
  const { digest } = await finishLayout(to, images, version);
  console.log(`${to}: capstan:${version}@${digest}`);
  if (values.push) console.log(await pushLayout(to, values.push, version));
}
