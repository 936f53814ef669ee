import { join } from "node:path";
import { CapstanError, parsePlacedManifests } from "@capstan/model";
import {
  type Command,
  displayCommand,
  followLinks,
  type Generated,
  type Plugin,
  type RenderContext,
  type Stage,
  writeBelow,
} from "@capstan/plugin-kit";
import { toolPath, withoutCredentials } from "@capstan/programs";
import { DirectoryStage, hasFile } from "./directory-stage.ts";
import { chartFiles } from "./helm-stage.ts";
import { describeHelmfileError } from "./helmfile-error.ts";
import { helmWithLogins } from "./helmfile-logins.ts";
import { editYaml, type FileEdit, isEdit } from "./merge-yaml.ts";
import { readHelmfiles } from "./read-helmfiles.ts";
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
  // A helmfile may itself say what to run: exec, hooks, helmBinary.
  const confined = own.confine(stage, { isChosen: true });
  const { root, scratch } = await confined.workspace();
  const cwd = join(root, context.path);
  await editHelmfile(own, root);
  const program = settings.text("LOVELY_HELMFILE_PATH");
  const { program: helm = await toolPath("helm", stage.env) } = own.program("LOVELY_HELM_PATH", "helm");
  const edits = [settings.text("LOVELY_HELMFILE_MERGE"), settings.text("LOVELY_HELMFILE_PATCH")];
  const texts = [...(await readHelmfiles(context)), ...edits];
  const command: Command & { env: Record<string, string> } = {
    program,
    tool: "helmfile",
    args: [
      "template",
      ...(settings.flag("LOVELY_HELMFILE_CRDS") ? ["--include-crds"] : []),
      ...settings.helmfileArgs(),
    ],
    cwd,
    env: {
      ...withoutCredentials(stage.env),
      HELMFILE_HELM_BINARY: helm,
      ...(await helmWithLogins(helm, texts, confined)),
      ...own.env(true),
    },
    installHint: "Capstan does not bring helmfile: install it, and put it on PATH",
  };
  const { stdout } = await confined.run(command).catch((error: unknown) => {
    throw describeHelmfileError(error, { path: context.path, helmfile: texts.join("\n") });
  });
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
  const entry = await followLinks(context.tree, file);
  const isFile = entry?.kind === "file" || entry?.kind === "executable";
  const text = isFile ? (await context.tree.read(entry)).toString() : "";
  writeBelow(root, file, editYaml(text, edit, file));
}
