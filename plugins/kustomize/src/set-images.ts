import { isRecord } from "@capstan/formats/at-start";
import { CapstanError } from "@capstan/model/at-start";

interface Image {
  name: string;
  newName?: string;
  newTag?: string;
  digest?: string;
}

/** `kustomize edit set image`: an entry of the same name is replaced, "*" keeps what it had, "" is left out; sorted by name. */
export function setImages(existing: unknown, wanted: readonly string[]): unknown[] {
  const images = new Map<string, Record<string, unknown>>();
  for (const one of Array.isArray(existing) ? existing : [])
    if (isRecord(one)) images.set(String(one.name), one);
  for (const text of wanted) {
    const image = parseImage(text);
    images.set(image.name, keepMarked(image, images.get(image.name) ?? {}));
  }
  return [...images.values()].sort((left, right) => (String(left.name) < String(right.name) ? -1 : 1));
}

/** `[name=]new[:tag][@digest]`. */
export function parseImage(text: string): Image {
  const equals = text.indexOf("=");
  const [name, rest] = equals < 0 ? [undefined, text] : [text.slice(0, equals), text.slice(equals + 1)];
  const parts = splitReference(rest);
  if (name === undefined && parts.newTag === undefined && parts.digest === undefined) {
    const problem = `image "${text}" says neither a new name nor a tag nor a digest. Write name=new, name:tag or name@digest`;
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "source.kustomize.images", problem });
  }
  const { name: written, ...version } = parts;
  return name === undefined ? { name: written, ...version } : { name, newName: written, ...version };
}

function splitReference(text: string): { name: string; newTag?: string; digest?: string } {
  const at = text.indexOf("@");
  if (at >= 0) {
    const { name, newTag } = splitReference(text.slice(0, at));
    const digest = text.slice(at + 1);
    return newTag === undefined ? { name, digest } : { name, newTag, digest };
  }
  const tagged = /^(.*):([a-zA-Z0-9._-]*|\*)$/.exec(text);
  return tagged ? { name: tagged[1] ?? "", newTag: tagged[2] ?? "" } : { name: text };
}

function keepMarked(image: Image, before: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = { ...image };
  for (const field of ["newName", "newTag", "digest"] as const) {
    if (kept[field] !== "*" && kept[field] !== "") continue;
    delete kept[field];
    if (image[field] === "*" && before[field] !== undefined) kept[field] = before[field];
  }
  return kept;
}
