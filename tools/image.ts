/**
 * `npm run image [-- --to DIR --platform linux/amd64,linux/arm64 --root DIR --push HOST/NAME --update]`: the image of all
 * parts as an OCI layout in dist/image, with neither a container runtime nor root: Debian's packages of pinned
 * versions, and the packed Capstan with its packages, Node, helm and kubectl in /opt/capstan. The same sources make the
 * same digest. --update pins the versions that Debian has now; --root lays the files of one platform out instead.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { addImage, addLayer, type Descriptor, finishLayout } from "@capstan/registries";
import { type Architecture, openApt, pinsFile, readPins } from "./image/debian-packages.ts";
import { imageConfig } from "./image/image-config.ts";
import { layOutOwn } from "./image/own-root.ts";
import { pushLayout } from "./image/push-layout.ts";
import { layOutSystem } from "./image/system-root.ts";

const { values } = parseArgs({
  options: {
    to: { type: "string", default: "dist/image" },
    platform: { type: "string", default: `linux/${process.arch === "arm64" ? "arm64" : "amd64"}` },
    root: { type: "string" },
    push: { type: "string" },
    update: { type: "boolean", default: false },
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
  const pins: Record<string, Record<string, string>> = {};
  for (const architecture of ["amd64", "arm64"] as const) {
    await using apt = await openApt(architecture);
    pins[architecture] = await apt.resolve();
  }
  await writeFile(pinsFile, `${JSON.stringify(pins, null, 2)}\n`);
  console.log(`${pinsFile}: ${Object.keys(pins.amd64 ?? {}).length} packages`);
}

async function layOut(place: string, architecture: Architecture): Promise<void> {
  await using apt = await openApt(architecture);
  await layOutSystem(place, await apt.download((await readPins())[architecture]));
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
      await using apt = await openApt(architecture);
      await layOutSystem(system, await apt.download((await readPins())[architecture]));
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
