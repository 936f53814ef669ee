import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf } from "@capstan/model";
import { addImage, addLayer, type BaseImage, copyBaseImages, finishLayout } from "@capstan/registries";
import { ExitError } from "../../command.ts";
import { imageHome } from "./image-file.ts";

export interface PluginImage {
  /** What was built. */
  readonly folder: string;
  /** Where the layout is made. */
  readonly layout: string;
  /** In the layout already; none for the files alone. */
  readonly bases: readonly BaseImage[];
  readonly hasConfig: boolean;
}

/** Of the files alone, which run nowhere by themselves: whoever mounts them is of either kind. */
const architectures = ["amd64", "arm64"];
const usualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The image that the Dockerfile describes, as an OCI layout; without a base the plugin's files alone, to be mounted. */
export async function writePluginImage({ folder, layout, bases, hasConfig }: PluginImage): Promise<void> {
  const root = await mkdtemp(join(dirname(folder), "root-"));
  try {
    await layOut(root, folder, hasConfig);
    const own = await addLayer(layout, root);
    const images = [];
    for (const { architecture, layers, config, history } of bases)
      images.push(
        await addImage(layout, {
          architecture,
          layers: [...layers, own],
          config: startOf(config, hasConfig),
          more: { history: [...history, { created_by: "capstan plugin build" }] },
        }),
      );
    if (bases.length === 0)
      for (const architecture of architectures)
        images.push(await addImage(layout, { architecture, layers: [own], config: {} }));
    await finishLayout(layout, images, "latest");
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Images with Node and the programs that the plugin starts, from another layout; none where none is named. */
export async function copyBases(base: string | undefined, layout: string): Promise<BaseImage[]> {
  if (base === undefined) return [];
  try {
    return await copyBaseImages(base, layout);
  } catch (error) {
    throw new ExitError(
      `--base: ${messageOf(error)}; it is an OCI image layout, as crane pull --format=oci IMAGE FOLDER makes it`,
      20,
    );
  }
}

/** As the Dockerfile does; the folder of the sockets is everybody's. */
async function layOut(root: string, folder: string, hasConfig: boolean): Promise<void> {
  const home = join(root, imageHome);
  await mkdir(join(home, "plugins"), { recursive: true });
  await cp(folder, join(home, "plugin"), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => path !== join(folder, "image-layout"),
  });
  if (!hasConfig) return;
  await mkdir(join(home, "config"));
  await symlink(`${imageHome}/plugin/plugin.yaml`, join(home, "config", "plugin.yaml"));
}

function startOf(
  { Cmd: _command, ...config }: BaseImage["config"],
  hasConfig: boolean,
): Record<string, unknown> {
  const env = Array.isArray(config.Env) ? config.Env.filter((one) => typeof one === "string") : [];
  const before = env.find((one) => one.startsWith("PATH="))?.slice("PATH=".length) ?? usualPath;
  const path = hasConfig ? `${imageHome}/plugin:${before}` : before;
  return {
    ...config,
    User: "999",
    Env: [...env.filter((one) => !one.startsWith("PATH=")), `PATH=${path}`],
    Entrypoint: ["node", `${imageHome}/plugin/plugin.js`],
  };
}
