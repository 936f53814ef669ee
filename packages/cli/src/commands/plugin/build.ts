import { execFile } from "node:child_process";
import { realpath, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { messageOf } from "@capstan/model";
import { defineCommand, ExitError } from "../../command.ts";
import type { Io } from "../../io.ts";
import { builtKey, checkBuiltFolder, replaceFolder } from "./built-folder.ts";
import { bundlePlugin, readLicences } from "./bundle-plugin.ts";
import { copyPluginFiles } from "./copy-plugin-files.ts";
import { dockerfileOf } from "./image-file.ts";
import { openLocalPlugin } from "./local-plugin.ts";
import { findPluginFile, isProgram } from "./plugin-file.ts";
import { copyBases, writePluginImage } from "./plugin-image.ts";

const made = ["plugin.js", "spawner-worker.js", "package.json", "LICENSES.txt", "image-layout"];
const tryMs = 30_000;

export default defineCommand({
  usage: "[DIR]",
  help: "Make a folder that runs with Node 20 or later alone: node FOLDER/plugin.js serves the plugin.",
  examples: [
    "capstan plugin build my-plugin -o dist/my-plugin",
    "node dist/my-plugin/plugin.js --help",
    "docker build -t my-plugin dist/my-plugin",
    "capstan plugin build my-plugin -o dist/my-plugin --base node-24",
    "crane push dist/my-plugin/image-layout registry.example/my-plugin:1",
  ],
  argument: "file",
  arity: [0, 1],
  flags: {
    output: {
      kind: "string",
      short: "o",
      help: "Where it is made; what was built there goes",
      value: "FOLDER",
    },
    base: {
      kind: "string",
      help: "OCI image layout with Node, on which the image stands (default none: it has the plugin's files alone)",
      value: "LAYOUT",
    },
    with: { kind: "strings", help: "Further folder that imported files may come from", value: "DIR" },
  },
  async run({ args: [directory = "."], flags, io }) {
    const file = findPluginFile(resolve(directory), directory);
    const folder = await realpath(resolve(directory));
    const output = await checkBuiltFolder(flags.output ?? join(directory, "dist"), folder);
    const also = await Promise.all((flags.with ?? []).map((one) => realpath(one)));
    const program = isProgram(file) ? await realpath(file) : undefined;
    const name = await nameOf(directory, io);
    await replaceFolder(output, async (next) => {
      const layout = join(next, "image-layout");
      const bases = await copyBases(flags.base, layout);
      // What it refuses is said at once, not after a bundle was made.
      const copied = copyPluginFiles({
        from: folder,
        to: next,
        leaveOut: output,
        isProgram: program !== undefined,
        taken: made,
      });
      const packages = await bundlePlugin({ folder, program, also, output: next });
      await writeFile(join(next, "package.json"), packageOf(name));
      await writeFile(join(next, "LICENSES.txt"), await readLicences(packages));
      if (!copied.includes("Dockerfile"))
        await writeFile(join(next, "Dockerfile"), dockerfileOf({ name, hasConfig: program === undefined }));
      await tryOut(join(next, "plugin.js"));
      await writePluginImage({ folder: next, layout, bases, hasConfig: program === undefined });
      await writeFile(join(next, ".dockerignore"), "image-layout\n");
    });
    const shown = flags.output ?? join(directory, "dist");
    io.out(`built ${name}: ${shown}\n  node ${join(shown, "plugin.js")} --help\n`);
    return 0;
  },
});

/** As applications call it; whatever keeps it from being served is told here already. */
async function nameOf(directory: string, io: Io): Promise<string> {
  await using plugin = await openLocalPlugin(directory, io);
  return plugin.name;
}

function packageOf(name: string): string {
  const about = { name, private: true, type: "module", engines: { node: ">=20.12" }, [builtKey]: name };
  return `${JSON.stringify(about, undefined, 2)}\n`;
}

async function tryOut(file: string): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [file, "--help"], { timeout: tryMs });
  } catch (error) {
    throw new ExitError(`what was built does not start: ${messageOf(error)}`, 20);
  }
}
