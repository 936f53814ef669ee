import { relative, resolve } from "node:path";
import { printAll, readYaml } from "@capstan/krm-yaml";
import { readBelow, writeBelow } from "@capstan/plugin-kit";
import type { Item } from "./item.ts";
import type { KptEvalRequest } from "./kpt-folder.ts";
import { type Kptfile, listIn, objectIn, printKptfile, readKptfile } from "./kptfile.ts";
import type { KptfileObject } from "./read-kptfile.ts";
import { restoreComments } from "./restore-comments.ts";
import { PackageError } from "./trace-error.ts";

interface Saving {
  root: string;
  request: KptEvalRequest;
  image: string;
}

/** Writes what was just run into the Kptfile's pipeline, in the place of the same function if it is there. */
export async function saveFunction(
  { root, request, image }: Saving,
  tell: (text: string) => void,
): Promise<void> {
  const before = await readKptfileOf(root);
  if (!before) return tell("function not added: Kptfile not exists\n");
  const { content } = before.kptfile;
  const pipeline = objectIn(content, "pipeline");
  const list = `${request.type}s`;
  const step = stepOf(request, image, root);
  const same = (one: KptfileObject): boolean =>
    request.exec === "" ? one.image === step.image : one.exec === request.exec;
  const steps = listIn(pipeline, list);
  const at = steps.findIndex(same);
  const next = at < 0 ? [...steps, step] : steps.with(at, step);
  const changed = printKptfile({ ...content, pipeline: { ...pipeline, [list]: next } });
  writeBelow(root, "Kptfile", asBefore(before.source, changed));
  const name = JSON.stringify(request.exec || image);
  tell(`${at < 0 ? "Added" : "Updated"} ${name} as ${request.type} in the Kptfile.\n`);
}

async function readKptfileOf(root: string): Promise<{ source: string; kptfile: Kptfile } | undefined> {
  try {
    const source = readBelow(root, "Kptfile")?.toString();
    if (source === undefined) return undefined;
    return { source, kptfile: readKptfile(source, root) };
  } catch (error) {
    // kpt says the same of a Kptfile that cannot be read.
    if (error instanceof PackageError) return undefined;
    throw error;
  }
}

/** With the comments and the order of fields that it had (cmdeval preserveCommentsAndFieldOrder). */
function asBefore(source: string, changed: string): string {
  const [[before], [after]] = [readYaml("Kptfile", source), readYaml("Kptfile", changed)];
  if (before?.root.kind !== "mapping" || after?.root.kind !== "mapping") return changed;
  const item: Item = { root: after.root, head: after.head, foot: after.foot };
  restoreComments({ root: before.root, head: before.head, foot: before.foot }, item);
  return printAll([{ ...item, seqIndent: "wide" }]);
}

function withoutTag(image: unknown): string {
  return typeof image === "string" ? image.replace(/[:@][^/]*$/, "") : "";
}

function stepOf(
  { exec, tag, fnConfig, args, match, exclude }: KptEvalRequest,
  image: string,
  root: string,
): KptfileObject {
  const data = new Map(
    args
      .filter((arg) => arg.includes("="))
      .map((arg) => [arg.slice(0, arg.indexOf("=")), arg.slice(arg.indexOf("=") + 1)]),
  );
  const step: KptfileObject = exec === "" ? { image: tag === "" ? image : withoutTag(image) } : { exec };
  if (tag !== "") step.tag = tag;
  if (fnConfig !== "") step.configPath = relative(root, resolve(fnConfig));
  else if (data.size > 0) step.configMap = data;
  for (const [field, selector] of [
    ["selectors", match],
    ["exclude", exclude],
  ] as const) {
    const { labels, annotations, ...texts } = selector;
    const set = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== ""));
    const one: KptfileObject = { ...set, labels: new Map(labels), annotations: new Map(annotations) };
    if (Object.keys(set).length > 0 || labels.size > 0 || annotations.size > 0) step[field] = [one];
  }
  return step;
}
