import { readFile, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import type { KptEvalRequest } from "./kpt-folder.ts";
import { listIn, objectIn, printKptfile, readKptfile } from "./kptfile.ts";
import type { KptfileObject } from "./read-kptfile.ts";

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
  const file = join(root, "Kptfile");
  const { content } = readKptfile(await readFile(file, "utf8"), root);
  const pipeline = objectIn(content, "pipeline");
  const list = `${request.type}s`;
  const step = stepOf(request, image, root);
  const same = (one: KptfileObject): boolean =>
    request.exec === "" ? withoutTag(one.image) === withoutTag(image) : one.exec === request.exec;
  const steps = listIn(pipeline, list);
  const at = steps.findIndex(same);
  const next = at < 0 ? [...steps, step] : steps.with(at, step);
  await writeFile(file, printKptfile({ ...content, pipeline: { ...pipeline, [list]: next } }));
  const name = JSON.stringify(request.exec || image);
  tell(`${at < 0 ? "Added" : "Updated"} ${name} as ${request.type} in the Kptfile.\n`);
}

function withoutTag(image: unknown): string {
  return typeof image === "string" ? image.replace(/[:@][^/]*$/, "") : "";
}

function stepOf(
  { exec, fnConfig, args, match, exclude }: KptEvalRequest,
  image: string,
  root: string,
): KptfileObject {
  const data = new Map(
    args
      .filter((arg) => arg.includes("="))
      .map((arg) => [arg.slice(0, arg.indexOf("=")), arg.slice(arg.indexOf("=") + 1)]),
  );
  const step: KptfileObject = exec === "" ? { image } : { exec };
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
