import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CapstanError, parsePlacedManifests } from "@capstan/model";
import {
  type Command,
  displayCommand,
  type Generated,
  type Plugin,
  type RenderContext,
  type Stage,
} from "@capstan/plugin-kit";
import { DirectoryStage, hasFile } from "./directory-stage.ts";
import { chartFiles } from "./helm-stage.ts";
import { editYaml, type FileEdit, isEdit } from "./merge-yaml.ts";
import type { Env } from "./settings.ts";

const helmfiles = ["helmfile.yaml", "helmfile.yaml.gotmpl"];
export const helmfileNames = [...helmfiles, "helmfile.d"];

/** `helmfile template` of a directory with a helmfile; nothing where there is none. */
export function helmfileStage(operator: Env): Plugin {
  return {
    name: "lovely-helmfile",
    inputs: async (context) => {
      const own = new DirectoryStage(context, operator);
      const isThere = await hasFile(context, helmfileNames);
      return isThere ? own.everything("helmfile") : { paths: [context.path], refs: {}, facts: "no helmfile" };
    },
    generate: async (context, stage) => {
      if (!(await hasFile(context, helmfileNames))) return { manifests: [], commands: [] };
      await refuseBoth(context);
      return generate(new DirectoryStage(context, operator), stage);
    },
  };
}

async function refuseBoth(context: RenderContext): Promise<void> {
  if (!(await hasFile(context, chartFiles))) return;
  throw new CapstanError({
    code: "FAILED_PRECONDITION",
    what: context.path || "the application's directory",
    problem: "it has both a helmfile and a Chart.yaml. Move one of them to another directory",
  });
}

async function generate(own: DirectoryStage, stage: Stage): Promise<Generated> {
  const { context, settings } = own;
  const confined = own.confine(stage);
  const { root, scratch } = await confined.workspace();
  const cwd = join(root, context.path);
  await editHelmfile(own, root);
  const program = settings.text("LOVELY_HELMFILE_PATH");
  const command: Command & { env: Record<string, string> } = {
    program,
    tool: "helmfile",
    args: [
      "template",
      ...(settings.flag("LOVELY_HELMFILE_CRDS") ? ["--include-crds"] : []),
      ...settings.args("LOVELY_HELMFILE_TEMPLATE_PARAMS"),
    ],
    cwd,
    env: own.env(true),
    installHint: "Capstan does not bring helmfile: install it and helm, and put both on PATH",
  };
  const { stdout } = await confined.run(command);
  const manifests = parsePlacedManifests(stdout.toString(), { file: "output of helmfile" });
  return {
    manifests: manifests.map(({ manifest }) => ({ manifest })),
    commands: [displayCommand({ ...command, hide: [root, scratch] })],
  };
}

async function editHelmfile({ context, settings }: DirectoryStage, root: string): Promise<void> {
  const [mergeName, patchName] = ["LOVELY_HELMFILE_MERGE", "LOVELY_HELMFILE_PATCH"] as const;
  const edit: FileEdit = {
    ...{ mergeName, patchName },
    merge: settings.text(mergeName),
    patch: settings.text(patchName),
  };
  const name = await hasFile(context, helmfiles);
  if (name === undefined || !isEdit(edit)) return;
  const file = context.path === "" ? name : `${context.path}/${name}`;
  const entry = await context.tree.entry(file);
  const text = entry ? (await context.tree.read(entry)).toString() : "";
  await writeFile(join(root, file), editYaml(text, edit, file));
}
