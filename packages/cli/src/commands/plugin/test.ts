import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { dumpYaml } from "@capstan/formats/yaml";
import { type Manifest, messageOf, parseManifests } from "@capstan/model";
import { defineCommand, UsageError } from "../../command.ts";
import type { Io } from "../../io.ts";
import { manifestDiff } from "../../output/manifest-diff.ts";
import { painter } from "../../output/paint.ts";
import { loadRendering, type Rendering } from "./load-rendering.ts";
import { localFlags, readLocalApp } from "./local-app.ts";
import { type LocalPlugin, openLocalPlugin } from "./local-plugin.ts";

const { app: _app, source: _source, ...caseFlags } = localFlags;

export default defineCommand({
  usage: "[DIR]",
  help: "Render each case below DIR/testdata (source/, and application.yaml if it needs one) and compare with its expected.yaml.",
  examples: ["capstan plugin test ./my-plugin", "capstan plugin test ./my-plugin --update"],
  argument: "file",
  arity: [0, 1],
  flags: { ...caseFlags, update: { kind: "boolean", help: "Write what is made as what is expected" } },
  async run({ args: [directory = "."], flags, io, shippedPlugins }) {
    const cases = await findCases(join(directory, "testdata"));
    if (cases.length === 0)
      throw new UsageError(`${directory}/testdata holds no directory with a folder source/`);
    const opening = openLocalPlugin(directory, io);
    const loading = loadRendering(shippedPlugins);
    await using plugin = await opening;
    const rendering = await loading;
    let failed = 0;
    for (const folder of cases) {
      const problem = await runCase(folder, plugin, { flags, io, rendering });
      const paint = painter(io);
      io.out(`${problem === undefined ? paint("green", "ok    ") : paint("red", "FAILED")} ${folder}\n`);
      if (problem === undefined) continue;
      failed += 1;
      io.out(problem.endsWith("\n") ? problem : `${problem}\n`);
    }
    io.out(`${cases.length - failed} of ${cases.length} as expected\n`);
    return failed === 0 ? 0 : 1;
  },
});

async function findCases(folder: string): Promise<string[]> {
  const names = existsSync(folder) ? await readdir(folder) : [];
  return names
    .sort()
    .map((name) => join(folder, name))
    .filter((one) => existsSync(join(one, "source")));
}

interface CaseNeeds {
  readonly flags: { update?: boolean };
  readonly io: Io;
  readonly rendering: Rendering;
}

/** What is not as expected; nothing when all is. */
async function runCase(
  folder: string,
  opened: LocalPlugin,
  { flags, io, rendering: { shipped, openLocalRender } }: CaseNeeds,
): Promise<string | undefined> {
  const { update, ...rest } = flags;
  const application = join(folder, "application.yaml");
  const given = existsSync(application) ? { app: application } : {};
  const expected = join(folder, "expected.yaml");
  try {
    const { sockets, name: plugin } = opened;
    const caseFlags = { ...rest, ...given, source: join(folder, "source") };
    const app = await readLocalApp(caseFlags, { plugin, io, name: basename(folder) });
    const url = app.source.repoURL;
    const options = { io, shipped, folder: app.folder, url, sockets, onStderr: io.err };
    await using renderer = await openLocalRender(options);
    const made = await renderer.manifests(app);
    if (update) {
      await writeFile(expected, made.map((one) => `---\n${dumpYaml(one)}`).join(""));
      return undefined;
    }
    const wanted: Manifest[] = existsSync(expected)
      ? parseManifests(await readFile(expected, "utf8"), { file: expected })
      : [];
    return manifestDiff(wanted, made, { names: ["expected", "made"], paint: painter(io) }) || undefined;
  } catch (error) {
    io.signal.throwIfAborted();
    return messageOf(error);
  }
}
